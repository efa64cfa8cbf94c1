from hypothesis import given
from hypothesis import strategies as st

from engine.text.bpe import merge_pairs
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text.small_vocabularies import sentencepiece

PIECES = st.text("ab▁.", min_size=1, max_size=4)


@given(
    st.dictionaries(PIECES, st.integers(-9, 0).map(float), max_size=20),
    st.text("ab .", max_size=30),
)
def test_sentencepiece_merges_as_if_over_the_whole_text(scores, text):
    metadata = sentencepiece(scores, add_space_prefix=False, add_bos_token=False)
    tokenizer = load_tokenizer(metadata)
    ranks = {piece: -score for piece, score in scores.items()}
    expected = []
    for piece in merge_pairs(text.replace(" ", "▁"), ranks):
        expected += [piece] if piece in scores else [f"<0x{byte:02X}>" for byte in piece.encode()]
    ids = tokenizer.encode(text, add_special=False, parse_special=False)
    assert [tokenizer.piece(index) for index in ids] == expected
