"""What the bench measured, in words and figures."""

from PySide6.QtCore import QCoreApplication, QLocale

from app.domain.bench_run import BenchRow
from app.itemmodels.speed_facts import times_text

translate = QCoreApplication.translate


def prompt_name(prompt: str) -> str:
    """What people call a prompt by its short name; an empty one stands for all together."""
    if not prompt:
        return translate("BenchFacts", "All together")
    words = prompt.replace("_", " ")
    return {
        "code_python": translate("BenchFacts", "Code in Python"),
        "code_cpp": translate("BenchFacts", "Code in C++"),
        "explain_concept": translate("BenchFacts", "Explanation"),
        "summarize": translate("BenchFacts", "Summary"),
        "qa_factual": translate("BenchFacts", "Question of fact"),
        "translation": translate("BenchFacts", "Translation"),
        "creative_short": translate("BenchFacts", "Story"),
        "stepwise_math": translate("BenchFacts", "Sums, step by step"),
        "high_entropy": translate("BenchFacts", "Odd words"),
        "long_code_review": translate("BenchFacts", "Long code review"),
    }.get(prompt, words)


def speeds_text(row: BenchRow) -> str:
    locale = QLocale()
    off, on = (
        locale.toString(speed, "f", 1 if speed < 1000 else 0)
        for speed in (row.plain_per_second, row.drafted_per_second)
    )
    return f"{off} → {on}"


def accepted_text(row: BenchRow) -> str:
    if not row.tested:
        return "–"
    share = round(100 * row.accepted / row.tested)
    return f"{QLocale().toString(row.accepted)}/{QLocale().toString(row.tested)} ({share} %)"


def bench_row_text(row: BenchRow) -> str:
    """A row for those who do not see it."""
    text = translate(
        "BenchFacts", "{prompt}: {times}×, {speeds} tokens per second, accepted {accepted}"
    )
    return text.format(
        prompt=prompt_name(row.prompt),
        times=times_text(row.speedup),
        speeds=speeds_text(row),
        accepted=accepted_text(row),
    )
