"""A conversation to the token ids of a prompt.

The template is given contents with private-use characters in them. Wherever it then moves, trims
or drops a content, those characters show what became of it, and so tell

- a whole reply, which re-enters by the ids that the model gave it and is never tokenised again;
- what a message says, where the name of a control token is plain text, from what the template
  says, where it is that token.

Between two special tokens contents and template are tokenised as one text, as models expect.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from engine.base.types import Message, Segment
from engine.text.chat_template import ChatTemplate
from engine.text.detokenizer import Detokenizer
from engine.text.tokenizer import Tokenizer

_PRIVATE_USE = (range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))  # planes 15 and 16


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply by the model that can re-enter by its ids; `place` is its place in the list."""

    place: int
    ids: tuple[int, ...]


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

    def render(part: Sequence[Message]) -> str:
        return template.render(part, add_generation_prompt=True, **switches)

    unused = _unused_characters([template.source, *(message.content for message in messages)])
    breaker = next(unused)
    shown = [_with_names_broken(message, breaker, tokenizer) for message in messages]
    # By the character that is to stand before and after each.
    replies = dict(zip(unused, _replies(messages, tokenizer), strict=False))
    segments: list[Segment] = []
    rendered = _render_marked(render, shown, replies)
    for text, reply in _split(rendered, shown, replies):
        if reply:
            text = _ended_alike(text, rendered)
        ids = _encode(text, breaker, tokenizer, after_text=bool(segments))
        if not segments and tokenizer.adds_bos and ids[:1] != [tokenizer.bos_id]:
            ids[:0] = [] if tokenizer.bos_id is None else [tokenizer.bos_id]
        if ids:
            segments.append(Segment(tuple(ids)))
        if reply:
            segments.append(Segment(reply.ids, generated=True))
    return tuple(segments)


def _unused_characters(texts: Iterable[str]) -> Iterator[str]:
    used = set().union(*texts)
    return (mark for code in chain(*_PRIVATE_USE) if (mark := chr(code)) not in used)


def _with_names_broken(message: Message, breaker: str, tokenizer: Tokenizer) -> Message:
    """The message with `breaker` after the first character of each control token's name in it."""
    parts, start = [], 0
    for at in tokenizer.control_starts(message.content):
        parts.append(message.content[start : at + 1])
        start = at + 1
    return replace(message, content=breaker.join([*parts, message.content[start:]]))


def _replies(messages: Sequence[Message], tokenizer: Tokenizer) -> Iterator[_Reply]:
    """The messages with ids that spell their content in this vocabulary, not in another model's.

    A stop string may have cut the content short, and white space around it does not count.
    """
    for place, message in enumerate(messages):
        ids = message.tokens or ()
        if ids and ids[-1] in tokenizer.end_of_generation:
            ids = ids[:-1]
        content = message.content.strip()
        if content and all(0 <= index < tokenizer.vocab_size for index in ids):
            spelled = Detokenizer(tokenizer).add(ids)
            if spelled.strip().startswith(content):
                yield _Reply(place, ids)


def _render_marked(
    render: Callable[[Sequence[Message]], str],
    shown: Sequence[Message],
    replies: Mapping[str, _Reply],
) -> str:
    """The conversation rendered with a mark before and after each reply.

    Where the marks would lead the template to another text, there are none.
    """
    plain = render(shown)
    if not replies:
        return plain
    marked = list(shown)
    for mark, reply in replies.items():
        content = shown[reply.place].content
        marked[reply.place] = replace(shown[reply.place], content=f"{mark}{content}{mark}")
    rendered = render(marked)
    # A mark keeps a template from trimming what it holds, hence without white space.
    same = _letters(rendered, omitted=replies) == _letters(plain)
    return rendered if same else plain


def _letters(text: str, omitted: Iterable[str] = ()) -> str:
    return "".join(text.translate(dict.fromkeys(map(ord, omitted))).split())


def _split(
    rendered: str, shown: Sequence[Message], replies: Mapping[str, _Reply]
) -> Iterator[tuple[str, _Reply | None]]:
    """Each text, with the whole reply that follows it; with the last text none does."""
    if not replies:
        yield rendered, None
        return
    marks = f"[{''.join(replies)}]"
    start = 0
    for found in re.finditer(f"({marks})(.*?)\\1", rendered, re.DOTALL):
        reply = replies[found[1]]
        if found[2] == shown[reply.place].content:
            yield re.sub(marks, "", rendered[start : found.start()]), reply
            start = found.end()
    yield re.sub(marks, "", rendered[start:]), None


def _ended_alike(text: str, prompt: str) -> str:
    """A text before a reply with the white space that ends `prompt`, if the same word does.

    So it stood when the reply was asked for. Some templates then put a space between the two, which
    the model had written itself or done without.
    """
    body = prompt.rstrip()
    last_word = body.rsplit(None, 1)[-1:]
    if last_word and text.rstrip().endswith(last_word[0]):
        return text.rstrip() + prompt[len(body) :]
    return text


def _encode(text: str, breaker: str, tokenizer: Tokenizer, *, after_text: bool) -> list[int]:
    parts = (
        part.replace(breaker, "") if isinstance(part, str) else part
        for part in tokenizer.split_special(text)
    )
    return tokenizer.encode_parts(parts, after_text=after_text)
