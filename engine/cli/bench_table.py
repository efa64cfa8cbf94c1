"""The table of the suite `spec`, for programs and for people."""

from collections.abc import Sequence
from dataclasses import asdict

from engine.base.bench import OFF_AGAIN, Asked, Figures, aggregate


def spec_document(asked: Sequence[Asked]) -> list[dict[str, object]]:
    """For each method its aggregate, and the same figures by prompt."""
    documents: list[dict[str, object]] = []
    for method in _methods(asked):
        by_prompt = [
            {"prompt": one.prompt, "repeated": one.repeated, "loops": one.loops}
            | asdict(one.figures(method))
            for one in asked
        ]
        total = aggregate(asked, method)
        figures_of_all = asdict(total) if total else {}
        documents.append({"method": method, **figures_of_all, "prompts": by_prompt})
    return documents


def spec_text(asked: Sequence[Asked]) -> str:
    """The table for people, method by method; empty where nothing was asked."""
    if not asked:
        return ""
    lines = []
    for method in _methods(asked):
        lines += ["", method]
        lines += [
            _line(one.prompt, one.figures(method)) + ("  loops" if one.loops else "")
            for one in asked
        ]
        if total := aggregate(asked, method):
            lines.append(_line("aggregate", total) + _shares(total))
    lines += [
        "",
        "tok/s and speedup are those of whole requests, prompt and reply; what chance does to "
        f"them, {OFF_AGAIN!r} shows.",
    ]
    if loops := [f"{one.prompt} ({one.repeated:.0%})" for one in asked if one.loops]:
        lines.append(
            f"Not in the aggregates, because the reply repeats itself: {', '.join(loops)}."
        )
    return "\n".join(lines) + "\n"


def _methods(asked: Sequence[Asked]) -> list[str]:
    """The names of all ways, in their order; the same for every prompt."""
    return list(asked[0].timings) if asked else []


def _line(name: str, figures: Figures) -> str:
    return (
        f"  {name:17} pred={figures.predicted_n:5} draft={figures.draft_n:5} "
        f"acc={figures.draft_n_accepted:5} rate={figures.rate:.3f} "
        f"tok/s={figures.tokens_per_second:7.1f} speedup={figures.speedup:.2f}"
    )


def _shares(total: Figures) -> str:
    """What the parts of the rounds took of the whole time; nothing where there were none."""
    if not total.draft_rounds:
        return ""
    parts = (("draft", total.draft_ms), ("verify", total.verify_ms), ("fold", total.rollback_ms))
    took_ms = total.prompt_ms + total.predicted_ms
    return "  of the time: " + ", ".join(f"{name} {ms / took_ms:.1%}" for name, ms in parts)
