"""What would happen to files if they were dropped now: pure decisions about their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl

MODEL_SUFFIX = ".gguf"
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class UseAsMainModel:
    """The file at `path` would become the main model."""

    path: Path


@dataclass(frozen=True, slots=True)
class Refuse:
    """Nothing would happen; `reason` is a sentence."""

    reason: str


Verdict = UseAsMainModel | Refuse


def judge(urls: Sequence[QUrl]) -> Verdict:
    """Decide by name alone, without opening anything."""
    if len(urls) != 1:
        text = translate("Drops", "Drop one model at a time; these are %n files.", "", len(urls))
        return Refuse(text)
    if not urls[0].isLocalFile():
        return Refuse(translate("Drops", "Only a file on this computer can be used as a model."))
    path = Path(urls[0].toLocalFile())
    if path.is_dir():
        text = translate("Drops", "{name} is a folder. Drop a file that ends in .gguf.")
        return Refuse(text.format(name=path.name))
    if path.suffix.lower() != MODEL_SUFFIX:
        text = translate("Drops", "{name} is not a model. Drop a file that ends in .gguf.")
        return Refuse(text.format(name=path.name))
    return UseAsMainModel(path)
