"""Tells apart, while a reply arrives, its reasoning, its answer and the calls of tools in it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from engine.base.types import ToolCall
from engine.text.reply_marks import CALLS, FAMILIES, CallMarks, Family
from engine.text.tool_calls import read_bare

_FENCE = "```"


class PartKind(StrEnum):
    """What a part of a reply is."""

    ANSWER = "answer"
    REASONING = "reasoning"
    CALL = "call"


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """A stretch of a reply between marks; offsets count characters of the reply's text.

    Attributes:
        start: where it begins, behind the mark; a closed call stands for its marks as well.
        end: where it ends so far.
        is_closed: nothing can be added to it.
        calls: the tools that a closed call asks for.
    """

    kind: PartKind
    start: int
    end: int
    is_closed: bool = False
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class SeparatedReply:
    """The parts of a whole reply, joined by kind."""

    reasoning: str
    answer: str
    calls: tuple[ToolCall, ...]


class ReplyReader:
    """Reads a reply that arrives in pieces, split anywhere.

    A reply belongs to the family whose mark it begins with. Calls count wherever they stand outside
    of reasoning and fenced code. What may yet become a mark is in no part; a call that makes no
    sense is text.
    """

    def __init__(self) -> None:
        self._text = ""
        self._at = 0  # what stands before is read
        self._parts: list[ReplyPart] = []
        self._family: Family | None = None
        self._marks = _marks_of(None)  # those that count in the answer
        self._call: tuple[CallMarks, int] | None = None  # the open one, and where its mark stands

    @property
    def text(self) -> str:
        """What has been fed."""
        return self._text

    def feed(self, piece: str) -> None:
        """Add text at the end."""
        self._text += piece
        self._read(is_whole=False)

    def finish(self) -> None:
        """Take the reply for complete."""
        self._read(is_whole=True)
        if self._call:
            self._close_call(len(self._text), len(self._text))
        first = self._parts[0]
        if self._family and self._family.is_prose and len(self._parts) == 1:
            start = first.start - len(self._family.opening)
            self._parts = [ReplyPart(PartKind.ANSWER, start, first.end)]
        self._parts = [replace(part, is_closed=True) for part in self._parts]
        answers = [part for part in self._parts if part.kind is PartKind.ANSWER]
        if len(answers) == 1 and not any(part.calls for part in self._parts):
            (answer,) = answers
            calls = read_bare(self._text[answer.start : answer.end].strip())
            if calls:
                place = self._parts.index(answer)
                self._parts[place] = replace(answer, kind=PartKind.CALL, calls=calls)

    def parts(self) -> Sequence[ReplyPart]:
        """The parts so far, in order."""
        return self._parts

    def _read(self, *, is_whole: bool) -> None:
        if not self._parts and not self._begin(is_whole=is_whole):
            return
        while self._step(is_whole=is_whole):
            pass

    def _begin(self, *, is_whole: bool) -> bool:
        """Learn the family from what the reply begins with; False while that is undecided."""
        lead = self._text.lstrip()
        start = len(self._text) - len(lead)
        family = next((one for one in FAMILIES if lead.startswith(one.sign or one.opening)), None)
        if family is None:
            signs = (one.sign or one.opening for one in FAMILIES)
            if not is_whole and (not lead or any(sign.startswith(lead) for sign in signs)):
                return False
            start = 0
        self._family, self._at = family, start
        self._marks = _marks_of(family)
        if family and not family.sign:
            self._open(PartKind.REASONING, start + len(family.opening))
        else:
            self._open(PartKind.ANSWER, start)
        return True

    def _step(self, *, is_whole: bool) -> bool:
        """Read on to the next mark; False where there is none yet."""
        part = self._parts[-1]
        if part.kind is PartKind.ANSWER:
            return self._step_in_answer(is_whole=is_whole)
        closing = self._closing()
        end = self._text.find(closing, self._at) if closing else -1
        if end < 0:
            held = 0 if is_whole or not closing else _unfinished(self._text, self._at, closing)
            self._grow(len(self._text) - held)
            return False
        if self._call:
            self._close_call(end, end + len(closing))
        else:
            self._grow(end)
            self._close()
            self._open(PartKind.ANSWER, end + len(closing))
        return True

    def _closing(self) -> str:
        """What ends the open part, which is no answer; "" where only the reply's end does."""
        if self._call:
            return self._call[0].closing
        return self._family.closing if self._family else ""

    def _step_in_answer(self, *, is_whole: bool) -> bool:
        found = self._marks.pattern.search(self._text, self._at)
        if found is None:
            held = 0 if is_whole else self._marks.unfinished(self._text, self._at)
            self._grow(len(self._text) - held)
            return False
        mark, at = found[0], found.start()
        if not is_whole and self._marks.may_grow(self._text[at:]):
            self._grow(at)
            return False
        answer = self._text[self._parts[-1].start : at]
        if answer.count(_FENCE) % 2 and not (self._family and self._family.sign):
            self._grow(found.end())  # it is told of, in code
            return True
        self._grow(at)
        call = self._marks.calls.get(mark)
        self._close()
        if call:
            self._call = call, at
            self._open(PartKind.CALL, found.end())
        elif self._family and mark == self._family.opening:
            self._open(PartKind.REASONING, found.end())
        else:
            self._open(PartKind.ANSWER, found.end())
        return True

    def _open(self, kind: PartKind, start: int) -> None:
        """Begin a part; an empty answer before it goes."""
        before = self._parts[-1] if self._parts else None
        if before and before.kind is PartKind.ANSWER and before.start == before.end:
            self._parts.pop()
        self._parts.append(ReplyPart(kind, start, start))
        self._at = start

    def _grow(self, end: int) -> None:
        self._parts[-1] = replace(self._parts[-1], end=end)
        self._at = end

    def _close(self) -> None:
        self._parts[-1] = replace(self._parts[-1], is_closed=True)

    def _close_call(self, end: int, behind: int) -> None:
        """End the open call: what it asks for, or text where that makes no sense."""
        if self._call is None:
            return
        marks, at = self._call
        self._call = None
        calls = marks.read(self._text[self._parts.pop().start : end])
        if calls:
            self._parts.append(ReplyPart(PartKind.CALL, at, behind, True, calls))
            self._open(PartKind.ANSWER, behind)
            return
        before = self._parts[-1] if self._parts else None
        if before and before.kind is PartKind.ANSWER and before.end == at:
            self._parts[-1] = replace(before, is_closed=False)
        else:
            self._open(PartKind.ANSWER, at)
        self._grow(behind)


