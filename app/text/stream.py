"""A message's text to its blocks, as it arrives or all at once."""

from itertools import zip_longest

from app.text.block_stream import BlockStream
from app.text.blocks import Block, Document, Reasoning
from app.text.calls import call_blocks, open_call
from app.text.kept import keep
from app.text.parts import CALL, REASONING, Part, PlainReader, Reader


class MarkdownStream:
    """Reads a message that arrives in pieces, split anywhere.

    Each part of it, reasoning, answer or a call of a tool, is a text of its own: none can change
    another.

    Args:
        reader: tells the parts apart; without one, all is answer.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader: Reader = reader or PlainReader()
        self._parts: list[_PartStream] = []

    def feed(self, piece: str) -> None:
        """Add text at the end."""
        self._reader.feed(piece)
        self._follow()

    def finish(self) -> None:
        """Take the text for complete: `document()` is now what `parse` makes of the whole."""
        self._reader.finish()
        self._follow()

    def document(self) -> Document:
        """The blocks of the text so far. Objects stay the same as long as they are equal."""
        blocks: list[Block] = []
        num_final = 0
        is_final = True
        for part in self._parts:
            of_part = part.blocks()
            if is_final:
                num_final = len(blocks) + part.num_final
                is_final = part.is_finished
            blocks += of_part
        return Document(tuple(blocks), num_final)

    def _follow(self) -> None:
        """Take over the parts as the reader tells them."""
        text, parts = self._reader.text, self._reader.parts()
        del self._parts[len(parts) :]
        for place, (part, following) in enumerate(zip_longest(parts, parts[1:])):
            if place == len(self._parts) or not self._parts[place].is_of(part):
                self._parts[place:] = [_PartStream(part)]
            # What stands before a call may yet go on, if the call turns out to be text.
            may_go_on = following and following.kind == CALL and not following.is_closed
            self._parts[place].grow(part, text, is_final=part.is_closed and not may_go_on)


class _PartStream:
    """The blocks of one part.

    Attributes:
        is_finished: nothing changes it any more.
    """

    def __init__(self, part: Part) -> None:
        self._part = part
        self._stream = BlockStream(part.start)
        self._num_fed = 0
        self._shown: list[Block] = []
        self._call: list[Block] = []
        self.is_finished = False

    @property
    def num_final(self) -> int:
        """How many of the blocks shown last can no longer grow."""
        if self.is_finished:
            return len(self._shown)
        return 0 if self._part.kind in (REASONING, CALL) else self._stream.num_final

    def is_of(self, part: Part) -> bool:
        """Whether a part is this one, perhaps grown."""
        same = (part.kind, part.start) == (self._part.kind, self._part.start)
        return same and not (self.is_finished and part.end > self._part.end)

    def grow(self, part: Part, text: str, *, is_final: bool) -> None:
        """Take over what was added to the part."""
        if self.is_finished:
            return
        self._part = part
        if part.kind == CALL:
            self._call = call_blocks(part) if part.is_closed else open_call(part, text)
        elif part.end > part.start + self._num_fed:
            self._stream.feed(text[part.start + self._num_fed : part.end])
            self._num_fed = part.end - part.start
        if is_final:
            self._stream.finish()
            self.is_finished = True

    def blocks(self) -> list[Block]:
        """The blocks so far; empty reasoning, of models that are told not to think, has none."""
        part = self._part
        if part.kind == CALL:
            self._shown = keep(self._shown, self._call)
        elif part.kind == REASONING:
            inner = tuple(self._stream.blocks())
            is_left_out = part.is_closed and not inner
            new = [] if is_left_out else [Reasoning(part.start, part.end, inner, part.is_closed)]
            self._shown = keep(self._shown, new)
        else:
            self._shown = self._stream.blocks()
        return self._shown


def parse(text: str, reader: Reader | None = None) -> Document:
    """The blocks of a whole message."""
    stream = MarkdownStream(reader)
    stream.feed(text)
    stream.finish()
    return stream.document()
