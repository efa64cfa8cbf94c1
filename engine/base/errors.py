"""The errors that reach people: one sentence with the cause and what would help."""


class PacelineError(Exception):
    """Base of every error the engine raises on purpose.

    `str(error)` is the sentence a person reads. `details` may hold what a developer wants to see
    (raw text of a library, a position in a file); it is shown only on request.
    """

    def __init__(self, message: str, *, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class ModelFileError(PacelineError):
    """The file is not a readable model: cut short, mislabelled, damaged or of an unknown format."""


class UnsupportedModelError(PacelineError):
    """The file is sound, but needs something that this engine does not have."""


class TemplateError(PacelineError):
    """The chat template in a model's file cannot be used, or refused the conversation."""


class ConversationRefusedError(TemplateError):
    """The chat template says itself that it cannot put this conversation into words."""


class RequestError(PacelineError):
    """A request cannot be served as asked: no tokens, longer than the context, unknown ids."""


class ContextLengthError(RequestError):
    """A prompt is longer than the context that the model was loaded with."""


class NotEnoughMemoryError(PacelineError):
    """The model, or the context asked for, does not fit in the memory of the device."""


class ModelOutputError(PacelineError):
    """The model computed something that is no finite number: a damaged file or a failing device."""


class DeviceError(PacelineError):
    """The device asked for is not there, or failed."""


class LoadCancelledError(PacelineError):
    """Loading was cancelled by the person; nothing is wrong."""


class EngineStoppedError(PacelineError):
    """The engine has stopped, closed or has no model loaded; the message says which and why."""
