"""gpt-oss: experts in MXFP4, as they are published, or in plain floats.

Gates and what they gate take turns, row by row. Plain experts are stored the other way round.
"""

import math
import re
from collections.abc import Iterable

import numpy as np
from gguf.constants import GGMLQuantizationType as GgmlType

from engine.gguf.defects import quoted
from engine.huggingface.config import Config, Settings
from engine.huggingface.dense import windowed_layers
from engine.huggingface.documents import broken
from engine.huggingface.family import Family, Parts
from engine.huggingface.mixtures import MIXTURE_KEYS, upright
from engine.huggingface.parts import Array, Part, gathered, stacked

_BLOCK_ELEMENTS, _BLOCK_BYTES = 32, 16
_PACKED = (".blocks", ".scales")
_TAKING_TURNS = ("gate", "up")
_ENDINGS = {"": ".weight", "_bias": ".bias", "_blocks": ".blocks", "_scales": ".scales"}


def _rename(config: Config, name: str) -> str | None:
    experts = r"model\.layers\.(\d+)\.mlp\.experts\.(gate_up|down)_proj(_bias|_blocks|_scales|)"
    if match := re.fullmatch(experts, name):
        return f"blk.{match[1]}.ffn_{match[2]}_exps{_ENDINGS[match[3]]}"
    return name + ".weight" if name.endswith(".sinks") else name


def _settings(config: Config) -> Settings:
    return windowed_layers(config, 2) | {
        "expert_feed_forward_length": config.whole("intermediate_size")
    }


def _joined(config: Config, parts: Parts) -> Parts:
    """Blocks and the scales beside them as GGUF has them: together, and gates apart."""
    whole = {name: part for name, part in parts.items() if not name.endswith(_PACKED)}
    for name, blocks in parts.items():
        place, _, ending = name.rpartition(".")
        if ending != "blocks":
            continue
        scales = parts.get(f"{place}.scales")
        if not (scales and _match(blocks, scales)):
            raise broken(config.path, f"the blocks of {quoted(place)} do not match their scales")
        if "gate_up" not in place:
            whole[f"{place}.weight"] = _experts(blocks, scales, slice(None))
            continue
        for start, kind in enumerate(_TAKING_TURNS):
            rows = slice(start, None, len(_TAKING_TURNS))
            whole[f"{place.replace('gate_up', kind)}.weight"] = _experts(blocks, scales, rows)
    return whole


def _match(blocks: Part, scales: Part) -> bool:
    return (
        len(scales.shape) == 3
        and blocks.shape == (*scales.shape, _BLOCK_BYTES)
        and blocks.type is scales.type is GgmlType.I8
        and scales.shape[1] >= len(_TAKING_TURNS)
        and math.prod(scales.shape) > 0
    )


def _experts(blocks: Part, scales: Part, rows: slice) -> Part:
    """Some rows of the matrix of each expert."""
    experts, height, count = scales.shape
    shape = (len(range(height)[rows]), count * _BLOCK_ELEMENTS)

    def expert(number: int) -> Part:
        return Part(
            shape,
            GgmlType.MXFP4,
            lambda: packed(blocks.read()[number, rows], scales.read()[number, rows]),
        )

    return stacked([expert(number) for number in range(experts)])


def packed(blocks: Array, scales: Array) -> Array:
    """The bytes that GGUF has for rows of blocks.

    Here a byte holds two elements that follow each other, the first in its low half; there it
    holds two that are half a block apart. The scale, a power of two, lies before them.

    Shapes: blocks `[rows, count, 16]` and scales `[rows, count]`, uint8; result
    `[rows, count * 17]`.
    """
    elements = np.stack((blocks & 15, blocks >> 4), axis=-1)
    elements = elements.reshape(*scales.shape, _BLOCK_ELEMENTS)
    halves = elements[..., :_BLOCK_BYTES] | elements[..., _BLOCK_BYTES:] << 4
    return np.concatenate((scales[..., None], halves), axis=-1).reshape(len(scales), -1)


def _parted(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    """Every other row is the gate's: copies."""
    part = part if name.endswith(".bias") else upright(config, part)
    if len(part.shape) < 2 or part.shape[1] % len(_TAKING_TURNS):
        raise config.wrong("intermediate_size")
    shape = (part.shape[0], part.shape[1] // len(_TAKING_TURNS), *part.shape[2:])

    def every_other(start: int) -> Part:
        return gathered(part, shape, lambda rows: rows[:, start :: len(_TAKING_TURNS)])

    return [
        (name.replace("gate_up", kind), every_other(start))
        for start, kind in enumerate(_TAKING_TURNS)
    ]


def _turned(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    return [(name, part if part.type is GgmlType.MXFP4 else upright(config, part))]


GPT_OSS = Family(
    "gpt-oss",
    keys=MIXTURE_KEYS,
    settings=_settings,
    rename=_rename,
    joined=_joined,
    changes={
        r"blk\.\d+\.ffn_gate_up_exps\.": _parted,
        r"blk\.\d+\.ffn_down_exps\.weight": _turned,
    },
)
