"""Code to coloured spans, by Pygments. Slow: for a worker, once a fence is closed."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType

MAX_CHARACTERS = 100_000  # longer code stays plain


class CodeKind(Enum):
    """What a span of code is; what has none is plain."""

    KEYWORD = "keyword"
    NAME = "name"  # what is defined or called: functions, classes, tags, attributes, built-ins
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    ADDED = "added"  # lines of a diff
    REMOVED = "removed"


# The first that contains a token's type decides.
_KINDS = (
    (Comment, CodeKind.COMMENT),
    (Operator.Word, CodeKind.KEYWORD),
    (Keyword, CodeKind.KEYWORD),
    (String, CodeKind.STRING),
    (Number, CodeKind.NUMBER),
    (Name.Function, CodeKind.NAME),
    (Name.Class, CodeKind.NAME),
    (Name.Decorator, CodeKind.NAME),
    (Name.Builtin, CodeKind.NAME),
    (Name.Tag, CodeKind.NAME),
    (Name.Attribute, CodeKind.NAME),
    (Generic.Inserted, CodeKind.ADDED),
    (Generic.Deleted, CodeKind.REMOVED),
)


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """A stretch `code[start:end]` of one kind."""

    start: int
    end: int
    kind: CodeKind


def highlight(language: str, code: str) -> tuple[CodeSpan, ...]:
    """The spans of `code` that are not plain, ascending; none for a language that is not known.

    Args:
        language: a name that Pygments knows, in lower case, such as "python" or "c++".
        code: the text of a code block, its runs joined.
    """
    if language not in _known_languages() or len(code) > MAX_CHARACTERS:
        return ()
    spans: list[CodeSpan] = []
    for start, token, text in get_lexer_by_name(language).get_tokens_unprocessed(code):
        kind = _kind(token)
        if kind is None or not text:
            continue
        end = start + len(text)
        if spans and spans[-1].kind is kind and spans[-1].end == start:
            spans[-1] = CodeSpan(spans[-1].start, end, kind)
        else:
            spans.append(CodeSpan(start, end, kind))
    return tuple(spans)


def _kind(token: _TokenType) -> CodeKind | None:
    return next((kind for family, kind in _KINDS if token in family), None)


@lru_cache(maxsize=1)
def _known_languages() -> frozenset[str]:
    """Pygments' own names; plug-ins would be other people's code."""
    return frozenset(alias for _, names, _, _ in get_all_lexers(plugins=False) for alias in names)
