"""Where other programs keep models on this computer, and which models lie there.

Nothing is read but listings of folders, Ollama's manifests and LM Studio's pointer to its folder.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.bridge.types import is_model_folder
from app.domain.split_models import first_part

MODEL_SUFFIX = ".gguf"
WEIGHTS_SUFFIX = ".safetensors"
MOST_DEPTH = 6  # folders below the one that is looked through
MOST_MANIFEST_BYTES = 1 << 20
OLLAMA_MODEL = "application/vnd.ollama.image.model"
DIGEST = re.compile(r"sha256[:-][0-9a-f]{64}")

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A file or folder that may be a model; `name` where its own says nothing to people."""

    path: Path
    name: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What decides where programs keep their files.

    Attributes:
        home: the person's own folder.
        platform: as `sys.platform` names it.
        environment: the variables of the process.
        root: where the system's folders begin; another one in tests.
    """

    home: Path
    platform: str
    environment: Mapping[str, str] = field(default_factory=dict)
    root: Path = Path("/")

    def folder(self, variable: str, *otherwise: str) -> Path:
        """The folder that a variable names; without it, one in the person's own folder."""
        named = self.environment.get(variable)
        return Path(named) if named else self.home.joinpath(*otherwise)

    @property
    def caches(self) -> Path:
        """Where programs keep what they can fetch again."""
        match self.platform:
            case "darwin":
                return self.home / "Library" / "Caches"
            case "win32":
                return self.folder("LOCALAPPDATA", "AppData", "Local")
        return self.folder("XDG_CACHE_HOME", ".cache")


def find_models(around: Surroundings, is_cancelled: IsCancelled) -> list[FoundModel]:
    """Look where other programs keep models; each file is told once, whatever leads to it.

    It ends early, with what was found by then, as soon as it is cancelled.
    """
    in_folders = (model for folder in _folders(around) for model in models_in(folder, is_cancelled))
    in_ollama = (
        model for store in _ollama_stores(around) for model in _ollama_models(store, is_cancelled)
    )
    return _each_once([*in_folders, *in_ollama])


def models_in(folder: Path, is_cancelled: IsCancelled) -> list[FoundModel]:
    """The models in a folder and those below it, by path; none where it cannot be read."""
    files = list(_files_below(folder, is_cancelled))
    found = [
        FoundModel(path, _name_from_folder(path)) for path in files if _looks_like_a_model(path)
    ]
    beside_weights = {path.parent for path in files if path.suffix == WEIGHTS_SUFFIX}
    found += [
        FoundModel(place, _name_in_hub(place)) for place in beside_weights if is_model_folder(place)
    ]
    return _each_once(sorted(found, key=lambda model: model.path))


def is_one_model(folder: Path) -> bool:
    """Whether a folder is a model itself, rather than one with models in it."""
    return is_model_folder(folder) and not any(
        path.suffix.lower() == MODEL_SUFFIX for path in folder.iterdir()
    )


def model_at(path: Path) -> Path:
    """The model that a file belongs to, told by names alone.

    Weights beside a configuration stand for their folder, a part of a split model for the first.
    """
    is_part = path.suffix.lower() == WEIGHTS_SUFFIX and is_model_folder(path.parent)
    return path.parent if is_part else first_part(path)


def file_name(path: Path) -> str:
    """What a model is called by its file's name alone, or by its folder's."""
    return _name_in_hub(path) or path.name.removesuffix(MODEL_SUFFIX)


def _folders(around: Surroundings) -> list[Path]:
    """The folders in which LM Studio, llama.cpp, Hugging Face's tools and Jan keep files."""
    hub = around.folder("HF_HOME", ".cache", "huggingface") / "hub"
    if not around.environment.get("HF_HOME") and around.environment.get("XDG_CACHE_HOME"):
        hub = Path(around.environment["XDG_CACHE_HOME"]) / "huggingface" / "hub"
    hub = Path(around.environment.get("HF_HUB_CACHE") or hub)
    llama_cpp = Path(around.environment.get("LLAMA_CACHE") or around.caches / "llama.cpp")
    return [*_lm_studio_folders(around.home), llama_cpp, hub, *_jan_folders(around)]


