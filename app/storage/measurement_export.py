"""Comparisons and runs of the bench as files: JSON with everything, or Markdown to be read."""

import json
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication

from app.domain.bench_run import BenchRow, BenchRun
from app.domain.comparison import Comparison, ComparisonRecord, Half
from app.domain.generation import Timings
from app.storage.codec import JsonObject
from app.storage.measurement_codec import bench_json, comparison_json
from app.storage.rows import storable

translate = QCoreApplication.translate


def comparison_text(record: ComparisonRecord, *, is_markdown: bool) -> str:
    """A comparison as it is written to a file."""
    return _comparison_markdown(record) if is_markdown else _json_text(comparison_json(record))


def bench_text(run: BenchRun, *, is_markdown: bool) -> str:
    """A run of the bench as it is written to a file."""
    return _bench_markdown(run) if is_markdown else _json_text(bench_json(run))


def _json_text(values: JsonObject) -> str:
    return storable(json.dumps(values, ensure_ascii=False, indent=1)) + "\n"


def _comparison_markdown(record: ComparisonRecord) -> str:
    way = (
        translate("Export", "both at once")
        if record.together
        else translate("Export", "one after the other")
    )
    about = [record.model, _day(record.created_at), way]
    if record.seed is not None:
        about.append(translate("Export", "seed {seed}").format(seed=record.seed))
    parts = [
        "# " + translate("Export", "Comparison"),
        " · ".join(about),
        _result_line(record.result) if record.result else "",
        "## " + translate("Export", "Prompt"),
        record.prompt.strip(),
        *_half_parts(record.left),
        *_half_parts(record.right),
    ]
    return storable("\n\n".join(part for part in parts if part)) + "\n"


def _result_line(result: Comparison) -> str:
    text = translate("Export", "**{times}×** · identical: {same} of {all} tokens")
    same, total = result.identical_tokens, result.num_tokens
    return text.format(times=f"{result.speedup:.2f}", same=same, all=total)


def _half_parts(half: Half) -> list[str]:
    """Heading, figures and text of a reply."""
    about = ", ".join(filter(None, (half.draft, half.details)))
    title = translate("Export", "Draft on") if half.draft else translate("Export", "Draft off")
    heading = f"## {title}: {about}" if about else f"## {title}"
    stats = half.reply.stats
    figures = ""
    if stats and stats.timings:
        figures = _figures(stats.timings, stats.tokens_per_second)
    return [heading, figures, half.reply.text.strip()]


def _figures(timings: Timings, per_second: float) -> str:
    text = translate("Export", "{speed} tok/s · {count} tokens in {seconds} s")
    seconds = (timings.prompt_ms + timings.predicted_ms) / 1e3
    count = timings.predicted_n
    line = text.format(speed=f"{per_second:.1f}", count=count, seconds=f"{seconds:.1f}")
    if not timings.draft_n:
        return line
    accepted = translate("Export", "accepted {accepted} of {tested} draft tokens")
    counts = accepted.format(accepted=timings.draft_n_accepted, tested=timings.draft_n)
    return f"{line} · {counts}"


def _bench_markdown(run: BenchRun) -> str:
    about = [f"{run.model} {run.quantisation}".strip(), run.draft, run.machine]
    names = ("Prompt", "Speed-up", "Without, tok/s", "With, tok/s", "Accepted", "Tested")
    head = [translate("Export", name) for name in names]
    rows = [_bench_cells(row) for row in (*run.rows, *filter(None, [run.total]))]
    table = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    parts = [
        "# " + translate("Export", "Bench"),
        " · ".join(filter(None, [*about, _day(run.created_at)])),
        "\n".join(f"| {' | '.join(cells)} |" for cells in table),
    ]
    if any(row.loops for row in run.rows):
        parts.append(translate("Export", "\\* The reply repeats itself and is not in the total."))
    return storable("\n\n".join(parts)) + "\n"


def _bench_cells(row: BenchRow) -> list[str]:
    name = row.prompt or translate("Export", "All together")
    return [
        name + (" \\*" if row.loops else ""),
        f"{row.speedup:.2f}×",
        f"{row.plain_per_second:.1f}",
        f"{row.drafted_per_second:.1f}",
        str(row.accepted),
        str(row.tested),
    ]


def _day(when_s: float) -> str:
    return datetime.fromtimestamp(when_s, UTC).strftime("%Y-%m-%d")
