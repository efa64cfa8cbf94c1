"""What a cache type keeps of a row, and that pages never mix."""

import pytest
import torch

from engine.base.errors import RequestError
from engine.kernels.kv_pages import make_plane
from engine.kernels.state_types import ELEMENT_BYTES, PAGE_POSITIONS

CPU = torch.device("cpu")
PAGES, HEADS, DIM = 3, 2, 64


@pytest.fixture(params=sorted(ELEMENT_BYTES))
def kv_type(request: pytest.FixtureRequest) -> str:
    return request.param


def test_rows_are_read_back_as_they_were_rounded(kv_type: str) -> None:
    plane = make_plane(kv_type, PAGES, HEADS, DIM, CPU)
    rows = torch.randn(5, HEADS, DIM)
    plane.write(1, 7, rows)
    kept = plane.read(1, 12)[:, 7:]
    error = {"f32": 0.0, "f16": 1e-3, "q8_0": 0.02}[kv_type]
    assert kept.shape == (HEADS, 5, DIM)
    assert torch.allclose(kept, rows.transpose(0, 1), rtol=error, atol=error)


def test_rounding_a_row_does_not_depend_on_the_rows_beside_it(kv_type: str) -> None:
    together, alone = (make_plane(kv_type, PAGES, HEADS, DIM, CPU) for _ in range(2))
    rows = torch.randn(9, HEADS, DIM)
    together.write(0, 0, rows)
    for index in range(9):
        alone.write(0, index, rows[index : index + 1])
    assert together.stored_bytes(0, 9) == alone.stored_bytes(0, 9)


def test_rounding_again_changes_nothing(kv_type: str) -> None:
    plane = make_plane(kv_type, PAGES, HEADS, DIM, CPU)
    plane.write(0, 0, torch.randn(4, HEADS, DIM))
    once = plane.read(0, 4)
    plane.write(0, 0, once.transpose(0, 1).contiguous())
    assert torch.equal(plane.read(0, 4), once)


def test_a_row_of_zeros_stays_zero(kv_type: str) -> None:
    plane = make_plane(kv_type, PAGES, HEADS, DIM, CPU)
    plane.write(0, 0, torch.zeros(1, HEADS, DIM))
    assert torch.equal(plane.read(0, 1), torch.zeros(HEADS, 1, DIM))


def test_poison_reaches_exactly_what_is_not_live(kv_type: str) -> None:
    plane = make_plane(kv_type, PAGES, HEADS, DIM, CPU)
    plane.write(2, 0, torch.ones(PAGE_POSITIONS, HEADS, DIM))
    plane.poison(2, 3)
    read = plane.read(2, PAGE_POSITIONS)
    assert not read[:, :3].isnan().any()
    assert read[:, 3:].isnan().all()


def test_stored_bytes_say_what_the_table_says(kv_type: str) -> None:
    plane = make_plane(kv_type, PAGES, HEADS, DIM, CPU)
    plane.write(0, 0, torch.randn(PAGE_POSITIONS, HEADS, DIM))
    expected = ELEMENT_BYTES[kv_type] * PAGE_POSITIONS * HEADS * DIM
    assert len(plane.stored_bytes(0, PAGE_POSITIONS)) == expected


def test_stored_bytes_of_a_position_do_not_depend_on_how_many_follow() -> None:
    plane = make_plane("f16", PAGES, HEADS, DIM, CPU)
    plane.write(0, 0, torch.randn(4, HEADS, DIM))
    assert plane.stored_bytes(0, 4).startswith(plane.stored_bytes(0, 2))


@pytest.mark.parametrize(("kv_type", "dim"), [("q8_0", 40), ("q4_0", 64)])
def test_a_cache_type_that_cannot_be_is_refused_in_words(kv_type: str, dim: int) -> None:
    with pytest.raises(RequestError, match=r"Choose"):
        make_plane(kv_type, PAGES, HEADS, dim, CPU)
