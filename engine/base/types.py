"""What crosses between the engine and those who use it: requests, events and results.

Plain frozen dataclasses that import neither torch nor Qt. Times are milliseconds, sizes bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Self

from engine.base.errors import ContextLengthError, PacelineError

DEVICES = ("auto", "cpu", "cuda", "mps")
"""Names of devices to compute on; `auto` is the best that is there."""

KERNELS = ("auto", "native", "torch")
"""What to compute with; `auto` is the native kernels where they can serve."""

MOST_THREADS = 1024
"""More than any computer has cores for; OpenMP crashes the process where it cannot start them."""

MOST_SLOTS = 64
"""Each slot holds a cache of its own, so more would be a slip of the finger."""

LOOKUP_METHODS = ("ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod", "ngram-cache")
"""What drafts from texts alone, without a pass of any model."""

MODEL_METHODS = ("mtp", "draft")
"""What runs a model for each draft."""

DRAFT_METHODS = (*LOOKUP_METHODS, *MODEL_METHODS, "scripted")
"""What can draft, in the order in which all of them are asked: what costs least comes first."""

LONGEST_DRAFT = 64
"""Tokens proposed at once at most; the tapes of recurrent layers have room for so many rows."""


class StopReason(StrEnum):
    """Why a reply ended."""

    EOS = "eos"
    LENGTH = "length"
    STOP = "stop"
    CONTEXT = "context"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is chosen; `temperature` 0 is greedy.

    Filters run in the order penalties, top-k, top-p, min-p, temperature; 0 or 1 switch each off as
    noted. Penalties look at the last `penalty_window` tokens of prompt and reply.
    """

    temperature: float = 0.0
    top_k: int = 0  # 0: off
    top_p: float = 1.0  # 1: off
    min_p: float = 0.0  # 0: off
    repeat_penalty: float = 1.0  # 1: off
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    penalty_window: int = 64
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a prompt: token ids, and whether the model itself emitted them earlier.

    Emitted ids take the path of generated rows: a reply re-enters with the bits it was made with.
    """

    tokens: tuple[int, ...]
    generated: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """A continuation to propose, for tests and measurement: the rate of acceptance is then known.

    Each token is proposed as it stands with probability `accept`, else a wrong one in its place.
    """

    tokens: tuple[int, ...]
    accept: float = 1.0


@dataclass(frozen=True, slots=True)
class Drafting:
    """What drafts for a reply, and how long its drafts may be.

    The methods, of `DRAFT_METHODS`, are asked in their order until one has a draft; without any,
    nothing drafts. A draft shorter than `n_min` is dropped. The length moves between the two
    limits, or is always `n_max` where `fixed`. A draft model stops where it gives its token a
    probability below `p_min`.
    """

    methods: tuple[str, ...] = ()
    n_min: int = 1
    n_max: int = 16
    fixed: bool = False
    p_min: float = 0.0
    script: Script | None = None  # what `scripted` proposes


@dataclass(frozen=True, slots=True)
class Request:
    """One reply to make. `max_tokens` None: until the model ends it or the context is full."""

    prompt: tuple[Segment, ...]
    max_tokens: int | None = None
    sampling: SamplingParams = field(default_factory=SamplingParams)
    stop: tuple[str, ...] = ()
    ignore_eos: bool = False
    top_logprobs: int | None = None  # alternatives to report with each token's log-probability
    digest: bool = False  # hash every logits row and the final state
    opening: str = ""  # what the prompt says of the reply already: a mark, or its beginning
    notice: str = ""  # for people, where the prompt is not as the model would have it
    drafting: Drafting = field(default_factory=Drafting)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. A reply that the model made carries its token ids."""

    role: str  # "system", "user", "assistant"
    content: str
    tokens: tuple[int, ...] | None = None
    reasoning: str = ""  # of a reply, where it does not stand in its content


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How to answer a conversation."""

    sampling: SamplingParams = field(
        default_factory=lambda: SamplingParams(temperature=0.8, top_k=40, top_p=0.95, min_p=0.05)
    )
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    thinking: bool | None = None  # None: as the template does it unasked
    drafting: Drafting = field(default_factory=Drafting)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a reply asks for; `arguments` is what JSON can hold."""

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """Natural-log probability of an emitted token before any processing, and the likeliest."""

    token: int
    logprob: float
    top: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Timings:
    """Counts and times of one request; names as in `CLI.md`.

    `predicted_ms` runs from the first emitted token to the last; `prompt_ms` from the request's
    first pass to its first token. Whole-request time is their sum.

    Of drafts: `draft_n` tokens were tested and `draft_n_accepted` of them equal, in `draft_rounds`
    rounds, of which `draft_rejected_whole` accepted none; `draft_empty` times there was nothing to
    propose. `draft_by_position` gives (tested, accepted) for each place in a draft. The times are
    those of proposing, of the passes over drafts, and of committing what they accepted.
    `draft_speedup` and `draft_rest_cost` are as in `DraftProgress`, at the reply's end.
    """

    cache_n: int = 0
    prompt_n: int = 0
    prompt_ms: float = 0.0
    predicted_n: int = 0
    predicted_ms: float = 0.0
    draft_n: int = 0
    draft_n_accepted: int = 0
    draft_rounds: int = 0
    draft_empty: int = 0
    draft_rejected_whole: int = 0
    draft_by_position: tuple[tuple[int, int], ...] = ()
    draft_ms: float = 0.0
    verify_ms: float = 0.0
    rollback_ms: float = 0.0
    draft_speedup: float | None = None
    draft_rest_cost: float | None = None

    @property
    def prompt_per_second(self) -> float:
        """Prompt tokens computed per second; 0 when nothing was computed."""
        return 1e3 * self.prompt_n / self.prompt_ms if self.prompt_ms else 0.0

    @property
    def predicted_per_second(self) -> float:
        """Tokens per second after the first one, which belongs to the prompt's time."""
        return 1e3 * (self.predicted_n - 1) / self.predicted_ms if self.predicted_ms else 0.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """Every slot is taken; `ahead` other requests that wait come first. Told when it changes.

    With `for_measurement` no slot is given away until a measurement has ended.
    """

    ahead: int
    for_measurement: bool = False


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """`done` of `total` prompt tokens are in the state, those reused included."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class DraftProgress:
    """How drafting goes for a reply that it is asked for.

    Of `tested` tokens `accepted` were the model's own, in `rounds` rounds. `speedup` estimates how
    many times as long the tokens after the first would have taken without drafts; None while there
    is nothing to compare. `rest_cost` is set while drafting rests, because it would not pay on this
    text: the share of time that it would cost, 0.09 for 9 %. `by_position` gives (tested, accepted)
    for each place in a draft; the other counts and times are as in `Timings`.
    """

    rounds: int
    tested: int
    accepted: int
    speedup: float | None
    rest_cost: float | None
    by_position: tuple[tuple[int, int], ...] = ()
    empty: int = 0
    rejected_whole: int = 0
    draft_ms: float = 0.0
    verify_ms: float = 0.0
    rollback_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Tokens emitted by one step, and the text that became printable with them (may be empty).

    `context_used` counts the positions that this conversation holds; `elapsed_ms` runs from the
    first emitted token, so windowed rates need no clock of the reader. `accepted` are stretches as
    in the result, counted from the reply's beginning; they may reach into text that is still to
    come.
    """

    tokens: tuple[int, ...]
    text: str
    context_used: int
    elapsed_ms: float
    logprobs: tuple[TokenLogprob, ...] = ()
    drafting: DraftProgress | None = None  # None where nothing is to draft
    accepted: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """A finished reply. `text` ends before a stop string; `tokens` holds every emitted id.

    `reasoning`, `answer` and `tool_calls` are what the text says between its marks, together with
    the `opening` of its request.

    `accepted` are the stretches of the text that drafts had proposed, each as its first byte and
    the one after its last in UTF-8; one may begin or end inside a character.
    """

    tokens: tuple[int, ...]
    text: str
    stop_reason: StopReason
    timings: Timings
    logprobs: tuple[TokenLogprob, ...] = ()
    digest: str = ""
    state_digest: str = ""
    accepted: tuple[tuple[int, int], ...] = ()
    reasoning: str = ""
    answer: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    notice: str = ""  # as in the request


