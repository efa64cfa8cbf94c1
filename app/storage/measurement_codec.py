"""Comparisons and runs of the bench as JSON: the form in which they are kept and exported.

Each is an object with `format` and `version`, and the fields of `ComparisonRecord` or `BenchRun` by
their names; a reply is what it is in an exported chat.
"""

from dataclasses import asdict

from app.domain.bench_run import BenchRow, BenchRun
from app.domain.comparison import ComparisonRecord, Half
from app.storage.codec import JsonObject
from app.storage.fields import Fields
from app.storage.message_codec import message_from_json, message_json

VERSION = 1
COMPARISON_FORMAT, BENCH_FORMAT = "paceline-comparison", "paceline-bench"


def comparison_json(record: ComparisonRecord) -> JsonObject:
    """A whole comparison; its `result` is there for people and programs, and never read back."""
    result = record.result
    return {
        "format": COMPARISON_FORMAT,
        "version": VERSION,
        "id": record.id,
        "created_at": record.created_at,
        "prompt": record.prompt,
        "model": record.model,
        "seed": record.seed,
        "together": record.together,
        "result": asdict(result) if result else None,
        "left": _half_json(record.left),
        "right": _half_json(record.right),
    }


def comparison_from(fields: Fields) -> ComparisonRecord:
    """Raises `FieldError` if it is not what `comparison_json` gave."""
    return ComparisonRecord(
        prompt=fields.text("prompt"),
        model=fields.text("model"),
        left=_half_from(fields.fields("left")),
        right=_half_from(fields.fields("right")),
        together=fields.flag("together"),
        id=fields.text("id"),
        created_at=fields.number("created_at"),
    )


def bench_json(run: BenchRun) -> JsonObject:
    """A whole run."""
    return {"format": BENCH_FORMAT, "version": VERSION} | asdict(run)


def bench_from(fields: Fields) -> BenchRun:
    """Raises `FieldError` if it is not what `bench_json` gave."""
    total = fields.optional("total", fields.fields)
    return BenchRun(
        model=fields.text("model"),
        quantisation=fields.text("quantisation"),
        draft=fields.text("draft"),
        machine=fields.text("machine"),
        rows=tuple(map(_row_from, fields.objects("rows"))),
        total=_row_from(total) if total else None,
        left_out=fields.texts("left_out"),
        id=fields.text("id"),
        created_at=fields.number("created_at"),
    )


def _half_json(half: Half) -> JsonObject:
    return {
        "draft": half.draft,
        "details": half.details,
        "reply": message_json(half.reply, None),
    }


def _half_from(fields: Fields) -> Half:
    reply = message_from_json(fields.fields("reply"))
    return Half(reply, fields.text("draft"), fields.text("details"))


def _row_from(fields: Fields) -> BenchRow:
    return BenchRow(
        prompt=fields.text("prompt"),
        speedup=fields.number("speedup"),
        plain_per_second=fields.number("plain_per_second"),
        drafted_per_second=fields.number("drafted_per_second"),
        tested=fields.whole("tested"),
        accepted=fields.whole("accepted"),
        loops=fields.flag("loops"),
    )
