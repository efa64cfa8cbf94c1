"""From markdown-it's flat tokens to blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from app.text import formula_syntax
from app.text.blocks import (
    Alignment,
    Block,
    Cell,
    CodeBlock,
    Formula,
    FormulaBlock,
    Heading,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
    Row,
    Rule,
    Run,
    Table,
)
from app.text.code import code_runs
from app.text.inline import InlineReader
from app.text.passage import Passage, Source, has_blank_line
from app.text.table import read_cells

BLANKS = " \t"
ALIGNMENTS = {
    "text-align:left": Alignment.LEFT,
    "text-align:right": Alignment.RIGHT,
    "text-align:center": Alignment.CENTRE,
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A top-level block, the line it begins at, and the link labels that it found undefined."""

    block: Block
    first_line: int
    missing: frozenset[str]


class TreeBuilder:
    """Builds the blocks of one pass of the block parser.

    Args:
        source: what was parsed.
        state: the block parser's state at the end of its pass.
        reader: gives the runs of inline content.
    """

    def __init__(self, source: Source, state: StateBlock, reader: InlineReader) -> None:
        self._source = source
        self._state = state
        self._reader = reader
        self._tokens = iter(state.tokens)

    def build(self) -> list[Placed]:
        """All blocks at the top."""
        return [
            Placed(self._block(token), _lines(token)[0], self._reader.take_missing())
            for token in self._tokens
        ]

    def _block(self, token: Token) -> Block:
        match token.type:
            case "paragraph_open" | "heading_open":
                return self._prose(token)
            case "fence" | "code_block":
                return self._code(token)
            case "bullet_list_open" | "ordered_list_open":
                return self._list(token)
            case "blockquote_open":
                blocks = self._children("blockquote_close")
                return Quote(*self._span(token, blocks), blocks)
            case "table_open":
                return self._table(token)
            case "hr":
                return Rule(*self._span(token))
            case formula_syntax.BLOCK:
                return self._formula(token)
        raise ValueError(f"markdown-it made a token that is not known: {token.type}")

    def _children(self, close: str) -> tuple[Block, ...]:
        """The blocks up to the closing token of their parent."""
        blocks = []
        while (token := next(self._tokens)).type != close:
            blocks.append(self._block(token))
        return tuple(blocks)

    def _prose(self, token: Token) -> Paragraph | Heading:
        inline = next(self._tokens)
        next(self._tokens)  # the closing token
        starts = token.meta["starts"][: len(range(*_lines(inline)))]
        if token.type == "paragraph_open":
            return Paragraph(*self._span(token), self._runs(self._passage(inline, starts)))
        if token.markup.startswith("#"):
            passage = self._atx_passage(inline, starts[0])
        else:
            passage = self._passage(inline, starts)
        return Heading(*self._span(token), int(token.tag[1:]), self._runs(passage))

    def _passage(self, token: Token, line_starts: list[int]) -> Passage:
        """The text of several lines, which begins at `line_starts`."""
        first, last = _lines(token)
        text = self._source.text
        stretches = [
            text[start : self._state.eMarks[line] + 1]
            for line, start in zip(range(first, last), line_starts, strict=True)
        ]
        stretches[-1] = stretches[-1].rstrip(BLANKS + "\n")
        return Passage.of(stretches, line_starts)

    def _atx_passage(self, inline: Token, start: int) -> Passage:
        """A heading's text, which markdown-it has freed from the number signs around it."""
        line = self._source.text[start : self._state.eMarks[_lines(inline)[0]]]
        num_signs = len(line) - len(line.lstrip("#"))
        return Passage(inline.content, (0,), (start + line.find(inline.content, num_signs),))

    def _runs(self, passage: Passage) -> tuple[Run, ...]:
        return self._reader.read(passage, self._source)

    def _code(self, token: Token) -> CodeBlock:
        first, last = _lines(token)
        is_fenced = token.type == "fence"
        num_lines = token.content.count("\n") + (token.content[-1:] not in ("", "\n"))
        line_ends = self._state.eMarks[first + is_fenced : first + is_fenced + num_lines]
        return CodeBlock(
            *self._span(token),
            language=_language(token.info),
            runs=code_runs(token.content, line_ends, self._source),
            is_closed=is_fenced and last - first == num_lines + 2,
        )

    def _formula(self, token: Token) -> FormulaBlock:
        start, end = self._span(token)
        passage = self._passage(token, token.meta["starts"])
        if token.meta["end"] is None:
            return FormulaBlock(start, end, self._reader.read_plain(passage, self._source))
        end = self._source.offset(token.meta["end"])
        first = self._source.offset(passage.positions[0])
        formula = Formula(token.content, is_display=True)
        return FormulaBlock(start, end, (Run(passage.text, first, end, formula=formula),))

    def _list(self, token: Token) -> ListBlock:
        items = []
        close = token.type.replace("open", "close")
        while (item := next(self._tokens)).type != close:
            blocks = self._children("list_item_close")
            span = self._span(item, blocks)
            items.append(ListItem(*span, blocks, item.meta.get("checked")))
        number = int(token.attrs.get("start", 1)) if token.tag == "ol" else None
        tight = is_tight(items, self._source.raw, self._source.start)
        return ListBlock(*self._span(token, items), number, tight, tuple(items))

    def _table(self, token: Token) -> Table:
        first_line = _lines(token)[0]
        starts = token.meta["starts"]
        alignments, rows = [], []
        while (inner := next(self._tokens)).type != "table_close":
            if inner.type == "th_open":
                style = str(inner.attrs.get("style", ""))
                alignments.append(ALIGNMENTS.get(style, Alignment.DEFAULT))
            elif inner.type == "tr_open":
                line = _lines(inner)[0]
                rows.append(self._row(line, starts[line - first_line]))
        return Table(*self._span(token), tuple(alignments), rows[0], tuple(rows[1:]))

    def _row(self, line: int, start: int) -> Row:
        end = self._state.eMarks[line]
        offset = self._source.offset
        cells = tuple(
            Cell(
                offset(passage.positions[0]),
                offset(passage.position(len(passage.text))),
                self._runs(passage),
            )
            for passage in read_cells(self._source.text[start:end], start)
        )
        return Row(offset(start), offset(end), cells)

    def _span(
        self, token: Token, children: Sequence[Block | ListItem] | None = None
    ) -> tuple[int, int]:
        """Where a block begins and ends in the message; one with children ends with the last."""
        first, last = _lines(token)
        start = self._source.offset(self._state.bMarks[first])
        if children:
            return start, children[-1].end
        last_line = first if children is not None else last - 1
        return start, self._source.offset(self._state.eMarks[last_line])


def is_tight(items: Sequence[ListItem], text: str, start: int) -> bool:
    """Whether no blank line stands between items or the blocks of one.

    Args:
        items: the items of one list.
        text: the text that they stand in.
        start: its offset in the message.
    """
    rows: list[Sequence[Block | ListItem]] = [items, *(item.blocks for item in items)]
    return not any(
        has_blank_line(text[first.end - start : second.start - start])
        for row in rows
        for first, second in pairwise(row)
    )


def _lines(token: Token) -> tuple[int, int]:
    """First line of a token and the one after its last."""
    if token.map is None:
        raise ValueError(f"markdown-it made a token without lines: {token.type}")
    return token.map[0], token.map[1]


def _language(info: str) -> str:
    words = info.split()
    return words[0].strip("{}.").lower() if words else ""
