"""Reads and writes `settings.json`. A damaged file or value costs that value, never the start."""

import json
import logging
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.settings.schema import SETTINGS, AnySetting, Setting

T = TypeVar("T")
log = logging.getLogger("paceline.settings")


class Settings(QObject):
    """The settings in `path`, checked against the schema. Unknown keys are left out.

    Signals:
        changed: the key of a setting that has another value now.
    """

    changed = Signal(str)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._values: dict[str, object] = {}
        stored = _read(path)
        for setting in SETTINGS:
            if setting.key in stored:
                self._take(setting, stored[setting.key])

    @property
    def folder(self) -> Path:
        """Where the file lies."""
        return self._path.parent

    def get(self, setting: Setting[T]) -> T:
        """The stored value, or the default."""
        if setting.key not in self._values:
            return setting.default
        return setting.parse(self._values[setting.key])

    def set(self, setting: Setting[T], value: T) -> None:
        """Store a value at once; the file is replaced whole, so a crash leaves the old one.

        Where the file cannot be written the value holds until the window closes.
        """
        before = self._values.get(setting.key)
        self._take(setting, setting.dump(value))  # a path can hold bytes that are no text
        if self._values.get(setting.key) == before:
            return
        try:
            self._write()
        except OSError as error:
            log.warning("%s cannot be written: %s", self._path, error)
        self.changed.emit(setting.key)

    def _take(self, setting: Setting[T] | AnySetting, value: object) -> None:
        try:
            self._values[setting.key] = setting.checked(value)
        except ValueError as error:
            log.warning("%s: %s is ignored: %s", self._path, setting.key, error)

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._path.with_suffix(".json.new")
        text = json.dumps(self._values, indent=2, ensure_ascii=False, sort_keys=True)
        unfinished.write_text(text + "\n", encoding="utf-8")
        unfinished.replace(self._path)


def _read(path: Path) -> dict[str, object]:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s cannot be read, defaults are used: %s", path, error)
        return {}
    return stored if isinstance(stored, dict) else {}
