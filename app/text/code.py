"""Lines of a code block as runs."""

from collections.abc import Sequence

from app.text.blocks import Run
from app.text.passage import Source


def code_runs(content: str, line_ends: Sequence[int], source: Source) -> tuple[Run, ...]:
    """One run for each line of `content`; line `i` ends at `line_ends[i]` in the source's text.

    The last line goes without its line break. Columns left of a tab that the block's indentation
    reaches into are a run of their own.
    """
    lines = content.removesuffix("\n").split("\n")
    runs: list[Run] = []
    for number, (line, end) in enumerate(zip(lines, line_ends, strict=False), 1):
        own = _shared_end(line, source.text, end)
        start = end - own
        if own < len(line):
            tab = source.offset(start - 1)
            runs.append(Run(line[: len(line) - own], tab, tab + 1))
        rest = line[len(line) - own :]
        if number < len(lines):
            rest, end = rest + "\n", end + 1
        runs.append(Run(rest, source.offset(start), source.offset(end)))
    return tuple(run for run in runs if run.text)


def _shared_end(line: str, text: str, end: int) -> int:
    """How many characters at the end of `line` are those of the source."""
    if text.endswith(line, 0, end):
        return len(line)
    columns = len(line) - len(line.lstrip(" "))
    shared = len(line) - columns
    while columns and text[end - shared - 1] == " ":
        shared, columns = shared + 1, columns - 1
    return shared
