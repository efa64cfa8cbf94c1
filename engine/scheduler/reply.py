"""What a request has emitted so far, and when it ends."""

import hashlib
from bisect import bisect_right
from collections.abc import Callable

import numpy as np

from engine.base.types import (
    DraftProgress,
    GenerationResult,
    Request,
    StopReason,
    TextDelta,
    Timings,
    TokenLogprob,
)
from engine.sampling.sampler import logprobs
from engine.speculative.tally import Tally
from engine.text.detokenizer import Detokenizer
from engine.text.reply_reader import separate
from engine.text.stop_strings import StopMatcher
from engine.text.tokenizer import Tokenizer

Clock = Callable[[], float]
"""Seconds from any origin, never going back."""


class Reply:
    """Turns emitted tokens into text and events until one of the reasons to stop holds.

    Attributes:
        tokens: every emitted id, the end-of-text token included.
        stop_reason: why the reply has ended; None while it goes on.
    """

    def __init__(self, request: Request, tokenizer: Tokenizer | None, clock: Clock) -> None:
        """Without a tokenizer the text stays empty, and nothing but the length ends the reply."""
        self._request = request
        self._clock = clock
        self._ends = tokenizer.end_of_generation if tokenizer else frozenset()
        self._detokenizer = Detokenizer(tokenizer) if tokenizer else None
        self._stops = StopMatcher(request.stop)
        self._digest = hashlib.sha256() if request.digest else None
        self._text: list[str] = []
        self._logprobs: list[TokenLogprob] = []
        self._accepted: list[tuple[int, int]] = []  # bytes of the text that drafts had proposed
        self._reported_tokens = self._reported_text = self._reported_bytes = 0
        self._first_at = self._last_at = 0.0
        self.tokens: list[int] = []
        self.stop_reason: StopReason | None = None

    def add(self, token: int, logits: np.ndarray, room: int, *, is_accepted: bool = False) -> None:
        """Take one emitted token.

        Args:
            token: its id.
            logits: float32 `[vocab]`, the raw row behind it.
            room: positions left in the context once this token is fed.
            is_accepted: it had been proposed by a draft.
        """
        self._last_at = self._clock()
        if not self.tokens:
            self._first_at = self._last_at
        self.tokens.append(token)
        if self._digest:
            self._digest.update(logits.tobytes())
        if self._request.top_logprobs is not None:
            self._logprobs.append(logprobs(logits, token, self._request.top_logprobs))
        if token in self._ends and not self._request.ignore_eos:
            self._end(StopReason.EOS)
        elif self._add_text(token, is_accepted=is_accepted):
            self._end(StopReason.STOP)
        elif len(self.tokens) == self._request.max_tokens:
            self._end(StopReason.LENGTH)
        elif room < 0:
            self._end(StopReason.CONTEXT)

    def cancel(self) -> None:
        """End the reply where it is."""
        self._end(StopReason.CANCELLED)

    def unreported(self, context_used: int, drafting: DraftProgress | None) -> TextDelta | None:
        """What came since the last call, with how drafting goes; None where nothing did."""
        if len(self.tokens) == self._reported_tokens and len(self._text) == self._reported_text:
            return None
        tokens = tuple(self.tokens[self._reported_tokens :])
        text = "".join(self._text[self._reported_text :])
        new_logprobs = tuple(self._logprobs[self._reported_tokens :])
        self._reported_tokens, self._reported_text = len(self.tokens), len(self._text)
        elapsed_ms = 1e3 * (self._last_at - self._first_at)
        accepted = self._unreported_accepted()
        return TextDelta(tokens, text, context_used, elapsed_ms, new_logprobs, drafting, accepted)

    def result(
        self,
        started_at: float,
        cache_n: int,
        prompt_n: int,
        tally: Tally,
        drafting: DraftProgress | None,
        state_digest: str,
    ) -> GenerationResult:
        """The finished reply; `started_at` is when the request's first pass began."""
        if self.stop_reason is None:
            raise RuntimeError("the reply has not ended")
        first_at = self._first_at if self.tokens else self._clock()
        timings = Timings(
            cache_n=cache_n,
            prompt_n=prompt_n,
            prompt_ms=1e3 * (first_at - started_at),
            predicted_n=len(self.tokens),
            predicted_ms=1e3 * (self._last_at - self._first_at),
            draft_n=tally.tested,
            draft_n_accepted=tally.accepted,
            draft_rounds=tally.rounds,
            draft_empty=tally.empty,
            draft_rejected_whole=tally.rejected_whole,
            draft_by_position=tally.counts,
            draft_ms=1e3 * tally.propose_s,
            verify_ms=1e3 * tally.verify_s,
            rollback_ms=1e3 * tally.commit_s,
            draft_speedup=drafting.speedup if drafting else None,
            draft_rest_cost=drafting.rest_cost if drafting else None,
        )
        text = "".join(self._text)
        said = separate(self._request.opening + text)
        return GenerationResult(
            tokens=tuple(self.tokens),
            text=text,
            stop_reason=self.stop_reason,
            timings=timings,
            logprobs=tuple(self._logprobs),
            digest=self._digest.hexdigest() if self._digest else "",
            state_digest=state_digest,
            accepted=self._accepted_in(text),
            reasoning=said.reasoning,
            answer=said.answer,
            tool_calls=said.calls,
            notice=self._request.notice,
        )

    def _add_text(self, token: int, *, is_accepted: bool) -> bool:
        """Append what became printable; True where a stop string ends it."""
        if not self._detokenizer:
            return False
        before = self._detokenizer.position if is_accepted else 0
        text, stopped = self._stops.add(self._detokenizer.add([token]))
        self._text.append(text)
        if is_accepted:
            self._accept(before, self._detokenizer.position)
        return stopped

    def _accept(self, start: int, end: int) -> None:
        """Note bytes of the text as accepted; runs that meet are one."""
        if self._accepted and self._accepted[-1][1] == start:
            start = self._accepted.pop()[0]
        self._accepted.append((start, end))

    def _unreported_accepted(self) -> tuple[tuple[int, int], ...]:
        """The runs since the last call, or what is new of them."""
        reported = self._reported_bytes
        first = bisect_right(self._accepted, reported, key=lambda run: run[1])
        runs = tuple((max(start, reported), end) for start, end in self._accepted[first:])
        if runs:
            self._reported_bytes = runs[-1][1]
        return runs

    def _accepted_in(self, text: str) -> tuple[tuple[int, int], ...]:
        """The runs as far as they reach into the text; a stop string cuts it short."""
        size = len(text.encode())
        runs = ((start, min(end, size)) for start, end in self._accepted)
        return tuple((start, end) for start, end in runs if start < end)

    def _end(self, reason: StopReason) -> None:
        if self._detokenizer and reason != StopReason.STOP:
            text, _ = self._stops.add(self._detokenizer.finish())
            if rest := text + self._stops.flush():
                self._text.append(rest)
        self.stop_reason = reason
