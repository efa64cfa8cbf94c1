"""Room in memory for models that are about to be loaded. Importing this module loads torch."""

from collections.abc import Sequence

from engine.api.model import PresentModel
from engine.api.opening import OpenModel
from engine.base.errors import NotEnoughMemoryError
from engine.base.fit import Fit
from engine.base.types import LONGEST_DRAFT
from engine.kernels.devices import free_bytes
from engine.memory.fit import Room, judge
from engine.memory.plan import Serving


def make_room(models: Sequence[OpenModel], slots: int, present: PresentModel | None) -> None:
    """Compare the plan with free memory, and let the present model go where that decides.

    Raises:
        NotEnoughMemoryError: it does not fit; says by how much, and what would.
    """
    for model, serving in servings(models, slots):
        device = model.device.type
        verdict = judge(serving, model.context, Room(free_bytes(device)))
        if verdict.fit is Fit.TOO_LARGE and present and present.held_bytes.get(device):
            room = Room(free_bytes(device), present.held_bytes[device])
            verdict = judge(serving, model.context, room)
            if verdict.fit is not Fit.TOO_LARGE:
                present.unload()
        if verdict.fit is Fit.TOO_LARGE:
            raise NotEnoughMemoryError(verdict.sentence)


def make_room_beside(
    target: OpenModel, draft: OpenModel, slots: int, present: PresentModel | None
) -> None:
    """As `make_room`, for a draft in place of the present one, beside a target that stays."""
    for model, serving in servings([target, draft], slots):
        device = model.device.type
        held = target.held_bytes.get(device, 0)
        verdict = judge(serving, model.context, Room(free_bytes(device) + held))
        if verdict.fit is Fit.TOO_LARGE and present and present.held_bytes.get(device):
            room = Room(free_bytes(device) + held + present.held_bytes[device])
            verdict = judge(serving, model.context, room)
            if verdict.fit is not Fit.TOO_LARGE:
                present.unload()
        if verdict.fit is Fit.TOO_LARGE:
            raise NotEnoughMemoryError(verdict.sentence)


def servings(models: Sequence[OpenModel], slots: int) -> list[tuple[OpenModel, Serving]]:
    """What runs together on a device; a draft model on another one is planned by itself."""
    target, *drafts = models
    beside = next((draft.use for draft in drafts if draft.device == target.device), None)
    drafted = bool(drafts) or target.program.head is not None
    servings = [(target, Serving(target.use, slots, beside, LONGEST_DRAFT if drafted else 0))]
    apart = [draft for draft in drafts if draft.device != target.device]
    return servings + [(draft, Serving(draft.use, slots, drafting=True)) for draft in apart]
