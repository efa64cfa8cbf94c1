"""Files that a person wants to go along with a message."""

import codecs
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QFileDialog, QWidget

from app.actions.session import Session
from app.domain.attachment import Attachment
from app.domain.problem import Problem

MOST_BYTES = 1_000_000  # some 250,000 tokens: more than nearly all contexts hold
translate = QCoreApplication.translate


class UnusableFileError(Exception):
    """A file cannot go along; the message is a sentence that says why."""


def read_attachment(session: Session, path: Path) -> Attachment | None:
    """Read a text file that is to go along with a message; where it cannot, a notice says why."""
    try:
        return Attachment(path.name, _read(path))
    except UnusableFileError as error:
        session.notices.raised.emit(Problem(str(error)))
    except OSError as error:
        text = translate("Attachments", "{name} cannot be read: it may be gone, or not for you.")
        session.notices.raised.emit(Problem(text.format(name=path.name), str(error)))
    return None


def choose_files(window: QWidget) -> QFileDialog:
    """Let the person choose files that are to go along; the dialog tells which."""
    dialog = QFileDialog(window, translate("Attachments", "Attach text or code files"))
    dialog.setObjectName("attachDialog")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


def _read(path: Path) -> str:
    """The text of a file.

    Raises:
        UnusableFileError: it is a folder, too large or no text.
        OSError: it cannot be read.
    """
    if not path.is_file():
        text = translate(
            "Attachments", "{name} is no file; only files can go along with a message."
        )
        raise UnusableFileError(text.format(name=path.name))
    if path.stat().st_size > MOST_BYTES:
        text = translate(
            "Attachments", "{name} has {size}; only files of up to {most} can go along."
        )
        size, most = (_size(count) for count in (path.stat().st_size, MOST_BYTES))
        raise UnusableFileError(text.format(name=path.name, size=size, most=most))
    return _decoded(path.read_bytes(), path.name)


def _decoded(content: bytes, name: str) -> str:
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        sentence = translate(
            "Attachments", "{name} holds no text. Text and code files can go along with a message."
        )
        raise UnusableFileError(sentence.format(name=name))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _size(num_bytes: int) -> str:
    si_format = QLocale.DataSizeFormat.DataSizeSIFormat
    return QLocale().formattedDataSize(num_bytes, 1, si_format)
