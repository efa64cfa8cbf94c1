"""A small model that somebody trained, made to go on with whatever it is told."""

from pathlib import Path

import numpy as np

from engine.gguf.reader import open_gguf
from tests.helpers.shared import shared_path
from tests.helpers.tiny_gguf import write_gguf

CONTINUE = "{{ messages[-1].content }}"


def story_teller(path: Path) -> Path:
    """Write the recorded model with a template that hands it the last message as it is."""
    with open_gguf(shared_path("models", "real", "dreams260K.gguf")) as file:
        metadata: dict[str, object] = {
            key: value.tolist() if isinstance(value, np.ndarray) else value
            for key, value in file.metadata.items()
        }
        metadata |= {"general.name": "Stories 260K", "tokenizer.chat_template": CONTINUE}
        tensors = {
            name: (file.data(name).view(np.float32).reshape(tensor.shape), None)
            for name, tensor in file.tensors.items()
        }
        return write_gguf(path, metadata, tensors)
