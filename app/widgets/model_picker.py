"""The button that names the main model and opens the list of others."""

from app.bridge.main_model import MainModel
from app.itemmodels.model_facts import facts
from app.itemmodels.tooltips import plain_tooltip
from app.shortcuts import Shortcut
from app.theme.theme import Theme
from app.widgets.common.picker_button import PickerButton

WIDTHS_PX = (320, 460)


class ModelPicker(PickerButton):
    """Shows *Main model*, its short name and its facts."""

    def __init__(self, theme: Theme, model: MainModel) -> None:
        super().__init__(theme, "mainModelPicker", self.tr("Main model"), WIDTHS_PX)
        self._model = model
        model.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        keys = Shortcut.MODEL_PICKER.label
        if loaded := self._model.loaded:
            name, about = loaded.summary.name, facts(loaded.summary)
            self.show_choice(name, about, is_chosen=True)
            self.setToolTip(plain_tooltip(f"{name}\n{about} ({keys})"))
        else:
            self.show_choice(self.tr("none loaded"), is_chosen=False)
            self.setToolTip(self.tr("Choose a main model ({keys})").format(keys=keys))
