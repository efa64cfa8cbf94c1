"""What a GGUF file holds, in the terms that people choose models by."""

from collections import Counter
from dataclasses import dataclass

from gguf.constants import GGMLQuantizationType, LlamaFileType

from engine.base.types import ModelSummary
from engine.gguf.model_file import ModelFile
from engine.gguf.split import model_name

_LABELS = {
    int(file_type): file_type.name.removeprefix("MOSTLY_").removeprefix("ALL_")
    for file_type in LlamaFileType
    if file_type is not LlamaFileType.GUESSED
}


@dataclass(frozen=True, slots=True)
class QuantShare:
    """How much of a file one tensor type takes."""

    type: str  # "Q4_K"
    tensors: int
    nbytes: int


def summarise(file: ModelFile) -> ModelSummary:
    """Sum a file up; vocabulary-only files, which have no tensors, included.

    Raises:
        ModelFileError: the architecture is missing, or a value is of the wrong type.
    """
    metadata = file.metadata
    architecture = metadata.read("general.architecture", str)
    return ModelSummary(
        path=file.path,
        name=metadata.read("general.name", str, "") or model_name(file.path),
        architecture=architecture,
        quantisation=_quantisation(file),
        file_bytes=file.file_bytes,
        parameters=sum(tensor.elements for tensor in file.tensors.values()),
        vocab_size=_vocab_size(file, architecture),
        context_length=metadata.read(f"{architecture}.context_length", int, 0),
        layers=metadata.read(f"{architecture}.block_count", int, 0),
        has_chat_template="tokenizer.chat_template" in metadata,
    )


def quantisation_table(file: ModelFile) -> tuple[QuantShare, ...]:
    """The tensor types of a file, the one that holds most bytes first."""
    tensors: Counter[GGMLQuantizationType] = Counter()
    nbytes: Counter[GGMLQuantizationType] = Counter()
    for tensor in file.tensors.values():
        tensors[tensor.type] += 1
        nbytes[tensor.type] += tensor.nbytes
    return tuple(
        QuantShare(type_.name, tensors[type_], size) for type_, size in nbytes.most_common()
    )


def _quantisation(file: ModelFile) -> str:
    """The label that the file's maker gave it, else its main type; empty without tensors."""
    file_type = file.metadata.read("general.file_type", int, LlamaFileType.GUESSED)
    label = _LABELS.get(file_type)
    if label is not None:
        return label
    table = quantisation_table(file)
    return table[0].type if table else ""


def _vocab_size(file: ModelFile, architecture: str) -> int:
    embedding = file.tensors.get("token_embd.weight")
    if embedding is not None and embedding.shape:
        return embedding.shape[0]
    tokens = file.metadata.read("tokenizer.ggml.tokens", list[str], [])
    return file.metadata.read(f"{architecture}.vocab_size", int, len(tokens))
