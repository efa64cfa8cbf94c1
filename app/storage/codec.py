"""JSON forms of how a reply was made; the store's columns and exported files share them."""

from dataclasses import asdict

from app.domain.generation import Sampling, Timings
from app.domain.message import ContextUse, ReplyStats
from app.storage.fields import Fields

JsonObject = dict[str, object]


def sampling_json(sampling: Sampling) -> JsonObject:
    """The fields of `Sampling`, by their names."""
    return asdict(sampling)


def sampling_from(fields: Fields) -> Sampling:
    """Raises `FieldError` if it is not what `sampling_json` gave."""
    return Sampling(
        temperature=fields.number("temperature"),
        top_k=fields.whole("top_k"),
        top_p=fields.number("top_p"),
        min_p=fields.number("min_p"),
        repeat_penalty=fields.number("repeat_penalty"),
        frequency_penalty=fields.number("frequency_penalty"),
        presence_penalty=fields.number("presence_penalty"),
        penalty_window=fields.whole("penalty_window"),
        seed=fields.optional("seed", fields.whole),
        max_tokens=fields.optional("max_tokens", fields.whole),
    )


def stats_json(stats: ReplyStats) -> JsonObject:
    """The fields of `ReplyStats`, by their names; timings are an object in it."""
    return asdict(stats)


def stats_from(fields: Fields) -> ReplyStats:
    """Raises `FieldError` if it is not what `stats_json` gave."""
    timings = fields.optional("timings", fields.fields)
    return ReplyStats(
        num_tokens=fields.whole("num_tokens"),
        tokens_per_second=fields.number("tokens_per_second"),
        first_token_s=fields.optional("first_token_s", fields.number),
        stop_reason=fields.text("stop_reason"),
        timings=_timings_from(timings) if timings else None,
    )


def context_from(fields: Fields) -> ContextUse:
    """Raises `FieldError` if it is not what `asdict` gives of a `ContextUse`."""
    return ContextUse(fields.whole("used"), fields.whole("size"))


def _timings_from(fields: Fields) -> Timings:
    return Timings(
        cache_n=fields.whole("cache_n"),
        prompt_n=fields.whole("prompt_n"),
        prompt_ms=fields.number("prompt_ms"),
        predicted_n=fields.whole("predicted_n"),
        predicted_ms=fields.number("predicted_ms"),
        draft_n=fields.whole("draft_n"),
        draft_n_accepted=fields.whole("draft_n_accepted"),
        draft_rounds=fields.whole("draft_rounds"),
        draft_empty=fields.whole("draft_empty"),
        draft_rejected_whole=fields.whole("draft_rejected_whole"),
        draft_by_position=fields.pairs("draft_by_position"),
        draft_ms=fields.number("draft_ms"),
        verify_ms=fields.number("verify_ms"),
        rollback_ms=fields.number("rollback_ms"),
        draft_speedup=fields.optional("draft_speedup", fields.number),
        draft_rest_cost=fields.optional("draft_rest_cost", fields.number),
    )
