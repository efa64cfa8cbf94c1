"""Markdown that arrives in pieces: what is finished is read once, only the open end again."""

from dataclasses import replace

from app.text.blocks import Block
from app.text.held import Held, hold, join
from app.text.inline import InlineReader
from app.text.kept import keep
from app.text.markdown import Pass
from app.text.references import References
from app.text.tree import Placed

HOLD_CHARACTERS = 1000  # of an open block, before its finished part is read no more


class BlockStream:
    """Blocks of a text that grows.

    A block is final once no text to come can change it, with one exception: a link definition
    that comes later turns its label into a link wherever it stands.

    Args:
        start: offset in the message at which the text begins.
    """

    def __init__(self, start: int) -> None:
        self._start = start
        self._text = ""
        self._tail_start = 0  # in `_text`; what stands before is in final blocks
        self._final: list[Placed] = []
        self._open: list[Block] = []
        self._definitions = References({})
        self._held: Held | None = None  # the part of the first open block before the tail
        self._reader = InlineReader()
        self._has_grown = False

    @property
    def num_final(self) -> int:
        """How many of the blocks are final."""
        return len(self._final)

    def feed(self, piece: str) -> None:
        """Add text at the end."""
        self._text += piece
        self._has_grown = True

    def blocks(self) -> list[Block]:
        """The blocks of the text so far."""
        if self._has_grown:
            self._read_tail()
        return [*(placed.block for placed in self._final), *self._open]

    def finish(self) -> None:
        """Take the text for complete: all blocks are final."""
        self._has_grown = False
        found = self._pass(self._text[self._tail_start :])
        self._learn(found.references)
        self._settle(self._build(found), len(self._text))
        self._open = []

    def _read_tail(self) -> None:
        self._has_grown = False
        # A return at the very end may be half of a line break.
        found = self._pass(self._text[self._tail_start :].removesuffix("\r"))
        placed = self._build(found)
        num_settled = _num_settled(found, placed)
        if num_settled is not None:
            line = placed[num_settled].first_line
            self._settle(placed[:num_settled], found.offset(line) - self._start)
            self._learn(found.references_before(found.offset(line)))
            placed = placed[num_settled:]
        self._open = [one.block for one in placed]
        if len(placed) == 1 and len(self._text) - self._tail_start > HOLD_CHARACTERS:
            self._hold(found, placed[0])

    def _pass(self, tail: str) -> Pass:
        opener = self._held.opener if self._held else ""
        start = self._start + self._tail_start - len(opener)
        return Pass(opener + tail, start, self._definitions)

    def _build(self, found: Pass) -> list[Placed]:
        placed = found.build(self._reader)
        if self._held:
            placed[0] = join(self._held, placed[0], self._text, self._start)
        blocks = keep(self._open, [one.block for one in placed])
        return [replace(one, block=block) for one, block in zip(placed, blocks, strict=True)]

    def _settle(self, placed: list[Placed], end: int) -> None:
        """These blocks are final; what is to be read again begins at `end`."""
        self._final += placed
        self._tail_start = end
        self._held = None
        self._reader.forget()

    def _hold(self, found: Pass, placed: Placed) -> None:
        """Read the finished part of a long block no more."""
        held = hold(placed, self._text, self._start)
        if held and held.end > self._tail_start:
            self._tail_start = held.end
            self._held = held
            self._reader.forget()
            self._learn(found.references_before(self._start + held.end))

    def _learn(self, definitions: References) -> None:
        """Use more link definitions, in the final blocks too."""
        added = definitions.keys() - self._definitions.keys()
        if not added:
            return
        self._definitions = definitions
        self._reader.begin(definitions)
        for index, placed in enumerate(self._final):
            if placed.missing & added:
                self._final[index] = self._read_again(placed)
        if self._held and self._held.placed.missing & added:
            self._held = replace(self._held, placed=self._read_again(self._held.placed))

    def _read_again(self, placed: Placed) -> Placed:
        start, end = placed.block.start, placed.block.end
        text = self._text[start - self._start : end - self._start]
        return Pass(text, start, self._definitions).build(self._reader)[0]


def _num_settled(found: Pass, placed: list[Placed]) -> int | None:
    """How many of the blocks are final: those before the last that begins anew, if one does."""
    for index in reversed(range(len(placed))):
        if found.begins_anew(placed[index].first_line):
            return index
    return None