def separate(text: str) -> SeparatedReply:
    """The reasoning, the answer and the calls of a whole reply."""
    reader = ReplyReader()
    reader.feed(text)
    reader.finish()
    parts = reader.parts()

    def joined(kind: PartKind) -> str:
        texts = (text[part.start : part.end].strip() for part in parts if part.kind is kind)
        return "\n\n".join(filter(None, texts))

    calls = tuple(call for part in parts for call in part.calls)
    return SeparatedReply(joined(PartKind.REASONING), joined(PartKind.ANSWER), calls)


def is_split(text: str) -> bool:
    """Whether templates want the reasoning of a reply and its answer apart."""
    return any(
        family.is_split and text.lstrip().startswith(family.sign or family.opening)
        for family in FAMILIES
    )


class _Marks:
    """A set of marks to look for."""

    def __init__(self, others: Iterable[str]) -> None:
        self.calls = {one.opening: one for one in CALLS}
        marks = sorted({*self.calls, *others}, key=len, reverse=True)
        self.pattern = re.compile("|".join(map(re.escape, marks)))
        self._beginnings = {mark[:size] for mark in marks for size in range(1, len(mark))}
        self._longest = max(map(len, marks))

    def may_grow(self, text: str) -> bool:
        """Whether a text is the beginning of a longer mark."""
        return text in self._beginnings

    def unfinished(self, text: str, start: int) -> int:
        """How many characters at the end of `text` may be the beginning of a mark."""
        longest = min(self._longest - 1, len(text) - start)
        sizes = range(longest, 0, -1)
        return next((size for size in sizes if text[-size:] in self._beginnings), 0)


@cache
def _marks_of(family: Family | None) -> _Marks:
    """The marks that count in an answer of a family."""
    return _Marks((family.opening, *family.hidden) if family and family.sign else ())


def _unfinished(text: str, start: int, mark: str) -> int:
    longest = min(len(mark) - 1, len(text) - start)
    return next((size for size in range(longest, 0, -1) if text.endswith(mark[:size])), 0)
