"""A conversation to the token ids of a prompt.

The template is given contents with private-use characters in them. Wherever it then moves, trims
or drops a content, those characters show what became of it, and so tell

- a whole reply, which re-enters by the ids that the model gave it and is never tokenised again;
- what a message says, where the name of a control token is plain text, from what the template
  says, where it is that token.

Between two special tokens contents and template are tokenised as one text, as models expect.
"""

import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from engine.base.errors import TemplateError
from engine.base.types import Message, Segment
from engine.text.chat_template import ChatTemplate
from engine.text.detokenizer import Detokenizer
from engine.text.seams import Seams, find_seams
from engine.text.tokenizer import Tokenizer

_PRIVATE_USE = (range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))  # planes 15 and 16
_ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply by the model that can re-enter by its ids; `place` is its place in the list."""

    place: int
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Rendering:
    """A conversation as text, and the messages as the template was given them."""

    text: str
    shown: Sequence[Message]


def build_prompt(
    messages: Sequence[Message], template: ChatTemplate, tokenizer: Tokenizer, **switches: object
) -> tuple[Segment, ...]:
    """The prompt that asks for the next reply, or lets the last message go on if it is a reply.

    Replies that carry `tokens` re-enter by them, without the one that ended them, unless the
    template shows them otherwise than whole (most drop earlier reasoning). A segment ends where a
    later prompt may part from this one.

    Args:
        messages: the conversation, in order.
        template: the model's.
        tokenizer: the model's.
        switches: variables that only some templates know, such as `enable_thinking`.

    Raises:
        TemplateError: a role is unknown, or the template fails, refuses the conversation or
            exceeds a limit.
    """
    check_roles(messages)
    if messages and messages[-1].role == "assistant":
        before = build_prompt(messages[:-1], template, tokenizer, **switches)
        return *before, _beginning(messages[-1], tokenizer)

    def render(shown: Sequence[Message]) -> _Rendering:
        return _Rendering(template.render(shown, add_generation_prompt=True, **switches), shown)

    said = "".join(message.content for message in messages)
    unused = _unused_characters(template.source + said)
    # For each character but white space, which templates trim.
    stand_ins = dict(zip(sorted(set("".join(said.split()))), unused, strict=False))
    # By the character that is to stand before and after each.
    replies = dict(zip(unused, _replies(messages, tokenizer), strict=False))
    rendering = _render_unforged(render, messages, stand_ins, tokenizer)
    rendering = _with_marks(render, rendering, replies, tokenizer)
    originals = str.maketrans({stand_in: original for original, stand_in in stand_ins.items()})
    seams = find_seams(template, tokenizer, **switches)
    return tuple(_segments(rendering, replies, originals, seams, tokenizer))


def _beginning(reply: Message, tokenizer: Tokenizer) -> Segment:
    """What there is of a reply that is to go on: its ids, or else its text in ids."""
    for known in _replies([reply], tokenizer):
        return Segment(known.ids, generated=True)
    parts = tokenizer.split_reply(reply.content)
    return Segment(tuple(tokenizer.encode_parts(parts, after_text=True)))


def check_roles(messages: Sequence[Message]) -> None:
    """Templates put roles together with parts of names, so a role must not be just any text.

    Raises:
        TemplateError: a role is unknown.
    """
    for message in messages:
        if message.role not in _ROLES:
            raise TemplateError(
                f"A message has the role {reprlib.repr(message.role)}, which is unknown. "
                f"Use one of {', '.join(_ROLES)}."
            )


def _unused_characters(text: str) -> Iterator[str]:
    used = set(text)
    return (mark for code in chain(*_PRIVATE_USE) if (mark := chr(code)) not in used)


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


def _render_unforged(
    render: Callable[[Sequence[Message]], _Rendering],
    messages: Sequence[Message],
    stand_ins: Mapping[str, str],
    tokenizer: Tokenizer,
) -> _Rendering:
    """The conversation with stand-ins for at least the names of control tokens in its contents.

    A template that takes contents apart, changes them or joins them may complete a name that stood
    in none. What it writes itself shows when nothing but stand-ins is said: where there are other
    control tokens without, that rendering it is.
    """
    table = str.maketrans(dict(stand_ins))
    rendering = render([_without_names(message, table, tokenizer) for message in messages])
    try:
        reference = render(
            [replace(message, content=message.content.translate(table)) for message in messages]
        )
    except TemplateError:  # it looks at what is said, and works with that
        return rendering
    alike = _controls(rendering.text, tokenizer) == _controls(reference.text, tokenizer)
    return rendering if alike else reference


def _without_names(message: Message, table: Mapping[int, str], tokenizer: Tokenizer) -> Message:
    """The message with stand-ins for the names of control tokens in it."""
    characters = list(message.content)
    for at, name in tokenizer.control_names(message.content):
        characters[at : at + len(name)] = name.translate(table)
    return replace(message, content="".join(characters))


def _controls(text: str, tokenizer: Tokenizer) -> list[int]:
    parts = tokenizer.split_special(text)
    return [part for part in parts if isinstance(part, int) and tokenizer.is_control(part)]


def _with_marks(
    render: Callable[[Sequence[Message]], _Rendering],
    plain: _Rendering,
    replies: Mapping[str, _Reply],
    tokenizer: Tokenizer,
) -> _Rendering:
    """The rendering with a mark before and after each reply.

    Where the template refuses the marks or they would lead it to another text, there are none.
    """
    if not replies:
        return plain
    shown = list(plain.shown)
    for mark, reply in replies.items():
        message = shown[reply.place]
        shown[reply.place] = replace(message, content=f"{mark}{message.content}{mark}")
    try:
        marked = render(shown).text
    except TemplateError:
        return plain
    unmarked = marked.translate(dict.fromkeys(map(ord, replies)))
    # A mark keeps a template from trimming what it holds, hence without white space.
    same = "".join(unmarked.split()) == "".join(plain.text.split())
    same = same and _controls(unmarked, tokenizer) == _controls(plain.text, tokenizer)
    return replace(plain, text=marked) if same else plain


def _segments(
    rendering: _Rendering,
    replies: Mapping[str, _Reply],
    originals: Mapping[int, str],
    seams: Seams,
    tokenizer: Tokenizer,
) -> Iterator[Segment]:
    at_start = True
    for text, reply in _split(rendering, replies):
        if reply:
            text = _ended_alike(text, rendering.text)
        parts = _with_originals(tokenizer.split_special(text), originals, tokenizer)
        ids = tokenizer.encode_parts(parts, after_text=not at_start)
        if at_start and tokenizer.adds_bos and ids[:1] != [tokenizer.bos_id]:
            ids[:0] = [] if tokenizer.bos_id is None else [tokenizer.bos_id]
        if ids:
            yield from map(Segment, seams.cut(ids))
        if reply:
            yield Segment(reply.ids, generated=True)
        at_start = at_start and not ids and not reply


def _split(
    rendering: _Rendering, replies: Mapping[str, _Reply]
) -> Iterator[tuple[str, _Reply | None]]:
    """Each text, with the whole reply that follows it; with the last text none does."""
    text = rendering.text
    if not replies:
        yield text, None
        return
    marks = f"[{''.join(replies)}]"
    start = 0
    for found in re.finditer(f"({marks})(.*?)\\1", text, re.DOTALL):
        reply = replies[found[1]]
        if found[2] == rendering.shown[reply.place].content:
            yield re.sub(marks, "", text[start : found.start()]), reply
            start = found.end()
    yield re.sub(marks, "", text[start:]), None


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


def _with_originals(
    parts: Iterable[str | int], originals: Mapping[int, str], tokenizer: Tokenizer
) -> Iterator[str | int]:
    """The parts with what was said for its stand-ins, in which no control token is recognised."""
    for part in parts:
        if isinstance(part, str):
            yield from tokenizer.split_special(part.translate(originals), control=False)
        else:
            yield part
