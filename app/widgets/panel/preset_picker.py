"""The preset that a chat was set up from, and what can be done with presets."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QMenu, QVBoxLayout, QWidget

from app.actions import presets as actions
from app.actions.session import Session
from app.domain.preset import BALANCED, CREATIVE, GREEDY, PRECISE, Preset
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import keep_place
from app.widgets.common.picker_button import PickerButton

BUTTON_WIDTHS_PX = (160, 264)


class PresetPicker(QWidget):
    """A button that names the preset and opens the list, with *Reset* and *Save as…* below."""

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self._session = session
        self._button = PickerButton(theme, "presetPicker", self.tr("Preset"), BUTTON_WIDTHS_PX)
        self._button.opened.connect(self._open)
        self._save = ThemedButton(theme, "savePreset", look="plain", text=self.tr("Save as…"))
        self._save.describe(self.tr("Save these numbers as a preset"))
        self._save.clicked.connect(self._ask_to_save)
        self._reset = ThemedButton(theme, "resetSampling", look="plain", text=self.tr("Reset"))
        self._reset.describe(self.tr("Take the preset's numbers again"))
        self._reset.clicked.connect(self._take_again)
        keep_place(self._save)
        below = QHBoxLayout()
        below.setSpacing(16)
        below.addWidget(self._save)
        below.addWidget(self._reset)
        below.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._button)
        column.addLayout(below)

    def refresh(self) -> None:
        """Show the preset of the chat in view, and whether its numbers were changed."""
        preset = actions.preset_in_view(self._session)
        is_kept = preset.is_kept_by(actions.sampling_in_view(self._session))
        facts = "" if is_kept else self.tr("changed")
        self._button.show_choice(shown_name(preset), facts, is_chosen=True)
        self._save.setVisible(not is_kept)
        self._reset.setVisible(not is_kept)

    def _take_again(self) -> None:
        actions.use_preset(self._session, actions.preset_in_view(self._session))

    def _open(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("presetMenu")
        menu.aboutToHide.connect(menu.deleteLater)
        in_view = actions.preset_in_view(self._session)
        group = QActionGroup(menu)
        for preset in actions.presets(self._session):
            action = menu.addAction(self._line(preset).replace("&", "&&"))
            action.setObjectName(f"preset-{preset.name}")
            action.setCheckable(True)
            action.setChecked(preset == in_view)
            action.setActionGroup(group)
            action.triggered.connect(_calls(actions.use_preset, self._session, preset))
        menu.addSeparator()
        self._add_deeds(menu, in_view)
        menu.popup(self._button.mapToGlobal(self._button.rect().bottomLeft()))

    def _line(self, preset: Preset) -> str:
        name = shown_name(preset)
        is_default = preset == actions.default_preset(self._session)
        return self.tr("{name} (new chats)").format(name=name) if is_default else name

    def _add_deeds(self, menu: QMenu, preset: Preset) -> None:
        name, is_own = shown_name(preset).replace("&", "&&"), actions.is_own(preset)
        begin = menu.addAction(self.tr("Begin new chats with {name}").format(name=name))
        begin.setObjectName("beginChatsWith")
        begin.setEnabled(preset != actions.default_preset(self._session))
        begin.triggered.connect(_calls(actions.begin_chats_with, self._session, preset))
        rename = menu.addAction(self.tr("Rename {name}…").format(name=name))
        rename.setObjectName("renamePreset")
        rename.setEnabled(is_own)
        rename.triggered.connect(lambda: self._ask_to_rename(preset))
        delete = menu.addAction(self.tr("Delete {name}").format(name=name))
        delete.setObjectName("deletePreset")
        delete.setEnabled(is_own)
        delete.triggered.connect(_calls(actions.delete_preset, self._session, preset))

    def _ask_to_save(self) -> None:
        preset = actions.preset_in_view(self._session)
        suggested = preset.name if actions.is_own(preset) else ""
        self._ask(
            self.tr("Save as preset"),
            suggested,
            lambda name: actions.save_preset(self._session, name),
        )

    def _ask_to_rename(self, preset: Preset) -> None:
        self._ask(
            self.tr("Rename preset"),
            preset.name,
            lambda name: actions.rename_preset(self._session, preset, name),
        )

    def _ask(self, title: str, name: str, act: Callable[[str], None]) -> None:
        dialog = QInputDialog(self.window())
        dialog.setObjectName("presetDialog")
        dialog.setWindowTitle(title)
        dialog.setLabelText(self.tr("Name"))
        dialog.setTextValue(name)
        dialog.textValueSelected.connect(act)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def shown_name(preset: Preset) -> str:
    """A preset's name, in the window's language where Paceline brings it."""
    translate = QCoreApplication.translate
    names = {
        BALANCED: translate("Presets", "Balanced"),
        PRECISE: translate("Presets", "Precise"),
        CREATIVE: translate("Presets", "Creative"),
        GREEDY: translate("Presets", "Greedy"),
    }
    return names.get(preset, preset.name)


def _calls(
    act: Callable[[Session, Preset], None], session: Session, preset: Preset
) -> Callable[[], None]:
    return lambda: act(session, preset)
