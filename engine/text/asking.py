"""What asks a model for the next reply of a conversation, also where its template does not like it.

Some templates refuse system messages or roles that do not alternate. Then the same is said in
another way. Where a template fails altogether, ChatML stands in for it, and a notice says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.base.errors import ConversationRefusedError, TemplateError
from engine.base.types import Message, Segment
from engine.text.chat_template import CHATML, IN_CHATML, ChatTemplate
from engine.text.prompt import build_prompt, check_roles
from engine.text.reply_reader import is_split, separate
from engine.text.tokenizer import Tokenizer

CHATML_END = "<|im_end|>"
"""What ends a message in ChatML."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A prompt, and what is to be known of the reply that it asks for.

    Attributes:
        opening: what the prompt says of the reply already: a mark of reasoning, or its beginning.
        stop: texts that end the reply.
        notice: a sentence for people where the model's own template could not be used, else empty.
    """

    prompt: tuple[Segment, ...]
    opening: str = ""
    stop: tuple[str, ...] = ()
    notice: str = ""


def ask(
    messages: Sequence[Message],
    template: ChatTemplate,
    tokenizer: Tokenizer,
    thinking: bool | None = None,
) -> Asking:
    """The prompt for the next reply, or for the rest of the last message if that is a reply.

    Args:
        messages: the conversation, in order.
        template: the model's.
        tokenizer: the model's.
        thinking: whether to reason first, where the template leaves the choice; None: its own.

    Raises:
        TemplateError: a role is unknown.
    """
    check_roles(messages)
    failure: TemplateError | None = None
    for told in _ways_to_tell(messages):
        try:
            return _asked(told, template, tokenizer, thinking)
        except ConversationRefusedError as error:
            failure = failure or error
        except TemplateError as error:
            failure = error
            break
    chatml = ChatTemplate(CHATML, notice=f"{failure} {IN_CHATML}")
    return _asked(messages, chatml, tokenizer, thinking)


def _asked(
    messages: Sequence[Message],
    template: ChatTemplate,
    tokenizer: Tokenizer,
    thinking: bool | None,
) -> Asking:
    goes_on = bool(messages) and messages[-1].role == "assistant"
    last = messages[-1:] if goes_on else ()
    told = [*map(_split, messages[: len(messages) - len(last)]), *last]
    prompt = build_prompt(told, template, tokenizer, **template.switches(thinking))
    begun = last[0].content if last else ""
    # Where the vocabulary knows ChatML's end only as text, nothing else would end a reply.
    stop = (CHATML_END,) if template.source == CHATML else ()
    return Asking(prompt, template.opening(thinking) + begun, stop, template.notice)


def _split(message: Message) -> Message:
    """A reply whose marks no template knows in a text, with its reasoning beside its answer."""
    if message.role != "assistant" or not is_split(message.content):
        return message
    said = separate(message.content)
    return replace(message, content=said.answer, reasoning=said.reasoning)


def _ways_to_tell(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """The conversation as it is, without system messages, and with roles that alternate too."""
    yield messages
    folded = _without_system(messages)
    if folded != messages:
        yield folded
    joined = _alternating(folded)
    if joined != folded:
        yield joined


def _without_system(messages: Sequence[Message]) -> list[Message]:
    """What the system says stands before what the person says next."""
    told: list[Message] = []
    before: list[str] = []
    for message in messages:
        if message.role == "system":
            before.append(message.content)
        elif message.role == "user" and before:
            told.append(replace(message, content="\n\n".join([*before, message.content])))
            before = []
        else:
            told.append(message)
    return [*told, *(Message("user", content) for content in before)]


def _alternating(messages: Sequence[Message]) -> list[Message]:
    """Neighbours of one role as one message; a person speaks first."""
    told: list[Message] = []
    for message in messages:
        if told and told[-1].role == message.role:
            content = f"{told[-1].content}\n\n{message.content}"
            told[-1] = Message(message.role, content)
        else:
            told.append(message)
    if told and told[0].role == "assistant":
        told.insert(0, Message("user", ""))
    return told
