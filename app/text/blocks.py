"""What a message is made of: blocks that hold blocks or runs, each with its place in the source.

Offsets count characters (code points) of the message's text; `end` is exclusive. Everything is
immutable and compares by value, and the parser keeps an object for as long as it holds, so a view
may compare by identity to learn what is new.
"""

from dataclasses import dataclass
from enum import Flag


class Style(Flag):
    """How a run differs from plain text."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    STRUCK = 4
    CODE = 8
    IMAGE = 16  # an image's description, shown in its place


@dataclass(frozen=True, slots=True)
class Formula:
    """LaTeX without its delimiters."""

    tex: str
    is_display: bool  # on a line of its own, or meant to look like it


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style.

    A run whose text is as long as its source corresponds to it character by character; any other
    (an entity, an escape, a formula across lines) stands for its source as a whole.

    Attributes:
        text: what is shown; of a formula, its source with the delimiters.
        href: the address of a link or an image, empty if it is neither.
        formula: what to draw in place of the text.
    """

    text: str
    start: int
    end: int
    style: Style = Style.PLAIN
    href: str = ""
    formula: Formula | None = None

    @property
    def is_exact(self) -> bool:
        """Whether character `i` of the text is character `start + i` of the source."""
        return len(self.text) == self.end - self.start


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Prose. Line breaks of the source are kept, as line feeds in the text of the runs."""

    start: int
    end: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    start: int
    end: int
    level: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Code, one run for each line with its line break; the last one has none.

    Attributes:
        language: first word of the fence's info string, in lower case; empty if there is none.
        is_closed: the fence's end has been read, so the code may be highlighted.
        tool: where it is a call of a tool, its name, empty while that is being written; else None.
    """

    start: int
    end: int
    language: str
    runs: tuple[Run, ...]
    is_closed: bool
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class FormulaBlock:
    """A formula on lines of its own: one run; while its end is not there yet, plain ones."""

    start: int
    end: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""

    start: int
    end: int


class Alignment(Flag):
    """How a table's column is aligned."""

    DEFAULT = 0
    LEFT = 1
    RIGHT = 2
    CENTRE = 3


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    start: int
    end: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table; it may have fewer or more cells than the header."""

    start: int
    end: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `alignments` has one entry for each cell of the header."""

    start: int
    end: int
    alignments: tuple[Alignment, ...]
    header: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item; `is_checked` is None where it is no task."""

    start: int
    end: int
    blocks: "tuple[Block, ...]"
    is_checked: bool | None = None


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A list.

    Attributes:
        first_number: number of the first item, None for bullets.
        is_tight: no blank lines between the items, so none are shown.
    """

    start: int
    end: int
    first_number: int | None
    is_tight: bool
    items: tuple[ListItem, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quote."""

    start: int
    end: int
    blocks: "tuple[Block, ...]"


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What a model wrote before its answer, to be folded; `is_closed` once the answer begins."""

    start: int
    end: int
    blocks: "tuple[Block, ...]"
    is_closed: bool


Block = (
    Paragraph | Heading | CodeBlock | FormulaBlock | Rule | Table | ListBlock | Quote | Reasoning
)
Leaf = Paragraph | Heading | CodeBlock | FormulaBlock  # blocks that hold runs


@dataclass(frozen=True, slots=True)
class Document:
    """A message, parsed.

    Attributes:
        num_final: how many of the blocks, from the first, can no longer grow.
    """

    blocks: tuple[Block, ...]
    num_final: int
