from hypothesis import given
from hypothesis import strategies as st

from engine.text.bpe import PairEncoder, merge_pairs

LETTERS = "abc▁"
words = st.text(LETTERS, max_size=24)
pieces = st.text(LETTERS, min_size=1, max_size=4)


def merged_one_pair_at_a_time(word, ranks, joiner):
    parts = list(word)
    while True:
        ranked = [
            (ranks[key], at)
            for at in range(len(parts) - 1)
            if (key := parts[at] + joiner + parts[at + 1]) in ranks
        ]
        if not ranked:
            return parts
        _, at = min(ranked)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


@given(words, st.lists(st.tuples(pieces, pieces), max_size=12))
def test_pairs_merge_in_the_order_of_a_list(word, pairs):
    ranks = {f"{left} {right}": rank for rank, (left, right) in enumerate(pairs)}
    assert merge_pairs(word, ranks, " ") == merged_one_pair_at_a_time(word, ranks, " ")


@given(words, st.dictionaries(pieces, st.integers(0, 3).map(float), max_size=20))
def test_pairs_merge_in_the_order_of_scores_and_from_the_left_where_those_are_equal(word, ranks):
    assert merge_pairs(word, ranks, "") == merged_one_pair_at_a_time(word, ranks, "")


def test_a_very_long_word_is_merged_whole():
    ranks = {"a a": 0, "aa aa": 1, "aaaa aaaa": 2}
    assert merge_pairs("a" * 40_003, ranks, " ") == ["aaaaaaaa"] * 5000 + ["aa", "a"]


def test_a_piece_that_the_vocabulary_lacks_is_spelled():
    encoder = PairEncoder({"a": 1, "b": 2}, {"a b": 0}, " ", lambda piece: [90 + len(piece)])
    assert encoder.encode("abac") == (92, 1, 91)


def test_words_that_come_again_get_the_same_ids():
    encoder = PairEncoder({"a": 1, "aa": 2}, {"a a": 0}, " ", lambda piece: [])
    assert encoder.encode("aaa") == encoder.encode("aaa") == (2, 1)
    assert encoder.encode("a" * 1001) == encoder.encode("a" * 1001) == (*(2,) * 500, 1)
