"""Attention over pages, and what is rounded into them: native against the twins."""

import math
from dataclasses import dataclass, replace

import pytest
import torch

from engine.base.errors import RequestError
from engine.kernels.kv_pages import LayerPages, PrefixPlane, make_plane
from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import Attention, Rope, Rotate, Store
from engine.kernels.program import Program
from engine.kernels.state import ModelState
from engine.kernels.state_types import PAGE_POSITIONS
from tests.helpers.one_operation import (
    CPU,
    PassOf,
    Rows,
    SlotState,
    native,
    program_of,
    twin,
    weight,
)

PAGES = 9
KV_TYPES = ("f32", "f16", "q8_0")
SLOTS = {0: SlotState(pages=[5, 2, 7]), 1: SlotState(pages=[0, 8]), 3: SlotState(pages=[3])}


@dataclass(frozen=True)
class Heads:
    """Sizes that differ pairwise."""

    key_heads: int = 2
    sharing: int = 3
    key_dim: int = 40
    value_dim: int = 24

    def pages(self, kv_type: str) -> ModelState:
        keys, values = (
            make_plane(kv_type, PAGES, self.key_heads, dim, CPU)
            for dim in (self.key_dim, self.value_dim)
        )
        for plane in (keys, values):
            plane.storage.elements.zero_()  # poison leaves codes as they are
            for page in range(PAGES):
                plane.poison(page, 0)
        return ModelState((LayerPages(keys, values),), ())

    def filled(self, kv_type: str, lengths: dict[int, int]) -> ModelState:
        """Pages with random keys and values up to each slot's length, and NaN behind."""
        state = self.pages(kv_type)
        for slot, length in lengths.items():
            for index, first in enumerate(range(0, length, PAGE_POSITIONS)):
                rows = min(PAGE_POSITIONS, length - first)
                page = SLOTS[slot].pages[index]
                layer = state.attention[0]
                layer.keys.write(page, 0, torch.randn(rows, self.key_heads, self.key_dim))
                layer.values.write(page, 0, torch.randn(rows, self.key_heads, self.value_dim))
        return state

    def attention(self, rows: int, how: dict[str, object] | None = None) -> Program:
        heads = self.key_heads * self.sharing
        query, out = Buffer("query", heads * self.key_dim), Buffer("out", heads * self.value_dim)
        plain = Attention(query, out, self.key_dim, 0, 1 / math.sqrt(self.key_dim))
        operation = replace(plain, **(how or {}))
        return program_of({query: 3 * torch.randn(rows, query.width)}, [operation], out)


def heads_for(kv_type: str) -> Heads:
    return Heads(key_dim=64, value_dim=32) if kv_type == "q8_0" else Heads()


