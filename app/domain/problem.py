"""What went wrong, in words for the person in front of the window."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One sentence with the cause and what would help; `details` are shown only on request."""

    sentence: str
    details: str = ""
    is_too_long: bool = False  # what was asked does not fit into the model's context
