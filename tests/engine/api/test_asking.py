"""What a window asks of a loaded model besides replies, and how it asks for them."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from engine.api import (
    ChatOptions,
    Engine,
    Failed,
    LoadOptions,
    Message,
    PacelineError,
    SamplingParams,
)
from tests.engine.text.template_families import REASONING
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

HELLO = [Message("user", "Hello")]


@pytest.fixture(scope="module")
def thinker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose template leaves the choice to think."""
    tiny = TinyModel()
    metadata = tiny.metadata() | {"tokenizer.chat_template": REASONING}
    path = tmp_path_factory.mktemp("asking") / "thinker.gguf"
    return write_gguf(path, metadata, tiny.tensors())


def on_engine(model: Path, use: Callable[[Engine], Awaitable[None]], context: int = 512) -> None:
    async def main() -> None:
        engine = Engine()
        try:
            loaded = await engine.load(model, LoadOptions(context=context), lambda _: None)
            assert loaded.has_thinking
            await use(engine)
        finally:
            await engine.close()

    asyncio.run(main())


def test_without_thinking_the_prompt_closes_it_at_once(thinker: Path) -> None:
    async def prompt_length(engine: Engine, thinking: bool | None) -> int:
        options = ChatOptions(SamplingParams(), max_tokens=1, thinking=thinking)
        timings = (await engine.chat(HELLO, options).result()).timings
        return timings.prompt_n + timings.cache_n

    async def use(engine: Engine) -> None:
        unasked = await prompt_length(engine, None)
        assert await prompt_length(engine, True) == unasked
        closing = len("<think>\n\n</think>\n\n")  # a token a byte, in this vocabulary
        assert await prompt_length(engine, False) == unasked + closing

    on_engine(thinker, use)


def test_tokens_of_a_text_are_counted_as_part_of_a_message(thinker: Path) -> None:
    async def use(engine: Engine) -> None:
        assert await engine.count_tokens("") == 0
        assert await engine.count_tokens("Hé <|im_end|>") == len("Hé <|im_end|>".encode())

    on_engine(thinker, use)


def test_without_a_model_nothing_can_be_counted() -> None:
    async def main() -> None:
        engine = Engine()
        with pytest.raises(PacelineError, match="No model is loaded"):
            await engine.count_tokens("Hello")
        await engine.close()

    asyncio.run(main())


def test_a_conversation_longer_than_the_context_is_told_apart(thinker: Path) -> None:
    async def use(engine: Engine) -> None:
        long = [Message("user", "x" * 600)]
        (event,) = [event async for event in engine.chat(long, ChatOptions())]
        assert isinstance(event, Failed)
        assert event.is_too_long
        assert "Shorten the text, start a new chat" in event.message
        refused = ChatOptions(SamplingParams(top_p=2.0))
        (event,) = [event async for event in engine.chat(HELLO, refused)]
        assert isinstance(event, Failed)
        assert not event.is_too_long

    on_engine(thinker, use)
