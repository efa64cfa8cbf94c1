"""Tensors of a folder under GGUF's names. The table of names is that of the `gguf` package."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from gguf.constants import MODEL_ARCH_NAMES
from gguf.tensor_mapping import TensorNameMap, get_tensor_name_map

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import quoted
from engine.huggingface.config import Config
from engine.huggingface.documents import broken
from engine.huggingface.family import Family
from engine.huggingface.parts import Part, part_of, stacked
from engine.huggingface.shards import Placed

# Where a text model lies in one that sees and hears too, and what belongs to its other senses.
_WITHIN = re.compile(r"^(?:model\.)?(?:language_model|text_model)\.(?:model\.)?(?=\w)")
_OTHER_SENSES = re.compile(
    r"^(?:model\.)?(?:vision|visual|audio|multi_modal|multimodal|embed_vision|embed_audio|vpm|apm)"
)
_NOT_WEIGHTS = re.compile(r"rotary_emb\.inv_freq$|\.attn\.(?:masked_)?bias$")
_EXPERT = re.compile(r"^(.*\bexperts)\.(\d+)\.(.+)$")
_PACKED = (".blocks", ".scales")  # of what a family joins to tensors in blocks
_BLOCK = re.compile(r"\.(\d+)\.")


def named_parts(tensors: Mapping[str, Placed], config: Config, family: Family) -> dict[str, Part]:
    """The tensors that a model of the family has, by GGUF's names.

    What the tables do not know keeps its own name, so that it is reported where nobody takes it.

    Raises:
        ModelFileError: tensors contradict each other.
        UnsupportedModelError: one holds no plain floats.
    """
    parts: dict[str, Part] = {}
    whole = _with_stacked_experts(_wanted(tensors, config, family), config)
    for name, part in family.joined(config, whole).items():
        for ours, changed in _changed(config, family, _gguf_name(name, family), part):
            if ours in parts:
                raise broken(config.path, f"two tensors of this model stand for {quoted(ours)}")
            parts[ours] = changed
    return parts


def _wanted(
    tensors: Mapping[str, Placed], config: Config, family: Family
) -> Iterator[tuple[str, Part]]:
    """Those of the text model, under names that the table may know."""
    tied = config.flag("tie_word_embeddings", default=False)
    for name, placed in tensors.items():
        plain = _WITHIN.sub("model.", name).replace("model.lm_head.", "lm_head.")
        if _OTHER_SENSES.match(plain) or _NOT_WEIGHTS.search(plain):
            continue
        known = family.rename(config, plain)
        if known is None or (tied and known.startswith("lm_head.")):
            continue
        if not (placed.is_float or known.endswith(_PACKED)):
            raise UnsupportedModelError(
                f"Tensor {quoted(name)} in this folder holds {placed.stored.dtype} values, and "
                "only plain floats are read from folders. Choose the model's original weights, "
                "or a GGUF file of it."
            )
        yield known, part_of(placed)


def _with_stacked_experts(named: Iterator[tuple[str, Part]], config: Config) -> dict[str, Part]:
    """Experts that lie one by one become one tensor, as they are in GGUF."""
    parts: dict[str, Part] = {}
    experts: dict[str, dict[int, Part]] = {}
    for name, part in named:
        if match := _EXPERT.match(name):
            stack, number, rest = match.groups()
            experts.setdefault(f"{stack}.{rest}", {})[int(number[:9])] = part
        else:
            parts[name] = part
    for name, numbered in experts.items():
        kinds = {(part.shape, part.type) for part in numbered.values()}
        if len(kinds) > 1 or max(numbered) != len(numbered) - 1:
            raise broken(config.path, f"the experts {quoted(name)} of this model do not match")
        parts[name] = stacked([numbered[number] for number in range(len(numbered))])
    return parts


def _changed(config: Config, family: Family, name: str, part: Part) -> Iterator[tuple[str, Part]]:
    for pattern, change in family.changes.items():
        if re.match(pattern, name):
            yield from change(config, name, part)
            return
    yield name, part


def _gguf_name(name: str, family: Family) -> str:
    """GGUF's name; the table is asked for block 0, as it is the same for all."""
    if name.startswith("blk."):
        return name
    block = _BLOCK.search(name)
    asked = name if block is None else f"{name[: block.start()]}.0.{name[block.end() :]}"
    found: str | None = _table(family.architecture).get_name(asked, (".weight", ".bias"))
    if found is None:
        return name
    return found if block is None else found.replace("blk.0.", f"blk.{block[1]}.", 1)


@cache
def _table(architecture: str) -> TensorNameMap:
    arch = next(arch for arch, name in MODEL_ARCH_NAMES.items() if name == architecture)
    return get_tensor_name_map(arch, 1)
