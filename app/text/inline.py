"""Inline content to runs: emphasis, links, code, formulas and line breaks, with their places."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from markdown_it.token import Token

from app.text import formula_syntax
from app.text.blocks import Formula, Run, Style
from app.text.grammar import GRAMMAR
from app.text.passage import Passage, Source
from app.text.references import References

STYLES = {"em_open": Style.ITALIC, "strong_open": Style.BOLD, "s_open": Style.STRUCK}
MIN_CHUNK = 500  # characters
MAX_CHUNK = 4000
# Between a space that follows no space or backslash, or the end of a clause, and a letter or digit.
_CUT = re.compile(r"(?:(?<=[^\s\\][ \n])|(?<=[。！？；，]))(?=[^\W_])")
_BRACKET = re.compile(r"[\[\]]")
# A bare address ends before what is rather the sentence's than its own.
_ADDRESS = re.compile(
    r"\bhttps?://[^\s<>\u3000-\u303f\uff00-\uff60]*"
    r"[^\s<>\u3000-\u303f\uff00-\uff60?!.,:;*_~'\"]"
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Runs of a chunk of inline content.

    Attributes:
        is_settled: nothing in it is left open that later text could close.
        missing: labels of links that it found undefined.
    """

    runs: tuple[Run, ...]
    is_settled: bool
    missing: frozenset[str]


class InlineReader:
    """Reads inline content in chunks, and each chunk once while it stays as it is.

    A chunk ends after a word at which nothing is left open, so that the parts give what the whole
    would; where something stays open for `MAX_CHUNK` characters it ends all the same, which bounds
    the work. Where chunks end follows from the text before their end alone.
    """

    def __init__(self) -> None:
        self._references = References({})
        self._missing: set[str] = set()
        self._chunks: dict[tuple[str, int], Chunk] = {}

    def begin(self, references: References) -> None:
        """Use these link definitions from now on."""
        if references != self._references:
            self._chunks.clear()
        self._references = references

    def forget(self) -> None:
        """Forget the chunks read so far."""
        self._chunks.clear()

    def take_missing(self) -> frozenset[str]:
        """The labels found undefined since the last call."""
        taken = frozenset(self._missing)
        self._missing.clear()
        return taken

    def read(self, passage: Passage, source: Source) -> tuple[Run, ...]:
        """The runs of a passage."""
        runs: list[Run] = []
        start = 0
        while start < len(passage.text):
            end = _next_cut(passage.text, start + MIN_CHUNK)
            chunk = self._chunk(passage, source, start, end)
            while not chunk.is_settled and end < len(passage.text):
                if end - start >= MAX_CHUNK:
                    break
                end = _next_cut(passage.text, end + MIN_CHUNK)
                chunk = self._chunk(passage, source, start, end)
            runs += chunk.runs
            self._missing |= chunk.missing
            start = end
        return tuple(runs)

    def read_plain(self, passage: Passage, source: Source) -> tuple[Run, ...]:
        """The runs of a passage that is shown as it stands."""
        return tuple(_place(Run(passage.text, 0, len(passage.text)), 0, passage, source))

    def _chunk(self, passage: Passage, source: Source, start: int, end: int) -> Chunk:
        text = passage.text[start:end]
        key = text, source.offset(passage.position(start))
        chunk = self._chunks.get(key)
        if chunk is None:
            chunk = self._read_chunk(text, passage, source, start)
            self._chunks[key] = chunk
        return chunk

    def _read_chunk(self, text: str, passage: Passage, source: Source, start: int) -> Chunk:
        env: dict[str, Any] = {"references": self._references}
        tokens = GRAMMAR.inline.parse(text, GRAMMAR, env, [])
        runs = (part for run in _runs(tokens, text) for part in _split_addresses(run))
        return Chunk(
            tuple(part for run in runs for part in _place(run, start, passage, source)),
            is_settled=not env["opens_emphasis"] and _is_settled(tokens, text),
            missing=self._references.take_missing(),
        )


def _next_cut(text: str, start: int) -> int:
    match = _CUT.search(text, start)
    return match.start() if match else len(text)


def _is_settled(tokens: list[Token], text: str) -> bool:
    """Whether no code, link or formula was begun and not ended."""
    depth = 0
    for token in tokens:
        at = token.meta["at"]
        if token.type == "text":
            for bracket in _BRACKET.findall(token.content):
                depth = max(0, depth + (1 if bracket == "[" else -1))
            dollar = token.content.rfind("$")
            if "`" in token.content or (dollar >= 0 and _in_reach(at + dollar, text)):
                return False
        elif token.markup in ("\\(", "\\[") and _in_reach(at, text):
            return False
    return depth == 0


def _in_reach(place: int, text: str) -> bool:
    return len(text) - place <= formula_syntax.MAX_INLINE_CHARACTERS


