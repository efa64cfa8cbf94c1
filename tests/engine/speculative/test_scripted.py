"""A proposer whose acceptance is known."""

import pytest

from engine.base.types import Drafting, Request, SamplingParams, Script
from engine.speculative.proposer import SlotView
from engine.speculative.scripted import ScriptedProposer

VOCAB = 50
TOKENS = tuple(i % VOCAB for i in range(2000))


def view(request: Request, index: int) -> SlotView:
    return SlotView(reply=0, slot=0, request=request, tokens=(1, 2), index=index)


def propose(index: int, limit: int, *, accept: float = 1.0, seed: int = 0) -> list[int]:
    request = Request(
        (),
        None,
        SamplingParams(seed=seed),
        drafting=Drafting(("scripted",), script=Script(TOKENS, accept)),
    )
    (draft,) = ScriptedProposer(VOCAB).propose([view(request, index)], [limit])
    return draft


def test_it_goes_on_where_the_reply_is() -> None:
    assert propose(0, 4) == [0, 1, 2, 3]
    assert propose(7, 2) == [7, 8]


def test_behind_the_end_of_the_script_there_is_nothing() -> None:
    assert len(propose(len(TOKENS) - 3, 8)) == 3
    assert propose(len(TOKENS), 8) == []


def test_a_request_without_a_script_gets_no_draft() -> None:
    assert ScriptedProposer(VOCAB).propose([view(Request(()), 0)], [4]) == [[]]


@pytest.mark.parametrize("accept", [0.0, 0.3, 0.8, 1.0])
def test_so_many_tokens_are_right_as_it_says(accept: float) -> None:
    draft = propose(0, len(TOKENS), accept=accept)
    right = sum(a == b for a, b in zip(draft, TOKENS, strict=True))
    assert right / len(TOKENS) == pytest.approx(accept, abs=0.04 * (0 < accept < 1))
    assert set(draft) <= set(range(VOCAB))


def test_errors_belong_to_places_and_not_to_rounds() -> None:
    whole = propose(0, 40, accept=0.5)
    for start in range(0, 40, 5):
        assert propose(start, 5, accept=0.5) == whole[start : start + 5]


def test_another_seed_errs_elsewhere() -> None:
    assert propose(0, 40, accept=0.5, seed=1) != propose(0, 40, accept=0.5, seed=2)
