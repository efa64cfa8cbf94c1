"""The head in a model's own file: what it computes, and what it needs of the model's passes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from gguf import GGUFValueType
from gguf.gguf_writer import GGUFValue

from engine.base.errors import ModelFileError
from engine.gguf.reader import open_gguf
from engine.memory.sequence_state import PassKind, SequenceState
from engine.memory.spec import HEAD_ROWS, MOST_WAITING
from engine.models.footprint import model_facts
from engine.models.headed_runner import Entries, HeadedRunner, waiting_entries
from engine.models.registry import build_model
from engine.weights.source import WeightSource
from tests.helpers.models import decode, open_runner, prompt, stored
from tests.helpers.one_operation import skip_unless_built
from tests.helpers.tiny_gguf import Tensor, write_gguf
from tests.helpers.tiny_model import TinyModel

MODEL = TinyModel("qwen35", layers=3, mtp=1)
EPSILON = 1e-5
TOKENS = [(19 * i + 3) % 256 for i in range(12)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODEL.write(tmp_path_factory.mktemp("head") / "m.gguf")


@pytest.fixture(scope="module", params=["torch", "native"])
def runner(path: Path, request: pytest.FixtureRequest) -> Iterator[HeadedRunner]:
    if request.param == "native":
        skip_unless_built()
    with open_runner(path, kernels=request.param, with_head=True) as runner:
        yield runner


@dataclass(frozen=True)
class PlainHead:
    """The head in plain arithmetic, over a whole text at once."""

    tensors: dict[str, Tensor]

    def __call__(
        self, tokens: list[int], before: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Hidden rows `[n, width]` and logits `[n, vocab]` for tokens and the rows before them."""
        weight, norm = self.weight, self.norm
        embedded = weight("token_embd", block="")[tokens]
        joined = torch.cat((norm(embedded, "nextn.enorm"), norm(before, "nextn.hnorm")), dim=1)
        rows = joined @ weight("nextn.eh_proj").T
        rows = rows + self.attention(norm(rows, "attn_norm"))
        inner = norm(rows, "post_attention_norm")
        gate, up = inner @ weight("ffn_gate").T, inner @ weight("ffn_up").T
        rows = rows + (torch.nn.functional.silu(gate) * up) @ weight("ffn_down").T
        hidden = norm(rows, "nextn.shared_head_norm")
        return hidden, hidden @ weight("output", block="").T

    def attention(self, rows: torch.Tensor) -> torch.Tensor:
        model, count = MODEL, len(rows)
        both = (rows @ self.weight("attn_q").T).view(count, model.heads, 2, model.head_dim)
        query, gate = both[:, :, 0], both[:, :, 1]
        key = (rows @ self.weight("attn_k").T).view(count, model.kv_heads, model.head_dim)
        value = (rows @ self.weight("attn_v").T).view(count, model.kv_heads, model.head_dim)
        query, key = self.norm(query, "attn_q_norm"), self.norm(key, "attn_k_norm")
        shared = model.heads // model.kv_heads
        query, key, value = (
            part.transpose(0, 1)
            for part in (
                turned(query),
                turned(key).repeat_interleave(shared, 1),
                value.repeat_interleave(shared, 1),
            )
        )
        attended = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True
        )
        open_ = attended.transpose(0, 1) * torch.sigmoid(gate)
        return open_.reshape(count, -1) @ self.weight("attn_output").T

    def norm(self, rows: torch.Tensor, name: str) -> torch.Tensor:
        scale = torch.rsqrt(rows.square().mean(-1, keepdim=True) + EPSILON)
        return rows * scale * self.weight(name)

    def weight(self, name: str, block: str = "blk.3.") -> torch.Tensor:
        return torch.from_numpy(self.tensors[f"{block}{name}.weight"][0])


