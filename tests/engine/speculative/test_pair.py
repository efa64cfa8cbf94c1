"""What people are told of a draft for their model."""

import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as GgmlType

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.reader import open_gguf
from engine.kernels.backend_memory import CPU_TORCH
from engine.memory.fit import Room
from engine.memory.plan import ModelUse, Serving
from engine.models.footprint import model_facts
from engine.speculative.pair import Place, check_pair
from engine.speculative.pair_size import LEAST_SCORE
from engine.speculative.pair_verdict import PairVerdict
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import SPECIAL, TinyModel, byte_pieces

TARGET = TinyModel(layers=12)
DRAFT = TinyModel(layers=1)
TOKENS = [*byte_pieces(), *SPECIAL]


@dataclass(frozen=True)
class Shelf:
    """Writes models into a folder and checks them in pairs."""

    folder: Path
    names: list[str] = field(default_factory=list)

    def write(self, model: TinyModel, **changes: object) -> Path:
        """Write a model; `changes` replace its metadata, “__” standing for a dot; None removes."""
        self.names.append(f"{len(self.names)}.gguf")
        dotted = {key.replace("__", "."): value for key, value in changes.items()}
        metadata = model.metadata() | dotted
        kept = {key: value for key, value in metadata.items() if value is not None}
        return write_gguf(self.folder / self.names[-1], kept, model.tensors())


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def verdict(target: Path, draft: Path, place: Place | None = None) -> PairVerdict:
    with open_gguf(target) as first, open_gguf(draft) as second:
        return check_pair(first, second, place)


def place_for(target: Path, free_bytes: int, context: int = 512) -> Place:
    with open_gguf(target) as file:
        return Place(Serving(ModelUse(model_facts(file), CPU_TORCH)), context, Room(free_bytes))


def needed_bytes(target: Path, draft: Path, context: int = 512) -> int:
    place = place_for(target, 0)
    with open_gguf(draft) as file:
        beside = replace(place.serving.target, facts=model_facts(file))
    return replace(place.serving, draft=beside).plan(context).total_bytes


def renamed(*ids: int) -> list[str]:
    return [f"<new {i}>" if i in ids else piece for i, piece in enumerate(TOKENS)]


def test_a_small_model_of_the_same_family_suits(shelf: Shelf) -> None:
    found = verdict(
        shelf.write(TARGET), shelf.write(DRAFT, general__name="Tiny 2", tokenizer__ggml__pre=None)
    )
    assert found == PairVerdict(
        usable=True,
        sentence="Tiny 2 can draft for this model: it has 0.145M parameters in 0.581 MB, this "
        "model 1.19M parameters in 4.78 MB.",
        known_tokens=259,
        differing=(),
        score=1.0,
    )


def test_other_tokens_are_refused_with_the_first_that_differs(shelf: Shelf) -> None:
    draft = shelf.write(
        DRAFT,
        general__name="Gemma 2 2B",
        tokenizer__ggml__tokens=renamed(*range(139, len(TOKENS))),
    )
    assert verdict(shelf.write(TARGET), draft) == PairVerdict(
        usable=False,
        sentence="Gemma 2 2B cannot draft for this model: its tokens differ from number 139 on.",
    )


def test_another_kind_of_tokenizer_is_refused_whatever_its_tokens(shelf: Shelf) -> None:
    draft = shelf.write(DRAFT, tokenizer__ggml__model="llama")
    assert verdict(shelf.write(TARGET), draft).sentence == (
        "Tiny cannot draft for this model: its tokenizer is SentencePiece, and this model's "
        "byte-level BPE."
    )


def test_an_unknown_kind_of_tokenizer_is_named(shelf: Shelf) -> None:
    draft = shelf.write(DRAFT, tokenizer__ggml__model="rwkv")
    assert 'its tokenizer is "rwkv"' in verdict(shelf.write(TARGET), draft).sentence


def test_a_vocabulary_that_stops_early_is_refused_with_what_it_knows(shelf: Shelf) -> None:
    draft = shelf.write(
        DRAFT,
        tokenizer__ggml__tokens=TOKENS[:200],
        tokenizer__ggml__token_type=[1] * 200,
    )
    assert verdict(shelf.write(TARGET), draft).sentence == (
        "Tiny cannot draft for this model: it knows only 200 of this model's 259 tokens."
    )


def test_renamed_control_tokens_are_cut_at_and_told(shelf: Shelf) -> None:
    draft = shelf.write(DRAFT, tokenizer__ggml__tokens=renamed(256, 258))
    found = verdict(shelf.write(TARGET), draft)
    assert found.usable
    assert (found.known_tokens, found.differing) == (259, (256, 258))
    assert found.sentence.endswith(
        " Drafts end before the 2 tokens that differ, the first of which is number 256."
    )
    assert found.score < 1


