"""What the actions of one window work on. Built once by `bootstrap` and passed in."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.bridge.benching import Benching
from app.bridge.comparing import Comparing
from app.bridge.drafts import Drafts
from app.bridge.library import Library
from app.bridge.main_model import MainModel
from app.bridge.model_finder import ModelFinder
from app.bridge.replies import Replies
from app.settings.store import Settings
from app.storage.chats import Chats
from app.storage.measurements import Measurements


class Notices(QObject):
    """Carries problems to whoever shows them.

    Signals:
        raised: a `Problem` the person should know of.
        settled: the person went on; what was raised is of no more interest.
    """

    raised = Signal(object)
    settled = Signal()


@dataclass(frozen=True, slots=True)
class Session:
    """The long-lived objects behind a window."""

    chats: Chats
    model: MainModel
    drafts: Drafts
    library: Library
    finder: ModelFinder
    replies: Replies
    comparing: Comparing
    benching: Benching
    measurements: Measurements
    settings: Settings
    notices: Notices
