"""A conversation to the token ids of a prompt.

The template is given contents with private-use characters in them. Wherever it then moves, trims
or drops a content, those characters show what became of it, and so tell

- a whole reply, which re-enters by the ids that the model gave it and is never tokenised again;
- what a message says, where the name of a control token is plain text, from what the template
  says, where it is that token.

Between two special tokens contents and template are tokenised as one text, as models expect.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from engine.base.types import Message, Segment
from engine.text.chat_template import ChatTemplate
from engine.text.detokenizer import Detokenizer
from engine.text.tokenizer import Tokenizer

_PRIVATE_USE = (range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))  # planes 15 and 16


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply by the model: its place in the conversation, its content as the template gets it."""

    place: int
    content: str
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Marked:
    """A conversation made ready for the template."""

    messages: list[Message]
    breaker: str  # stands inside names of control tokens in contents, so that they are none
    replies: Mapping[str, _Reply]  # by the character that stands before and after each


def build_prompt(
    messages: Sequence[Message], template: ChatTemplate, tokenizer: Tokenizer, **switches: object
) -> tuple[Segment, ...]:
    """The prompt that asks for the next reply.

    Replies that carry `tokens` re-enter by them, without the one that ended them, unless the
    template shows them otherwise than whole (most drop earlier reasoning).

    Args:
        messages: the conversation, in order.
        template: the model's.
        tokenizer: the model's.
        switches: variables that only some templates know, such as `enable_thinking`.

    Raises:
        TemplateError: the template fails, refuses the conversation or exceeds a limit.
    """
    marked = _mark(messages, template.source, tokenizer)
    rendered = template.render(marked.messages, add_generation_prompt=True, **switches)
    segments: list[Segment] = []
    for text, reply in _split(rendered, marked.replies):
        if reply and text[-1:].isspace() and _begins_with_space(reply, tokenizer):
            # Some templates put a space before replies of models that begin with it themselves.
            before = messages[: reply.place]
            asked = template.render(before, add_generation_prompt=True, **switches)
            text = text.rstrip() + asked[len(asked.rstrip()) :]
        ids = _encode(text, marked.breaker, tokenizer, after_text=bool(segments))
        if not segments and tokenizer.adds_bos and ids[:1] != [tokenizer.bos_id]:
            ids[:0] = [] if tokenizer.bos_id is None else [tokenizer.bos_id]
        if ids:
            segments.append(Segment(tuple(ids)))
        if reply:
            segments.append(Segment(reply.ids, generated=True))
    return tuple(segments)


def _mark(messages: Sequence[Message], source: str, tokenizer: Tokenizer) -> _Marked:
    unused = _unused_characters([source, *(message.content for message in messages)])
    breaker = next(unused)
    marked: list[Message] = []
    replies: dict[str, _Reply] = {}
    for place, message in enumerate(messages):
        content = _broken_names(message.content, breaker, tokenizer)
        if ids := _reply_ids(message, tokenizer):
            mark = next(unused)
            replies[mark] = _Reply(place, content, ids)
            content = f"{mark}{content}{mark}"
        marked.append(replace(message, content=content))
    return _Marked(marked, breaker, replies)


def _unused_characters(texts: Iterable[str]) -> Iterator[str]:
    used = set().union(*texts)
    return (mark for code in chain(*_PRIVATE_USE) if (mark := chr(code)) not in used)


def _broken_names(content: str, breaker: str, tokenizer: Tokenizer) -> str:
    """The content with `breaker` after the first character of each control token's name."""
    parts, start = [], 0
    for at in tokenizer.control_starts(content):
        parts.append(content[start : at + 1])
        start = at + 1
    return breaker.join([*parts, content[start:]])


def _reply_ids(message: Message, tokenizer: Tokenizer) -> tuple[int, ...]:
    """The ids that a message re-enters by: none unless this vocabulary spells its content so.

    A stop string may have cut the content short, and white space around it does not count.
    """
    ids = message.tokens or ()
    if ids and ids[-1] in tokenizer.end_of_generation:
        ids = ids[:-1]
    if not message.content.strip() or not all(0 <= i < tokenizer.vocab_size for i in ids):
        return ()
    spelled = Detokenizer(tokenizer).add(ids)
    return ids if spelled.strip().startswith(message.content.strip()) else ()


def _split(rendered: str, replies: Mapping[str, _Reply]) -> Iterator[tuple[str, _Reply | None]]:
    """Each text, with the whole reply that follows it; with the last text none does."""
    if not replies:
        yield rendered, None
        return
    marks = f"[{''.join(replies)}]"
    start = 0
    for found in re.finditer(f"({marks})(.*?)\\1", rendered, re.DOTALL):
        reply = replies[found[1]]
        if found[2] == reply.content:
            yield re.sub(marks, "", rendered[start : found.start()]), reply
            start = found.end()
    yield re.sub(marks, "", rendered[start:]), None


def _begins_with_space(reply: _Reply, tokenizer: Tokenizer) -> bool:
    return tokenizer.token_bytes(reply.ids[0])[:1].isspace()


def _encode(text: str, breaker: str, tokenizer: Tokenizer, *, after_text: bool) -> list[int]:
    parts = (
        part.replace(breaker, "") if isinstance(part, str) else part
        for part in tokenizer.split_special(text)
    )
    return tokenizer.encode_parts(parts, after_text=after_text)
