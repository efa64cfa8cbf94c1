"""The mixer of Mamba-2 (Dao and Gu, 2024): a state space behind a short convolution, gated."""

from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.kernels.operations.rows import Buffer
from engine.kernels.recurrent_shapes import StateSpaceShape
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes


def mamba2_mixer(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
    shape: StateSpaceShape,
    *,
    normed: bool = True,
) -> Buffer:
    """What is left to multiply by `ssm_out`; the layer's state is constant in size.

    Args:
        build: where the operations go.
        block: prefix of the tensors' names.
        source: what gate, convolution and steps are made from.
        shape: the layer's sizes.
        normed: whether each group is normalised behind the gate.
    """
    parts = (
        Buffer("mixer gate", shape.inner),
        Buffer("mixed", shape.channels),
        Buffer("step", shape.heads),
    )
    joined = Buffer("gate, mixed and step", sum(part.width for part in parts))
    build.split(build.linear(source, f"{block}.ssm_in", joined), parts)
    gate, mixed, step = parts
    gated = build.glu(gate, build.state_space(mixed, step, block, shape))
    return build.group_norm(gated, f"{block}.ssm_norm", shape.groups) if normed else gated


def state_space_shape(metadata: Metadata) -> StateSpaceShape:
    """The sizes of such a layer.

    Raises:
        ModelFileError: they are missing or contradict each other.
    """
    sizes = Sizes(metadata)
    heads, groups = sizes.whole("ssm.time_step_rank"), sizes.whole("ssm.group_count")
    inner, taps = sizes.whole("ssm.inner_size"), sizes.whole("ssm.conv_kernel")
    if inner % heads or heads % groups or taps < 2:
        raise damaged(
            f"{heads} heads in {groups} groups cannot share {inner} values over {taps} rows"
        )
    return StateSpaceShape(groups, heads, inner // heads, sizes.whole("ssm.state_size"), taps)
