"""Opens a folder in Hugging Face's layout; to everything behind, it is what a GGUF file is."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.gguf.defects import quoted
from engine.gguf.metadata import Metadata, MetadataValue
from engine.gguf.model_file import ModelFile
from engine.gguf.tensors import TensorInfo
from engine.huggingface.config import COMMON_KEYS, Config, Settings, read_config
from engine.huggingface.documents import broken
from engine.huggingface.families import family_of
from engine.huggingface.family import Family
from engine.huggingface.names import named_parts
from engine.huggingface.parts import Part
from engine.huggingface.rope import rope_settings, rope_tensors
from engine.huggingface.shards import Shards
from engine.huggingface.template import TEMPLATE_KEY, chat_template
from engine.huggingface.vocabulary import read_vocabulary

_MOST_DIMENSIONS = 4
_AT_ONCE_BYTES = 1 << 20  # of a tensor that is put together when it is first asked for
_TOKENIZER = "tokenizer."
"""What the keys of a vocabulary begin with; it is read when one of them is asked for."""


class ModelFolder(ModelFile):
    """An open folder. Its tensors are used where they lie, as far as they lie there whole."""

    def __init__(
        self, path: Path, metadata: Metadata, parts: dict[str, Part], shards: Shards
    ) -> None:
        self.path = path
        self.metadata = metadata
        self.file_bytes = shards.file_bytes
        self.tensors = {
            name: TensorInfo(name, part.shape, part.type, 0, part.nbytes)
            for name, part in parts.items()
        }
        self._parts = parts
        self._shards = shards
        self._made: dict[str, npt.NDArray[np.uint8]] = {}
        self._unfilled: dict[str, npt.NDArray[np.uint8]] = {}

    def data(self, name: str) -> npt.NDArray[np.uint8]:
        part = self._parts[name]
        if part.place:
            return part.read().reshape(-1).view(np.uint8)
        if name not in self._made:
            self._made[name] = np.empty(part.nbytes, np.uint8)
            if part.nbytes <= _AT_ONCE_BYTES:
                part.copy_into(self._made[name])
            else:
                self._unfilled[name] = self._made[name]
        return self._made[name]

    def complete(self, proceed: Callable[[], None]) -> None:
        for name in list(self._unfilled):
            proceed()
            self._parts[name].copy_into(self._unfilled[name])
            del self._unfilled[name]

    def release(self, name: str) -> None:
        if place := self._parts[name].place:
            place.release()

    def close(self) -> None:
        self._shards.close()


def open_folder(path: Path) -> ModelFolder:
    """Read and check a folder's configuration and the headers of its weights, and map these.

    Raises:
        PacelineError: there is no model that can be used; the message says why.
    """
    config = read_config(path)
    family = family_of(config)
    config = config.completed(family.defaults)
    shards = Shards(path)
    try:
        parts = named_parts(shards.tensors, config, family) | rope_tensors(config)
        for name, part in parts.items():
            if len(part.shape) > _MOST_DIMENSIONS or not part.nbytes:
                raise broken(config.path, f"tensor {quoted(name)} has an impossible shape")
        settings = _settings(path, config, family, parts)
        embedding = parts.get("token_embd.weight")
        rows = embedding.shape[0] if embedding else 0
        return ModelFolder(path, Metadata(_Values(settings, path, config, rows)), parts, shards)
    except BaseException:
        shards.close()
        raise


class _Values(Mapping[str, MetadataValue]):
    """Settings that are there, and those of the tokenizer, read when one is asked for."""

    def __init__(
        self, settings: Mapping[str, MetadataValue], path: Path, config: Config, rows: int
    ) -> None:
        self._settings = settings
        self._path = path
        self._config = config
        self._rows = rows  # of the embedding

    def __getitem__(self, key: str) -> MetadataValue:
        if key == TEMPLATE_KEY:
            return self._template[key]
        return (self._vocabulary if key.startswith(_TOKENIZER) else self._settings)[key]

    def __iter__(self) -> Iterator[str]:
        return chain(self._settings, self._template, self._vocabulary)

    def __len__(self) -> int:
        return len(self._settings) + len(self._template) + len(self._vocabulary)

    @cached_property
    def _template(self) -> Mapping[str, MetadataValue]:
        template = chat_template(self._path)
        return {} if template is None else {TEMPLATE_KEY: template}

    @cached_property
    def _vocabulary(self) -> Mapping[str, MetadataValue]:
        return read_vocabulary(self._path, self._config, self._rows)


def _settings(
    path: Path, config: Config, family: Family, parts: Mapping[str, Part]
) -> dict[str, MetadataValue]:
    """All settings, under GGUF's keys."""
    settings: Settings = config.by_table(COMMON_KEYS)
    if "head_dim" in config:
        head_dim = config.whole("head_dim")
        settings |= {"attention.key_length": head_dim, "attention.value_length": head_dim}
    settings |= rope_settings(config) | config.by_table(family.keys) | family.settings(config)
    settings["rope.split_halves"] = family.halves_turn
    if settings.get("nextn_predict_layers"):
        layers = config.layers()
        if not any(name.startswith(f"blk.{layers}.") for name in parts):  # announced, not there
            settings |= {"block_count": layers, "nextn_predict_layers": 0}
    prefix = family.architecture
    return {
        "general.architecture": prefix,
        "general.name": _model_name(path),
        **{f"{prefix}.{key}": value for key, value in settings.items()},
    }


def _model_name(path: Path) -> str:
    """That of the folder; in Hugging Face's cache, that of the repository."""
    whole = path.resolve()
    repository = whole.parent.parent.name
    if whole.parent.name == "snapshots" and repository.startswith("models--"):
        return repository.rpartition("--")[2]
    return whole.name
