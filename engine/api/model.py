"""A loaded model: what runs it, and what turns text into tokens and back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.base.errors import UnsupportedModelError
from engine.base.types import ChatOptions, LoadedModel, Message, Request, Segment
from engine.gguf.model_file import ModelFile
from engine.models.runner import Runner
from engine.speculative.priority import PriorityList
from engine.text.chat_template import CHATML, THINKING_SWITCH, ChatTemplate
from engine.text.prompt import build_prompt
from engine.text.tokenizer import Tokenizer

CHATML_END = "<|im_end|>"
"""What ends a message in ChatML."""


@dataclass(frozen=True, slots=True)
class PresentModel:
    """A model that runs while another is loaded, and gives way where there is no room for both.

    Attributes:
        held_bytes: by device, what that gives back at least.
        unload: ends it and waits until its memory is free.
    """

    held_bytes: Mapping[str, int]
    unload: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model with its text formats.

    Attributes:
        loaded: the facts that callers see.
        files: the mapped files; weights are read from them until `close`.
        methods: what can draft.
        tokenizer: None where the file has none that can be used.
        template: None where conversations cannot be put into the model's format.
        problem: why one of them is missing; empty otherwise.
        held_bytes: by device, what unloading it gives back at least: its weights.
    """

    loaded: LoadedModel
    files: tuple[ModelFile, ...]
    runner: Runner
    methods: PriorityList
    tokenizer: Tokenizer | None
    template: ChatTemplate | None
    problem: str
    held_bytes: Mapping[str, int]

    def prompt(
        self, messages: Sequence[Message], thinking: bool | None = None
    ) -> tuple[Segment, ...]:
        """A conversation in the model's own chat format; `thinking` as in `ChatOptions`.

        Raises:
            UnsupportedModelError: the file has no tokenizer or template that can be used.
            TemplateError: its template refuses the conversation.
        """
        if self.tokenizer is None or self.template is None:
            raise UnsupportedModelError(self.problem)
        switches = {} if thinking is None else {THINKING_SWITCH: thinking}
        return build_prompt(messages, self.template, self.tokenizer, **switches)

    def count_tokens(self, text: str) -> int:
        """How many tokens a text has as part of a message.

        Raises:
            UnsupportedModelError: the file has no tokenizer that can be used.
        """
        if self.tokenizer is None:
            raise UnsupportedModelError(self.problem)
        return len(self.tokenizer.encode(text, add_special=False, parse_special=False))

    def request(self, messages: Sequence[Message], options: ChatOptions) -> Request:
        """The request for the next reply of a conversation; raises as `prompt` does."""
        stop = options.stop
        if self.template and self.template.source == CHATML:
            # Where the vocabulary knows ChatML's end only as text, nothing else would end a reply.
            stop = (*stop, CHATML_END)
        prompt = self.prompt(messages, options.thinking)
        return Request(
            prompt, options.max_tokens, options.sampling, stop, drafting=options.drafting
        )

    def close(self) -> None:
        """Let the files go."""
        for file in self.files:
            file.close()
