"""Compare: one prompt, answered without drafts and with them, side by side."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.actions import compare as compare_actions
from app.actions.session import Session
from app.bridge.comparing import SEED, Comparing
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.chat.composer import ComposerEdit
from app.widgets.chat.workshop import Workshop
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.check_box import CheckBox
from app.widgets.common.labels import hairline, shorten_words, text_label
from app.widgets.compare.half_view import HalfView, tokens_per_second
from app.widgets.compare.result_strip import ResultStrip

MOST_SHOWN = 240  # characters of the prompt, so that the replies keep their room


class CompareView(QWidget):
    """The two replies, what came of them, and where the prompt is written."""

    def __init__(self, theme: Theme, session: Session, workshop: Workshop) -> None:
        super().__init__()
        self.setObjectName("compareView")
        self._session = session
        self._comparing: Comparing = session.comparing
        self._result = ResultStrip()
        self._prompt = text_label(interface_font(Size.BODY), look="dim", wraps=True)
        off, on = self.tr("Draft off"), self.tr("Draft on")
        self._off = HalfView(theme, workshop, "compareOff", off, "plain")
        self._on = HalfView(theme, workshop, "compareOn", on, "accent")
        self.edit = ComposerEdit(takes_files=False)
        self.edit.setObjectName("comparePrompt")
        self.edit.setAccessibleName(self.tr("One prompt for both sides"))
        self.edit.setPlaceholderText(self.tr("One prompt for both sides"))
        self._together = CheckBox(theme, "compareTogether", self.tr("Both at once, for the show"))
        self._run = ThemedButton(
            theme, "compareRun", look="round", icon="arrow-up", token="button_text"
        )
        self._run.describe(self.tr("Compare"), Shortcut.SEND.label)
        self._stop = ThemedButton(
            theme, "compareStop", look="round", icon="square", token="button_text", filled=True
        )
        self._stop.describe(self.tr("Stop"), Shortcut.STOP.label)
        self._lay_out()
        self._connect()
        self._offer_stop(False)
        self._refresh()

    def _lay_out(self) -> None:
        halves = QHBoxLayout()
        halves.setSpacing(24)
        halves.addWidget(self._off, 1)
        halves.addWidget(hairline(Qt.Orientation.Vertical))
        halves.addWidget(self._on, 1)
        frame = QFrame()
        frame.setObjectName("compareFrame")
        frame.setProperty("look", "composer")
        foot = QHBoxLayout()
        foot.addWidget(self._together)
        foot.addStretch()
        foot.addWidget(self._run)
        foot.addWidget(self._stop)
        writing = QVBoxLayout(frame)
        writing.setContentsMargins(16, 12, 12, 8)
        writing.addWidget(self.edit)
        writing.addLayout(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 0, 24, 24)
        column.setSpacing(16)
        column.addWidget(self._result)
        column.addWidget(self._prompt)
        column.addLayout(halves, 1)
        column.addWidget(frame)

    def _connect(self) -> None:
        self._comparing.changed.connect(self._refresh)
        self._session.drafts.changed.connect(self._name_what_would_answer)
        self._session.model.changed.connect(self._name_what_would_answer)
        self._run.clicked.connect(self._start)
        self.edit.submitted.connect(self._start)
        self.edit.textChanged.connect(self._enable_run)
        self._enable_run()
        self._stop.clicked.connect(self._comparing.stop)
        self._name_sides()

    def _enable_run(self) -> None:
        self._run.setEnabled(bool(self.edit.toPlainText().strip()))

    def _start(self) -> None:
        together = self._together.isChecked()
        if compare_actions.start(self._session, self.edit.toPlainText(), together=together):
            self.edit.clear()
            self._name_sides()
            self._session.notices.settled.emit()

    def _name_what_would_answer(self) -> None:
        """Follow the pickers until there are replies, which stay those of who wrote them."""
        if not self._comparing.prompt:
            self._name_sides()

    def _name_sides(self) -> None:
        loaded = self._session.model.loaded
        name = loaded.summary.name if loaded else ""
        self._off.say_who(self.tr("{name} alone").format(name=name) if name else "")
        self._on.say_who(compare_actions.draft_name(self._session))

    def _refresh(self) -> None:
        comparing = self._comparing
        speeds = [tokens_per_second(half) for half in (comparing.off, comparing.on)]
        fastest = max((speed for speed in speeds if speed == speed), default=0.0)
        self._off.show_half(comparing.off, fastest)
        self._on.show_half(comparing.on, fastest)
        self._prompt.setText(f"“{_shortened(comparing.prompt)}”")
        self._prompt.setAccessibleName(comparing.prompt)
        self._prompt.setVisible(bool(comparing.prompt))
        self._result.show_result(comparing.result, self._how() if comparing.prompt else "")
        if comparing.is_running is self._stop.isHidden():
            self._offer_stop(comparing.is_running)

    def _offer_stop(self, offered: bool) -> None:
        """Put *Stop* where *Compare* was, or back."""
        had_focus = self._run.hasFocus() or self._stop.hasFocus()
        self._run.setVisible(not offered)
        self._stop.setVisible(offered)
        if had_focus:
            self.edit.setFocus()

    def _how(self) -> str:
        comparing = self._comparing
        way = self.tr("both at once") if comparing.together else self.tr("one after the other")
        return self.tr("{way} · seed {seed}").format(way=way, seed=SEED)


def _shortened(prompt: str) -> str:
    """The beginning of a prompt, in one paragraph."""
    text = shorten_words(" ".join(prompt.split()))
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN].rstrip() + "…"
