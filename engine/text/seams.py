"""Where turns of a conversation meet in the ids of its prompt, as the model's template puts them.

A later prompt parts from this one where a turn begins: a message is edited, or an earlier reply is
shown without its reasoning. What is computed up to there can be used again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from engine.base.errors import TemplateError
from engine.base.types import Message
from engine.text.chat_template import ChatTemplate
from engine.text.tokenizer import Tokenizer

_ASKED, _ANSWERED, _ASKED_NEXT = "\U000f0000", "\U000f0001", "\U000f0002"  # nobody else's


@dataclass(frozen=True, slots=True)
class Seams:
    """Ids that a template writes between turns, from a control token on; empty if there is none.

    Attributes:
        before_question: what follows a message where the next one is a person's.
        before_reply: what stands before a reply, both where one is asked for and in what was said.
            Some templates put more behind it where they ask for one, such as a mark of reasoning.
    """

    before_question: list[int]
    before_reply: list[int]

    def cut(self, ids: list[int]) -> Iterator[tuple[int, ...]]:
        """A prompt's ids in parts: one ends before each message of a person, and each reply."""
        questions = _places(self.before_question, ids)
        replies = (place + len(self.before_reply) for place in _places(self.before_reply, ids))
        for start, end in pairwise(sorted({0, *questions, *replies, len(ids)})):
            yield tuple(ids[start:end])


def find_seams(template: ChatTemplate, tokenizer: Tokenizer, **switches: object) -> Seams:
    """Ask a template with contents that are not its own; `switches` as for a prompt."""
    told = [Message("user", _ASKED), Message("assistant", _ANSWERED), Message("user", _ASKED_NEXT)]
    try:
        asking, talk = (
            template.render(messages, add_generation_prompt=True, **switches)
            for messages in (told[:1], told)
        )
    except TemplateError:  # it wants to be told something else
        return Seams([], [])
    before_reply = _seam(_between(talk, _ASKED, _ANSWERED), tokenizer)
    both = zip(_seam(asking.partition(_ASKED)[2], tokenizer), before_reply, strict=False)
    question = _seam(_between(talk, _ANSWERED, _ASKED_NEXT), tokenizer)
    if question and not tokenizer.is_control(question[-1]):
        question.pop()  # which a message may begin with another way
    return Seams(question, [ours for ours, _ in takewhile(lambda pair: pair[0] == pair[1], both)])


def _between(text: str, start: str, end: str) -> str:
    """What stands between two characters; empty where one of them is not there."""
    found, there, _ = text.partition(start)[2].partition(end)
    return found if there else ""


def _seam(text: str, tokenizer: Tokenizer) -> list[int]:
    """The ids of a text from its first control token on."""
    ids = tokenizer.encode_parts(tokenizer.split_special(text), after_text=True)
    first = next((at for at, index in enumerate(ids) if tokenizer.is_control(index)), len(ids))
    return ids[first:]


def _places(seam: Sequence[int], ids: list[int]) -> Iterator[int]:
    """Where a seam begins in the ids."""
    if seam:
        for at, index in enumerate(ids):
            if index == seam[0] and ids[at : at + len(seam)] == seam:
                yield at
