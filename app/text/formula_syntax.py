r"""Where formulas stand in Markdown: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`, as rules of markdown-it.

They are read before escapes, which would otherwise turn `\(` into a bracket. A dollar sign opens a
formula as Pandoc's `tex_math_dollars` has it, and amounts of money are left alone.
"""

import re
from dataclasses import dataclass

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

INLINE = "formula"
BLOCK = "formula_block"
MAX_INLINE_CHARACTERS = 1000
MAX_BLOCK_LINES = 100  # so that many unfinished openers cost no quadratic search
CLOSER = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}

# No space inside the dollars, no letter or digit around them but the ending of an ordinal.
_DOLLARS = re.compile(
    r"(?<![0-9A-Za-z$])\$(?![\s$])"
    rf"(?P<tex>(?:[^\\$`]|\\.){{1,{MAX_INLINE_CHARACTERS}}}?)"
    r"(?<!\s)\$(?:(?![0-9A-Za-z$])|(?=(?:th|st|nd|rd|s)\b))",
    re.DOTALL,
)
_AMOUNT = re.compile(r"\d[\d.,]*[kKmMbB]?(?:\s+[^\W\d]{2}|[^\w\s]*\s+[^\W\d])")
_OPERATOR = re.compile(r"[\\^_={}+<>]")


@dataclass(frozen=True, slots=True)
class Found:
    """A formula in the text: its LaTeX and the end of its closing delimiter."""

    tex: str
    end: int
    is_display: bool


def find_inline(text: str, start: int, limit: int) -> Found | None:
    """The formula that opens at `start` and ends before `limit`, if there is one."""
    opener = text[start : start + 2]
    if opener in CLOSER:
        reach = min(limit, start + MAX_INLINE_CHARACTERS)
        close = text.find(CLOSER[opener], start + 2, reach)
        tex = text[start + 2 : close].strip()
        return Found(tex, close + 2, opener != "\\(") if close >= 0 and tex else None
    match = _DOLLARS.match(text, start, limit) if opener.startswith("$") else None
    if not match or _is_money(match["tex"]):
        return None
    return Found(match["tex"], match.end(), is_display=False)


def inline_rule(state: StateInline, silent: bool) -> bool:
    """Reads one formula in running text."""
    if state.src[state.pos] not in "$\\":
        return False
    found = find_inline(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push(INLINE, "", 0)
        token.content = found.tex
        token.meta |= {"end": found.end, "is_display": found.is_display}
    state.pos = found.end
    return True


def block_rule(state: StateBlock, first_line: int, end_line: int, silent: bool) -> bool:
    """Reads a formula on lines of its own, up to the first blank line at most.

    One whose end is missing because the text ends is taken for a formula under way if its opening
    delimiter stands alone.
    """
    if state.is_code_block(first_line):
        return False
    start = state.bMarks[first_line] + state.tShift[first_line]
    closer = CLOSER.get(state.src[start : start + 2])
    if closer is None or closer == "\\)":
        return False
    line, end = _find_close(state, first_line, end_line, closer)
    if line is None:
        return False
    if silent:
        return True
    state.line = min(line + 1, end_line)
    text = state.getLines(first_line, state.line, state.blkIndent, False).strip()
    token = state.push(BLOCK, "", 0)
    token.content = text[2:-2].strip() if end is not None else ""
    token.map = [first_line, state.line]
    token.meta["end"] = end
    return True


def _find_close(
    state: StateBlock, first_line: int, end_line: int, closer: str
) -> tuple[int | None, int | None]:
    """Line and position where the formula ends; without a position it is still under way."""
    position = state.bMarks[first_line] + state.tShift[first_line] + 2
    opens_alone = not state.src[position : state.eMarks[first_line]].strip()
    for line in range(first_line, min(end_line, first_line + MAX_BLOCK_LINES)):
        if line > first_line:
            if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
                return None, None
            position = state.bMarks[line] + state.tShift[line]
        close = state.src.find(closer, position, state.eMarks[line])
        if close >= 0:
            end = close + len(closer)
            stands_alone = not state.src[end : state.eMarks[line]].strip()
            has_content = not opens_alone or line > first_line + 1 or close > position
            return (line, end) if stands_alone and has_content else (None, None)
    under_way = opens_alone and end_line - first_line <= MAX_BLOCK_LINES
    return (end_line - 1, None) if under_way else (None, None)


def _is_money(tex: str) -> bool:
    return bool(_AMOUNT.match(tex)) and not _OPERATOR.search(tex)
