"""A message's blocks as what is drawn under each other: lines of prose, code, tables, reasoning.

Lists and quotes have no widgets of their own: their lines know how far in they stand, so code in a
list gets the same frame as code outside of one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from app.text.blocks import (
    Block,
    CodeBlock,
    FormulaBlock,
    Heading,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
    Reasoning,
    Rule,
    Table,
)
from app.text.plain import BULLET

BULLET_PX = 20
NUMBER_PX = 28  # for two digits
DIGIT_PX = 9
QUOTE_PX = 16
PARAGRAPH_GAP_PX = 12
ITEM_GAP_PX = 4
FRAME_GAP_PX = 16
HEADING_GAP_PX = 24
MAX_PROSE_CHARACTERS = 4_000  # of a section, so that a long reply is not one document


@dataclass(frozen=True, slots=True)
class Place:
    """How far in a part stands, and where the bars of the quotes around it are."""

    indent: int = 0
    bars: tuple[int, ...] = ()


TOP = Place()


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A paragraph of prose as drawn; `leaf` is None where an item's marker stands alone."""

    leaf: Paragraph | Heading | FormulaBlock | Rule | None
    place: Place
    gap: int
    marker: str = ""
    hang: int = 0  # how far the marker stands left of the text
    is_checked: bool | None = None

    def is_set_like(self, other: "Line") -> bool:
        """Whether the other differs in its text at most."""
        return (
            type(self.leaf) is type(other.leaf)
            and self.place == other.place
            and self.gap == other.gap
            and self.marker == other.marker
            and self.hang == other.hang
            and self.is_checked is other.is_checked
            and self.level == other.level
        )

    @property
    def level(self) -> int:
        """Level of a heading, otherwise 0."""
        return self.leaf.level if isinstance(self.leaf, Heading) else 0


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A block with a widget of its own."""

    block: CodeBlock | Table | Reasoning
    place: Place
    gap: int

    @property
    def start(self) -> int:
        """Where its source begins."""
        return self.block.start

    @property
    def end(self) -> int:
        """Where its source ends."""
        return self.block.end

    def is_same(self, other: "Section") -> bool:
        """Whether the other is drawn alike."""
        return (
            isinstance(other, Frame)
            and self.block is other.block
            and self.place == other.place
            and self.gap == other.gap
        )


@dataclass(frozen=True, slots=True, eq=False)
class Prose:
    """Lines that share a document."""

    lines: tuple[Line, ...]

    @property
    def start(self) -> int:
        """Where the source of its text begins."""
        return next((line.leaf.start for line in self.lines if line.leaf), 0)

    @property
    def end(self) -> int:
        """Where the source of its text ends."""
        return next((line.leaf.end for line in reversed(self.lines) if line.leaf), 0)

    @property
    def gap(self) -> int:
        """Room above."""
        return self.lines[0].gap if self.lines else 0

    @property
    def place(self) -> Place:
        """Lines keep their own places."""
        return TOP

    def is_same(self, other: "Section") -> bool:
        """Whether the other is drawn alike."""
        return (
            isinstance(other, Prose)
            and len(self.lines) == len(other.lines)
            and all(
                a is b or (a.leaf is b.leaf and a.is_set_like(b))
                for a, b in zip(self.lines, other.lines, strict=True)
            )
        )


Part = Line | Frame
Section = Prose | Frame


class Sections:
    """The sections of a document that grows: those of blocks that stay the same are kept."""

    def __init__(self) -> None:
        self._blocks: Sequence[Block] = ()
        self._sections: list[Section] = []
        self._begins: list[_Begin] = []  # of those sections that begin with a block

    def of(self, blocks: Sequence[Block]) -> list[Section]:
        """The sections of `blocks`."""
        pairs = zip(self._blocks, blocks, strict=False)
        num_same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        # A section ends with what follows it, so the one before a changed block may change too.
        while self._begins and self._begins[-1].block >= num_same:
            self._begins.pop()
        begin = self._begins.pop() if self._begins else _Begin(0, 0, False)
        self._blocks = blocks
        del self._sections[begin.section :]
        self._group(begin)
        return list(self._sections)

    def _group(self, begin: "_Begin") -> None:
        lines: list[Line] = []
        length = 0
        after_frame = begin.after_frame
        for number in range(begin.block, len(self._blocks)):
            for place, part in enumerate(_parts(self._blocks[number])):
                is_after_frame = after_frame
                if after_frame and part.gap < FRAME_GAP_PX:
                    part = replace(part, gap=FRAME_GAP_PX)
                after_frame = isinstance(part, Frame)
                if lines and (isinstance(part, Frame) or length > MAX_PROSE_CHARACTERS):
                    self._sections.append(Prose(tuple(lines)))
                    lines, length = [], 0
                if not lines and place == 0:
                    self._begins.append(_Begin(len(self._sections), number, is_after_frame))
                if isinstance(part, Frame):
                    self._sections.append(part)
                else:
                    lines.append(part)
                    length += part.leaf.end - part.leaf.start if part.leaf else 0
        if lines:
            self._sections.append(Prose(tuple(lines)))


@dataclass(frozen=True, slots=True)
class _Begin:
    """Where a section begins with a block, and whether a frame stands above."""

    section: int
    block: int
    after_frame: bool


def _parts(block: Block, place: Place = TOP, gap: int = PARAGRAPH_GAP_PX) -> Iterator[Part]:
    match block:
        case CodeBlock() | Table() | Reasoning():
            yield Frame(block, place, FRAME_GAP_PX)
        case ListBlock():
            yield from _list_parts(block, place, gap)
        case Quote():
            inner = Place(place.indent + QUOTE_PX, (*place.bars, place.indent))
            for child in block.blocks:
                yield from _parts(child, inner)
        case Heading():
            yield Line(block, place, HEADING_GAP_PX)
        case _:
            yield Line(block, place, gap)


def _list_parts(block: ListBlock, place: Place, gap: int) -> Iterator[Part]:
    inner = replace(place, indent=place.indent + _marker_px(block))
    item_gap = ITEM_GAP_PX if block.is_tight else PARAGRAPH_GAP_PX
    for number, item in enumerate(block.items):
        marker = _marker(block, number) if item.is_checked is None else ""
        above = gap if number == 0 else item_gap
        first = Line(None, inner, above, marker, _marker_px(block), item.is_checked)
        yield from _item_parts(item, first, item_gap)


def _marker(block: ListBlock, number: int) -> str:
    return BULLET.strip() if block.first_number is None else f"{block.first_number + number}."


def _marker_px(block: ListBlock) -> int:
    if block.first_number is None:
        return BULLET_PX
    return NUMBER_PX + DIGIT_PX * max(0, len(_marker(block, len(block.items))) - 3)


def _item_parts(item: ListItem, line: Line, gap: int) -> Iterator[Part]:
    """The parts of an item whose marker `line` holds."""
    blocks = item.blocks
    if blocks and isinstance(blocks[0], Paragraph | Heading | FormulaBlock):
        line = replace(line, leaf=blocks[0])
        blocks = blocks[1:]
    yield line
    for block in blocks:
        yield from _parts(block, line.place, gap)
