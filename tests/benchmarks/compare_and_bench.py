"""Whether Compare and the bench agree on what a draft gains.

    python -m tests.benchmarks.compare_and_bench [TARGET.gguf DRAFT.gguf]

Measures a pair, the guide's own if none is named, on the ten prompts in both ways of the window:
by the bench, and as Compare does, one reply after the other and each cold. Prints the speed-up of
each prompt in both, and how far they are apart. Run it on a quiet machine.
"""

import json
from dataclasses import replace
from pathlib import Path
from statistics import median

from app.domain.comparison import Side, compare
from engine.api import (
    DRAFTED,
    ChatOptions,
    Drafting,
    DraftModelOptions,
    Engine,
    LoadOptions,
    Message,
    SamplingParams,
)
from engine.api.bench_prompts import prompts_file
from engine.api.bench_suite import REPLY_TOKENS
from tests.benchmarks.pairs import run_on_pair

DRAFTING = Drafting(("draft",))


async def compared(engine: Engine, text: str) -> float:
    """The speed-up of one prompt as Compare measures it."""
    options = ChatOptions(SamplingParams(), max_tokens=REPLY_TOKENS)
    sides = []
    for drafting in (Drafting(), DRAFTING):
        engine.forget()
        asked = replace(options, drafting=drafting)
        result = await engine.chat([Message("user", text)], asked).result()
        sides.append(Side(result.tokens, result.timings))
    found = compare(*sides)
    if not found.is_identical:
        raise SystemExit(f"the replies differ from token {found.first_difference + 1} on")
    return found.speedup


async def measure(target: Path, draft: Path) -> None:
    """Print both measurements of a pair."""
    engine = Engine()
    await engine.load(target, LoadOptions(draft=DraftModelOptions(draft)), lambda _: None)
    texts = json.loads(prompts_file().read_text(encoding="utf-8"))
    benched = await engine.bench(DRAFTING, lambda _: None)
    apart = []
    for asked in benched.asked:
        bench = asked.figures(DRAFTED).speedup
        shown = await compared(engine, "\n".join(texts[asked.prompt]))
        apart.append(abs(shown / bench - 1))
        print(f"{asked.prompt:18} bench {bench:.2f}× compare {shown:.2f}× apart {apart[-1]:.1%}")
    print(f"median {median(apart):.1%}, most {max(apart):.1%}")
    await engine.close()


if __name__ == "__main__":
    run_on_pair(measure)
