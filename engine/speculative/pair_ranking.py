"""Which files could draft for a model, the best first; needs their headers alone."""

from collections.abc import Iterable
from pathlib import Path

from engine.base.errors import ModelFileError, PacelineError
from engine.gguf.model_file import ModelFile
from engine.gguf.summary import summarise
from engine.huggingface.layout import is_model_folder
from engine.speculative.pair import ModelProfile, Place, check_draft, real_path, shown_name
from engine.speculative.pair_verdict import DraftCandidate, DraftRanking, PairVerdict
from engine.weights.opening import open_model_file

OWN_HEADS = "None needed: this file has its own heads."
NO_CANDIDATE = (
    "No file here can draft for this model. A draft is a small model of the same family: a fifth "
    "of its size or less, with the same tokens."
)


def files_in(folder: Path) -> list[Path]:
    """The GGUF files and model folders that lie in a folder, by name; itself where it is one.

    Raises:
        ModelFileError: the folder cannot be read.
    """
    if is_model_folder(folder):
        return [folder]
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if path.suffix.lower() == ".gguf" or is_model_folder(path)
        )
    except OSError as error:
        raise ModelFileError(
            f"The folder “{folder}” cannot be read. Check that it is there, and its permissions.",
            details=str(error),
        ) from error


def rank_drafts(
    target: ModelFile, files: Iterable[Path], place: Place | None = None
) -> DraftRanking:
    """Check each file as a draft for `target`; those that cannot be read are told with the reason.

    Args:
        target: the model that answers; its own file among the others is left out.
        files: what might draft.
        place: where the pair is going to run; without it, memory is not judged.

    Raises:
        PacelineError: the target's own file cannot be used.
    """
    profile = ModelProfile.read(target)
    others = [path for path in files if real_path(path) != profile.path]
    candidates = sorted((_candidate(profile, path, place) for path in others), key=_rank)
    own_heads = target.metadata.read(f"{profile.architecture}.nextn_predict_layers", int, 0)
    return DraftRanking(tuple(candidates), _advice(candidates, own_heads), own_heads)


def _candidate(target: ModelProfile, path: Path, place: Place | None) -> DraftCandidate:
    try:
        with open_model_file(path) as file:
            name, verdict = shown_name(summarise(file).name), check_draft(target, file, place)
            return DraftCandidate(path, name, file.file_bytes, verdict)
    except PacelineError as error:
        verdict = PairVerdict(usable=False, sentence=str(error))
        return DraftCandidate(path, shown_name(path.name), 0, verdict)


def _rank(candidate: DraftCandidate) -> tuple[float, int, str]:
    """Of drafts that are equally good otherwise, the one that costs least comes first."""
    return -candidate.verdict.score, candidate.file_bytes, candidate.name


def _advice(candidates: list[DraftCandidate], own_heads: int) -> str:
    if own_heads:
        return OWN_HEADS
    if candidates and candidates[0].verdict.usable:
        return candidates[0].verdict.sentence
    return NO_CANDIDATE
