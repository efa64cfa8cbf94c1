"""What a person can do with the guide, the small model that comes with the program."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QCoreApplication

from app.actions.models import use_as_main_model
from app.actions.session import Session
from app.paths import guide_files

Announced = Callable[[], Awaitable[None]]


def is_offered(session: Session) -> bool:
    """Whether the guide answers as long as there is no other model: none was ever used."""
    if session.library.models or not guide_files().target.is_file():
        return False
    model = session.model
    return model.loaded is None and model.loading is None


def load_guide(session: Session, announced: Announced) -> None:
    """Make the guide the main model, with its draft."""
    use_as_main_model(session, guide_files().target, announced)


def suggested_questions() -> list[str]:
    """What a new user may want to know first."""
    return [
        QCoreApplication.translate("Guide", "What is a draft?"),
        QCoreApplication.translate("Guide", "How do I add a model?"),
        QCoreApplication.translate("Guide", "Does anything leave my computer?"),
    ]
