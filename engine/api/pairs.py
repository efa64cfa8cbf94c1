"""Which file can draft for which, from their headers alone. Importing this does not load torch."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import ModelFileError, PacelineError
from engine.base.types import LONGEST_DRAFT, LoadedModel
from engine.gguf.model_file import ModelFile
from engine.kernels.backend_memory import likely_backends
from engine.kernels.devices import free_bytes
from engine.memory.fit import Room
from engine.memory.plan import ModelUse, Serving
from engine.models.footprint import model_facts
from engine.speculative import pair, pair_ranking
from engine.speculative.pair import Place
from engine.speculative.pair_verdict import DraftRanking, PairVerdict
from engine.weights.opening import open_model_file


@dataclass(frozen=True, slots=True)
class Running:
    """The model that is loaded: a draft comes beside it, and another model takes its place.

    Attributes:
        held_bytes: by device, what it and its draft give back at least where they go.
    """

    loaded: LoadedModel
    held_bytes: Mapping[str, int]


def check_pair(target: Path, draft: Path, running: Running | None) -> PairVerdict:
    """Whether one file can draft for another; memory is judged where the target is running.

    Raises:
        PacelineError: the target's file cannot be used. What is wrong with the draft's is in the
            verdict.
    """
    with open_model_file(target) as file:
        place = _place(file, running)
        try:
            with open_model_file(draft) as other:
                return pair.check_pair(file, other, place)
        except ModelFileError as error:
            return PairVerdict(usable=False, sentence=str(error))


def rank_drafts(target: Path, places: Sequence[Path], running: Running | None) -> DraftRanking:
    """Judge files, and all in folders, as drafts for a model; raises as `check_pair` does."""
    files: dict[Path, None] = {}  # in the order in which they were found, each once
    for place in places:
        with suppress(ModelFileError):  # a folder that is gone has no drafts in it
            files.update(dict.fromkeys(_files(place)))
    with open_model_file(target) as file:
        return pair_ranking.rank_drafts(file, files, _place(file, running))


def _files(place: Path) -> list[Path]:
    """A file itself, also where it is gone, or the files in a folder."""
    is_file = place.is_file() or (place.suffix.lower() == ".gguf" and not place.is_dir())
    return [place] if is_file else pair_ranking.files_in(place)


def _place(target: ModelFile, running: Running | None) -> Place | None:
    """Where a pair would run: as the target does now. Nothing is known of others."""
    if running is None or not _is_same_file(target.path, running.loaded.summary.path):
        return None
    loaded = running.loaded
    try:
        facts = model_facts(target, with_head="mtp" in loaded.methods)
    except PacelineError:  # replaced on the disk meanwhile by one that does not run
        return None
    use = ModelUse(facts, likely_backends()[loaded.device].started())
    room = Room(free_bytes(loaded.device) + running.held_bytes.get(loaded.device, 0))
    return Place(Serving(use, loaded.slots, draft_rows=LONGEST_DRAFT), loaded.context, room)


def _is_same_file(path: Path, other: Path) -> bool:
    return pair.real_path(path) == pair.real_path(other)
