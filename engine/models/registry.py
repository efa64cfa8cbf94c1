"""The architectures that run, and a model from a file of one of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import quoted
from engine.gguf.metadata import Metadata
from engine.memory.spec import HeadSpec, StateSpecs
from engine.models.architecture import Architecture
from engine.models.architectures.arcee import ARCEE
from engine.models.architectures.bailingmoe2 import BAILINGMOE2, DOTS1
from engine.models.architectures.chatglm import CHATGLM
from engine.models.architectures.cohere2 import COHERE2, COMMAND_R
from engine.models.architectures.deepseek import BAILINGMOE, DEEPSEEK
from engine.models.architectures.deepseek2 import DEEPSEEK2
from engine.models.architectures.ernie4_5 import ERNIE4_5, ERNIE4_5_MOE
from engine.models.architectures.exaone import EXAONE, EXAONE4
from engine.models.architectures.falcon_h1 import FALCON_H1
from engine.models.architectures.gemma import GEMMA
from engine.models.architectures.gemma2 import GEMMA2
from engine.models.architectures.gemma3 import GEMMA3
from engine.models.architectures.gemma4 import GEMMA4
from engine.models.architectures.glm4 import GLM4
from engine.models.architectures.glm4moe import GLM4MOE
from engine.models.architectures.gpt_oss import GPT_OSS
from engine.models.architectures.granite import GRANITE, GRANITEHYBRID, GRANITEMOE
from engine.models.architectures.hunyuan import HUNYUAN_DENSE, HUNYUAN_MOE
from engine.models.architectures.lfm2 import LFM2, LFM2MOE
from engine.models.architectures.llama import INTERNLM2, LLAMA
from engine.models.architectures.mamba2 import MAMBA2
from engine.models.architectures.minimax_m2 import MINIMAX_M2
from engine.models.architectures.mistral3 import MISTRAL3
from engine.models.architectures.nemotron import NEMOTRON
from engine.models.architectures.nemotron_h import NEMOTRON_H, NEMOTRON_H_MOE
from engine.models.architectures.olmo2 import OLMO2
from engine.models.architectures.olmoe import OLMOE
from engine.models.architectures.phi2 import PHI2
from engine.models.architectures.phi3 import PHI3
from engine.models.architectures.qwen2 import QWEN2, QWEN2VL
from engine.models.architectures.qwen2moe import QWEN2MOE
from engine.models.architectures.qwen3 import QWEN3, QWEN3VL
from engine.models.architectures.qwen3moe import QWEN3MOE, QWEN3VLMOE
from engine.models.architectures.qwen3next import QWEN3NEXT
from engine.models.architectures.qwen35 import QWEN35, QWEN35MOE
from engine.models.architectures.seed_oss import SEED_OSS
from engine.models.architectures.smollm3 import SMOLLM3
from engine.models.architectures.stablelm import STABLELM
from engine.models.architectures.starcoder2 import STARCODER2
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters
from engine.models.program import ModelProgram

if TYPE_CHECKING:  # headers are read without torch
    from engine.gguf.model_file import ModelFile
    from engine.weights.source import WeightSource

ARCHITECTURES = {
    each.name: each
    for each in (
        LLAMA,
        MISTRAL3,
        SMOLLM3,
        QWEN2,
        QWEN3,
        QWEN35,
        QWEN2MOE,
        QWEN3MOE,
        QWEN35MOE,
        GEMMA2,
        GEMMA3,
        GEMMA4,
        PHI3,
        GLM4,
        GLM4MOE,
        GPT_OSS,
        OLMO2,
        COHERE2,
        DEEPSEEK2,
        LFM2,
        LFM2MOE,
        MAMBA2,
        NEMOTRON_H,
        NEMOTRON_H_MOE,
        GRANITEHYBRID,
        QWEN3NEXT,
        FALCON_H1,
        COMMAND_R,
        QWEN2VL,
        QWEN3VL,
        QWEN3VLMOE,
        GEMMA,
        GRANITE,
        GRANITEMOE,
        STARCODER2,
        STABLELM,
        PHI2,
        NEMOTRON,
        ARCEE,
        CHATGLM,
        EXAONE,
        EXAONE4,
        SEED_OSS,
        ERNIE4_5,
        ERNIE4_5_MOE,
        HUNYUAN_DENSE,
        HUNYUAN_MOE,
        DEEPSEEK,
        BAILINGMOE,
        BAILINGMOE2,
        DOTS1,
        OLMOE,
        MINIMAX_M2,
        INTERNLM2,
    )
}
"""By their names in GGUF."""


def build_model(
    file: ModelFile,
    weights: WeightSource,
    *,
    with_head: bool = False,
    context: int | None = None,
) -> ModelProgram:
    """Build the program of a file's model.

    Args:
        file: the model's.
        weights: its tensors.
        with_head: build the file's own drafting head too, where it has one.
        context: positions of a slot, which some rotary embeddings depend on; None for as many as
            the model was made for.

    Raises:
        UnsupportedModelError: the architecture is unknown, or the file holds tensors that its
            description does not use, so answers would be wrong.
        ModelFileError: a tensor or a setting is missing or wrong.
    """
    architecture = architecture_of(file.metadata)
    build = ProgramBuilder(file.metadata, weights, with_head=with_head, context=context)
    model = architecture.build(build)
    if left := weights.unconsumed():
        raise UnsupportedModelError(
            f"This {architecture.name} model has {len(left)} tensors that this version does not "
            f"know, such as {quoted(left[0])}; without them its answers would be wrong."
        )
    return model


def state_specs(metadata: Metadata, *, with_head: bool = False) -> StateSpecs:
    """What the layers of a model keep for a slot, as its program declares it; no torch.

    Args:
        metadata: of its file.
        with_head: count in what the file's own drafting head keeps, where it has one.

    Raises:
        PacelineError: the architecture is unknown, or the header does not say it or contradicts
            itself.
    """
    architecture, hyper = architecture_of(metadata), Hyperparameters.read(metadata)
    states = architecture.states(metadata)
    if with_head and architecture.has_draft_head and hyper.draft_heads:
        return replace(states, head=HeadSpec(states.key_values[-1], hyper.width))
    return states


def architecture_of(metadata: Metadata) -> Architecture:
    """The architecture of a file.

    Raises:
        UnsupportedModelError: it is unknown, or the file asks for more than it has.
    """
    name = metadata.read("general.architecture", str)
    if name not in ARCHITECTURES:
        *others, last = sorted(ARCHITECTURES)
        raise UnsupportedModelError(
            f"Models of the architecture {quoted(name)} do not run in this version yet. It runs "
            f"{len(ARCHITECTURES)} architectures: {', '.join(others)} and {last}."
        )
    architecture = ARCHITECTURES[name]
    architecture.check(metadata)
    return architecture
