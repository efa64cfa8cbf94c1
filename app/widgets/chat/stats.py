"""The line of figures under a finished reply."""

from PySide6.QtCore import QCoreApplication, QLocale

from app.bridge.types import StopReason
from app.domain.generation import Timings
from app.domain.message import ContextUse, ReplyStats

SEPARATOR = " · "
translate = QCoreApplication.translate


def stats_text(stats: ReplyStats) -> str:
    """Such as `38.2 tok/s · 412 tokens · 0.31 s to first token · Stop reason: end of text`.

    Where something drafted, how much of it was accepted follows.
    """
    locale = QLocale()
    parts = []
    if stats.tokens_per_second > 0:
        speed = locale.toString(stats.tokens_per_second, "f", 1)
        parts.append(translate("Stats", "{speed} tok/s").format(speed=speed))
    parts.append(tokens_text(stats.num_tokens))
    if stats.first_token_s is not None:
        seconds = locale.toString(stats.first_token_s, "f", 2)
        parts.append(translate("Stats", "{seconds} s to first token").format(seconds=seconds))
    if stats.stop_reason in set(StopReason):  # a file may hold another
        reason = _stop_reason(StopReason(stats.stop_reason))
        parts.append(translate("Stats", "Stop reason: {reason}").format(reason=reason))
    if stats.timings and stats.timings.draft_n:
        parts.append(_accepted_text(stats.timings))
    return SEPARATOR.join(parts)


def tokens_text(count: int) -> str:
    """Such as `412 tokens`."""
    if count == 1:
        return translate("Stats", "1 token")
    return translate("Stats", "%Ln tokens", "", count)


def context_text(context: ContextUse) -> str:
    """Such as `1,204 of 32,768`."""
    locale = QLocale()
    text = translate("Stats", "{used} of {size}")
    return text.format(used=locale.toString(context.used), size=locale.toString(context.size))


def _accepted_text(timings: Timings) -> str:
    """Such as `Accepted 301/377 draft tokens (80 %)`."""
    locale = QLocale()
    text = translate("Stats", "Accepted {accepted}/{tested} draft tokens ({share} %)")
    return text.format(
        accepted=locale.toString(timings.draft_n_accepted),
        tested=locale.toString(timings.draft_n),
        share=round(100 * timings.draft_n_accepted / timings.draft_n),
    )


def _stop_reason(reason: StopReason) -> str:
    match reason:
        case StopReason.EOS:
            return translate("Stats", "end of text")
        case StopReason.LENGTH:
            return translate("Stats", "token limit")
        case StopReason.STOP:
            return translate("Stats", "stop text")
        case StopReason.CONTEXT:
            return translate("Stats", "context full")
        case StopReason.CANCELLED:
            return translate("Stats", "stopped by you")
