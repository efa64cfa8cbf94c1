"""The Markdown that is understood: CommonMark, tables, struck text, tasks and formulas; no HTML.

markdown-it tells the lines of blocks only. Here its inline parser also notes where in the content
each token begins, in `token.meta["at"]`, and whether emphasis is left open, in
`env["opens_emphasis"]`; its block parser where the text of each line begins, in
`token.meta["starts"]`.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import (
    StateBlock,
    blockquote,
    heading,
    lheading,
    list_block,
    paragraph,
    table,
)
from markdown_it.rules_inline import StateInline, image
from markdown_it.token import Token
from markdown_it.utils import EnvType

from app.text import formula_syntax

MAX_DEPTH = 40  # of nested quotes and lists, a list counting twice; deeper ones stay text
SCHEMES = ("http://", "https://", "mailto:")

BlockRule = Callable[[StateBlock, int, int, bool], bool]


class _State(StateInline):
    """Inline state that notes where tokens begin."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self._pending_start = 0

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_start = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:
        token = super().pushPending()
        token.meta["at"] = self._pending_start
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        token.meta["at"] = self.pos
        return token


class _Inline(ParserInline):
    """Inline parser whose tokens know their place."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        _spread_markers(tokens)
        for rule in self.ruler2.getRules(""):
            rule(state)
        env["opens_emphasis"] = any(mark.open and mark.end < 0 for mark in state.delimiters)
        return tokens


class _Grammar(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return url.lower().startswith(SCHEMES)


def make_grammar() -> MarkdownIt:
    """A parser for blocks (`.block`) and inline content (`.inline`)."""
    grammar = _Grammar("js-default", {"tasklists": True})
    grammar.inline = _Inline()
    grammar.disable(["html_block", "html_inline"])
    # It would join text across markers and lose places.
    grammar.inline.ruler2.disable("fragments_join")
    grammar.inline.ruler.at("image", _image_with_end)
    grammar.inline.ruler.before("escape", formula_syntax.INLINE, formula_syntax.inline_rule)
    ends_others: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
    rules = grammar.block.ruler
    formula_block = _with_starts(formula_syntax.block_rule)
    rules.before("fence", formula_syntax.BLOCK, formula_block, ends_others)
    ends_all: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    rules.at("blockquote", _bounded(blockquote), ends_all)
    rules.at("list", _bounded(list_block), ends_others)
    rules.at("table", _with_starts(table), {"alt": ["paragraph", "reference"]})
    rules.at("heading", _with_starts(heading), ends_others)
    rules.at("lheading", _with_starts(lheading))
    rules.at("paragraph", _with_starts(paragraph))
    return grammar


def _spread_markers(tokens: list[Token]) -> None:
    """Give each marker of a run, as in `***`, its own place; all were pushed at the first one's."""
    for before, token in pairwise(tokens):
        if token.type == before.type == "text" and token.meta["at"] == before.meta["at"]:
            token.meta["at"] = before.meta["at"] + len(before.content)


def _image_with_end(state: StateInline, silent: bool) -> bool:
    start = state.pos
    found = image(state, silent)
    if found and not silent:
        state.tokens[-1].meta |= {"at": start, "end": state.pos}
    return found


def _bounded(rule: BlockRule) -> BlockRule:
    """`rule`, but markdown-it's own limit of depth would drop the rest of the text."""

    def bounded(state: StateBlock, first_line: int, end_line: int, silent: bool) -> bool:
        return state.level < MAX_DEPTH and rule(state, first_line, end_line, silent)

    return bounded


def _with_starts(rule: BlockRule) -> BlockRule:
    """`rule`, noting where its lines begin while the markers of quotes and items are known."""

    def stamped(state: StateBlock, first_line: int, end_line: int, silent: bool) -> bool:
        count = len(state.tokens)
        found = rule(state, first_line, end_line, silent)
        if found and not silent:
            state.tokens[count].meta["starts"] = [
                state.bMarks[line] + state.tShift[line] for line in range(first_line, state.line)
            ]
        return found

    return stamped


GRAMMAR = make_grammar()
