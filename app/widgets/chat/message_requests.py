"""What people ask for at a message."""

from PySide6.QtCore import QObject, Signal


class MessageRequests(QObject):
    """Carries requests from the messages of a transcript to whoever serves them.

    Signals:
        copied: a `Message` whose text is wanted on the clipboard.
        regenerated: a `Message`, a reply, in place of which another is wanted.
        continued: a `Message`, a reply, that is to go on.
        stepped: a `Message`, and how many places from it the version is that is to be shown.
        accepted_shown: whether what drafts had proposed is to be marked in replies.
        edited: a `Message` of the person's own, and what is to be said instead of it.
        edit_changed: what is being said instead of a message is no longer what it was.
    """

    copied = Signal(object)
    regenerated = Signal(object)
    continued = Signal(object)
    stepped = Signal(object, int)
    accepted_shown = Signal(bool)
    edited = Signal(object, str)
    edit_changed = Signal()
