"""A reply as Markdown to keep or pass on: without the marks of its model."""

import json
from collections.abc import Iterator

from app.text.parts import ANSWER, CALL, REASONING, Part, Reader


def as_markdown(text: str, reader: Reader) -> str:
    """The answer as it was written, reasoning as a quote, calls of tools as code under a name."""
    reader.feed(text)
    reader.finish()
    told = (said for part in reader.parts() for said in _told(part, text))
    return "\n\n".join(said for said in told if said)


def passages(text: str, reader: Reader) -> list[str]:
    """What a reply says between the marks of its model: the answer, then all else."""
    reader.feed(text)
    reader.finish()
    parts = sorted(reader.parts(), key=lambda part: part.kind != ANSWER)
    return [said for part in parts if (said := text[part.start : part.end].strip())]


def _told(part: Part, text: str) -> Iterator[str]:
    said = text[part.start : part.end].strip()
    if part.kind == REASONING:
        yield "\n".join(f"> {line}".rstrip() for line in said.splitlines())
    elif part.kind == CALL:
        for call in part.calls:
            arguments = json.dumps(call.arguments, ensure_ascii=False, indent=2)
            yield f"**{call.name}**\n\n```json\n{arguments}\n```"
    else:
        yield said
