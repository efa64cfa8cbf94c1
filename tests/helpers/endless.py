"""A tiny model that never ends a reply by itself."""

from pathlib import Path

from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import SPECIAL, TinyModel, byte_pieces

LAST_MESSAGE = "{{ messages[-1].content }}"
CONTEXT = 8192  # positions
LAYERS = 12  # slow enough to talk for seconds


def endless_talker(path: Path, name: str = "Endless") -> Path:
    """Write a model that knows no token that ends a text: it talks until its context is full."""
    model = TinyModel(context=CONTEXT, layers=LAYERS)
    metadata = model.metadata() | {
        "general.name": name,
        "tokenizer.ggml.tokens": [*byte_pieces(), *(f"<|{n}|>" for n in range(len(SPECIAL)))],
        "tokenizer.chat_template": LAST_MESSAGE,
    }
    del metadata["tokenizer.ggml.eos_token_id"]
    return write_gguf(path, metadata, model.tensors())
