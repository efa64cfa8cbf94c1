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
# Kimi K2 keeps Han apart from the cased scripts.
_KIMI_UPPER = rf"[[{_UPPER}]&&[^\p{{Han}}]]"
_KIMI_LOWER = rf"[[{_LOWER}]&&[^\p{{Han}}]]"
_KIMI = "|".join(
    (
        r"\p{Han}+",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_KIMI_UPPER}*{_KIMI_LOWER}+{_CONTRACTION}?",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_KIMI_UPPER}+{_KIMI_LOWER}*{_CONTRACTION}?",
        r"\p{N}{1,3}",
        _SYMBOLS,
        _LINES,
    )
)
_BAILING = "|".join((_CONTRACTION, _WORD, r"\p{N}", _SYMBOLS, r"\s*[\r\n]", _SPACES))
_SEED_CODER = "|".join((_CONTRACTION, _WORD, r"\p{N}", r" ?[^\s\p{L}\p{N}\r\n]+", _LINES))
_EXAONE_MOE = "|".join(
    (
        _CONTRACTION,
        r"[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]?",
        r"\s*[\r\n]",
        _SPACES,
    )
)
_HALVED_SPACES = "|".join(rf"\s{{{2**power}}}(?!\S)" for power in range(9, 1, -1))
_JAIS2 = "|".join(
    (
        *(_CONTRACTION, _WORD, r"\p{N}{1,3}", _SYMBOLS, r"\s*[\r\n]+"),
        *(_HALVED_SPACES, r"\s{1,2}(?!\S)", r"\s"),
    )
)
_YOUTU = "|".join((*(f"{word}{_CONTRACTION}?" for word in _CASED_WORDS), r"\p{N}", _PATHS, _LINES))
_YOUTU_SCRIPTS = (
    "[\uac00-\ud7a3\u3131-\u318e]+|[！…“”‘’—：；，\u3001-\u303f\ufe30-\ufe4f]+|[\u3105-\u312f]+|"
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
)
_FINNISH = r" ?[^(\s|.,!?…。，、।۔،)]+"
# Scripts without spaces, as DeepSeek's first tokenizers cut them out, as its third, and as AFM.
_CJK = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
_HAN_AND_KANA = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
_ASIAN = (
    "[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf"
    "\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af"
    "\u1100-\u11ff]+"
)
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
    thousands: str = ""  # digits that are first cut into threes, counted from the right
    joins_words: bool = False  # words may reach over a seam


_GPT2_WORDS = Splitting((_GPT2,))
_GPT2_AS_IS = Splitting((_GPT2,), cleans_spaces=False)
_LLAMA3_WORDS = Splitting((_LLAMA3,))
_LLAMA_BPE = Splitting((_LLAMA3,), keeps_known_words=True, adds_bos=True)
_QWEN2_WORDS = Splitting((_QWEN2,), cleans_spaces=False)
_QWEN2_CLEANED = Splitting((_QWEN2,))
_SINGLE_DIGITS = Splitting((r"\p{N}", _GPT2))
_SINGLE_DIGITS_AS_IS = Splitting((r"\p{N}", _GPT2), cleans_spaces=False)
_GPT4O_WORDS = Splitting((_GPT4O,), cleans_spaces=False)
_DEEPSEEK3_WORDS = Splitting((r"\p{N}{1,3}", _HAN_AND_KANA, _DEEPSEEK3), cleans_spaces=False)
_BAILING_WORDS = Splitting((_BAILING,), cleans_spaces=False)
_AYA_WORDS = Splitting((_GPT4O,), cleans_spaces=False, thousands=r"(?<!\d)\d++\b")

