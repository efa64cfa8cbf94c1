"""Calls of tools as blocks: the arguments as code, under the tool's name."""

import json

from app.text.blocks import Block, CodeBlock, Run
from app.text.parts import Part


def call_blocks(part: Part) -> list[Block]:
    """A block for each tool that a closed part asks for.

    All of them stand for the whole source; a line of it is no line of theirs.
    """
    blocks: list[Block] = []
    for call in part.calls:
        text = json.dumps(call.arguments, ensure_ascii=False, indent=2)
        runs = tuple(Run(line, part.start, part.end) for line in text.splitlines(keepends=True))
        blocks.append(CodeBlock(part.start, part.end, "json", runs, is_closed=True, tool=call.name))
    return blocks


def open_call(part: Part, text: str) -> list[Block]:
    """A block with what is there of a call that is being written."""
    runs = []
    start = part.start
    for line in text[part.start : part.end].splitlines(keepends=True):
        runs.append(Run(line, start, start + len(line)))
        start += len(line)
    if not runs:
        return []
    return [CodeBlock(part.start, part.end, "", tuple(runs), is_closed=False, tool="")]
