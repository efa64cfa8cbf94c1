"""The end of a model, with the head that drafts for it where its file has one and it is wanted."""

from collections.abc import Callable
from dataclasses import replace

from engine.kernels.operations.rows import Buffer
from engine.memory.spec import HEAD_ROWS, HeadSpec
from engine.models.builder import ProgramBuilder
from engine.models.program import DraftHead, ModelProgram, RowProgram

Block = Callable[[ProgramBuilder, int, Buffer], None]
"""`block(build, index, residual)`: append a block of the model to a program."""


def with_draft_head(build: ProgramBuilder, residual: Buffer, block: Block) -> ModelProgram:
    """Finish a model behind its last layer.

    The head is that of DeepSeek-V3 (2024), which predicts the token after the next: from the next
    one's embedding and the hidden row before it. Which hidden row, and in which order the two are
    joined, is as Qwen trained it: the row behind the output norm, after the embedding
    (llama.cpp, pull request 24025). A file may have several such heads; the first one, fed with
    its own hidden rows, drafts on as far as is wanted.
    """
    hyper = build.hyper
    build.leave_draft_heads()
    if not (build.with_head and hyper.draft_heads):
        with build.head():
            normed = build.rms_norm(residual, "output_norm")
        return build.logits(normed, "output")
    hidden = build.rms_norm(residual, "output_norm")
    states, head = build.states(), _head(build, hyper.layers, block)
    states = replace(states, head=HeadSpec(states.key_values[-1], hyper.width))
    vocab = head.model_output.program.logits.width
    return ModelProgram(build.finish(hidden), states, vocab, head)


def _head(build: ProgramBuilder, index: int, block: Block) -> DraftHead:
    hyper, weights = build.hyper, build.weights
    nextn, vector = f"blk.{index}.nextn", (hyper.width,)
    table = weights.take("token_embd.weight")
    own_output = weights.take_optional(f"{nextn}.shared_head_head.weight")
    output = _output(build, "output")
    return DraftHead(
        embedding=weights.take_optional(f"{nextn}.embed_tokens.weight", table.shape) or table,
        embedding_norm=weights.take(f"{nextn}.enorm.weight", vector),
        hidden_norm=weights.take(f"{nextn}.hnorm.weight", vector),
        epsilon=hyper.epsilon,
        block=_block(build.another(), index, block),
        output=_output(build, f"{nextn}.shared_head_head") if own_output else output,
        model_output=output,
    )


def _block(build: ProgramBuilder, index: int, block: Block) -> RowProgram:
    """From a token's embedding beside the hidden row before it, to a hidden row."""
    from engine.kernels.row_table import RowTable

    name, width = f"blk.{index}", build.hyper.width
    rows = RowTable("joined rows", HEAD_ROWS, 2 * width)
    joined = build.rows_of(rows, "joined")
    residual = build.linear(joined, f"{name}.nextn.eh_proj", Buffer("residual", width))
    block(build, index, residual)
    own_norm = f"{name}.nextn.shared_head_norm"
    has_norm = build.weights.take_optional(f"{own_norm}.weight") is not None
    hidden = build.rms_norm(residual, own_norm if has_norm else "output_norm")
    return RowProgram(rows, build.finish(hidden))


def _output(build: ProgramBuilder, name: str) -> RowProgram:
    """From a hidden row to logits."""
    from engine.kernels.row_table import RowTable

    build = build.another()
    rows = RowTable("hidden rows", HEAD_ROWS, build.hyper.width)
    hidden = build.rows_of(rows, "hidden")
    return RowProgram(rows, build.finish(build.output(hidden, name)))
