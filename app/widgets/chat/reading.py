"""A message's text as blocks, read as it grows, and for how long its model thought."""

from time import monotonic

from app.domain.message import Message
from app.text.blocks import Document, Reasoning
from app.text.plain import PlainText
from app.text.stream import MarkdownStream


class Reading:
    """Follows one message.

    Attributes:
        document: its blocks when it was last read.
        is_open: more may come.
        thought_s: seconds that the reasoning took, if it was watched from its beginning to its end.
    """

    def __init__(self, message: Message) -> None:
        self.message = message
        self.document = Document((), 0)
        self.is_open = False
        self.thought_s: float | None = None
        self._stream: MarkdownStream | None = None
        self._text = ""
        self._began_s: float | None = None

    @property
    def plain(self) -> PlainText:
        """The text as painted."""
        return PlainText(self.document.blocks)

    def update(self) -> Document:
        """Read what has come."""
        text, is_open = self.message.text, self.message.is_pending
        if self._stream and text == self._text and is_open == self.is_open:
            return self.document
        if self._stream is None or not self.is_open or not text.startswith(self._text):
            self._stream, self._text = MarkdownStream(), ""
        self._stream.feed(text[len(self._text) :])
        if not is_open:
            self._stream.finish()
        self._text, self.is_open = text, is_open
        self.document = self._stream.document()
        self._time_reasoning()
        return self.document

    def _time_reasoning(self) -> None:
        first = self.document.blocks[0] if self.document.blocks else None
        if not isinstance(first, Reasoning):
            return
        if not first.is_closed and self._began_s is None:
            self._began_s = monotonic()
        elif first.is_closed and self._began_s is not None and self.thought_s is None:
            self.thought_s = monotonic() - self._began_s
