"""A message's text to its blocks, as it arrives or all at once."""

from app.text.block_stream import BlockStream
from app.text.blocks import Document, Reasoning
from app.text.kept import keep
from app.text.reasoning import CLOSE_OF_PROMPT, MARKS, find_mark, unfinished_mark


class MarkdownStream:
    """Reads a message that arrives in pieces, split anywhere.

    What the model reasons before its answer is a text of its own: neither can change the other.

    Args:
        in_reasoning: the prompt already held the mark that opens the reasoning.
    """

    def __init__(self, *, in_reasoning: bool = False) -> None:
        self._unread = ""  # may be, or yet become, a mark
        self._num_read = 0
        self._reasoning: BlockStream | None = BlockStream(0) if in_reasoning else None
        self._close = CLOSE_OF_PROMPT if in_reasoning else ""
        self._reasoning_start = 0
        self._reasoning_end: int | None = None
        self._answer: BlockStream | None = None
        self._shown: list[Reasoning] = []
        self._is_finished = False

    def feed(self, piece: str) -> None:
        """Add text at the end."""
        self._unread += piece
        if self._reasoning is None and self._answer is None:
            self._read_opening()
        if self._reasoning is not None and self._answer is None:
            self._read_reasoning(self._reasoning)
        if self._answer is not None:
            self._answer.feed(self._take(len(self._unread)))

    def finish(self) -> None:
        """Take the text for complete: `document()` is now what `parse` makes of the whole."""
        self._is_finished = True
        if self._reasoning is None and self._answer is None:
            self._answer = BlockStream(self._num_read)
        last = self._answer or self._reasoning
        if last is not None:
            last.feed(self._take(len(self._unread)))
            last.finish()

    def document(self) -> Document:
        """The blocks of the text so far. Objects stay the same as long as they are equal."""
        self._shown = keep(self._shown, self._reasoning_blocks())
        answer = self._answer.blocks() if self._answer else []
        blocks = (*self._shown, *answer)
        if self._is_finished:
            return Document(blocks, len(blocks))
        num_final = len(self._shown) + self._answer.num_final if self._answer else 0
        return Document(blocks, num_final)

    def _read_opening(self) -> None:
        mark = find_mark(self._unread)
        if mark is None:
            self._answer = BlockStream(self._num_read)
        elif mark:
            self._close = MARKS[mark]
            self._reasoning_start = self._unread.index(mark)
            self._take(self._reasoning_start + len(mark))
            self._reasoning = BlockStream(self._num_read)

    def _read_reasoning(self, reasoning: BlockStream) -> None:
        close = self._unread.find(self._close)
        if close < 0:
            held = unfinished_mark(self._unread, self._close)
            reasoning.feed(self._take(len(self._unread) - held))
            return
        reasoning.feed(self._take(close))
        reasoning.finish()
        self._take(len(self._close))
        self._reasoning_end = self._num_read
        self._answer = BlockStream(self._num_read)

    def _take(self, count: int) -> str:
        taken, self._unread = self._unread[:count], self._unread[count:]
        self._num_read += count
        return taken

    def _reasoning_blocks(self) -> list[Reasoning]:
        """The reasoning, if there is any; models that are told not to think leave it empty."""
        if self._reasoning is None:
            return []
        blocks = tuple(self._reasoning.blocks())
        is_closed = self._reasoning_end is not None
        if is_closed and not blocks:
            return []
        end = self._num_read if self._reasoning_end is None else self._reasoning_end
        return [Reasoning(self._reasoning_start, end, blocks, is_closed)]


def parse(text: str) -> Document:
    """The blocks of a whole message."""
    stream = MarkdownStream()
    stream.feed(text)
    stream.finish()
    return stream.document()
