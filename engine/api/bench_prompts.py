"""The prompts that drafting is measured on, as a model reads them."""

import json
from pathlib import Path
from typing import TypeAlias

from engine.base.errors import RequestError, UnsupportedModelError
from engine.base.resources import resources_dir
from engine.base.types import Message, Segment
from engine.gguf.model_file import ModelFile
from engine.text.chat_template import load_chat_template
from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.prompt import build_prompt
from engine.text.tokenizer import Tokenizer

Prompts: TypeAlias = dict[str, tuple[Segment, ...]]
"""What is asked, by a short name."""


def prompts_file() -> Path:
    """Each prompt's name and its lines."""
    return resources_dir() / "bench" / "prompts.json"


def read_prompts(file: ModelFile, reply_tokens: int, context: int) -> tuple[Prompts, list[str]]:
    """The prompts in a model's chat format, if it has one, as far as they leave room for a reply.

    Returns:
        Those that fit into `context` positions, and the names of the others.

    Raises:
        RequestError: the model cannot read them, or holds none of them.
        TemplateError: its chat template fails.
    """
    texts = json.loads(prompts_file().read_text(encoding="utf-8"))
    try:
        tokenizer = load_tokenizer(file.metadata)
    except UnsupportedModelError as error:
        raise RequestError(
            f"The ten prompts are words, which this model cannot read. {error}"
        ) from error
    prompts = {name: _prompt("\n".join(lines), file, tokenizer) for name, lines in texts.items()}
    fitting = {n: p for n, p in prompts.items() if length(p) + reply_tokens <= context}
    if not fitting:
        raise RequestError(
            f"There are {context} positions, too few for any of the ten prompts and a reply of "
            f"{reply_tokens} tokens. Ask for shorter replies, or use another model."
        )
    return fitting, [name for name in prompts if name not in fitting]


def length(prompt: tuple[Segment, ...]) -> int:
    """Tokens of a prompt."""
    return sum(len(segment.tokens) for segment in prompt)


def _prompt(text: str, file: ModelFile, tokenizer: Tokenizer) -> tuple[Segment, ...]:
    if file.metadata.get("tokenizer.chat_template"):
        template = load_chat_template(file.metadata, tokenizer)
        return build_prompt([Message("user", text)], template, tokenizer)
    return (Segment(tuple(tokenizer.encode(text, add_special=True, parse_special=False))),)
