"""One pass over a stretch of Markdown: its blocks, and the link definitions it contains."""

from collections.abc import Mapping

from markdown_it.rules_block import StateBlock

from app.text.grammar import GRAMMAR
from app.text.inline import InlineReader
from app.text.passage import Source
from app.text.references import Definition, References
from app.text.tree import Placed, TreeBuilder


class Pass:
    """The lines of a text, sorted into blocks.

    Args:
        text: what to read.
        start: offset of the text in the message.
        known: link definitions from elsewhere, which come before the text's own.

    Attributes:
        references: the known definitions and the text's own.
    """

    def __init__(self, text: str, start: int, known: Mapping[str, Definition]) -> None:
        self.references = References(known)
        self._known = known
        self._source = Source(text, start)
        self._state = StateBlock(self._source.text, GRAMMAR, {"references": self.references}, [])
        GRAMMAR.block.tokenize(self._state, 0, self._state.lineMax)

    def build(self, reader: InlineReader) -> list[Placed]:
        """The blocks at the top, in order."""
        return TreeBuilder(self._source, self._state, reader).build()

    def begins_anew(self, line: int) -> bool:
        """Whether no text that may follow can join a top block at `line` to what stands before.

        CommonMark decides that by the line itself, once it is complete, if a blank line precedes.
        """
        is_complete = self._state.eMarks[line] < len(self._source.text)
        return line > 0 and is_complete and self._state.isEmpty(line - 1)

    def offset(self, line: int) -> int:
        """Where a line begins in the message."""
        return self._source.offset(self._state.bMarks[line])

    def references_before(self, offset: int) -> References:
        """The known definitions and those that stand before `offset`."""
        return References(
            {
                label: definition
                for label, definition in self.references.items()
                if label in self._known or self.offset(definition["map"][0]) < offset
            }
        )
