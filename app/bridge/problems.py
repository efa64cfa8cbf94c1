"""Turns exceptions into problems that a person can read."""

import traceback

from PySide6.QtCore import QCoreApplication

from app.domain.problem import Problem
from engine.api import PacelineError


def problem_from(error: BaseException) -> Problem:
    """The engine's own sentence, or a plain admission for an error nobody foresaw."""
    if isinstance(error, PacelineError):
        return Problem(str(error), error.details)
    sentence = QCoreApplication.translate(
        "Problem", "Something failed inside Paceline. The details say where; please report them."
    )
    return Problem(sentence, "".join(traceback.format_exception(error)))
