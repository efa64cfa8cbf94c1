"""What is seen of the engine, in words and figures."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale

from app.bridge.types import (
    DeviceFacts,
    EngineSnapshot,
    LoadedModel,
    MemoryUse,
    SlotSnapshot,
    SlotWork,
    Trial,
    WorkTotals,
)
from app.itemmodels.model_facts import size_text

translate = QCoreApplication.translate


def kernels_text(loaded: LoadedModel) -> str:
    """What computes, and why that."""
    threads = translate("EngineFacts", "{count} threads").format(count=loaded.threads)
    if loaded.threads == 1:
        threads = translate("EngineFacts", "1 thread")
    what = f"{loaded.kernels}, {threads}" if loaded.device == "cpu" else loaded.kernels
    return f"{what}. {loaded.kernels_reason}".strip()


def device_text(device: DeviceFacts) -> str:
    """Such as `11.0 GB of 23.0 GB free`."""
    text = translate("EngineFacts", "{title}: {free} of {total} free")
    free, total = size_text(device.free_bytes), size_text(device.total_bytes)
    return text.format(title=device.title, free=free, total=total)


def slot_text(slot: SlotSnapshot, context: int) -> str:
    """What a slot is busy with, and how far it is."""
    locale = QLocale()
    if slot.work is SlotWork.FREE:
        return translate("EngineFacts", "free")
    if slot.work is SlotWork.READING:
        text = translate("EngineFacts", "reading, {done} of {total} tokens of the prompt")
        done, total = locale.toString(slot.computed), locale.toString(slot.prompt)
        return text.format(done=done, total=total)
    text = translate("EngineFacts", "writing, {count} tokens · {used} of {context} positions")
    parts = [
        text.format(
            count=locale.toString(slot.emitted),
            used=locale.toString(slot.computed),
            context=locale.toString(context),
        )
    ]
    if slot.tested:
        accepted = translate("EngineFacts", "{accepted}/{tested} accepted")
        counts = locale.toString(slot.accepted), locale.toString(slot.tested)
        parts.append(accepted.format(accepted=counts[0], tested=counts[1]))
    return " · ".join(parts)


def memory_name(kind: str) -> str:
    """What a part of the memory plan is called."""
    return {
        "weights": translate("EngineFacts", "Weights"),
        "draft_weights": translate("EngineFacts", "Weights of the draft"),
        "cache": translate("EngineFacts", "Keys and values"),
        "state": translate("EngineFacts", "Recurrent state"),
        "checkpoint": translate("EngineFacts", "Kept for reuse"),
        "scratch": translate("EngineFacts", "Working memory"),
        "runtime": translate("EngineFacts", "torch itself"),
    }.get(kind, kind)


def memory_text(use: MemoryUse) -> str:
    """What was planned, and how much of it is in use."""
    planned = translate("EngineFacts", "{size} planned").format(size=size_text(use.planned_bytes))
    if use.in_use is None:
        return planned
    share = translate("EngineFacts", "{share} % in use").format(share=round(100 * use.in_use))
    return f"{planned} · {share}"


def held_text(seen: EngineSnapshot) -> str:
    """The whole plan against what the process holds."""
    planned = size_text(sum(use.planned_bytes for use in seen.memory))
    text = translate("EngineFacts", "{planned} planned · this program holds {held} in all")
    return text.format(planned=planned, held=size_text(seen.held_bytes))


def passes_text(totals: WorkTotals) -> str:
    """How many rows a pass has."""
    if not totals.passes:
        return translate("EngineFacts", "none since the model was loaded")
    locale = QLocale()
    text = translate("EngineFacts", "{rows} rows a pass, over {passes} since the model was loaded")
    rows = locale.toString(totals.rows / totals.passes, "f", 1)
    return text.format(rows=rows, passes=locale.toString(totals.passes))


def time_shares(totals: WorkTotals) -> list[tuple[str, float, float]]:
    """Where the time went: for each part its name, its seconds and its share."""
    parts = (
        (translate("EngineFacts", "Reading prompts"), totals.prompt_s),
        (translate("EngineFacts", "Without drafts"), totals.decode_s),
        (translate("EngineFacts", "Drafting"), totals.draft_s),
        (translate("EngineFacts", "Verifying drafts"), totals.verify_s),
        (translate("EngineFacts", "Folding accepted rows"), totals.fold_s),
    )
    whole = sum(seconds for _, seconds in parts)
    return [(name, seconds, seconds / whole if whole else 0.0) for name, seconds in parts]


def time_text(seconds: float, share: float) -> str:
    """Such as `61.0 % · 12.3 s`."""
    locale = QLocale()
    return f"{locale.toString(100 * share, 'f', 1)} % · {locale.toString(seconds, 'f', 1)} s"


def trials_text(trials: Sequence[Trial]) -> str:
    """What the selftest found."""
    wrong = [f"{trial.operation} ({trial.backend})" for trial in trials if not trial.passed]
    if not wrong:
        text = translate("EngineFacts", "All {count} trials passed, on {backends}.")
        backends = ", ".join(sorted({trial.backend for trial in trials}))
        return text.format(count=len(trials), backends=backends)
    text = translate(
        "EngineFacts",
        "{count} of {total} trials do not compute what they should: {names}. Please report this.",
    )
    return text.format(count=len(wrong), total=len(trials), names=", ".join(wrong))