@pytest.mark.parametrize("kv_type", KV_TYPES)
@pytest.mark.parametrize("length", [1, 17, 255, 256, 257, 600])
def test_attention_is_that_of_the_twin(isa: str, kv_type: str, length: int) -> None:
    torch.manual_seed(length)
    rows = min(length, 7)
    heads = heads_for(kv_type)
    state, program = heads.filled(kv_type, {0: length}), heads.attention(rows)
    last_rows = PassOf([Rows(range(rows), position=length - rows)], SLOTS)
    ours = last_rows.run(native(program, isa=isa), state)
    assert torch.allclose(ours, last_rows.run(twin(program), state), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("heads", [Heads(1, 1, 8, 5), Heads(3, 1, 256, 96), Heads(1, 40, 16, 16)])
def test_heads_of_any_size_and_number_attend(isa: str, heads: Heads) -> None:
    torch.manual_seed(1)
    state, program = heads.filled("f16", {0: 300}), heads.attention(5)
    last_rows = PassOf([Rows(range(5), position=295)], SLOTS)
    ours = last_rows.run(native(program, isa=isa), state)
    assert torch.allclose(ours, last_rows.run(twin(program), state), rtol=1e-4, atol=1e-5)


VARIANTS = {
    "a window": {"window": 7},
    "a window over pages": {"window": 258},
    "a cap": {"cap": 2.0},
    "sinks": {"sinks": weight("sinks", torch.linspace(-3, 9, 6))},
    "all": {"window": 30, "cap": 3.0, "sinks": weight("sinks", torch.linspace(-3, 9, 6))},
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("length", [5, 257, 600])
def test_scores_go_through_what_the_twin_takes_them_through(
    isa: str, name: str, length: int
) -> None:
    torch.manual_seed(length)
    rows = min(length, 40)
    heads = Heads()
    state, program = heads.filled("f16", {0: length}), heads.attention(rows, VARIANTS[name])
    last_rows = PassOf([Rows(range(rows), position=length - rows)], SLOTS)
    ours = last_rows.run(native(program, isa=isa), state)
    assert torch.allclose(ours, last_rows.run(twin(program), state), rtol=1e-4, atol=1e-5)


def test_pages_outside_the_window_are_not_read(isa: str) -> None:
    heads = Heads()
    state, program = heads.filled("f16", {0: 600}), heads.attention(3, {"window": 50})
    last_rows = PassOf([Rows(range(3), position=597)], SLOTS)
    for plane in (state.attention[0].keys, state.attention[0].values):
        for page in SLOTS[0].pages[:2]:
            plane.poison(page, 0)
    for model in (native(program, isa=isa), twin(program)):
        assert last_rows.run(model, state).isfinite().all()


@pytest.mark.parametrize("kv_type", KV_TYPES)
def test_values_may_be_the_beginning_of_the_keys(isa: str, kv_type: str) -> None:
    torch.manual_seed(4)
    heads, rows = Heads(1, 4, 96, 64), 270
    query, out = Buffer("query", 4 * 96), Buffer("out", 4 * 64)
    key = Buffer("key", 96)
    inputs = {buffer: torch.randn(rows, buffer.width) for buffer in (query, key)}
    attention = Attention(query, out, 96, 0, 0.1)
    program = program_of(inputs, [Store(key, None, 0), attention], out)
    shared = heads.filled(kv_type, {})
    layer = shared.attention[0]
    shared = replace(shared, attention=(LayerPages(layer.keys, PrefixPlane(layer.keys, 64)),))
    separate = heads.filled(kv_type, {})
    value = Buffer("value", 64)
    apart = program_of(
        {**inputs, value: inputs[key][:, :64]}, [Store(key, value, 0), attention], out
    )
    together = PassOf([Rows(range(rows))], SLOTS)
    ours = together.run(native(program, isa=isa), shared)
    assert torch.equal(ours, together.run(native(apart, isa=isa), separate))
    assert torch.allclose(ours, together.run(twin(program), shared), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("how", [{}, VARIANTS["all"], VARIANTS["a window over pages"]])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kv_type", KV_TYPES)
def test_a_row_attends_alike_in_any_company(
    isa: str, kv_type: str, threads: int, how: dict[str, object]
) -> None:
    torch.manual_seed(2)
    heads = heads_for(kv_type)
    state, program = heads.filled(kv_type, {0: 530, 1: 260, 3: 40}), heads.attention(64, how)
    groups = [
        Rows(range(40, 42), slot=1, position=255),  # across the end of a page
        Rows(range(3), slot=0, position=490),
        Rows([42], slot=1, position=257),
        Rows(range(50, 64), slot=3, position=26),
        Rows(range(3, 40), slot=0, position=493),
    ]
    model = native(program, isa=isa, threads=threads)
    together = PassOf(groups, SLOTS).run(model, state)
    alone = native(program, isa=isa, threads=1)
    expected = [
        PassOf([Rows([row], group.slot, group.position + index)], SLOTS).run(alone, state)
        for group in groups
        for index, row in enumerate(group.rows)
    ]
    assert torch.equal(together, torch.cat(expected))
    model.poison()
    assert torch.equal(PassOf(groups, SLOTS).run(model, state), together)


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("kv_type", KV_TYPES)
def test_turned_rows_are_stored_as_the_twin_rounds_them(
    isa: str, kv_type: str, interleaved: bool
) -> None:
    torch.manual_seed(3)
    heads, rows, first = heads_for(kv_type), 20, 250
    query = Buffer("query", heads.key_heads * heads.sharing * heads.key_dim)
    key = Buffer("key", heads.key_heads * heads.key_dim)
    value = Buffer("value", heads.key_heads * heads.value_dim)
    dims = heads.key_dim - 6
    factors = weight("factors", torch.rand(dims // 2) + 0.5)
    plain = Rope.plain(dims, 10_000.0, interleaved=interleaved)
    rope = replace(plain, magnitude=0.7, factors=factors)
    operations = [
        Rotate(query, rope, heads.key_dim),
        Rotate(key, rope, heads.key_dim),
        Store(key, value, 0),
    ]
    inputs = {buffer: torch.randn(rows, buffer.width) for buffer in (query, key, value)}
    inputs[key][1] = 0  # a row without a scale
    program = program_of(inputs, operations, query)
    stored = []
    for backend in (native(program, isa=isa), twin(program)):
        state = heads.pages(kv_type)
        turned = PassOf([Rows(range(rows), position=first)], SLOTS).run(backend, state)
        planes = (state.attention[0].keys, state.attention[0].values)
        pages = [plane.stored_bytes(page, PAGE_POSITIONS) for plane in planes for page in (5, 2)]
        stored.append((turned, pages))
    assert torch.equal(stored[0][0], stored[1][0])
    assert stored[0][1] == stored[1][1]


@pytest.mark.parametrize("page", [-1, PAGES])
def test_a_page_that_is_not_there_is_refused(page: int) -> None:
    heads = Heads()
    state, program = heads.filled("f32", {}), heads.attention(1)
    with pytest.raises(RequestError, match=f"refers to page {page}"):
        PassOf([Rows([0])], {0: SlotState(pages=[page])}).run(native(program), state)


def test_rows_of_a_slot_must_follow_each_other() -> None:
    heads = Heads()
    state, program = heads.filled("f32", {0: 9}), heads.attention(2)
    gap = PassOf([Rows([0], position=3), Rows([1], position=5)], SLOTS)
    with pytest.raises(RequestError, match="do not follow each other"):
        gap.run(native(program), state)