def turned(heads: torch.Tensor) -> torch.Tensor:
    """Halves of each head turned by the row's position."""
    half = heads.shape[-1] // 2
    frequency = 10_000.0 ** (-torch.arange(half) / half)
    angles = torch.outer(torch.arange(len(heads)), frequency)[:, None]
    first, second = heads[..., :half], heads[..., half:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


def guess(runner: HeadedRunner, sequence: SequenceState, token: int) -> torch.Tensor:
    """The head's logits `[1, vocab]` behind a text and one more token."""
    entries = waiting_entries(0, sequence, token)
    assert sequence.begin(1, PassKind.DRAFTED)
    logits = torch.from_numpy(runner.draft_logits(runner.enter([entries])))
    sequence.rollback()
    return logits


def test_the_rows_that_wait_are_those_behind_the_output_norm(runner: HeadedRunner) -> None:
    sequence = runner.memory.new_sequence()
    logits = prompt(runner, sequence, TOKENS)
    assert sequence.hidden is not None
    rows = sequence.hidden.rows
    assert sequence.hidden.tokens == TOKENS
    assert not rows[0].any()
    output = torch.from_numpy(MODEL.tensors()["output.weight"][0])
    assert torch.allclose(rows[1:] @ output.T, logits, atol=1e-4)
    sequence.free()


def test_the_head_says_what_plain_arithmetic_says(runner: HeadedRunner) -> None:
    sequence, plain = runner.memory.new_sequence(), PlainHead(MODEL.tensors())
    prompt(runner, sequence, TOKENS)
    entries = waiting_entries(0, sequence, 77)
    assert sequence.begin(3, PassKind.DRAFTED)
    drafted = [77]
    before = entries.hidden
    for _ in range(3):
        hidden = runner.enter([entries])
        expected, logits = plain([*TOKENS, *drafted], before)
        guessed = torch.from_numpy(runner.draft_logits(hidden)[0])
        assert torch.allclose(guessed, logits[-1], atol=1e-4)
        drafted.append(int(logits[-1].argmax()))
        before = torch.cat((before, expected[-1:]))
        position = len(TOKENS) + len(drafted) - 1
        entries = Entries(0, sequence, position, drafted[-1:], hidden)
    sequence.rollback()
    sequence.free()


def test_the_head_of_a_mixture_is_its_block_behind_joined_rows(tmp_path: Path) -> None:
    mixed = TinyModel("glm4moe", layers=2, mtp=1)
    metadata, tensors = mixed.metadata(), mixed.tensors()
    metadata["glm4moe.nextn_predict_layers"] = 1
    path = write_gguf(tmp_path / "mixed.gguf", metadata, tensors)
    with open_runner(path, with_head=True) as runner:
        sequence = runner.memory.new_sequence()
        prompt(runner, sequence, TOKENS)
        before = waiting_entries(0, sequence, 5).hidden
        drafted = guess(runner, sequence, 5)

    def normed(rows: torch.Tensor, name: str) -> torch.Tensor:
        scale = torch.rsqrt(rows.square().mean(-1, keepdim=True) + EPSILON)
        return rows * scale * torch.from_numpy(tensors[f"blk.2.nextn.{name}.weight"][0])

    embedded = torch.from_numpy(tensors["token_embd.weight"][0])[[*TOKENS, 5]]
    joined = torch.cat((normed(embedded, "enorm"), normed(before, "hnorm")), dim=1)
    rows = joined @ torch.from_numpy(tensors["blk.2.nextn.eh_proj.weight"][0]).T
    block = {
        name.replace("blk.2", "blk.0"): tensor
        for name, tensor in tensors.items()
        if name.startswith("blk.2.") and "nextn" not in name
    }
    alone = {
        "token_embd.weight": (rows.numpy(), None),
        "output_norm.weight": tensors["blk.2.nextn.shared_head_norm.weight"],
        "output.weight": (tensors["output.weight"][0][: len(rows)], None),
    }
    settings = {"block_count": 1, "leading_dense_block_count": 0, "nextn_predict_layers": 0}
    metadata |= {f"glm4moe.{key}": value for key, value in settings.items()}
    path = write_gguf(tmp_path / "alone.gguf", metadata, alone | block)
    with open_runner(path) as runner:
        said = prompt(runner, runner.memory.new_sequence(), list(range(len(rows))))
    assert torch.allclose(drafted[0, : len(rows)], said[-1], atol=1e-4)


def test_entries_are_the_same_however_the_text_came(runner: HeadedRunner) -> None:
    text = [(7 * i + 1) % 256 for i in range(HEAD_ROWS + 60)]
    logits = []
    for chunk in (0, 100, 1):
        sequence = runner.memory.new_sequence()
        prompt(runner, sequence, text, chunk=chunk)
        assert sequence.hidden is not None
        assert len(sequence.hidden.tokens) <= MOST_WAITING
        logits.append(guess(runner, sequence, 5))
        sequence.free()
    assert torch.allclose(logits[0], logits[1], atol=1e-3)
    assert torch.allclose(logits[0], logits[2], atol=1e-3)


def test_slots_share_a_pass_of_the_head(runner: HeadedRunner) -> None:
    sequences = [runner.memory.new_sequence() for _ in range(2)]
    for slot, sequence in enumerate(sequences):
        prompt(runner, sequence, TOKENS[slot:], slot=slot)
    entries = [waiting_entries(slot, s, 9) for slot, s in enumerate(sequences)]
    assert all(sequence.begin(1, PassKind.DRAFTED) for sequence in sequences)
    alone = [runner.enter([each]) for each in entries]
    assert torch.allclose(runner.enter(entries), torch.cat(alone), atol=1e-5)
    for sequence in sequences:
        sequence.rollback()
        sequence.free()


@pytest.mark.parametrize("kernels", ["torch", "native"])
def test_beside_a_head_the_model_says_the_same_bit_for_bit(path: Path, kernels: str) -> None:
    if kernels == "native":
        skip_unless_built()
    said = []
    for with_head in (False, True):
        with open_runner(path, kernels=kernels, with_head=with_head) as runner:
            sequence = runner.memory.new_sequence()
            runner_logits = prompt(runner, sequence, TOKENS, chunk=1)
            said.append((runner_logits, decode(runner, sequence, TOKENS), stored(sequence)))
    assert torch.equal(said[0][0], said[1][0])
    assert torch.equal(said[0][1], said[1][1])
    assert said[0][2] == said[1][2]


def test_a_head_that_is_not_wanted_takes_nothing(path: Path, tmp_path: Path) -> None:
    without = replace(MODEL, mtp=0).write(tmp_path / "without.gguf")
    with open_gguf(path) as file, open_gguf(without) as other:
        assert model_facts(file) == model_facts(other)
    with open_runner(path) as runner:
        assert runner.memory.new_sequence().hidden is None
        assert not runner.memory.head_state.attention


def test_the_header_tells_what_a_head_keeps(path: Path) -> None:
    with open_gguf(path) as file:
        facts = model_facts(file, with_head=True)
        model = build_model(file, WeightSource(file), with_head=True)
        alone = model_facts(file)
    assert facts.states == model.states
    assert facts.states.head is not None
    of_head = [matrix for matrix in model.matrices() if matrix.name.startswith("blk.3.")]
    more = facts.weights.float_bytes - alone.weights.float_bytes
    assert more == sum(matrix.nbytes for matrix in of_head) > 0


def test_of_several_heads_the_first_drafts(tmp_path: Path) -> None:
    one, two = replace(MODEL, mtp=1), replace(MODEL, mtp=2)
    logits = []
    for model in (one, two):
        with open_runner(model.write(tmp_path / f"{model.mtp}.gguf"), with_head=True) as runner:
            sequence = runner.memory.new_sequence()
            prompt(runner, sequence, TOKENS)
            logits.append(guess(runner, sequence, 1))
    assert torch.equal(*logits)


def test_a_head_may_have_an_embedding_and_an_output_of_its_own(tmp_path: Path) -> None:
    tensors = MODEL.tensors()
    own = {
        "blk.3.nextn.embed_tokens.weight": tensors["token_embd.weight"],
        "blk.3.nextn.shared_head_head.weight": (-tensors["output.weight"][0], None),
    }
    path = write_gguf(tmp_path / "own.gguf", MODEL.metadata(), tensors | own)
    logits = []
    for each in (MODEL.write(tmp_path / "shared.gguf"), path):
        with open_runner(each, with_head=True) as runner:
            sequence = runner.memory.new_sequence()
            said = prompt(runner, sequence, TOKENS)
            logits.append((said, guess(runner, sequence, 1)))
    assert torch.equal(logits[0][0], logits[1][0])
    assert torch.allclose(logits[0][1], -logits[1][1], atol=1e-5)


def test_a_head_without_a_norm_of_its_own_takes_the_model_s(tmp_path: Path) -> None:
    tensors = MODEL.tensors()
    tensors["blk.3.nextn.shared_head_norm.weight"] = tensors["output_norm.weight"]
    logits = []
    for name in ("with", "without"):
        path = write_gguf(tmp_path / f"{name}.gguf", MODEL.metadata(), tensors)
        with open_runner(path, with_head=True) as runner:
            sequence = runner.memory.new_sequence()
            prompt(runner, sequence, TOKENS)
            logits.append(guess(runner, sequence, 1))
        tensors.pop("blk.3.nextn.shared_head_norm.weight", None)
    assert torch.equal(*logits)


def test_a_list_of_recurrent_layers_may_go_on_over_the_heads(tmp_path: Path) -> None:
    metadata = MODEL.metadata()
    del metadata["qwen35.full_attention_interval"]
    listed = {"qwen35.attention.recurrent_layers": [True, True, False, False]}
    path = write_gguf(tmp_path / "listed.gguf", metadata | listed, MODEL.tensors())
    with open_runner(path) as runner, open_runner(MODEL.write(tmp_path / "m.gguf")) as usual:
        said = [prompt(each, each.memory.new_sequence(), TOKENS) for each in (runner, usual)]
    assert torch.equal(*said)


@pytest.mark.parametrize("missing", ["nextn.eh_proj", "nextn.enorm", "nextn.hnorm", "attn_q"])
def test_a_head_that_lacks_a_tensor_is_refused_where_it_is_wanted(
    tmp_path: Path, missing: str
) -> None:
    tensors = MODEL.tensors()
    del tensors[f"blk.3.{missing}.weight"]
    path = write_gguf(tmp_path / "m.gguf", MODEL.metadata(), tensors)
    with open_gguf(path) as file:
        build_model(file, WeightSource(file))
        with pytest.raises(ModelFileError, match=missing):
            build_model(file, WeightSource(file), with_head=True)


@pytest.mark.parametrize("heads", [4, -1])
def test_more_heads_than_blocks_are_refused(tmp_path: Path, heads: int) -> None:
    value = GGUFValue(heads, GGUFValueType.INT32)
    metadata = MODEL.metadata() | {"qwen35.nextn_predict_layers": value}
    path = write_gguf(tmp_path / "m.gguf", metadata, MODEL.tensors())
    with open_gguf(path) as file, pytest.raises(ModelFileError):
        model_facts(file)
