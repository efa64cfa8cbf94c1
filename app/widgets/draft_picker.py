"""The button that names what drafts and opens the list of what else could."""

from app.bridge.drafts import Drafts
from app.bridge.main_model import MainModel
from app.domain.draft import DraftKind
from app.shortcuts import Shortcut
from app.theme.theme import Theme
from app.widgets.common.picker_button import PickerButton

WIDTHS_PX = (200, 320)


class DraftPicker(PickerButton):
    """Shows *Draft* and what drafts, in the accent where something does."""

    def __init__(self, theme: Theme, model: MainModel, drafts: Drafts) -> None:
        super().__init__(theme, "draftPicker", self.tr("Draft"), WIDTHS_PX)
        self._model = model
        self._drafts = drafts
        model.changed.connect(self._refresh)
        drafts.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        name, facts = self._name_and_facts()
        has_draft = self._drafts.choice.kind is not DraftKind.NONE
        self.show_choice(name, facts, is_chosen=has_draft)
        self.wear("draft" if has_draft else "", "accent" if has_draft else "dim")
        self.setEnabled(self._model.loaded is not None)
        keys = Shortcut.DRAFT_PICKER.label
        self.setToolTip(self.tr("What drafts for the main model ({keys})").format(keys=keys))

    def _name_and_facts(self) -> tuple[str, str]:
        loaded = self._model.loaded
        match self._drafts.choice.kind:
            case DraftKind.TEXT:
                return self.tr("from the text"), ""
            case DraftKind.HEADS:
                return self.tr("its own heads"), ""
            case DraftKind.MODEL if loaded and loaded.draft:
                return loaded.draft.name, loaded.draft.quantisation
        return self.tr("none"), ""
