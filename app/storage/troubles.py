"""What can be wrong with the store, in sentences for the person in front of the window."""

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal

from app.domain.problem import Problem
from app.storage.database import Defect, PutAside

translate = QCoreApplication.translate


class StoreTrouble(QObject):
    """Brings failed writes from the writer's thread to the one that this object lives on.

    Signals:
        raised: the `Problem`; once, until a failure of another kind comes.
    """

    raised = Signal(object)
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last = ""
        self._reported.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def report(self, error: Exception) -> None:
        """Take note of a failed write; on any thread."""
        self._reported.emit(error)

    def _tell(self, error: Exception) -> None:
        if str(error) != self._last:
            self._last = str(error)
            self.raised.emit(not_saved(error))


def put_aside(kept: PutAside) -> Problem:
    """The file of chats was no use, and there is an empty one in its place."""
    match kept.defect:
        case Defect.DAMAGED:
            text = translate(
                "Storage",
                "The file of your chats is damaged. It was kept as {name} in {folder}; new chats "
                "go to a new file.",
            )
        case Defect.NEWER:
            text = translate(
                "Storage",
                "Your chats were written by a newer Paceline. They were kept as {name} in "
                "{folder}; to see them, go back to that version and name the file chats.sqlite3.",
            )
    return Problem(text.format(name=kept.path.name, folder=kept.path.parent), kept.details)


def not_kept(error: Exception) -> Problem:
    """Nothing can be written where chats are kept."""
    text = translate(
        "Storage",
        "Chats cannot be kept this time, they are gone when the window closes: the data folder "
        "cannot be used. Free some space or check who may write there, then start again.",
    )
    return Problem(text, _details(error))


def not_saved(error: Exception) -> Problem:
    """A write failed; it may still succeed later."""
    text = translate(
        "Storage",
        "The newest changes to your chats are not saved yet. Keep the window open, and check "
        "whether the disk is full or the data folder is gone.",
    )
    return Problem(text, _details(error))


def _details(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
