"""What it costs the engine to tell of its tokens: the text, how drafting goes, what was accepted.

    python -m tests.benchmarks.events [TARGET.gguf DRAFT.gguf]

Lets a pair, the guide's own if none is named, reply without drafts and with them, and adds up the
processor time of the engine's thread in publishing, which other work on the machine changes little.
Prints it for each token, and as a share of the engine's time at 200 tokens a second.
"""

from pathlib import Path
from time import thread_time

from engine.api import (
    ChatOptions,
    Drafting,
    DraftModelOptions,
    Engine,
    LoadOptions,
    Message,
    SamplingParams,
)
from engine.scheduler.request import Job
from engine.scheduler.step import Stepper
from tests.benchmarks.pairs import run_on_pair

NUM_TOKENS = 500
QUESTION = "What is a draft, and when does it help?"
RATE = 200  # tokens a second
LIMIT = 0.01
WAYS = {"without drafts": Drafting(), "with drafts": Drafting(("draft",))}


class Watch:
    """Adds up the time spent publishing."""

    def __init__(self) -> None:
        self.seconds, self.events = 0.0, 0
        genuine = Stepper._publish

        def timed(stepper: Stepper, job: Job) -> None:
            started, goes_on = thread_time(), job.reply.stop_reason is None
            genuine(stepper, job)
            if goes_on:  # the end is another matter
                self.seconds += thread_time() - started
                self.events += 1

        Stepper._publish = timed  # type: ignore[method-assign]


async def measure(target: Path, draft: Path) -> None:
    """Print what each way costs."""
    watch = Watch()
    engine = Engine()
    await engine.load(target, LoadOptions(draft=DraftModelOptions(draft)), lambda _: None)
    for name, drafting in WAYS.items():
        watch.seconds, watch.events, tokens = 0.0, 0, 0
        while tokens < NUM_TOKENS:
            options = ChatOptions(SamplingParams(), max_tokens=NUM_TOKENS, drafting=drafting)
            result = await engine.chat([Message("user", QUESTION)], options).result()
            tokens += len(result.tokens)
        each = watch.seconds / tokens
        mark = "  over" if each * RATE > LIMIT else ""
        print(
            f"{name:16}{tokens:7} tokens in {watch.events} events, {1e6 * each:.0f} µs a token: "
            f"{each * RATE:.2%} at {RATE} tokens a second{mark}"
        )
    await engine.close()


if __name__ == "__main__":
    run_on_pair(measure)
