"""Chips for the files that go along with a message."""

from collections.abc import Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.bridge.main_model import MainModel
from app.domain.attachment import Attachment
from app.itemmodels.model_facts import size_text
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.flow_layout import FlowLayout
from app.widgets.common.labels import NameLabel, text_label

CHARACTERS_A_TOKEN = 4  # of English text, roughly, in vocabularies of today
NAME_WIDTH_PX = 200
GAP_PX = 8
REMOVING_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class AttachmentChips(QWidget):
    """The files of the message that is being written; each can be taken off again.

    Signals:
        changed: there are others than before.
        left: the last one was taken off with a key; the keyboard should go elsewhere.
    """

    changed = Signal()
    left = Signal()

    def __init__(self, theme: Theme, model: MainModel) -> None:
        super().__init__()
        self.setObjectName("attachments")
        self.setAccessibleName(self.tr("Attached files"))
        self._theme = theme
        self._model = model
        self._chips: list[_Chip] = []
        self._flow = FlowLayout(GAP_PX)
        self.setLayout(self._flow)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        model.ready.connect(self._count)
        self.hide()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The files, in the order in which they came."""
        return tuple(chip.attachment for chip in self._chips)

    def show_attachments(self, attachments: Sequence[Attachment]) -> None:
        """Show these files in place of those before."""
        if tuple(attachments) == self.attachments:
            return
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.setParent(None)
            chip.deleteLater()
        self._chips = [self._make(attachment) for attachment in attachments]
        self._name_chips()
        self.setVisible(bool(self._chips))
        self.updateGeometry()
        self._count()
        self.changed.emit()

    def _make(self, attachment: Attachment) -> "_Chip":
        chip = _Chip(self._theme, attachment)
        chip.removed.connect(lambda: self._remove(chip))
        self._flow.addWidget(chip)
        chip.show()
        return chip

    def _remove(self, chip: "_Chip") -> None:
        place = self._chips.index(chip)
        had_keyboard = chip.remove.hasFocus()
        self.show_attachments([each.attachment for each in self._chips if each is not chip])
        if had_keyboard and self._chips:
            self._chips[min(place, len(self._chips) - 1)].remove.setFocus()
        elif had_keyboard:
            self.left.emit()

    def _name_chips(self) -> None:
        for number, chip in enumerate(self._chips):
            chip.setObjectName(f"attachment-{number}")
            chip.remove.setObjectName(f"removeAttachment-{number}")

    def _count(self) -> None:
        for attachment in self.attachments:
            self._model.count_tokens(attachment.text, partial(self._show_count, attachment))

    def _show_count(self, attachment: Attachment, num_tokens: int) -> None:
        for chip in self._chips:
            if chip.attachment is attachment:
                chip.show_count(num_tokens)


class _Chip(QFrame):
    """One file: its name, size and tokens, and the way to take it off.

    Signals:
        removed: the file is not to go along any more.
    """

    removed = Signal()

    def __init__(self, theme: Theme, attachment: Attachment) -> None:
        super().__init__()
        self.attachment = attachment
        self.setProperty("look", "chip")
        self._theme = theme
        self._icon = QLabel()
        name = NameLabel(interface_font(Size.CONTROL, QFont.Weight.Medium))
        name.setText(attachment.name)
        name.setMaximumWidth(NAME_WIDTH_PX)
        self._facts = text_label(figure_font(Size.SMALL), look="dim")
        self.remove = ThemedButton(theme, "", look="quiet", icon="x", token="dim")
        self.remove.describe(self.tr("Remove {name}").format(name=attachment.name))
        self.remove.setToolTip(self.tr("Remove this file"))  # its name could look like markup
        self.remove.clicked.connect(self.removed)
        self.remove.installEventFilter(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.setSpacing(GAP_PX)
        for part in (self._icon, name, self._facts, self.remove):
            row.addWidget(part)
        theme.changed.connect(self._fetch_icon)
        self._fetch_icon()
        self._show_facts(f"≈ {_tokens_text(_estimate(attachment))}")

    def show_count(self, num_tokens: int) -> None:
        """Show how many tokens the main model makes of the text."""
        self._show_facts(_tokens_text(num_tokens))

    def _show_facts(self, tokens: str) -> None:
        self._facts.setText(f"{size_text(self.attachment.num_bytes)} · {tokens}")
        self.setAccessibleName(f"{self.attachment.name}, {self._facts.text()}")

    def _fetch_icon(self) -> None:
        self._icon.setPixmap(self._theme.icon("file-text", "dim").pixmap(QSize(16, 16)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_press = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        removes = is_press and cast(QKeyEvent, event).key() in REMOVING_KEYS
        if removes:
            self.removed.emit()
        return removes


def _estimate(attachment: Attachment) -> int:
    """Roughly how many tokens a file has, where no model is there to count them."""
    estimate = max(1, len(attachment.text) // CHARACTERS_A_TOKEN)
    return round(estimate, -2) if estimate > 1_000 else estimate


def _tokens_text(num_tokens: int) -> str:
    if num_tokens == 1:
        return QCoreApplication.translate("Attachments", "1 token")
    return QCoreApplication.translate("Attachments", "%Ln tokens", "", num_tokens)
