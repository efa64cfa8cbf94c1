"""Asks which model is to go on with a chat that another one than the loaded one answered."""

from pathlib import Path

from PySide6.QtCore import Signal

from app.actions.session import Session
from app.bridge.model_places import file_name
from app.domain.conversation import Conversation
from app.domain.message import Role
from app.theme.theme import Theme
from app.widgets.models.choice_strip import ChoiceStrip


class OtherModelStrip(ChoiceStrip):
    """Shown for such a chat, until the person has chosen or the loaded model has answered.

    Signals:
        own_asked: path of the model that is to be loaded, as the chat's own.
    """

    own_asked = Signal(object)

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__(theme, "otherModelStrip")
        self._session = session
        self._chat_id = ""
        self._own = Path()
        self._settled: set[tuple[str, Path]] = set()  # chats, and the models they go on with
        use = self.add_button(
            "useLoaded",
            self.tr("Use the loaded one"),
            self.tr("Go on with the model that is loaded; the whole chat is kept"),
        )
        own = self.add_button(
            "loadOwn",
            self.tr("Load its own"),
            self.tr("Load the model that answered in this chat before"),
        )
        use.clicked.connect(self._use_loaded)
        own.clicked.connect(lambda: self.own_asked.emit(self._own))

    def follow(self, chat: Conversation) -> None:
        """Show what there is to choose for a chat, if anything."""
        model = self._session.model
        replies = (message for message in reversed(chat.messages) if message.model)
        own = next((Path(reply.model) for reply in replies if reply.role is Role.ASSISTANT), None)
        self._chat_id = chat.id
        if (
            own is None
            or model.loaded is None
            or model.loading
            or chat.pending_reply
            or own == model.loaded.summary.path
            or (chat.id, model.loaded.summary.path) in self._settled
            or not own.exists()
        ):
            self.hide()
            return
        self._own = own
        known = self._session.library.known(own)
        text = self.tr("This chat was written with {own}; {loaded} is loaded now.")
        name = known.name if known else file_name(own)
        self.offer(text.format(own=name, loaded=model.loaded.summary.name))

    def _use_loaded(self) -> None:
        if loaded := self._session.model.loaded:
            self._settled.add((self._chat_id, loaded.summary.path))
        self.hide()
