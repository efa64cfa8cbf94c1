"""What would happen to files if they were dropped now: pure decisions about their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl

from app.bridge.model_places import MODEL_SUFFIX, WEIGHTS_SUFFIX, is_one_model, model_at
from app.storage.exchange import is_chat_file

JSON_SUFFIX = ".json"
# Names that promise no text; what others hold shows when they are read.
NO_TEXT = frozenset(
    f".{kind}"
    for kind in (
        *("doc", "docx", "odt", "pdf", "ppt", "pptx", "xls", "xlsx", "sqlite"),
        *("bmp", "gif", "jpeg", "jpg", "png", "webp", "mov", "mp3", "mp4"),
        *("7z", "dmg", "gz", "iso", "tar", "zip", "dll", "exe", "so"),
        *("bin", "onnx", "pt", "safetensors"),
    )
)
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class UseAsMainModel:
    """The file or folder at `path` would become the main model."""

    path: Path


@dataclass(frozen=True, slots=True)
class AddFolder:
    """The models in the folder at `path` would be listed."""

    path: Path


@dataclass(frozen=True, slots=True)
class Refuse:
    """Nothing would happen; `reason` is a sentence."""

    reason: str


Verdict = UseAsMainModel | AddFolder | Refuse


def exported_chats(urls: Sequence[QUrl]) -> tuple[Path, ...]:
    """The files, if all are chats that were exported; else none."""
    paths = tuple(Path(url.toLocalFile()) for url in urls if url.isLocalFile())
    fit = len(paths) == len(urls) and all(
        path.suffix.lower() == JSON_SUFFIX and is_chat_file(path) for path in paths
    )
    return paths if fit else ()


def text_files(urls: Sequence[QUrl]) -> tuple[Path, ...]:
    """The files, if their names say that all could go along with a message; else none."""
    if not all(url.isLocalFile() for url in urls):
        return ()
    paths = tuple(Path(url.toLocalFile()) for url in urls)
    others = {MODEL_SUFFIX, *NO_TEXT}
    fit = all(path.suffix.lower() not in others and not path.is_dir() for path in paths)
    return paths if fit else ()


def judge(urls: Sequence[QUrl]) -> Verdict:
    """Decide by names alone, without opening anything; parts of one model are that model."""
    places = {model_at(Path(url.toLocalFile())) for url in urls if url.isLocalFile()}
    are_parts_of_one = len(places) == 1 and all(url.isLocalFile() for url in urls)
    if len(urls) != 1 and not are_parts_of_one:
        text = translate(
            "Drops",
            "Drop one model at a time, or their folder; these are %n files.",
            "",
            len(urls),
        )
        return Refuse(text)
    if not urls[0].isLocalFile():
        return Refuse(translate("Drops", "Only a file on this computer can be used as a model."))
    (path,) = places
    if path.is_dir():
        return UseAsMainModel(path) if is_one_model(path) else AddFolder(path)
    if path.suffix.lower() == WEIGHTS_SUFFIX:
        text = translate(
            "Drops", "{name} is a part of a model. Drop the folder that has its config.json too."
        )
        return Refuse(text.format(name=path.name))
    if path.suffix.lower() != MODEL_SUFFIX:
        text = translate("Drops", "{name} is neither a model nor a text. Drop a .gguf file.")
        return Refuse(text.format(name=path.name))
    return UseAsMainModel(path)
