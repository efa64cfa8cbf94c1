"""Which ids mean the same in two vocabularies."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.reader import open_gguf
from engine.speculative.pair_tokens import LEAST_KNOWN, MOST_DIFFERING, TokenTable, shared_tokens
from tests.helpers.shared import shared_model
from tests.helpers.tiny_gguf import write_gguf

PIECES = st.lists(st.sampled_from("abc"), max_size=200)
PADDING = st.integers(0, 100)


def table(pieces: Sequence[str], padding: int = 0) -> TokenTable:
    return TokenTable("gpt2", pieces, max(0, len(pieces) - padding), {})


def words(count: int) -> list[str]:
    return [f"w{index}" for index in range(count)]


@cache
def real(name: str) -> TokenTable:
    with open_gguf(shared_model(f"vocab/{name}.gguf")) as file:
        return TokenTable.read(file)


def read(path: Path, **tokenizer: object) -> TokenTable:
    metadata = {f"tokenizer.ggml.{key}": value for key, value in tokenizer.items()}
    with open_gguf(write_gguf(path / "v.gguf", metadata)) as file:
        return TokenTable.read(file)


@given(PIECES, PIECES, PADDING, PADDING)
def test_below_the_limit_exactly_the_differing_ids_are_named(
    target: list[str], draft: list[str], pads: int, draft_pads: int
) -> None:
    shared = shared_tokens(table(target, pads), table(draft, draft_pads))
    assert shared.known <= min(len(target), len(draft))
    assert len(shared.differing) <= MOST_DIFFERING
    below = range(shared.known)
    assert shared.differing == tuple(i for i in below if target[i] != draft[i])


@given(PIECES, PIECES, PADDING, PADDING)
def test_what_is_given_up_begins_at_a_difference(
    target: list[str], draft: list[str], pads: int, draft_pads: int
) -> None:
    tables = table(target, pads), table(draft, draft_pads)
    shared = shared_tokens(*tables)
    if shared.known < min(len(target), len(draft)):
        assert target[shared.known] != draft[shared.known]
        in_padding = shared.known >= min(tokens.size for tokens in tables)
        assert in_padding or len(shared.differing) == MOST_DIFFERING


@given(PIECES, PIECES, PADDING, PADDING)
def test_no_id_is_set_apart_that_only_one_of_them_pads(
    target: list[str], draft: list[str], pads: int, draft_pads: int
) -> None:
    tables = table(target, pads), table(draft, draft_pads)
    size = min(tokens.size for tokens in tables)
    assert all(index < size for index in shared_tokens(*tables).differing)


@given(PIECES.filter(bool))
def test_a_vocabulary_shares_all_of_itself(pieces: list[str]) -> None:
    shared = shared_tokens(table(pieces), table(list(pieces)))
    assert (shared.known, shared.differing, shared.enough) == (len(pieces), (), True)


@given(st.sets(st.integers(0, 999), max_size=MOST_DIFFERING))
def test_a_handful_of_renamed_tokens_is_enough_to_draft(renamed: set[int]) -> None:
    pieces = words(1000)
    other = [f"{piece}!" if i in renamed else piece for i, piece in enumerate(pieces)]
    shared = shared_tokens(table(pieces), table(other))
    assert shared.enough
    assert shared.known == 1000
    assert shared.differing == tuple(sorted(renamed))


def test_many_renamed_tokens_at_the_end_are_given_up() -> None:
    pieces = words(10_000)
    other = [*pieces[:9_700], *(f"<reserved {i}>" for i in range(300))]
    shared = shared_tokens(table(pieces), table(other))
    assert shared.enough
    assert shared.differing == tuple(range(9_700, 9_700 + MOST_DIFFERING))
    assert shared.known == 9_700 + MOST_DIFFERING


@pytest.mark.parametrize(("known", "enough"), [(899, False), (900, True)])
def test_a_shorter_vocabulary_must_know_most_of_the_target(known: int, enough: bool) -> None:
    assert LEAST_KNOWN == 0.9
    assert shared_tokens(table(words(1000)), table(words(known))).enough is enough


def test_nothing_is_shared_with_a_vocabulary_of_padding_alone() -> None:
    assert not shared_tokens(table([]), table([])).enough


@pytest.mark.parametrize("kind", [1, 2, 4, 5])
def test_padding_is_no_part_of_a_vocabulary(tmp_path: Path, kind: int) -> None:
    tokens = ["a", "[PAD1]", "b", "[PAD3]", "[PAD4]"]
    types = [1, 1, 1, kind, kind]
    padded = read(tmp_path, model="gpt2", tokens=tokens, token_type=types)
    assert (padded.size, len(padded.pieces)) == (3, 5)


def test_unused_tokens_at_the_end_are_padding_whatever_their_name(tmp_path: Path) -> None:
    tokens = ["a", "<x>", "b", "<y>", "[PAD9]"]
    assert read(tmp_path, model="gpt2", tokens=tokens, token_type=[1, 5, 1, 5, 5]).size == 3
    assert read(tmp_path, model="gpt2", tokens=tokens).size == 5


def test_habits_differ_only_where_both_files_say(tmp_path: Path) -> None:
    silent = read(tmp_path, model="llama", tokens=["a", "b"])
    says = read(tmp_path, model="llama", tokens=["a", "b"], pre="default", bos_token_id=0)
    other = read(tmp_path, model="llama", tokens=["a", "b"], pre="default", bos_token_id=1)
    assert not silent.reads_otherwise(says)
    assert not says.reads_otherwise(silent)
    assert says.reads_otherwise(other)


@pytest.mark.parametrize(
    "tokenizer",
    [
        {},
        {"tokens": ["a"]},
        {"model": "gpt2"},
        {"model": 3, "tokens": ["a"]},
        {"model": "gpt2", "tokens": [1, 2]},
        {"model": "gpt2", "tokens": ["a", "b"], "token_type": [1]},
        {"model": "gpt2", "tokens": ["a"], "token_type": ["normal"]},
    ],
)
def test_a_tokenizer_that_makes_no_sense_is_refused(
    tmp_path: Path, tokenizer: dict[str, object]
) -> None:
    with pytest.raises((ModelFileError, UnsupportedModelError)):
        read(tmp_path, **tokenizer)


def test_real_vocabularies_of_one_family_are_shared_with_their_padding() -> None:
    shared = shared_tokens(real("qwen2"), real("qwen35"))
    assert (shared.known, shared.differing, shared.enough) == (151_936, (), True)


def test_phi_3_adds_a_few_tokens_to_llama_s() -> None:
    llama, phi = real("llama-spm"), real("phi-3")
    shared = shared_tokens(phi, llama)
    assert (shared.known, shared.differing, shared.enough) == (32_000, (), True)
    assert shared_tokens(llama, phi) == shared
    assert llama.reads_otherwise(phi)


@pytest.mark.parametrize(
    ("target", "draft", "first"),
    [("llama-bpe", "qwen2", 410), ("gpt-2", "llama-bpe", 256), ("llama-bpe", "gemma-4", 0)],
)
def test_unrelated_real_vocabularies_part_early(target: str, draft: str, first: int) -> None:
    shared = shared_tokens(real(target), real(draft))
    assert not shared.enough
    assert shared.differing[0] == first
