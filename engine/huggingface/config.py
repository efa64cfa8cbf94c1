"""What a folder's `config.json` says, and the settings that GGUF has for it."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.defects import quoted
from engine.gguf.metadata import MetadataValue
from engine.huggingface.documents import Document, broken, read_document
from engine.huggingface.layout import CONFIG

Settings: TypeAlias = dict[str, MetadataValue]
"""Values by GGUF's keys, without the architecture before them."""

MOST_LAYERS = 1 << 12
MOST_HEAD_DIM = 1 << 16

COMMON_KEYS = {
    "num_hidden_layers": "block_count",
    "max_position_embeddings": "context_length",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "vocab_size": "vocab_size",
}
"""What nearly all configurations call alike; a family's own table comes on top."""

_READ_IN_BLOCKS = "mxfp4"  # by the family that is published in it
_PACKED = "fp8, gptq, awq, bitsandbytes and their like"


class Config:
    """The configuration of a text model; in models of several kinds of input, that part of it.

    Attributes:
        path: of the file.
        model_type: the name of the model's kind.
    """

    def __init__(self, path: Path, document: Document) -> None:
        """Raises ModelFileError where the document is no model's configuration."""
        text = document.get("text_config")
        values = {**document, **text} if isinstance(text, dict) else document
        self.path = path
        self._values = {key: value for key, value in values.items() if value is not None}
        self.model_type = self.text("model_type")

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def value(self, key: str) -> object:
        """Whatever stands there; None where nothing does."""
        return self._values.get(key)

    def scalar(self, key: str) -> bool | int | float | str | None:
        """A value as it stands, if it is one; what it should be is checked where it is used."""
        value = self._values.get(key)
        return value if isinstance(value, bool | int | float | str) else None

    def text(self, key: str, default: str | None = None) -> str:
        """A word."""
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key)
        return value

    def whole(self, key: str, default: int | None = None, *, most: int = 1 << 31) -> int:
        """A whole number from 0 to `most`, which is low where so many values are to be made."""
        value = self._values.get(key, default)
        if type(value) is not int or not 0 <= value <= most:
            raise self.wrong(key)
        return value

    def real(self, key: str, default: float | None = None) -> float:
        """A finite number."""
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(key)
        if not math.isfinite(value) or abs(value) > 1e30:
            raise self.wrong(key)
        return float(value)

    def flag(self, key: str, *, default: bool) -> bool:
        """Yes or no."""
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key)
        return value

    def words(self, key: str) -> list[str]:
        """A list of words, empty where it is not there."""
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self.wrong(key)
        return value

    def numbers(self, key: str) -> list[float]:
        """A list of finite numbers, empty where it is not there."""
        value = self._values.get(key, [])
        is_list = isinstance(value, list) and all(type(each) in (int, float) for each in value)
        if not isinstance(value, list) or not is_list or not all(map(math.isfinite, value)):
            raise self.wrong(key)
        return [float(each) for each in value]

    def part(self, key: str) -> "Config":
        """An object within; an empty one where it is not there."""
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key)
        return Config(self.path, {"model_type": self.model_type, **value})

    def completed(self, defaults: Mapping[str, object]) -> "Config":
        """The same, with what it leaves out."""
        return Config(self.path, {**defaults, **self._values})

    def layers(self) -> int:
        """How many layers the model has."""
        return self.whole("num_hidden_layers", most=MOST_LAYERS)

    def head_dim(self) -> int:
        """Width of an attention head."""
        heads = max(1, self.whole("num_attention_heads"))
        return self.whole("head_dim", self.whole("hidden_size") // heads, most=MOST_HEAD_DIM)

    def by_table(self, keys: Mapping[str, str]) -> Settings:
        """Those values that are there, under other keys."""
        settings: Settings = {}
        for theirs, ours in keys.items():
            value = self.scalar(theirs)
            if value is not None:
                settings[ours] = value
        return settings

    def wrong(self, key: str) -> ModelFileError:
        """The error for a value that is missing or makes no sense."""
        state = "makes no sense" if key in self._values else "is missing"
        return broken(self.path, f"its {quoted(key)} {state}")


def read_config(folder: Path) -> Config:
    """The configuration in a model's folder.

    Raises:
        ModelFileError: it is missing, or none of a model.
        UnsupportedModelError: the weights are packed in a format of their own.
    """
    config = Config(folder / CONFIG, read_document(folder / CONFIG))
    if "quantization_config" in config:
        method = config.part("quantization_config").text("quant_method", "unknown")
        if method == _READ_IN_BLOCKS:
            return config
        raise UnsupportedModelError(
            f"The weights in this folder are quantised as {quoted(method)}, and {_PACKED} are not "
            "read from folders. Choose the model's original weights, or a GGUF file of it."
        )
    return config
