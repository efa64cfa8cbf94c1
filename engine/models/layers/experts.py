"""A mixture of experts in place of one feed-forward layer (Shazeer et al., 2017)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.kernels.operations.experts import Gating, Routing
from engine.kernels.operations.rows import Buffer
from engine.models.builder import ProgramBuilder, Routed
from engine.models.hyperparameters import Sizes
from engine.models.layers.feed_forward import FeedForward, dense_feed_forward, gated_rows

MOST_EXPERTS = 1 << 16

GATINGS = {1: Gating.SOFTMAX, 2: Gating.SIGMOID, 3: Gating.SOFTMAX_OF_CHOSEN}
"""By their numbers in `expert_gating_func`."""

ONE_OF_ONE = Routing(Gating.SIGMOID)
"""How a gate weighs the only expert that there is."""

GatedUnit = Callable[[ProgramBuilder, Buffer, Buffer], Buffer]
"""`gated_unit(build, gate, up)`: what is left to multiply by `down`."""


def swiglu(build: ProgramBuilder, gate: Buffer, up: Buffer) -> Buffer:
    """The usual one."""
    return build.glu(gate, up)


@dataclass(frozen=True, slots=True)
class Mixture:
    """The experts of a model's layers.

    Attributes:
        experts: how many a layer has.
        used: how many of them a row asks.
        width: inner width of each.
        shared_width: inner width of the one that every row asks; 0 where there is none.
        dense_layers: how many layers before the first with experts have none.
        routing: how a row chooses.
    """

    experts: int
    used: int
    width: int
    shared_width: int
    dense_layers: int
    routing: Routing

    @classmethod
    def read(
        cls, metadata: Metadata, gating: Gating = Gating.SOFTMAX, *, normalised: bool = False
    ) -> Self:
        """Read and check them; `gating` and `normalised` stand where the file does not say.

        Raises:
            ModelFileError: a number is missing or makes no sense.
            UnsupportedModelError: experts are chosen in a way that is unknown here.
        """
        sizes = Sizes(metadata)
        experts = sizes.whole("expert_count", most=MOST_EXPERTS)
        width = sizes.optional("expert_feed_forward_length")
        width = width or sizes.whole("feed_forward_length")
        shared_width = width * sizes.optional("expert_shared_count", 0)
        number = sizes.optional("expert_gating_func", 0)
        if number and number not in GATINGS:
            raise UnsupportedModelError(
                f"This model chooses its experts in a way (number {number}) that this version "
                "does not know."
            )
        mixture = cls(
            experts=experts,
            used=sizes.whole("expert_used_count", most=experts),
            width=width,
            shared_width=sizes.optional("expert_shared_feed_forward_length", shared_width),
            dense_layers=sizes.optional("leading_dense_block_count", 0),
            routing=Routing(
                GATINGS.get(number, gating),
                groups=sizes.optional("expert_group_count", 1),
                groups_used=sizes.optional("expert_group_used_count", 1),
                normalised=sizes.flag("expert_weights_norm", default=normalised),
                scale=sizes.factor("expert_weights_scale"),
            ),
        )
        mixture._check()
        return mixture

    def _check(self) -> None:
        groups, used = self.routing.groups, self.routing.groups_used
        if self.experts % groups or used > groups or self.used > self.experts // groups * used:
            raise damaged(
                f"{self.used} of {self.experts} experts cannot be chosen from {used} of {groups} "
                "groups"
            )


def experts_feed_forward(mixture: Mixture, gated_unit: GatedUnit = swiglu) -> FeedForward:
    """A block's second half: experts, and the one that all rows share, behind the dense blocks."""

    def feed_forward(build: ProgramBuilder, index: int, source: Buffer, residual: Buffer) -> None:
        if index < mixture.dense_layers:
            dense_feed_forward(build, index, source, residual)
            return
        ask_experts(build, f"blk.{index}", source, residual, mixture, gated_unit)
        if mixture.shared_width:
            ask_shared_expert(build, f"blk.{index}", source, residual, mixture.shared_width)

    return feed_forward


def ask_experts(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
    out: Buffer,
    mixture: Mixture,
    gated_unit: GatedUnit = swiglu,
    *,
    accumulate: bool = True,
) -> None:
    """Write the weighted sum of what a row's experts answer to `out`, or add it."""
    routed = choose_experts(build, block, source, mixture)
    gated = gated_unit(build, *gate_and_up(build, block, source, routed, mixture.width))
    sum_up(build, block, gated, routed, out, accumulate=accumulate)


def choose_experts(build: ProgramBuilder, block: str, source: Buffer, mixture: Mixture) -> Routed:
    """The experts of each row."""
    logits = build.linear(source, f"{block}.ffn_gate_inp", Buffer("router", mixture.experts))
    return build.route(logits, mixture.used, mixture.routing, f"{block}.exp_probs_b")


def gate_and_up(
    build: ProgramBuilder, block: str, source: Buffer, routed: Routed, width: int
) -> tuple[Buffer, Buffer]:
    """The two products with each expert that a gated unit takes; some files have them as one."""
    used = routed.chosen.width
    gate, up = Buffer("expert gate", used * width), Buffer("expert up", used * width)
    if not build.weights.has(f"{block}.ffn_gate_up_exps.weight"):
        build.expert_linear(source, routed, f"{block}.ffn_gate_exps", gate)
        build.expert_linear(source, routed, f"{block}.ffn_up_exps", up)
        return gate, up
    both = Buffer("expert gate and up", gate.width + up.width)
    build.expert_linear(source, routed, f"{block}.ffn_gate_up_exps", both)
    build.split(both, (gate, up), groups=used)
    return gate, up


def sum_up(
    build: ProgramBuilder,
    block: str,
    inner: Buffer,
    routed: Routed,
    out: Buffer,
    *,
    accumulate: bool = True,
) -> None:
    """Take the rows back from the experts' inner width, and add what they answer by weight."""
    answers = Buffer("answers", routed.chosen.width * out.width)
    build.expert_linear(inner, routed, f"{block}.ffn_down_exps", answers, apart=True)
    build.weighted_sum(answers, routed.weights, out, accumulate=accumulate)


def ask_shared_expert(
    build: ProgramBuilder, block: str, source: Buffer, out: Buffer, width: int
) -> None:
    """Add what the expert answers that every row asks: all of it, or as its gate weighs it."""
    gated = gated_rows(build, block, source, width, suffix="_shexp")
    down, gate = f"{block}.ffn_down_shexp", f"{block}.ffn_gate_inp_shexp"
    if build.weights.take_optional(f"{gate}.weight") is None:
        build.linear(gated, down, out, accumulate=True)
        return
    answer = build.linear(gated, down, Buffer("shared answer", out.width))
    routed = build.route(build.dot(source, gate, "shared router"), 1, ONE_OF_ONE)
    build.weighted_sum(answer, routed.weights, out, accumulate=True)
