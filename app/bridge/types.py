"""The engine's types as the rest of the window knows them."""

from app.bridge.engine_client import EngineClient, Generation
from engine.api import (
    ChatOptions,
    EngineStoppedError,
    Event,
    Failed,
    Finished,
    GenerationResult,
    LoadCancelledError,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    ModelFileError,
    ModelSummary,
    PacelineError,
    PromptProgress,
    SamplingParams,
    StopReason,
    TextDelta,
    Timings,
)
from engine.api import Message as EngineMessage

__all__ = [
    "ChatOptions",
    "EngineClient",
    "EngineMessage",
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
    "ModelFileError",
    "ModelSummary",
    "PacelineError",
    "PromptProgress",
    "SamplingParams",
    "StopReason",
    "TextDelta",
    "Timings",
]
