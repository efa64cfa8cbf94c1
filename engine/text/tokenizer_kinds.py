"""Makes the tokenizer that a model's files describe, by the kind of its vocabulary."""

import reprlib
from dataclasses import replace

from engine.base.errors import UnsupportedModelError
from engine.text.charsmap import Charsmap
from engine.text.pretokenize import UNKNOWN
from engine.text.subword import ByteLevelSubwords, SentencePieceSubwords
from engine.text.tokenizer import Conventions, Tokenizer
from engine.text.tokenizer_facts import TokenizerFacts, damaged_tokenizer
from engine.text.unigram import UnigramSubwords
from engine.text.vocabulary import make_vocabulary
from engine.text.wordpiece import WordPieceSubwords


def make_tokenizer(facts: TokenizerFacts) -> Tokenizer:
    """The tokenizer that a model's files describe.

    Raises:
        UnsupportedModelError: it is of a kind that is not supported, or lacks what its kind needs.
    """
    match facts.model:
        case "gpt2":
            return _byte_level(facts)
        case "llama":
            return _sentencepiece(facts)
        case "gemma4":
            return _gemma4(facts)
        case "t5":
            return _unigram(facts)
        case "bert":
            return _wordpiece(facts)
    raise UnsupportedModelError(
        f"This model's tokenizer is of the kind {reprlib.repr(facts.model)}; supported are "
        "byte-level BPE (gpt2), SentencePiece BPE (llama, gemma4), unigram (t5) and WordPiece "
        "(bert). Choose a model with one of these."
    )


def _byte_level(facts: TokenizerFacts) -> Tokenizer:
    splitting = facts.splitting or UNKNOWN
    vocabulary = make_vocabulary(facts)
    conventions = Conventions(
        adds_bos=_or(facts.adds_bos, splitting.adds_bos),
        adds_eos=_or(facts.adds_eos, False),
        adds_space=False,
        cleans_spaces=splitting.cleans_spaces,
        strips_after=facts.strips_after,
    )
    subwords = ByteLevelSubwords(vocabulary, facts.merges, splitting)
    return Tokenizer(vocabulary, subwords, conventions, facts.notice)


def _sentencepiece(facts: TokenizerFacts) -> Tokenizer:
    vocabulary = make_vocabulary(facts)
    joiner, ranks = "", {}
    if facts.merges:
        joiner, ranks = " ", {merge: float(rank) for rank, merge in enumerate(facts.merges)}
    elif facts.scores is not None:
        scores = facts.scores.tolist()
        ranks = {piece: -scores[index] for piece, index in vocabulary.text_ids.items()}
    else:
        raise damaged_tokenizer("its 'scores' are missing")
    adds_space = _or(facts.adds_space, True)
    conventions = Conventions(
        adds_bos=_or(facts.adds_bos, True),
        adds_eos=_or(facts.adds_eos, False),
        adds_space=adds_space,
        strips_after=facts.strips_after,
    )
    subwords = SentencePieceSubwords(vocabulary, ranks, joiner, adds_space=adds_space)
    return Tokenizer(vocabulary, subwords, conventions, facts.notice)


def _gemma4(facts: TokenizerFacts) -> Tokenizer:
    """Gemma 4: SentencePiece's spaces and bytes, and pairs ranked by a list of merges."""
    vocabulary = make_vocabulary(facts)
    ranks = {merge: rank for rank, merge in enumerate(facts.merges)}
    conventions = Conventions(
        adds_bos=True,  # files in circulation say otherwise, against the model's own tokenizer
        adds_eos=_or(facts.adds_eos, False),
        adds_space=False,
        cleans_spaces=True,
    )
    subwords = SentencePieceSubwords(vocabulary, ranks, " ", adds_space=False)
    return Tokenizer(vocabulary, subwords, conventions, facts.notice)


def _unigram(facts: TokenizerFacts) -> Tokenizer:
    if facts.scores is None:
        raise damaged_tokenizer("its 'scores' are missing")
    vocabulary = make_vocabulary(facts)
    scores = facts.scores.tolist()
    adds_space = _or(facts.adds_space, False)
    subwords = UnigramSubwords(
        vocabulary,
        {piece: scores[index] for piece, index in vocabulary.text_ids.items()},
        Charsmap(facts.charsmap) if facts.charsmap else None,
        adds_space=adds_space,
        removes_extra_spaces=_or(facts.removes_extra_spaces, False),
    )
    conventions = Conventions(
        adds_bos=_or(facts.adds_bos, False),
        adds_eos=_or(facts.adds_eos, True),
        adds_space=adds_space,
    )
    return Tokenizer(vocabulary, subwords, conventions, facts.notice)


def _wordpiece(facts: TokenizerFacts) -> Tokenizer:
    """BERT, whose texts end with a separator."""
    vocabulary = make_vocabulary(replace(facts, eos_id=facts.separator_id))
    conventions = Conventions(
        adds_bos=_or(facts.adds_bos, True),
        adds_eos=True,
        adds_space=False,
        cleans_spaces=True,
    )
    return Tokenizer(vocabulary, WordPieceSubwords(vocabulary), conventions, facts.notice)


def _or(stated: bool | None, customary: bool) -> bool:
    return customary if stated is None else stated