def _lm_studio_folders(home: Path) -> list[Path]:
    folders = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    try:
        pointer = (home / ".lmstudio-home-pointer").read_text(encoding="utf-8")
    except (OSError, ValueError):
        pointer = ""
    if pointer.strip() and "\0" not in pointer:
        folders.insert(0, Path(pointer.strip()))
    return [folder / "models" for folder in folders]


def _jan_folders(around: Surroundings) -> list[Path]:
    """Jan's data folder moved over the years, and where it keeps models in it did too."""
    match around.platform:
        case "darwin":
            data = [around.home / "Library" / "Application Support" / "Jan" / "data"]
        case "win32":
            data = [around.folder("APPDATA", "AppData", "Roaming") / "Jan" / "data"]
        case _:
            data = [
                around.folder("XDG_CONFIG_HOME", ".config") / "Jan" / "data",
                around.folder("XDG_DATA_HOME", ".local", "share") / "Jan" / "data",
            ]
    data.append(around.home / "jan")
    return [folder / place for folder in data for place in ("llamacpp/models", "models")]


def _ollama_stores(around: Surroundings) -> list[Path]:
    stores = [around.folder("OLLAMA_MODELS", ".ollama", "models")]
    if around.platform == "linux":  # where its service runs as a user of its own
        stores.append(around.root / "usr/share/ollama/.ollama/models")
    return stores


def _ollama_models(store: Path, is_cancelled: IsCancelled) -> Iterator[FoundModel]:
    """The models that the manifests of an Ollama store name, under the names they have there."""
    manifests = store / "manifests"
    for path in sorted(_files_below(manifests, is_cancelled)):
        blob = _model_blob(path)
        if blob and (store / "blobs" / blob).is_file():
            yield FoundModel(store / "blobs" / blob, _ollama_name(path.relative_to(manifests)))


def _model_blob(manifest: Path) -> str:
    """Name of the file that holds a manifest's model; empty where it names none."""
    try:
        with manifest.open("rb") as file:
            content = json.loads(file.read(MOST_MANIFEST_BYTES))
        digests = [
            layer["digest"] for layer in content["layers"] if layer["mediaType"] == OLLAMA_MODEL
        ]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return ""
    digest = next(iter(digests), "")
    is_digest = isinstance(digest, str) and DIGEST.fullmatch(digest)
    return digest.replace(":", "-") if is_digest else ""


def _ollama_name(manifest: Path) -> str:
    """Such as `llama3.2:3b` for `registry.ollama.ai/library/llama3.2/3b`."""
    if len(manifest.parts) < 2:
        return manifest.name
    *place, model, tag = manifest.parts
    place = place[1:] if place[:1] == ["registry.ollama.ai"] else place
    place = [] if place == ["library"] else place
    return "/".join([*place, f"{model}:{tag}"])


def _files_below(folder: Path, is_cancelled: IsCancelled) -> Iterator[Path]:
    """Every file in a folder and those below it, hidden ones and links to folders left out."""
    for place, folders, names in os.walk(folder):
        if is_cancelled():
            return
        depth = len(Path(place).relative_to(folder).parts)
        is_deepest = depth == MOST_DEPTH
        folders[:] = [] if is_deepest else [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in names if not name.startswith("."))


def _looks_like_a_model(path: Path) -> bool:
    """By its name: no projector of pictures, and of several parts only the first."""
    is_gguf = path.suffix.lower() == MODEL_SUFFIX and path == first_part(path)
    return is_gguf and not path.name.lower().startswith("mmproj") and path.is_file()


def _name_from_folder(path: Path) -> str:
    """Jan calls every file `model.gguf`; the folder has the name."""
    return path.parent.name if path.stem == "model" else ""


def _name_in_hub(folder: Path) -> str:
    """The repository's name of a folder in Hugging Face's cache, which is named by a revision."""
    repository = folder.parent.parent.name
    is_revision = folder.parent.name == "snapshots" and repository.startswith("models--")
    return repository.rpartition("--")[2] if is_revision else ""


def _each_once(models: Iterable[FoundModel]) -> list[FoundModel]:
    """The first of those that are the same files, which several revisions of a hub's link to."""
    known: dict[tuple[str, ...], FoundModel] = {}
    for model in models:
        weights = sorted(model.path.glob(f"*{WEIGHTS_SUFFIX}")) or [model.path]
        known.setdefault(tuple(map(os.path.realpath, weights)), model)
    return list(known.values())
