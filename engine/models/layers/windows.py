"""Which layers look back only so far."""

import numpy as np

from engine.gguf.defects import damaged, quoted
from engine.gguf.metadata import Metadata
from engine.models.hyperparameters import Sizes


def windows(
    metadata: Metadata, layers: int, period: int, default: int | None = None
) -> list[int | None]:
    """How many positions each layer sees at most; None for all.

    Args:
        metadata: of the model.
        layers: how many there are.
        period: every so many layers one sees everything, the last of them, where the file does not
            say which; 0 where none does.
        default: the window of a model whose file does not say it.

    Raises:
        ModelFileError: the file's list has another length, or a number makes no sense.
    """
    sizes = Sizes(metadata)
    window = sizes.optional("attention.sliding_window", default)
    key = f"{sizes.architecture}.attention.sliding_window_pattern"
    listed = metadata.get(key)
    if isinstance(listed, np.ndarray):
        if len(listed) < layers:
            raise damaged(f"its {quoted(key)} lists {len(listed)} of {layers} layers")
        return [window if limited else None for limited in listed[:layers]]
    period = sizes.optional("attention.sliding_window_pattern", period)
    return [None if period and (n + 1) % period == 0 else window for n in range(layers)]