def test_added_control_tokens_of_the_target_are_not_known(shelf: Shelf) -> None:
    draft = shelf.write(
        DRAFT,
        tokenizer__ggml__tokens=[*TOKENS[:257], "[PAD257]", "[PAD258]"],
        tokenizer__ggml__token_type=[1] * 259,
    )
    found = verdict(shelf.write(TARGET), draft)
    assert (found.usable, found.known_tokens, found.differing) == (True, 257, ())
    assert "does not know this model's tokens from number 257 on" in found.sentence


def test_padding_in_the_target_costs_nothing(shelf: Shelf) -> None:
    padded = {
        "tokenizer__ggml__tokens": [*TOKENS[:257], "[PAD257]", "[PAD258]"],
        "tokenizer__ggml__token_type": [1] * 257 + [5] * 2,
    }
    found = verdict(shelf.write(TARGET, **padded), shelf.write(DRAFT))
    assert (found.known_tokens, found.differing, found.score) == (257, (), 1.0)


def test_padding_that_both_have_may_be_drafted(shelf: Shelf) -> None:
    padded = {"tokenizer__ggml__tokens": [*TOKENS[:257], "[PAD257]", "[PAD258]"]}
    found = verdict(shelf.write(TARGET, **padded), shelf.write(DRAFT, **padded))
    assert (found.known_tokens, found.differing, found.score) == (259, (), 1.0)


def test_a_text_that_begins_otherwise_is_told_and_not_refused(shelf: Shelf) -> None:
    target = shelf.write(TARGET, tokenizer__ggml__add_bos_token=True)
    for habit in ({"add_bos_token": False}, {"eos_token_id": 258}, {"pre": "gpt-2"}):
        changes = {f"tokenizer__ggml__{key}": value for key, value in habit.items()}
        found = verdict(target, shelf.write(DRAFT, **changes))
        assert found.usable
        assert "The two read text differently" in found.sentence


@pytest.mark.parametrize(
    ("layers", "remark"),
    [
        (1, "this model: it has"),
        (4, "this model, but is large for a draft: it has"),
        (10, "this model, but so large a draft cannot pay: it has"),
        (16, "this model, but so large a draft cannot pay: it has"),
    ],
)
def test_the_size_is_told_with_its_figures(shelf: Shelf, layers: int, remark: str) -> None:
    found = verdict(shelf.write(TARGET), shelf.write(replace(TARGET, layers=layers)))
    assert found.usable
    assert f"can draft for {remark}" in found.sentence
    assert found.sentence.count(" parameters in ") == 2


def test_a_larger_draft_scores_less_but_never_as_little_as_one_that_fails(shelf: Shelf) -> None:
    target = shelf.write(TARGET)
    drafts = [shelf.write(replace(TARGET, layers=layers)) for layers in (1, 4, 6, 10, 16)]
    scores = [verdict(target, draft).score for draft in drafts]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == LEAST_SCORE > 0


def test_a_draft_in_more_bits_is_as_large_as_its_bytes(shelf: Shelf) -> None:
    target = shelf.write(replace(TARGET, quant=GgmlType.Q4_0))
    found = verdict(target, shelf.write(replace(TARGET, layers=2)))
    assert "so large a draft cannot pay" in found.sentence


def test_of_a_mixture_of_experts_counts_what_a_token_asks(shelf: Shelf) -> None:
    mixed = TinyModel("qwen3moe", layers=4, experts=16, experts_used=2)
    found = verdict(shelf.write(mixed), shelf.write(DRAFT, general__name="Tiny 2"))
    assert "this model 1.43M parameters in 5.73 MB, 0.401M of them for each token" in found.sentence
    assert "is large for a draft" in found.sentence


def test_a_very_small_draft_is_said_to_guess_wrong(shelf: Shelf) -> None:
    large = replace(TARGET, width=768, feed_forward=2048, layers=2)
    found = verdict(shelf.write(large), shelf.write(DRAFT))
    assert "so small a draft often guesses wrong" in found.sentence
    assert LEAST_SCORE < found.score < 1


def test_a_model_can_draft_for_itself_and_hears_that_it_cannot_pay(shelf: Shelf) -> None:
    path = shelf.write(TARGET)
    found = verdict(path, path)
    assert (found.usable, found.known_tokens, found.score) == (True, 259, LEAST_SCORE)
    assert found.sentence == (
        "A model can draft for itself, but that cannot pay: a guess costs as much as a token "
        "(1.19M parameters in 4.78 MB)."
    )


