"""The only names that the application may use of the engine. Importing it does not load torch."""

import os

from engine.api.engine import Engine
from engine.api.generation import Generation
from engine.base.errors import (
    DeviceError,
    EngineStoppedError,
    LoadCancelledError,
    ModelFileError,
    ModelOutputError,
    NotEnoughMemoryError,
    PacelineError,
    RequestError,
    TemplateError,
    UnsupportedModelError,
)
from engine.base.types import (
    ChatOptions,
    Event,
    Failed,
    Finished,
    GenerationResult,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    Message,
    ModelSummary,
    PromptProgress,
    Request,
    SamplingParams,
    Segment,
    StopReason,
    TextDelta,
    Timings,
    TokenLogprob,
)

# torch's OpenMP threads otherwise spin while they wait for each other; beside a busy window on two
# cores that takes 1.8 tokens/s where sleeping gives 5.6. Read once, when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__all__ = [
    "ChatOptions",
    "DeviceError",
    "Engine",
    "EngineStoppedError",
    "Event",
    "Failed",
    "Finished",
    "Generation",
    "GenerationResult",
    "LoadCancelledError",
    "LoadOptions",
    "LoadProgress",
    "LoadedModel",
    "Message",
    "ModelFileError",
    "ModelOutputError",
    "ModelSummary",
    "NotEnoughMemoryError",
    "PacelineError",
    "PromptProgress",
    "Request",
    "RequestError",
    "SamplingParams",
    "Segment",
    "StopReason",
    "TemplateError",
    "TextDelta",
    "Timings",
    "TokenLogprob",
    "UnsupportedModelError",
]
