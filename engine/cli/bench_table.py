"""The table of the suite `spec`: what drafting gained on each prompt, and altogether."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from engine.base.types import Timings

OFF = "off"
"""The name of serving without drafts, which all others are compared with."""

OFF_AGAIN = "off again"
"""The same once more, behind all others: its speed-up shows what the computer does by itself."""

NGRAM = 6
"""Tokens of the stretches whose repetition shows a loop."""

MOST_REPEATED = 0.4
"""Share of repeated stretches from which on a reply is a loop. Of 192 tokens of Python that people
wrote, 1 stretch in 100 repeats more, of prose none; a reply that circles through its last half
repeats 0.45 and more. Loops are easy to draft, so they would pass for a gain."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts and times of one reply or of several together; names as in `Timings`.

    Attributes:
        rate: tokens accepted of those tested; 0 where none was.
        tokens_per_second: tokens of the replies by the time of the whole requests.
        speedup: time of the whole requests without drafting by that with it.
    """

    predicted_n: int
    draft_n: int
    draft_n_accepted: int
    draft_rounds: int
    rate: float
    tokens_per_second: float
    speedup: float
    prompt_ms: float
    predicted_ms: float
    draft_ms: float
    verify_ms: float
    rollback_ms: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt and how its reply went.

    Attributes:
        repeated: share of the reply's stretches that stood in it before.
        timings: by the name of each method, `off` among them.
    """

    prompt: str
    repeated: float
    timings: dict[str, Timings]

    @property
    def loops(self) -> bool:
        """Whether the reply repeats itself so much that it says nothing about drafting."""
        return self.repeated > MOST_REPEATED

    def figures(self, method: str) -> Figures:
        """Those of one method."""
        return figures([self.pair(method)])

    def pair(self, method: str) -> tuple[Timings, Timings]:
        """Timings without drafting, and with one method."""
        return self.timings[OFF], self.timings[method]


def figures(pairs: Sequence[tuple[Timings, Timings]]) -> Figures:
    """The figures of replies together: of each its timings without drafting, and with it."""
    drafted = [timings for _, timings in pairs]
    predicted_n = sum(timings.predicted_n for timings in drafted)
    draft_n = sum(timings.draft_n for timings in drafted)
    accepted = sum(timings.draft_n_accepted for timings in drafted)
    took_ms = sum(map(whole_ms, drafted))
    return Figures(
        predicted_n,
        draft_n,
        accepted,
        sum(timings.draft_rounds for timings in drafted),
        rate=accepted / draft_n if draft_n else 0.0,
        tokens_per_second=1e3 * predicted_n / took_ms,
        speedup=sum(whole_ms(off) for off, _ in pairs) / took_ms,
        prompt_ms=sum(timings.prompt_ms for timings in drafted),
        predicted_ms=sum(timings.predicted_ms for timings in drafted),
        draft_ms=sum(timings.draft_ms for timings in drafted),
        verify_ms=sum(timings.verify_ms for timings in drafted),
        rollback_ms=sum(timings.rollback_ms for timings in drafted),
    )


def whole_ms(timings: Timings) -> float:
    """Time of the whole request: drafting may cost time in the prompt, too."""
    return timings.prompt_ms + timings.predicted_ms


def repeated_share(tokens: Sequence[int]) -> float:
    """How much of a reply stood in it before: 0 for none of its n-grams, towards 1 for a loop."""
    ngrams = [tuple(tokens[start : start + NGRAM]) for start in range(len(tokens) - NGRAM + 1)]
    return 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0


def aggregate(asked: Sequence[Asked], method: str) -> Figures | None:
    """The figures of a method over all prompts but those that led to loops; None if all did."""
    pairs = [one.pair(method) for one in asked if not one.loops]
    return figures(pairs) if pairs else None


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
