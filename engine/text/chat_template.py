"""Chat templates: a conversation to the text that a model was trained to see."""

import traceback
from collections.abc import Mapping, Sequence

import jinja2

from engine.base.errors import ConversationRefusedError, TemplateError
from engine.base.types import Message
from engine.text.reply_marks import opening_at_end
from engine.text.template_sandbox import (
    FILE_NAME,
    TemplateRefusalError,
    compile_template,
    instantiate,
)
from engine.text.tokenizer import Tokenizer

# https://github.com/openai/openai-python/blob/v0.28.1/chatml.md
CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
TEMPLATE_KEY = "tokenizer.chat_template"
"""Where a file's metadata holds it."""

IN_CHATML = "The conversation is put into ChatML instead, so answers may be worse."
"""What follows where a template fails."""

# The variables by which templates are told to reason, each with what says yes and what says no.
_SWITCHES: dict[str, tuple[object, object]] = {
    "enable_thinking": (True, False),  # Qwen 3, GLM, SmolLM 3, Gemma 4, Hunyuan, …
    "thinking": (True, False),  # DeepSeek 3.1, Granite, Kimi
    "reasoning": (True, False),  # Command A
    "thinking_budget": (-1, 0),  # Seed-OSS: tokens, where -1 is no limit
}
_EFFORT = "reasoning_effort"  # gpt-oss, Mistral: a word
_LEAST_EFFORTS = ("none", "minimal", "low")  # of which a template knows one or another

_PROBE = (Message("user", "Hello"),)
_LONGEST_SOURCE = 1 << 18  # characters; public templates have up to 30,000
_LONGEST_CAUSE = 200


class ChatTemplate:
    """A chat template in Jinja, as Hugging Face's `apply_chat_template` understands it.

    Args:
        source: the template.
        bos: the text of the token that begins a text, "" if there is none.
        eos: the text of the token that ends one.
        notice: a sentence for people where this one stands in for another, else empty.

    Raises:
        TemplateError: the template cannot be compiled.
    """

    def __init__(self, source: str, *, bos: str = "", eos: str = "", notice: str = "") -> None:
        if len(source) > _LONGEST_SOURCE:
            raise TemplateError(
                f"The chat template in this model's file has {len(source):,} characters, which no "
                "real one has. Choose another file of the model."
            )
        self.source = source
        self.notice = notice
        self._tokens = {"bos_token": bos, "eos_token": eos}
        try:
            self._code, self._variables = compile_template(source)
        except Exception as error:  # strangers' text: it may fail in any way
            line = error.lineno if isinstance(error, jinja2.TemplateSyntaxError) else None
            raise _failure(error, line) from error
        self._in_parts = self._wants_parts()

    @property
    def has_thinking(self) -> bool:
        """Whether a reply is asked for in another way with reasoning than without."""
        return self._prompt(thinking=True) != self._prompt(thinking=False)

    @property
    def thinks_unasked(self) -> bool:
        """Whether a reply is asked for with reasoning where nothing is said of it."""
        return self._prompt() == self._prompt(thinking=True)

    @property
    def reasoning_mark(self) -> str:
        """The mark with which the prompt itself begins reasoning; empty where it does not.

        A reply then ends its reasoning with a mark, and has none that begins it.
        """
        return self.opening(thinking=True)

    def opening(self, thinking: bool | None) -> str:
        """The mark of reasoning with which a prompt ends that asks for a reply in this way."""
        return opening_at_end(self._prompt(thinking))

    def switches(self, thinking: bool | None) -> dict[str, object]:
        """The variables that ask for reasoning, or for none; those alone that the template knows.

        Args:
            thinking: None leaves it to the template.
        """
        if thinking is None:
            return {}
        known = self._variables & _SWITCHES.keys()
        switches = {name: _SWITCHES[name][0 if thinking else 1] for name in known}
        if _EFFORT in self._variables:
            least = next((word for word in _LEAST_EFFORTS if self._names(word)), "low")
            if not thinking:
                switches[_EFFORT] = least
            elif least == "none":  # what such a template does unasked
                switches[_EFFORT] = "high"
        return switches

    def _names(self, word: str) -> bool:
        return f"'{word}'" in self.source or f'"{word}"' in self.source

    def _prompt(self, thinking: bool | None = None) -> str:
        """What asks for a reply to a greeting; empty where the template refuses that."""
        try:
            return self.render(_PROBE, add_generation_prompt=True, **self.switches(thinking))
        except TemplateError:  # it needs more than one message; requests will tell
            return ""

    def _wants_parts(self) -> bool:
        """Whether contents are to be lists of parts, as some templates for images expect."""
        said = _PROBE[0].content
        self._in_parts = False
        if said in self._prompt():
            return False
        self._in_parts = True
        return said in self._prompt()

    def _as_given(self, message: Message) -> dict[str, object]:
        """A message as templates know it."""
        content = [{"type": "text", "text": message.content}] if self._in_parts else message.content
        given: dict[str, object] = {"role": message.role, "content": content}
        if message.reasoning:  # most call it by the first name, gpt-oss by the second
            given |= {"reasoning_content": message.reasoning, "thinking": message.reasoning}
        return given

    def render(
        self, messages: Sequence[Message], *, add_generation_prompt: bool = True, **switches: object
    ) -> str:
        """The conversation as text.

        Args:
            messages: in their order.
            add_generation_prompt: whether to end with what begins a reply.
            switches: variables that only some templates know, such as `enable_thinking`.

        Raises:
            ConversationRefusedError: the template refuses the conversation.
            TemplateError: it fails or exceeds a limit.
        """
        given = sum(len(turn.content) + len(turn.reasoning) for turn in messages)
        template = instantiate(self._code, given)
        variables = {
            "tools": None,
            "documents": None,
            **switches,
            **self._tokens,
            "messages": [self._as_given(turn) for turn in messages],
            "add_generation_prompt": add_generation_prompt,
        }
        try:
            return "".join(template.root_render_func(template.new_context(variables)))
        except Exception as error:  # strangers' text: it may fail in any way
            raise _failure(error, _line(error, template)) from error


