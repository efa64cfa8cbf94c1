"""A message's text as blocks, read as it grows."""

from collections.abc import Sequence

from app.bridge.types import ReplyReader
from app.domain.attachment import separated
from app.domain.message import Message, Role
from app.text.accepted import AcceptedText
from app.text.blocks import Block, Document, Paragraph, Reasoning, Run
from app.text.offsets import Span
from app.text.plain import PlainText
from app.text.stream import MarkdownStream


class Reading:
    """Follows one message.

    Attributes:
        document: its blocks when it was last read.
        is_open: more may come.
        is_folded: its reasoning is not painted.
    """

    def __init__(self, message: Message) -> None:
        self.message = message
        self.document = Document((), 0)
        self.is_open = False
        self.is_folded = True
        self._stream: MarkdownStream | None = None
        self._text = ""
        self._accepted = AcceptedText()
        self._plain: tuple[tuple[Block, ...], PlainText] = ((), PlainText(()))

    @property
    def is_markdown(self) -> bool:
        """Whether the text is read as Markdown; what a person writes is not."""
        return self.message.role is Role.ASSISTANT

    @property
    def painted(self) -> tuple[Block, ...]:
        """The blocks that are painted: all but reasoning that is folded."""
        blocks = self.update().blocks
        if not self.is_folded:
            return blocks
        return tuple(block for block in blocks if not isinstance(block, Reasoning))

    @property
    def plain(self) -> PlainText:
        """The text as painted."""
        return self._plain_of(self.painted)

    @property
    def all_plain(self) -> PlainText:
        """The text as painted where nothing is folded."""
        return self._plain_of(self.update().blocks)

    def folds(self, offset: int) -> bool:
        """Whether a place in the source stands in reasoning that is folded."""
        thoughts = (block for block in self.update().blocks if isinstance(block, Reasoning))
        return self.is_folded and any(block.start <= offset < block.end for block in thoughts)

    @property
    def accepted(self) -> tuple[Span, ...]:
        """The characters of the source that a draft had proposed."""
        return self._accepted.update(self.message.text, self.message.accepted)

    def _plain_of(self, blocks: tuple[Block, ...]) -> PlainText:
        if self._plain[0] != blocks:
            self._plain = blocks, PlainText(blocks)
        return self._plain[1]

    def update(self) -> Document:
        """Read what has come."""
        if not self.is_markdown:
            return self._take_as_it_is()
        text, is_open = self.message.text, self.message.is_pending
        if self._stream and text == self._text and is_open == self.is_open:
            return self.document
        if self._stream is None or not self.is_open or not text.startswith(self._text):
            self._stream, self._text = MarkdownStream(ReplyReader()), ""
        self._stream.feed(text[len(self._text) :])
        if not is_open:
            self._stream.finish()
        self._text, self.is_open = text, is_open
        self.document = self._stream.document()
        return self.document

    def _take_as_it_is(self) -> Document:
        """Own messages are no Markdown, and files that go along are not painted."""
        text = self.message.text
        if text != self._text:
            written, _ = separated(text)
            run = Run(written, 0, len(written))
            self.document = Document((Paragraph(0, len(written), (run,)),), 1)
            self._text = text
        return self.document


def readings_of(messages: Sequence[Message], before: Sequence[Reading]) -> list[Reading]:
    """One for each message; those of `before` are kept."""
    known = {id(reading.message): reading for reading in before}
    return [known.get(id(message)) or Reading(message) for message in messages]