def test_memory_for_both_is_judged(shelf: Shelf) -> None:
    target, draft = shelf.write(TARGET), shelf.write(DRAFT)
    needed = needed_bytes(target, draft)
    roomy = verdict(target, draft, place_for(target, 2 * needed))
    assert roomy.usable
    assert roomy.score == 1.0
    assert "This model and its draft need " in roomy.sentence
    tight = verdict(target, draft, place_for(target, needed))
    assert tight.usable
    assert tight.score < 1
    assert "which is tight" in tight.sentence
    short = verdict(target, draft, place_for(target, needed - 1))
    assert (short.usable, short.known_tokens, short.score) == (False, 0, 0.0)
    assert short.sentence.startswith(
        "Tiny does not fit beside this model. This model and its draft need "
    )


def test_a_draft_made_for_a_shorter_context_says_where_it_ends(shelf: Shelf) -> None:
    target, draft = shelf.write(TARGET), shelf.write(replace(DRAFT, context=1024))
    assert "1,024 positions" not in verdict(target, draft, place_for(target, 1 << 40)).sentence
    longer = place_for(target, 1 << 40, context=2048)
    assert "It drafts in the first 1,024 positions only." in verdict(target, draft, longer).sentence


def test_a_recurrent_draft_is_as_good_as_another(shelf: Shelf) -> None:
    target = shelf.write(replace(TARGET, architecture="qwen35"))
    found = verdict(target, shelf.write(TinyModel("qwen35", layers=1, attention_interval=2)))
    assert found.usable
    assert found.score == 1.0


def test_another_architecture_with_the_same_tokens_scores_a_little_less(shelf: Shelf) -> None:
    found = verdict(shelf.write(TARGET), shelf.write(replace(DRAFT, architecture="qwen3")))
    assert found.usable
    assert 0.8 < found.score < 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"general__architecture": "phi9"}, '"phi9" do not run in this version yet'),
        ({"llama__logit_scale": 2.0}, '"llama.logit_scale" is the number 2'),
        ({"llama__attention__head_count": 0}, "cannot be 0"),
        ({"llama__context_length": None}, '"llama.context_length"'),
    ],
)
def test_a_draft_that_does_not_run_says_why(
    shelf: Shelf, changes: dict[str, object], reason: str
) -> None:
    found = verdict(shelf.write(TARGET), shelf.write(DRAFT, **changes))
    assert not found.usable
    assert found.sentence.startswith("Tiny does not run here. ")
    assert reason in found.sentence


@pytest.mark.parametrize(
    "changes",
    [
        {"tokenizer__ggml__tokens": None},
        {"tokenizer__ggml__tokens": ["a"]},  # fewer than kinds
        {"tokenizer__ggml__model": 7},
        {"general__name": 7},
        {"tokenizer__ggml__token_type": None, "tokenizer__ggml__tokens": [1.5]},
    ],
)
def test_a_draft_whose_header_makes_no_sense_is_refused_in_words(
    shelf: Shelf, changes: dict[str, object]
) -> None:
    found = verdict(shelf.write(TARGET), shelf.write(DRAFT, **changes))
    assert not found.usable
    assert found.sentence.endswith(".")


def test_a_vocabulary_without_weights_cannot_draft(shelf: Shelf, tmp_path: Path) -> None:
    bare = write_gguf(tmp_path / "bare.gguf", DRAFT.metadata())
    assert "no weights" in verdict(shelf.write(TARGET), bare).sentence


def test_what_is_wrong_with_the_target_is_raised(shelf: Shelf, tmp_path: Path) -> None:
    draft = shelf.write(DRAFT)
    with pytest.raises(UnsupportedModelError, match="no weights"):
        verdict(write_gguf(tmp_path / "bare.gguf", TARGET.metadata()), draft)
    with pytest.raises(ModelFileError, match=r"general\.name"):
        verdict(shelf.write(TARGET, general__name=7), draft)


def test_a_name_from_a_file_cannot_break_the_sentence(shelf: Shelf) -> None:
    draft = shelf.write(DRAFT, general__name="Line\n\u202ebreaks" + "x" * 1000)
    sentence = verdict(shelf.write(TARGET), draft).sentence
    assert sentence.startswith("Linebreaksx")
    assert len(sentence) < 200
    nameless = shelf.write(DRAFT, general__name="\n\u202e ")
    assert verdict(shelf.write(TARGET), nameless).sentence.startswith("This file can draft for")


def test_the_check_loads_no_torch() -> None:
    check = "import sys, engine.speculative.pair_ranking; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_what_the_window_gets_needs_nothing_heavy() -> None:
    check = (
        "import sys, engine.speculative.pair_verdict; "
        "sys.exit(bool({'torch', 'numpy', 'gguf'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