def make_chat_template(source: object, *, bos: str = "", eos: str = "") -> ChatTemplate:
    """A model's chat template; ChatML where it has none that works.

    Args:
        source: what a model's files hold for one; anything but a text is none.
        bos: as `ChatTemplate` takes it.
        eos: as `ChatTemplate` takes it.
    """
    notice = ""
    if isinstance(source, str) and source.strip():
        try:
            template = ChatTemplate(source, bos=bos, eos=eos)
            template.render(_PROBE)
            return template
        except ConversationRefusedError:  # it wants another conversation
            return template
        except TemplateError as error:
            notice = f"{error} {IN_CHATML}"
    return ChatTemplate(CHATML, bos=bos, eos=eos, notice=notice)


def load_chat_template(metadata: Mapping[str, object], tokenizer: Tokenizer) -> ChatTemplate:
    """The chat template in a file's metadata; ChatML where it has none that works."""
    bos, eos = (
        "" if index is None else tokenizer.piece(index)
        for index in (tokenizer.bos_id, tokenizer.eos_id)
    )
    return make_chat_template(metadata.get(TEMPLATE_KEY), bos=bos, eos=eos)


def _line(error: BaseException, template: jinja2.Template) -> int | None:
    """The line of the template in which an error arose."""
    lines = [
        template.get_corresponding_lineno(line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == FILE_NAME
    ]
    return lines[-1] if lines else None


def _failure(error: Exception, line: int | None) -> TemplateError:
    cause = " ".join(str(error).split())[:_LONGEST_CAUSE].rstrip(".") or type(error).__name__
    where = "" if line is None else f" at line {line}"
    details = f"{type(error).__name__}: {error}"[:10_000]
    if isinstance(error, TemplateRefusalError):
        sentence = f"This model's chat template refuses the conversation{where}: {cause}."
        return ConversationRefusedError(sentence, details=details)
    sentence = (
        f"The chat template in this model's file fails{where}: {cause}. "
        "Another file of the model may have a working one."
    )
    return TemplateError(sentence, details=details)
