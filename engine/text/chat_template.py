"""Chat templates: a conversation to the text that a model was trained to see."""

import traceback
from collections.abc import Mapping, Sequence

import jinja2

from engine.base.errors import TemplateError
from engine.base.types import Message
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
THINKING_SWITCH = "enable_thinking"
"""The variable by which templates of Qwen 3, GLM, SmolLM 3 and others are told to reason."""

_PROBE = (Message("user", "Hello"),)
_LONGEST_SOURCE = 1 << 18  # characters; public templates have up to 30,000
_LONGEST_CAUSE = 200
# Of DeepSeek R1, Qwen 3 and GLM; Magistral; Seed-OSS; Kimi.
_REASONING_MARKS = ("<think>", "<thinking>", "[THINK]", "<seed:think>", "◁think▷")


class ChatTemplate:
    """A chat template in Jinja, as Hugging Face's `apply_chat_template` understands it.

    Args:
        source: the template.
        bos: the text of the token that begins a text, "" if there is none.
        eos: the text of the token that ends one.

    Raises:
        TemplateError: the template cannot be compiled.
    """

    def __init__(self, source: str, *, bos: str = "", eos: str = "") -> None:
        if len(source) > _LONGEST_SOURCE:
            raise TemplateError(
                f"The chat template in this model's file has {len(source):,} characters, which no "
                "real one has. Choose another file of the model."
            )
        self.source = source
        self._tokens = {"bos_token": bos, "eos_token": eos}
        try:
            self._code = compile_template(source)
        except Exception as error:  # strangers' text: it may fail in any way
            line = error.lineno if isinstance(error, jinja2.TemplateSyntaxError) else None
            raise _failure(error, line) from error

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
        prompt = self._prompt(thinking=True).rstrip()
        return next((mark for mark in _REASONING_MARKS if prompt.endswith(mark)), "")

    def _prompt(self, thinking: bool | None = None) -> str:
        """What asks for a reply to a greeting; empty where the template refuses that."""
        switches = {} if thinking is None else {THINKING_SWITCH: thinking}
        try:
            return self.render(_PROBE, **switches)
        except TemplateError:  # it needs more than one message; requests will tell
            return ""

    def render(
        self, messages: Sequence[Message], *, add_generation_prompt: bool = True, **switches: object
    ) -> str:
        """The conversation as text.

        Args:
            messages: in their order.
            add_generation_prompt: whether to end with what begins a reply.
            switches: variables that only some templates know, such as `enable_thinking`.

        Raises:
            TemplateError: the template fails, refuses the conversation or exceeds a limit.
        """
        template = instantiate(self._code, sum(len(turn.content) for turn in messages))
        variables = {
            "tools": None,
            "documents": None,
            **switches,
            **self._tokens,
            "messages": [{"role": turn.role, "content": turn.content} for turn in messages],
            "add_generation_prompt": add_generation_prompt,
        }
        try:
            return "".join(template.root_render_func(template.new_context(variables)))
        except Exception as error:  # strangers' text: it may fail in any way
            raise _failure(error, _line(error, template)) from error


def make_chat_template(source: str | None, tokenizer: Tokenizer) -> ChatTemplate:
    """The chat template that a model's files hold, or ChatML where they hold none.

    Raises:
        TemplateError: the template cannot be compiled.
    """
    bos, eos = (
        "" if index is None else tokenizer.piece(index)
        for index in (tokenizer.bos_id, tokenizer.eos_id)
    )
    return ChatTemplate(source if source and source.strip() else CHATML, bos=bos, eos=eos)


def load_chat_template(metadata: Mapping[str, object], tokenizer: Tokenizer) -> ChatTemplate:
    """The chat template in a GGUF file's metadata, or ChatML where it has none.

    Raises:
        TemplateError: the template cannot be compiled.
    """
    source = metadata.get("tokenizer.chat_template")
    return make_chat_template(source if isinstance(source, str) else None, tokenizer)


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
    if isinstance(error, TemplateRefusalError):
        sentence = f"This model's chat template refuses the conversation{where}: {cause}."
    else:
        sentence = (
            f"The chat template in this model's file fails{where}: {cause}. "
            "Another file of the model may have a working one."
        )
    return TemplateError(sentence, details=f"{type(error).__name__}: {error}"[:10_000])
