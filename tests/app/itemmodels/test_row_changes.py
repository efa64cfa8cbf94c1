from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex

from app.itemmodels.row_changes import become

ROWS = st.lists(st.integers(0, 12), unique=True)


class Model(QAbstractListModel):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def rowCount(self, parent=QModelIndex()):  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index, role=0):
        return self.rows[index.row()] if index.isValid() else None


@given(ROWS, ROWS)
def test_any_list_becomes_any_other_and_what_stays_is_followed(before, after):
    model = Model(list(before))
    followed = {row: QPersistentModelIndex(model.index(i)) for i, row in enumerate(before)}
    become(model, model.rows, after)
    assert model.rows == after
    places = {row: index.row() for row, index in followed.items() if index.isValid()}
    assert places == {row: after.index(row) for row in before if row in after}


def test_a_row_that_moves_far_takes_one_step():
    for before, after in (([1, 2, 3, 4], [2, 3, 4, 1]), ([1, 2, 3, 4], [4, 1, 2, 3])):
        model, moves = Model(list(before)), []
        model.rowsMoved.connect(lambda *where, moves=moves: moves.append(where))
        become(model, model.rows, after)
        assert len(moves) == 1
