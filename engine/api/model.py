"""A loaded model: what runs it, and what turns text into tokens and back."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.api.opening import OpenModel
from engine.base.errors import UnsupportedModelError
from engine.base.types import ChatOptions, LoadedModel, Message, Request
from engine.models.runner import Runner
from engine.speculative.draft_model import DraftModel
from engine.speculative.methods import exchange_draft
from engine.speculative.priority import PriorityList
from engine.text.asking import Asking, ask
from engine.text.chat_template import ChatTemplate
from engine.text.tokenizer import Tokenizer

HeldBytes = Mapping[str, int]
"""By device, what a model that is let go gives back at least."""


@dataclass(frozen=True, slots=True)
class PresentModel:
    """A model that runs while another is loaded, and gives way where there is no room for both.

    Attributes:
        held_bytes: what that gives back.
        unload: ends it and waits until its memory is free.
    """

    held_bytes: HeldBytes
    unload: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Drafter:
    """A loaded model that drafts for another.

    Attributes:
        opened: its file, from which weights are read until `close`, and how it runs.
        model: what proposes.
        held_bytes: what letting it go gives back.
    """

    opened: OpenModel
    model: DraftModel
    held_bytes: HeldBytes

    def close(self) -> None:
        """Let the file go."""
        self.opened.file.close()


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model with its text formats.

    Attributes:
        loaded: the facts that callers see.
        opened: its file, from which weights are read until `close`, and how it runs.
        drafter: the model that drafts for it, if there is one.
        methods: what can draft.
        tokenizer: None where the file has none that can be used.
        template: None where there is no tokenizer.
        problem: why they are missing; empty otherwise.
        own_bytes: what unloading it gives back, without its drafter.
    """

    loaded: LoadedModel
    opened: OpenModel
    drafter: Drafter | None
    runner: Runner
    methods: PriorityList
    tokenizer: Tokenizer | None
    template: ChatTemplate | None
    problem: str
    own_bytes: HeldBytes

    @property
    def held_bytes(self) -> HeldBytes:
        """What unloading it and its drafter gives back."""
        return Counter(self.own_bytes) + Counter(self.drafter.held_bytes if self.drafter else {})

    def drafted_by(self, drafter: Drafter | None) -> "Model":
        """The same model with another drafter; nothing is closed."""
        draft_model = drafter.model if drafter else None
        methods = exchange_draft(self.methods, self.runner.vocab_size, draft_model)
        draft = drafter.opened.summary if drafter else None
        loaded = replace(self.loaded, draft=draft, methods=methods.methods)
        return replace(self, loaded=loaded, drafter=drafter, methods=methods)

    def ask(self, messages: Sequence[Message], thinking: bool | None = None) -> Asking:
        """A conversation in the model's own chat format; `thinking` as in `ChatOptions`.

        Raises:
            UnsupportedModelError: the file has no tokenizer that can be used.
            TemplateError: a message has an unknown role.
        """
        if self.tokenizer is None or self.template is None:
            raise UnsupportedModelError(self.problem)
        return ask(messages, self.template, self.tokenizer, thinking)

    def count_tokens(self, text: str) -> int:
        """How many tokens a text has as part of a message.

        Raises:
            UnsupportedModelError: the file has no tokenizer that can be used.
        """
        if self.tokenizer is None:
            raise UnsupportedModelError(self.problem)
        return len(self.tokenizer.encode(text, add_special=False, parse_special=False))

    def request(self, messages: Sequence[Message], options: ChatOptions) -> Request:
        """The request for the next reply of a conversation; raises as `ask` does."""
        asking = self.ask(messages, options.thinking)
        return Request(
            asking.prompt,
            options.max_tokens,
            options.sampling,
            (*options.stop, *asking.stop),
            opening=asking.opening,
            notice=asking.notice,
            drafting=options.drafting,
        )

    def close(self) -> None:
        """Let the files go."""
        self.opened.file.close()
        if self.drafter:
            self.drafter.close()
