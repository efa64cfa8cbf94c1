"""Files that go along with a message: fenced text behind what was written.

A message stays one text, so that every model, export and search understands it. `separated` finds
the files in it again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

HEADING = "File: "
BLOCK = re.compile(
    HEADING + r"(?P<name>[^\n]+)\n(?P<fence>`{3,})[^`\n]*\n(?P<text>.*?)\n(?P=fence)(?!`)",
    re.DOTALL,
)
START = re.compile(r"(?:\A|\n\n)(?=" + HEADING + ")")
GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file's name and its text."""

    name: str
    text: str

    @property
    def num_bytes(self) -> int:
        """Its size as UTF-8."""
        return len(self.text.encode())


def joined(text: str, attachments: Sequence[Attachment]) -> str:
    """A message of what was written and the files that go along."""
    parts = [text.strip(), *(_block(attachment) for attachment in attachments)]
    return GAP.join(part for part in parts if part) if attachments else text


def separated(message: str) -> tuple[str, tuple[Attachment, ...]]:
    """What was written, and the files that go along: what `joined` was given."""
    for start in START.finditer(message):
        if found := _blocks(message, start.end()):
            return message[: start.start()], found
    return message, ()


def _block(attachment: Attachment) -> str:
    longest = max((len(run) for run in re.findall(r"`+", attachment.text)), default=0)
    fence = "`" * max(3, longest + 1)
    language = PurePath(attachment.name).suffix.removeprefix(".")
    name = " ".join(attachment.name.split())
    return f"{HEADING}{name}\n{fence}{language}\n{attachment.text}\n{fence}"


def _blocks(message: str, at: int) -> tuple[Attachment, ...]:
    """The files from a place on; none where anything else stands there."""
    found: list[Attachment] = []
    while block := BLOCK.match(message, at):
        found.append(Attachment(block["name"], block["text"]))
        if block.end() == len(message):
            return tuple(found)
        if not message.startswith(GAP + HEADING, block.end()):
            return ()
        at = block.end() + len(GAP)
    return ()
