"""Statistics from a file are checked before they are used."""

from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import RequestError
from engine.speculative.ngram_static import MOST_ROWS, StaticPairs, load_static_pairs

VOCAB = 100
ROW = [1, 2, 3, 4]


def saved(path: Path, rows: object, dtype: str = "int32") -> Path:
    np.save(path / "pairs.npy", np.array(rows, dtype))
    return path / "pairs.npy"


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint16"])
def test_the_usual_follower_of_a_pair_is_read(tmp_path: Path, dtype: str) -> None:
    rows = [[1, 2, 5, 1], [7, 8, 9, 2], [1, 2, 3, 4]]
    pairs = load_static_pairs(saved(tmp_path, rows, dtype), VOCAB)
    assert pairs.follower([0, 1, 2]) == 3
    assert pairs.follower([7, 8]) == 9
    assert pairs.follower([8, 7]) is None
    assert pairs.follower([2]) is None


def test_a_pair_without_a_usual_follower_has_none() -> None:
    rare, unclear = [1, 2, 3, 1], [[4, 5, token, 2] for token in (6, 7, 8)]
    pairs = StaticPairs(np.array([rare, *unclear]))
    assert pairs.follower([1, 2]) is None
    assert pairs.follower([4, 5]) is None


def test_a_file_without_rows_knows_nothing(tmp_path: Path) -> None:
    pairs = load_static_pairs(saved(tmp_path, np.empty((0, 4))), VOCAB)
    assert pairs.follower([1, 2]) is None


def test_a_missing_file_is_told_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"no file “.*absent\.npy”"):
        load_static_pairs(tmp_path / "absent.npy", VOCAB)


@pytest.mark.parametrize(
    ("rows", "dtype", "sentence"),
    [
        ([1, 2, 3, 4], "int32", "four in a row"),
        ([[1, 2, 3]], "int32", "four in a row"),
        ([[1.0, 2.0, 3.0, 4.0]], "float32", "float32 numbers"),
        ([[1, 2, VOCAB, 4]], "int32", "tokens that this model does not have"),
        ([[-1, 2, 3, 4]], "int32", "tokens that this model does not have"),
        ([ROW, [1, 2, 4, 0]], "int32", "counts that cannot be"),
        ([[1, 2, 4, 2**31]], "int64", "counts that cannot be"),
    ],
)
def test_rows_that_make_no_sense_are_refused(
    tmp_path: Path, rows: object, dtype: str, sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        load_static_pairs(saved(tmp_path, rows, dtype), VOCAB)


def test_more_rows_than_are_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.npy"
    rows = np.lib.format.open_memmap(path, "w+", np.dtype("int8"), (MOST_ROWS + 1, 4))
    rows.flush()
    with pytest.raises(RequestError, match="4,194,305 rows"):
        load_static_pairs(path, VOCAB)


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    path = tmp_path / "pairs.npy"
    np.save(path, np.array([[object()] * 4]), allow_pickle=True)
    with pytest.raises(RequestError, match="cannot be read as n-gram statistics"):
        load_static_pairs(path, VOCAB)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 an archive", b"\x93NUMPY\x01\x00"])
def test_another_kind_of_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pairs.npy"
    path.write_bytes(content)
    with pytest.raises(RequestError, match="cannot be read as n-gram statistics"):
        load_static_pairs(path, VOCAB)


def test_every_shortening_of_a_file_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, [ROW, ROW])
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(RequestError, match="cannot be read as n-gram statistics"):
            load_static_pairs(path, VOCAB)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be read as n-gram statistics"):
        load_static_pairs(tmp_path, VOCAB)
