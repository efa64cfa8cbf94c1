"""Turns one list of rows into another, in the steps that views need to keep their places."""

from collections.abc import Hashable
from typing import TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex

R = TypeVar("R", bound=Hashable)
NO_PARENT = QModelIndex()


def become(model: QAbstractListModel, rows: list[R], wanted: list[R]) -> None:
    """Change `rows`, those of `model`, in place. Neither list may hold a row twice."""
    kept = set(wanted)
    for number in range(len(rows) - 1, -1, -1):
        if rows[number] not in kept:
            model.beginRemoveRows(NO_PARENT, number, number)
            del rows[number]
            model.endRemoveRows()
    present = set(rows)
    for number, row in enumerate(wanted):
        if row not in present:
            place = min(number, len(rows))
            model.beginInsertRows(NO_PARENT, place, place)
            rows.insert(place, row)
            model.endInsertRows()
    _sort(model, rows, wanted)


def _sort(model: QAbstractListModel, rows: list[R], wanted: list[R]) -> None:
    """Move rows one by one; a single row that moved far, up or down, takes one step."""
    number = 0
    while number < len(rows):
        if rows[number] == wanted[number]:
            number += 1
            continue
        goes_down = rows[number + 1 : number + 2] == wanted[number : number + 1]
        source = number if goes_down else rows.index(wanted[number])
        target = wanted.index(rows[number]) if goes_down else number
        # Qt counts places with the row still in its own.
        model.beginMoveRows(
            NO_PARENT, source, source, NO_PARENT, target + 1 if target > source else target
        )
        rows.insert(target, rows.pop(source))
        model.endMoveRows()