UNKNOWN = _LLAMA3_WORDS  # what most vocabularies of the last years resemble
_BY_SPLITTING = {
    Splitting((r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]")): ("", "default"),
    _GPT2_WORDS: (
        *("gpt-2", "phi-2", "mpt", "olmo", "exaone4", "jais", "gigachat", "mellum", "a.x-4.0"),
        *("modern-bert", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de"),
        *("jina-v1-en", "jina-v2-code", "roberta-bpe"),
    ),
    _GPT2_AS_IS: ("trillion", "granite-docling"),
    _LLAMA_BPE: (
        *("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "lfm2", "pixtral"),
        *("midm-2.0", "jina-v5-nano"),
    ),
    _LLAMA3_WORDS: ("dbrx", "smaug-bpe", "glm4", "chatglm-bpe"),
    _QWEN2_WORDS: (
        *("qwen2", "deepseek-r1-qwen", "hunyuan", "kormo", "f2llmv2", "grok-2"),
        "solar-open",
    ),
    _QWEN2_CLEANED: ("megrez", "stablelm2"),
    Splitting((_QWEN35,), cleans_spaces=False): ("qwen35",),
    _SINGLE_DIGITS: ("starcoder", "refact", "codeshell", "exaone", "minerva-7b"),
    _SINGLE_DIGITS_AS_IS: ("smollm", "command-r"),
    Splitting((_LLAMA3,), keeps_known_words=True): ("minicpm5",),
    Splitting((r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, r"[0-9][0-9][0-9]")): ("falcon",),
    Splitting((_TEKKEN,), keeps_known_words=True, adds_bos=True, cleans_spaces=False): ("tekken",),
    _GPT4O_WORDS: ("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"),
    Splitting((_KIMI,), cleans_spaces=False): ("kimi-k2",),
    Splitting((_YOUTU_SCRIPTS, _YOUTU), keeps_known_words=True, cleans_spaces=False): ("youtu",),
    _AYA_WORDS: ("tiny_aya", "cohere2moe"),
    Splitting((r"\p{N}+",), cleans_spaces=False, thousands=r"\d+", joins_words=True): ("superbpe",),
    Splitting((_ASIAN, _DEEPSEEK3), cleans_spaces=False, thousands=r"\d+"): ("afmoe",),
    _DEEPSEEK3_WORDS: ("deepseek-v3", "hunyuan-dense", "joyai-llm"),
    _BAILING_WORDS: ("bailingmoe", "bailingmoe2", "llada-moe"),
    Splitting((_SEED_CODER,), cleans_spaces=False): ("seed-coder",),
    Splitting((_EXAONE_MOE,), joins_words=True): ("exaone-moe",),
    Splitting((_JAIS2,)): ("jais-2",),
    Splitting((_FINNISH,)): ("bloom", "gpt3-finnish"),
    Splitting((_FINNISH,), cleans_spaces=False): ("poro-chat",),
    Splitting((_FINNISH, r"\p{N}"), cleans_spaces=False): ("viking",),
    Splitting(
        (
            r"<sentinel:[0-9]+>",
            r"(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
            r"([\t\n]|    |  )",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            _GPT2,
        ),
        adds_bos=True,
        cleans_spaces=False,
    ): ("chameleon",),
    Splitting(
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
    ): ("deepseek-llm",),
    Splitting((r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CJK, r"\p{N}"), cleans_spaces=False): (
        "deepseek-coder",
    ),
}
SPLITTINGS = {name: splitting for splitting, names in _BY_SPLITTING.items() for name in names}


class PreTokenizer:
    """Splits text into words, spelled in the alphabet that byte-level vocabularies use."""

    def __init__(self, splitting: Splitting) -> None:
        splits = [Split(Regex(pattern), "isolated") for pattern in splitting.patterns]
        self._words = Sequence([*splits, ByteLevel(add_prefix_space=False, use_regex=False)])
        self._thousands = re.compile(splitting.thousands) if splitting.thousands else None
        self._joins_words = splitting.joins_words

    def words(self, text: str) -> Iterator[str]:
        """The words, one character for each byte of their UTF-8 form."""
        for chunk in [text] if self._joins_words else chunks(text, _CHUNK_CHARACTERS):
            for part in _by_thousands(chunk, self._thousands) if self._thousands else [chunk]:
                for word, _ in self._words.pre_tokenize_str(part):
                    yield word


def _by_thousands(text: str, runs: re.Pattern[str]) -> Iterator[str]:
    """The text around runs of digits, and those in threes, where the first may be shorter."""
    start = 0
    for run in runs.finditer(text):
        yield text[start : run.start()]
        start = run.start()
        for end in range(run.start() + (len(run[0]) % 3 or 3), run.end() + 1, 3):
            yield text[start:end]
            start = end
    yield text[start:]


def chunks(text: str, size: int) -> Iterator[str]:
    """The text in parts of at least `size` characters, cut only where words end for certain."""
    start = 0
    while seam := _SEAM.search(text, start + size):
        yield text[start : seam.start()]
        start = seam.start()
    if start < len(text):
        yield text[start:]
