"""The suite `spec`: what drafting gains on the ten prompts, its replies being those without it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.api.bench_prompts import Prompts, length
from engine.base.bench import OFF, Asked, repeated_share, whole_ms
from engine.base.errors import PacelineError
from engine.base.types import Drafting, GenerationResult, Request, SamplingParams, Timings

REPLY_TOKENS = 192
"""Of each reply at most, unless somebody says otherwise."""

Tell = Callable[[str, str], None]
"""Takes the prompt that is asked next, and in which way."""


class Server(Protocol):
    """What serves the requests, and nobody else meanwhile."""

    def answer(self, requests: Sequence[Request]) -> list[GenerationResult]:
        """Serve requests at once; results in their order.

        Raises:
            PacelineError: one of them failed.
        """

    def forget(self) -> None:
        """Drop what is kept for reuse, so that the next requests start cold."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask, and in which ways.

    Attributes:
        requests: by the name of the prompt.
        ways: how to draft, by the name in the table; at first not at all.
        repeat: how often to ask each; the run of median time counts.
    """

    requests: Mapping[str, Request]
    ways: Mapping[str, Drafting]
    repeat: int = 1

    @property
    def replies_a_prompt(self) -> int:
        """How often each prompt is answered: once more in each way, to check what is said."""
        return (1 + self.repeat) * len(self.ways)

    @property
    def context(self) -> int:
        """Positions that the longest request needs."""
        return max(
            length(request.prompt) + (request.max_tokens or 0) for request in self.requests.values()
        )


def spec_requests(prompts: Prompts, reply_tokens: int, temperature: float) -> dict[str, Request]:
    """What is asked, by the name of the prompt.

    A seed of its own also gives each prompt's scripts errors of their own.
    """
    return {
        name: Request(prompt, reply_tokens, SamplingParams(temperature=temperature, seed=seed))
        for seed, (name, prompt) in enumerate(prompts.items())
    }


class Suite:
    """Serves requests in several ways.

    The ways of one prompt follow each other, so that a computer which slows down slows them all.
    """

    def __init__(
        self, server: Server, ways: Mapping[str, Drafting], repeat: int, tell: Tell
    ) -> None:
        """`ways` as in `Plan`, and `repeat` too."""
        self._server = server
        self._ways = ways
        self._repeat = repeat
        self._tell = tell

    def ask(self, prompt: str, request: Request) -> Asked:
        """The figures of every way; raises a PacelineError where one changed the reply.

        Digests have a round of their own, as hashing takes up to a millisecond a token. There the
        prompt is computed once and pools are kept, so that more is drafted. Whatever happens once
        only, such as reading weights from the disk, happens in it as well.
        """
        checked = self._serve(prompt, replace(request, digest=True), cold=False)
        rounds = [self._serve(prompt, request, cold=True) for _ in range(self._repeat)]
        timings = {way: _median([results[way].timings for results in rounds]) for way in self._ways}
        return Asked(prompt, repeated_share(checked[OFF].tokens), timings)

    def _serve(self, prompt: str, request: Request, *, cold: bool) -> dict[str, GenerationResult]:
        """Serve a request in every way, and check each reply against the first, without drafts.

        `cold`: with nothing kept from one way to the next.
        """
        results: dict[str, GenerationResult] = {}
        for way, drafting in self._ways.items():
            self._tell(prompt, way)
            if drafting.script:
                script = replace(drafting.script, tokens=results[OFF].tokens)
                drafting = replace(drafting, script=script)
            if cold:
                self._server.forget()
            (results[way],) = self._server.answer([replace(request, drafting=drafting)])
            check_reply(f"{way} on {prompt}", results[way], results[OFF])
        return results


def check_reply(what: str, result: GenerationResult, off: GenerationResult) -> None:
    """Compare a reply with the one without drafting, and its counts with each other.

    Raises:
        PacelineError: one of them cannot be; no figure is worth anything then.
    """
    timings = result.timings
    # A round emits what it accepted and one more, save where the reply ends within the draft.
    possible = timings.draft_n_accepted + timings.draft_rounds <= timings.predicted_n
    for part, holds in (
        ("the tokens", result.tokens == off.tokens),
        ("the logits", result.digest == off.digest),
        ("the state", result.state_digest == off.state_digest),
        ("the counts of drafts", possible and timings.draft_n_accepted <= timings.draft_n),
    ):
        if not holds:
            raise PacelineError(
                f"{what}: {part} are not what they must be, so no figure here can be trusted. "
                "Please report this."
            )


def _median(runs: list[Timings]) -> Timings:
    """The run in the middle by its time; the faster of two."""
    return sorted(runs, key=whole_ms)[(len(runs) - 1) // 2]
