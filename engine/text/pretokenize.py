"""How text is split into words before a byte-level vocabulary cuts them, by the names in files.

A name stands for regular expressions that apply one after another: each isolates its matches, and
what lies between them stays a word as well. The expressions are those of the models' own
`tokenizer.json`; which name means which follows llama.cpp, where the names come from
(`src/llama-vocab.cpp`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tokenizers import Regex
from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split

_SPACES = r"\s+(?!\S)|\s+"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|" + _SPACES
_LINES = r"\s*[\r\n]+|" + _SPACES
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_SYMBOLS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_QWEN2 = "|".join((_CONTRACTION, _WORD, r"\p{N}", _SYMBOLS, _LINES))
_LLAMA3 = "|".join((_CONTRACTION, _WORD, r"\p{N}{1,3}", _SYMBOLS, _LINES))
_QWEN35 = "|".join(
    (
        _CONTRACTION,
        r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
        _LINES,
    )
)
_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CASED_WORDS = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+",
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*",
)
_PATHS = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
_TEKKEN = "|".join((*_CASED_WORDS, r"\p{N}", _PATHS, _LINES))
_GPT4O = "|".join(
    (*(f"{word}{_CONTRACTION}?" for word in _CASED_WORDS), r"\p{N}{1,3}", _PATHS, _LINES)
)
# Scripts without spaces, as DeepSeek's first tokenizers cut them out, and as its third does.
_CJK = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
_HAN_AND_KANA = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
_DEEPSEEK3 = "|".join(
    (
        r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""",
        r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+",
        r" ?[\p{P}\p{S}]+[\r\n]*",
        _LINES,
    )
)

# Under every expression of the table a word ends where one of these letters or digits meets what
# follows it here, and none looks back, so text may be cut there without a trace.
_SEAM = re.compile(
    "(?<=[0-9A-Za-zА-я\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3])(?=\n| [A-Za-z]|[。，])"
)
_CHUNK_CHARACTERS = 1 << 13  # a few ms; the call holds the interpreter lock, a window waits


@dataclass(frozen=True, slots=True)
class Splitting:
    """What one name stands for."""

    patterns: tuple[str, ...]
    keeps_known_words: bool = False  # a word that is a piece stays whole, whatever the merges say
    adds_bos: bool = False  # unless the file says otherwise
    cleans_spaces: bool = True  # decoding drops spaces before punctuation


_GPT2_WORDS = Splitting((_GPT2,))
_LLAMA3_WORDS = Splitting((_LLAMA3,))
_LLAMA_BPE = Splitting((_LLAMA3,), keeps_known_words=True, adds_bos=True)
_QWEN2_WORDS = Splitting((_QWEN2,), cleans_spaces=False)
_SINGLE_DIGITS = Splitting((r"\p{N}", _GPT2))
_SINGLE_DIGITS_AS_IS = Splitting((r"\p{N}", _GPT2), cleans_spaces=False)
_GPT4O_WORDS = Splitting((_GPT4O,), cleans_spaces=False)

UNKNOWN = _LLAMA3_WORDS  # what most vocabularies of the last years resemble
SPLITTINGS = {
    "": Splitting((r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]")),
    "gpt-2": _GPT2_WORDS,
    "phi-2": _GPT2_WORDS,
    "mpt": _GPT2_WORDS,
    "olmo": _GPT2_WORDS,
    "exaone4": _GPT2_WORDS,
    "llama-bpe": _LLAMA_BPE,
    "llama3": _LLAMA_BPE,
    "llama-v3": _LLAMA_BPE,
    "falcon3": _LLAMA_BPE,
    "falcon-h1": _LLAMA_BPE,
    "lfm2": _LLAMA_BPE,
    "dbrx": _LLAMA3_WORDS,
    "smaug-bpe": _LLAMA3_WORDS,
    "glm4": _LLAMA3_WORDS,
    "chatglm-bpe": _LLAMA3_WORDS,
    "qwen2": _QWEN2_WORDS,
    "deepseek-r1-qwen": _QWEN2_WORDS,
    "hunyuan": _QWEN2_WORDS,
    "megrez": Splitting((_QWEN2,)),
    "stablelm2": Splitting((_QWEN2,)),
    "qwen35": Splitting((_QWEN35,), cleans_spaces=False),
    "starcoder": _SINGLE_DIGITS,
    "refact": _SINGLE_DIGITS,
    "codeshell": _SINGLE_DIGITS,
    "exaone": _SINGLE_DIGITS,
    "smollm": _SINGLE_DIGITS_AS_IS,
    "command-r": _SINGLE_DIGITS_AS_IS,
    "falcon": Splitting((r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, r"[0-9][0-9][0-9]")),
    "tekken": Splitting((_TEKKEN,), keeps_known_words=True, adds_bos=True, cleans_spaces=False),
    "gpt-4o": _GPT4O_WORDS,
    "llama4": _GPT4O_WORDS,
    "deepseek-v3": Splitting((r"\p{N}{1,3}", _HAN_AND_KANA, _DEEPSEEK3), cleans_spaces=False),
    "deepseek-llm": Splitting(
        (
            r"[\r\n]",
            # Cased letters, without the mathematical ones.
            "\\s?[[\\p{Lu}\\p{Ll}\\p{Lt}]&&[^\U0001d400-\U0001d7ff]]+",
            "\\s?[!-/:-~！-／：-～‘-‟\u3001-。]+",
            r"\s+$",
            _CJK,
            r"\p{N}+",
        ),
        cleans_spaces=False,
    ),
    "deepseek-coder": Splitting(
        (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CJK, r"\p{N}"), cleans_spaces=False
    ),
}
SPLITTINGS["default"] = SPLITTINGS[""]


class PreTokenizer:
    """Splits text into words, spelled in the alphabet that byte-level vocabularies use."""

    def __init__(self, splitting: Splitting) -> None:
        splits = [Split(Regex(pattern), "isolated") for pattern in splitting.patterns]
        self._words = Sequence([*splits, ByteLevel(add_prefix_space=False, use_regex=False)])

    def words(self, text: str) -> Iterator[str]:
        """The words, one character for each byte of their UTF-8 form."""
        for chunk in chunks(text, _CHUNK_CHARACTERS):
            for word, _ in self._words.pre_tokenize_str(chunk):
                yield word


def chunks(text: str, size: int) -> Iterator[str]:
    """The text in parts of at least `size` characters, cut only where words end for certain."""
    start = 0
    while seam := _SEAM.search(text, start + size):
        yield text[start : seam.start()]
        start = seam.start()
    if start < len(text):
        yield text[start:]
