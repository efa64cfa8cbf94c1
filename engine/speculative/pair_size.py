"""What a draft's size beside its target's means for speed."""

from dataclasses import dataclass
from math import log
from typing import Self

import numpy as np

from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.gguf.model_file import ModelFile

CANNOT_PAY = 2 / 3
"""Share of the target's size from which on drafting cannot pay. With a share s and an acceptance a,
a round of one drafted token takes as long as 1 + s plain tokens and emits 1 + a: it gains where
a > s, and a is seldom above two thirds on ordinary text."""

BEST_SHARES = (1 / 40, 1 / 5)
"""A smaller draft guesses badly; a larger one costs much of what it gains."""

LEAST_SCORE = 0.05
"""Of a draft that works and cannot pay."""

_SHARES = (BEST_SHARES[0] ** 2, *BEST_SHARES, CANNOT_PAY)
_SCORES = (LEAST_SCORE, 1.0, 1.0, LEAST_SCORE)


@dataclass(frozen=True, slots=True)
class ModelSize:
    """How large a model is.

    Attributes:
        parameters, weights_bytes: of all tensors.
        active_parameters, active_bytes: of what each token is multiplied by: of a layer's experts,
            as many as a token asks.
    """

    parameters: int
    weights_bytes: int
    active_parameters: int
    active_bytes: int

    @classmethod
    def of(cls, file: ModelFile) -> Self:
        """Count a file's tensors.

        Raises:
            ModelFileError: the header does not say how many experts there are, or contradicts
                itself.
        """
        tensors = file.tensors.items()
        asked = _share_asked(file.metadata)
        idle = [tensor for name, tensor in tensors if "_exps." in name]
        parameters = sum(tensor.elements for _, tensor in tensors)
        nbytes = sum(tensor.nbytes for _, tensor in tensors)
        return cls(
            parameters,
            nbytes,
            parameters - round((1 - asked) * sum(tensor.elements for tensor in idle)),
            nbytes - round((1 - asked) * sum(tensor.nbytes for tensor in idle)),
        )

    def share_of(self, target: "ModelSize") -> float:
        """The share of a target's active size, by parameters or bytes, whichever is larger.

        A pass reads bytes: a draft in float16 beside a target in four bits is slower than its
        parameters say. Fewer bits, on the other hand, make computing no cheaper.
        """
        return max(
            self.active_parameters / target.active_parameters,
            self.active_bytes / target.active_bytes,
        )

    def __str__(self) -> str:
        parameters = _scaled(self.parameters, "M", "B")
        size = f"{parameters} parameters in {_scaled(self.weights_bytes, ' MB', ' GB')}"
        if self.active_parameters == self.parameters:
            return size
        return f"{size}, {_scaled(self.active_parameters, 'M', 'B')} of them for each token"


def size_score(share: float) -> float:
    """From `LEAST_SCORE` to 1, linear in the logarithm of the share on both sides of the best."""
    return float(np.interp(log(share), np.log(_SHARES), _SCORES))


def size_remark(share: float) -> str:
    """What the size leaves to be said after “can draft for this model”."""
    if share >= CANNOT_PAY:
        return ", but so large a draft cannot pay"
    if share > BEST_SHARES[1]:
        return ", but is large for a draft"
    if share < BEST_SHARES[0]:
        return ", but so small a draft often guesses wrong"
    return ""


def _share_asked(metadata: Metadata) -> float:
    """What part of a layer's experts a token asks."""
    architecture = metadata.read("general.architecture", str)
    experts = metadata.read(f"{architecture}.expert_count", int, 0)
    used = metadata.read(f"{architecture}.expert_used_count", int, experts)
    if not 0 <= used <= experts:
        raise damaged(f"no token can ask {used} of {experts} experts")
    return used / experts if experts else 1.0


def _scaled(number: int, million: str, milliard: str) -> str:
    """With the digits that people compare sizes by."""
    if number >= 999.5e6:
        return f"{number / 1e9:.1f}{milliard}"
    return f"{number / 1e6:.3g}{million}"
