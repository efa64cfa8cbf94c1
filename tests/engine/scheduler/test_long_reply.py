"""A long reply: the state behind it, drafted for or not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.types import Drafting, Script
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.one_operation import skip_unless_built
from tests.helpers.tiny_model import TinyModel

PROMPT = [(7 * i + 3) % 256 for i in range(20)]
TOKENS = 8000


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    skip_unless_built()
    model = TinyModel("qwen35", layers=2, attention_interval=2, context=TOKENS + 100)
    path = model.write(tmp_path / "tiny.gguf")
    with open_bench(path, context=TOKENS + 50, spare=2, kernels="native") as bench:
        yield bench


def test_eight_thousand_drafted_tokens_leave_the_state_of_eight_thousand_decoded_ones(
    bench: Bench,
) -> None:
    plain = bench.solo(PROMPT, max_tokens=TOKENS)
    bench.forget()
    script = Script(plain.tokens, accept=0.9)
    drafted = bench.solo(
        PROMPT,
        max_tokens=TOKENS,
        drafting=Drafting(("scripted",), script=script, n_max=16, fixed=True),
    )
    assert len(plain.tokens) == TOKENS
    assert drafted.timings.draft_n_accepted > 0.8 * drafted.timings.draft_n > 5000
    assert bits(drafted) == bits(plain)