@dataclass(frozen=True, slots=True)
class Finished:
    """The final event of a request that ended well, cancelled ones included."""

    result: GenerationResult


@dataclass(frozen=True, slots=True)
class Failed:
    """The final event of a request that failed: one sentence, and details for the curious."""

    message: str
    details: str = ""
    is_too_long: bool = False  # the prompt does not fit into the context

    @classmethod
    def of(cls, error: Exception) -> Self:
        """The event for an error: its own sentence where it was raised for people to read."""
        if isinstance(error, PacelineError):
            return cls(str(error), error.details, isinstance(error, ContextLengthError))
        return cls(
            "The engine failed while answering; this reply is lost, the model is still loaded. "
            "Send the message again, and report it if it happens again.",
            f"{type(error).__name__}: {error}",
        )


Event = Waiting | PromptProgress | TextDelta | Finished | Failed


@dataclass(frozen=True, slots=True)
class DraftModelOptions:
    """Which model drafts, and how it is run. None: as the target is, as far as it can be."""

    path: Path
    device: str | None = None
    context: int | None = None
    kv_type: str | None = None
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Where and how to run a model. None: the engine's choice."""

    device: str = "auto"  # of `DEVICES`
    threads: int | None = None
    context: int | None = None  # positions per slot
    slots: int = 1
    kv_type: str = "f16"  # "f16", "f32", "q8_0"
    kernels: str = "auto"  # of `KERNELS`
    draft: DraftModelOptions | None = None
    ngram_n: int | None = None  # tokens that n-gram methods look up; None: each method's own
    ngram_m: int | None = None  # tokens that they propose at most
    ngram_static: Path | None = None  # a file of other texts' statistics for `ngram-cache`
    mtp: bool = False  # load the head that drafts for the model, where its own file has one


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """How far loading is. `stage` is a short English phrase; `fraction` runs from 0 to 1."""

    stage: str
    fraction: float


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """What a model's file says of itself; needs its header alone."""

    path: Path
    name: str  # from the file, else the file's name without ending
    architecture: str
    quantisation: str  # "Q4_K_M", or the type that holds most bytes
    file_bytes: int
    parameters: int
    vocab_size: int
    context_length: int  # positions the model was made for
    layers: int
    has_chat_template: bool


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that is ready to answer."""

    summary: ModelSummary
    device: str  # "cpu", "cuda", "mps"
    context: int  # positions a conversation can hold
    slots: int
    load_ms: float
    threads: int = 1  # of the CPU
    kernels: str = "torch"  # what computes: "native (avx512)"
    kernels_reason: str = ""  # a sentence for people that says why these
    notice: str = ""  # for people, where something is unusual or could be faster
    draft: ModelSummary | None = None  # the model that can draft for it
    methods: tuple[str, ...] = ()  # of `DRAFT_METHODS`, what can draft
    has_thinking: bool = False  # its template leaves the choice to reason before a reply
    thinks_unasked: bool = True  # what it does there where nothing is said of it
    reasoning_mark: str = ""  # with which the prompt, and not the reply, begins reasoning
