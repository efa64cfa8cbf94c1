"""How a `tokenizer.json` splits text into words, as one of the ways that are known here.

Only known expressions are ever run: those of a stranger could take for ever.
"""

from collections.abc import Iterator

from engine.huggingface.documents import Document
from engine.text.pretokenize import SPLITTINGS

OWN_WAY = "one of its own"
"""Stands for a way that is not known."""

_WORDS = SPLITTINGS["gpt-2"].patterns
_PUNCTUATION = SPLITTINGS["default"].patterns[:1]


def splitting_name(document: Document, *, keeps_known_words: bool) -> str:
    """GGUF's name for how the pre-tokenizer splits.

    Args:
        document: the `tokenizer.json`.
        keeps_known_words: whether a word that is a piece stays whole, whatever the merges say.
    """
    try:
        patterns = tuple(map(_without_possession, _patterns(document.get("pre_tokenizer"))))
    except ValueError:
        return OWN_WAY
    names = [name for name, known in SPLITTINGS.items() if known.patterns == patterns]
    fitting = [name for name in names if SPLITTINGS[name].keeps_known_words == keeps_known_words]
    return next(iter(fitting or names), OWN_WAY)


def components(node: object) -> Iterator[Document]:
    """The parts of a pre-tokenizer, normalizer, decoder or post-processor, one by one."""
    if isinstance(node, dict):
        within = [value for value in node.values() if isinstance(value, list)]
        if node.get("type") == "Sequence" and within:
            for part in within[0]:
                yield from components(part)
        else:
            yield node


def _patterns(node: object) -> Iterator[str]:
    for part in components(node):
        match part:
            case {"type": "ByteLevel"}:
                yield from _WORDS if part.get("use_regex", True) else ()
            case {"type": "Digits"}:
                yield r"\p{N}" if part.get("individual_digits") else r"\p{N}+"
            case {"type": "Punctuation"}:
                yield from _PUNCTUATION
            case {"type": "Split", "pattern": {"Regex": str(expression)}}:
                yield expression
            case _:
                raise ValueError(part)


def _without_possession(expression: str) -> str:
    """Possessive repetition only saves time in the expressions that models have."""
    return expression.replace("?+", "?").replace("++", "+")
