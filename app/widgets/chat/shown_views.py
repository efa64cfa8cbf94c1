"""The views of those messages of a transcript that are near what is seen."""

from collections.abc import Iterator, Mapping

from PySide6.QtWidgets import QAbstractScrollArea

from app.theme.theme import Theme
from app.widgets.chat.links import ask_to_open
from app.widgets.chat.message_requests import MessageRequests
from app.widgets.chat.message_view import ReplyView, Version
from app.widgets.chat.message_views import View, make_message_view
from app.widgets.chat.own_message_view import OwnMessageView
from app.widgets.chat.reading import Reading
from app.widgets.chat.workshop import Workshop


class ShownViews(Mapping[int, View]):
    """Makes views and lets them go; they are told by the index of their message."""

    def __init__(
        self,
        area: QAbstractScrollArea,
        theme: Theme,
        requests: MessageRequests,
        workshop: Workshop,
    ) -> None:
        self._area = area
        self._theme = theme
        self._requests = requests
        self._workshop = workshop
        self._views: dict[int, View] = {}

    def __getitem__(self, index: int) -> View:
        return self._views[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)

    @property
    def replies(self) -> dict[int, ReplyView]:
        """Those of replies."""
        return {i: view for i, view in self._views.items() if isinstance(view, ReplyView)}

    @property
    def edits(self) -> dict[str, str]:
        """What is being said instead of own messages, by their ids."""
        own = (view for view in self._views.values() if isinstance(view, OwnMessageView))
        return {view.message.id: view.edited for view in own if view.is_edited}

    def make(self, index: int, reading: Reading, of: Version, edit: str | None) -> View:
        """Show a message; `edit`: what is being said instead of it."""
        view = make_message_view(self._theme, self._requests, self._workshop, reading, index, of)
        if isinstance(view, ReplyView):
            view.link_asked.connect(lambda address: ask_to_open(self._area, address))
        elif edit is not None:
            view.begin_edit(edit)
        view.setParent(self._area.viewport())
        view.show()
        self._views[index] = view
        return view

    def drop(self, index: int) -> None:
        """Let a view go; its keyboard goes to the transcript."""
        view = self._views.pop(index, None)
        if view:
            if view.hasFocus():
                self._area.setFocus()
            view.hide()
            view.setParent(None)
            view.deleteLater()

    def mark_last(self, last: int) -> None:
        """Say which message is the last one."""
        for index, view in self._views.items():
            view.set_last(index == last)
