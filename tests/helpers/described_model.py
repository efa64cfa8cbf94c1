"""Tiny models of any architecture: what its description asks for is what the file gets."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

import numpy as np
import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.gguf.metadata import Metadata
from engine.models.builder import ProgramBuilder
from engine.models.registry import architecture_of
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type
from tests.helpers.tiny_gguf import Tensor, write_gguf
from tests.helpers.tiny_model import TinyModel

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


class AnythingAsked:
    """Stands where `WeightSource` does, and makes up each tensor as it is asked for.

    Attributes:
        tensors: all so far.
    """

    def __init__(self, known: Mapping[str, tuple[int, ...]], optional: frozenset[str]) -> None:
        """`known`: shapes that are asked about; `optional`: endings that such a file has."""
        self.tensors: dict[str, Array] = {}
        self._known = known
        self._optional = optional

    def take(self, name: str, shape: tuple[int, ...] | None = None) -> QuantTensor:
        if name not in self.tensors:
            self.tensors[name] = self._made_up(name, shape or self._known[name])
        values = self.tensors[name]
        data = torch.from_numpy(values).view(torch.uint8).flatten()
        return QuantTensor(name, data, quant_type(GgmlType.F32), values.shape)

    def take_optional(self, name: str, shape: tuple[int, ...] | None = None) -> QuantTensor | None:
        return self.take(name, shape) if self.has(name) else None

    def has(self, name: str) -> bool:
        return name.endswith(tuple(self._optional))

    def leave(self, prefix: str) -> None:
        """Nothing is there that would be left."""

    def _made_up(self, name: str, shape: tuple[int, ...]) -> Array:
        """Matrices of about unit gain, norms near one, biases and rates near zero.

        Norms of heads are smaller: where scores are not scaled, a softmax so sharp would make much
        of the last bits.
        """
        values = np.random.default_rng(crc32(name.encode())).standard_normal(shape)
        values = values.astype(np.float32)
        if name.endswith("ssm_a"):
            return -np.abs(values)
        if len(shape) > 1:
            return values / np.float32(np.sqrt(shape[-1]))
        mean = 0.5 if name.endswith(("_q_norm.weight", "_k_norm.weight")) else "norm" in name
        mean = mean or "rope" in name or "scale" in name
        return np.float32(mean) + np.float32(0.1) * values


@dataclass(frozen=True)
class DescribedModel:
    """A model of random weights.

    Attributes:
        settings: under the architecture's prefix, beside those of `TinyModel`.
        optional: endings of the names of tensors that need not be there, and are.
    """

    architecture: str
    layers: int = 2
    settings: Mapping[str, object] = field(default_factory=dict)
    optional: frozenset[str] = frozenset({"ffn_gate.weight"})

    @property
    def vocab(self) -> int:
        return self._plain.vocab

    @property
    def _plain(self) -> TinyModel:
        return TinyModel(self.architecture, layers=self.layers)

    def write(self, path: Path) -> Path:
        """Write the file and return its path."""
        return write_gguf(path, self.metadata(), self.tensors())

    def metadata(self) -> dict[str, object]:
        """Those of a tiny model, with its own."""
        own = {f"{self.architecture}.{key}": value for key, value in self.settings.items()}
        return self._plain.metadata() | own

    def tensors(self) -> dict[str, Tensor]:
        """All that its architecture asks for."""
        plain = self._plain
        values = {
            key: np.array(value) if isinstance(value, list) and type(value[0]) is not str else value
            for key, value in self.metadata().items()
        }
        metadata = Metadata(values)  # type: ignore[arg-type]
        known = {"token_embd.weight": (plain.vocab, plain.width)}
        source = AnythingAsked(known, self.optional)
        architecture_of(metadata).build(ProgramBuilder(metadata, source))  # type: ignore[arg-type]
        return {name: (array, None) for name, array in source.tensors.items()}


WINDOW = {"attention.sliding_window": 20}

LATENT = {
    "attention.head_count_kv": 1,
    "attention.key_length": 96,
    "attention.value_length": 64,
    "attention.key_length_mla": 72,
    "attention.value_length_mla": 40,
    "attention.kv_lora_rank": 64,
    "attention.q_lora_rank": 48,
    "rope.scaling.type": "yarn",
    "rope.scaling.factor": 4.0,
    "rope.scaling.original_context_length": 512,
    "rope.scaling.yarn_log_multiplier": 0.0707,
    "leading_dense_block_count": 1,
    "expert_count": 6,
    "expert_used_count": 2,
    "expert_feed_forward_length": 32,
    "expert_shared_count": 1,
    "expert_gating_func": 2,
    "expert_weights_norm": True,
    "expert_weights_scale": 2.5,
}

DESCRIBED = {
    "cohere2": DescribedModel("cohere2", settings={**WINDOW, "logit_scale": 0.25}),
    "deepseek2": DescribedModel(
        "deepseek2",
        settings=LATENT,
        optional=frozenset(
            {"ffn_gate.weight", "ffn_gate_shexp.weight", "exp_probs_b.bias"},
        ),
    ),
    "gemma2": DescribedModel("gemma2", settings=WINDOW),
    "gemma3": DescribedModel("gemma3", settings={**WINDOW, "rope.freq_base": 1e6}),
    "gemma4": DescribedModel(
        "gemma4",
        layers=7,
        settings={
            **WINDOW,
            "attention.sliding_window_pattern": [True, True, False, True, False, True, False],
            "attention.head_count_kv": [2, 2, 1, 2, 1, 2, 1],
            "attention.key_length": 64,
            "attention.value_length": 64,
            "attention.key_length_swa": 32,
            "attention.value_length_swa": 32,
            "attention.shared_kv_layers": 2,
            "rope.dimension_count": 64,
            "rope.dimension_count_swa": 32,
            "rope.freq_base_swa": 1e4,
            "embedding_length_per_layer_input": 16,
            "final_logit_softcapping": 30.0,
            "feed_forward_length": [160, 160, 160, 160, 160, 224, 224],
        },
        optional=frozenset(
            {"ffn_gate.weight", "rope_freqs.weight", "layer_output_scale.weight"}
            | {f"blk.{layer}.attn_v.weight" for layer in (0, 1, 3)}
        ),
    ),
    "glm4": DescribedModel("glm4", settings={"rope.dimension_count": 16}, optional=frozenset()),
    "mistral3": DescribedModel(
        "mistral3",
        settings={
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 4.0,
            "rope.scaling.original_context_length": 512,
            "attention.temperature_scale": 0.1,
        },
    ),
    "olmo2": DescribedModel("olmo2", settings=WINDOW),
    "phi3": DescribedModel(
        "phi3",
        settings={"rope.scaling.type": "longrope", "rope.scaling.attn_factor": 1.2},
        optional=frozenset(
            {"attn_qkv.weight", "rope_factors_long.weight", "rope_factors_short.weight"}
        ),
    ),
}
"""One of each architecture that the descriptions of `TinyModel` leave out."""

OLDER = {
    "deepseek2 with whole keys": replace(
        DESCRIBED["deepseek2"],
        settings={
            **{key: value for key, value in LATENT.items() if not key.endswith("_mla")},
            "attention.head_count_kv": 6,
            "attention.key_length": 72,
            "attention.value_length": 40,
        },
    ),
    "deepseek2 without compressed queries": replace(
        DESCRIBED["deepseek2"],
        settings={key: value for key, value in LATENT.items() if not key.endswith("q_lora_rank")},
    ),
    "gemma4 with experts": replace(
        DESCRIBED["gemma4"],
        settings={
            **DESCRIBED["gemma4"].settings,
            "embedding_length_per_layer_input": 0,
            "expert_count": 6,
            "expert_used_count": 2,
            "expert_feed_forward_length": 32,
            "feed_forward_length": 160,
        },
        optional=DESCRIBED["gemma4"].optional | {"ffn_gate_up_exps.weight"},
    ),
    "nemotron_h_moe with latent experts": DescribedModel(
        "nemotron_h_moe",
        layers=4,
        settings={
            "feed_forward_length": [0, 0, 160, 160],
            "attention.head_count_kv": [0, 2, 0, 0],
            "ssm.inner_size": 128,
            "ssm.conv_kernel": 4,
            "ssm.state_size": 16,
            "ssm.time_step_rank": 4,
            "ssm.group_count": 2,
            "expert_count": 6,
            "expert_used_count": 2,
            "expert_feed_forward_length": 32,
            "expert_shared_feed_forward_length": 48,
            "expert_weights_norm": True,
            "expert_weights_scale": 2.5,
            "moe_latent_size": 64,
        },
        optional=frozenset({"exp_probs_b.bias", "ssm_conv1d.bias", "output.weight"}),
    ),
}
"""Files of the same architectures that look otherwise."""
