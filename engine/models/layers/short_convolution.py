"""The gated short convolution that stands in for attention in LFM2."""

from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.kernels.operations.rows import Buffer
from engine.kernels.recurrent_shapes import ConvolutionShape
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes


def gated_convolution(
    build: ProgramBuilder, block: str, source: Buffer, residual: Buffer, shape: ConvolutionShape
) -> None:
    """Add `out(after * convolve(before * x))` to the residual stream."""
    name, width = f"{block}.shortconv", shape.width
    before, after, x = (Buffer(part, width) for part in ("gate before", "gate behind", "x"))
    joined = build.linear(source, f"{name}.in_proj", Buffer("gates and x", 3 * width))
    build.split(joined, (before, after, x))
    convolved = build.short_convolution(build.multiply(before, x), f"{name}.conv", shape)
    gated = build.multiply(after, convolved)
    build.linear(gated, f"{name}.out_proj", residual, accumulate=True)


def convolution_shape(metadata: Metadata) -> ConvolutionShape:
    """The sizes of such a layer.

    Raises:
        ModelFileError: they are missing or make no sense.
    """
    sizes = Sizes(metadata)
    taps = sizes.whole("shortconv.l_cache")
    if taps < 2:
        raise damaged("its convolutions look at single rows")
    return ConvolutionShape(sizes.whole("embedding_length"), taps)