def _runs(tokens: list[Token], text: str) -> list[Run]:
    runs: list[Run] = []
    looks = [(Style.PLAIN, "")]
    is_autolink = False
    for token in tokens:
        style, href = looks[-1]
        if token.nesting > 0:
            is_autolink = token.markup == "autolink"
            href = str(token.attrs.get("href", href))
            looks.append((style | STYLES.get(token.type, Style.PLAIN), href))
        elif token.nesting < 0:
            looks.pop()
        elif is_autolink:
            is_autolink = False
            start = token.meta["at"] + 1
            end = text.index(">", start)
            runs.append(Run(text[start:end], start, end, style, href))
        else:
            _append(runs, _run_of(token, text, style, href))
    return runs


def _run_of(token: Token, text: str, style: Style, href: str) -> Run:
    at = token.meta["at"]
    match token.type:
        case "text":
            return Run(token.content, at, at + len(token.content), style, href)
        case "text_special":
            return Run(token.content, at, at + len(token.markup), style, href)
        case "softbreak" | "hardbreak":
            at += text[at] == "\\"
            return Run("\n", at, at + 1, style, href)
        case "code_inline":
            at += len(token.markup)
            end = at + len(token.content)
            is_padded = text[at:end].replace("\n", " ") != token.content
            return Run(token.content, at + is_padded, end + is_padded, style | Style.CODE, href)
        case "image":
            address = str(token.attrs["src"])
            end = token.meta["end"]
            return Run(_plain(token) or address, at, end, style | Style.IMAGE, address)
        case formula_syntax.INLINE:
            formula = Formula(token.content, token.meta["is_display"])
            end = token.meta["end"]
            return Run(text[at:end], at, end, style, href, formula)
    raise ValueError(f"markdown-it made a token that is not known: {token.type}")


def _plain(image: Token) -> str:
    """An image's description without its markup."""
    inner = (child.content for child in image.children or () if child.type != "softbreak")
    return "".join(inner)


def _append(runs: list[Run], run: Run) -> None:
    """Add a run, to the one before it if they are one stretch of text."""
    if not run.text:
        return
    last = runs[-1] if runs else None
    if last and last.end == run.start and _is_text(last, run):
        runs[-1] = replace(last, text=last.text + run.text, end=run.end)
    else:
        runs.append(run)


def _is_text(first: Run, second: Run) -> bool:
    return (
        (first.style, first.href) == (second.style, second.href)
        and first.is_exact
        and second.is_exact
        and first.formula is second.formula is None
    )


def _split_addresses(run: Run) -> list[Run]:
    """Turn bare web addresses within a run into links."""
    if "://" not in run.text or run.href or run.formula or Style.CODE in run.style:
        return [run]
    parts = []
    done = 0
    for match in _ADDRESS.finditer(run.text) if run.is_exact else ():
        start, end = match.start(), match.start() + len(_balanced(match[0]))
        parts += [
            _part(run, done, start),
            replace(_part(run, start, end), href=run.text[start:end]),
        ]
        done = end
    return [part for part in (*parts, _part(run, done, len(run.text))) if part.text]


def _balanced(address: str) -> str:
    """`address` up to a closing bracket that was opened before it, as in `(see https://a.b/)`."""
    depth = 0
    for index, character in enumerate(address):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return address[:index]
    return address


def _part(run: Run, start: int, end: int) -> Run:
    return replace(run, text=run.text[start:end], start=run.start + start, end=run.start + end)


def _place(run: Run, shift: int, passage: Passage, source: Source) -> list[Run]:
    """A run of a chunk, with offsets of the message; in parts where the passage has gaps."""
    start, end = run.start + shift, run.end + shift
    cuts = [start, end]
    if run.is_exact and not run.formula:
        cuts[1:1] = passage.breaks(start, end)
        if source.has_long_breaks:
            cuts = _around_long_breaks(cuts, passage, source)
    parts = []
    for first, last in pairwise(cuts):
        text = run.text if len(cuts) == 2 else run.text[first - start : last - start]
        first_offset = source.offset(passage.position(first))
        last_offset = source.offset(passage.position(last - 1) + 1)
        parts.append(replace(run, text=text, start=first_offset, end=last_offset))
    return parts


def _around_long_breaks(cuts: list[int], passage: Passage, source: Source) -> list[int]:
    """More cuts, so that a line break of two characters is a run of its own."""
    places = (place for place in range(cuts[0], cuts[-1]) if passage.text[place] == "\n")
    breaks = [place for place in places if source.is_long_break(passage.position(place))]
    inner = {*cuts, *breaks, *(place + 1 for place in breaks)}
    return sorted(cut for cut in inner if cuts[0] <= cut <= cuts[-1])
