"""The sizes of the models that are trained."""

from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).parents[2] / "resources" / "models"
TARGET_FILE, DRAFT_FILE = "guide.gguf", "guide-draft.gguf"


@dataclass(frozen=True, slots=True)
class Shape:
    """A model of the architecture `qwen35`: gated delta nets, with attention every few layers.

    Widths that a matrix multiplies are multiples of 32, the block of Q8_0.

    Attributes:
        attention_every: the last of so many layers attends; the others are recurrent.
        key_heads, value_heads: of the recurrent layers, all of `delta_dim`.
        prediction_heads: layers that predict one token further; 0 or 1.
    """

    name: str
    width: int
    layers: int
    feed_forward: int
    heads: int
    kv_heads: int
    key_heads: int
    value_heads: int
    vocab: int
    attention_every: int = 3
    head_dim: int = 64
    rope_dims: int = 16
    delta_dim: int = 64
    taps: int = 4
    prediction_heads: int = 0
    context: int = 4096
    rope_base: float = 10_000.0
    epsilon: float = 1e-6

    @property
    def keys_width(self) -> int:
        """Of all key heads of a recurrent layer."""
        return self.key_heads * self.delta_dim

    @property
    def values_width(self) -> int:
        """Of all value heads of a recurrent layer."""
        return self.value_heads * self.delta_dim

    @property
    def channels(self) -> int:
        """Of the convolution: queries, keys and values."""
        return 2 * self.keys_width + self.values_width

    def is_recurrent(self, layer: int) -> bool:
        """Whether a layer is a gated delta net; prediction heads never are."""
        return layer < self.layers and (layer + 1) % self.attention_every != 0


def target_shape(vocab: int) -> Shape:
    """The guide: about 10 million parameters."""
    return Shape(
        name="Paceline guide",
        width=320,
        layers=6,
        feed_forward=768,
        heads=4,
        kv_heads=2,
        key_heads=2,
        value_heads=4,
        vocab=vocab,
        prediction_heads=1,
    )


def draft_shape(vocab: int) -> Shape:
    """Its draft: about a seventh of that, half of it the embedding."""
    return Shape(
        name="Paceline guide draft",
        width=160,
        layers=3,
        feed_forward=384,
        heads=2,
        kv_heads=1,
        key_heads=1,
        value_heads=2,
        vocab=vocab,
    )
