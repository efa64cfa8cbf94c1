"""What of a text the search index holds, and how a question is put to it.

SQLite's tokenizers take a run of Chinese or Japanese for one word, and its trigrams find nothing
shorter than three characters. So each such run is stored as the pairs of neighbours in it and
its last character: two characters are found as a pair, one as the beginning of a pair.
"""

import re
import unicodedata

UNSPACED = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
"""Runs in scripts that put no space between words: Han, Hiragana and Katakana."""


def folded(text: str) -> str:
    """The text as it is compared: case, width and compatibility forms do not matter."""
    return unicodedata.normalize("NFKC", text).casefold()


def index_terms(text: str) -> str:
    """What the index holds of a text."""
    return UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", folded(text))


def query_words(question: str) -> list[str]:
    """The parts of a question, each of which must be found."""
    return [word for word in folded(question).split() if any(map(str.isalnum, word))]


def match_expression(question: str) -> str:
    """The question for FTS5's MATCH; empty if nothing in it can be searched for.

    Words are found by their beginnings; runs without spaces, anywhere in a run.
    """
    return " ".join(part for word in query_words(question) for part in _parts(word))


def _parts(word: str) -> list[str]:
    parts: list[str] = []
    position = 0
    for run in UNSPACED.finditer(word):
        parts.append(_prefix(word[position : run.start()]))
        pairs = _pairs(run[0])
        parts.append(_quoted(" ".join(pairs)) if pairs else _prefix(run[0]))
        position = run.end()
    parts.append(_prefix(word[position:]))
    return [part for part in parts if part]


def _prefix(text: str) -> str:
    return f"{_quoted(text)}*" if any(map(str.isalnum, text)) else ""


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]
