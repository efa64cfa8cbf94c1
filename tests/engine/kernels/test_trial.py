"""What a self-test finds out about a backend."""

import pytest
import torch

from engine.kernels import reference
from engine.kernels.operations.rows import Activation
from engine.kernels.samples.catalogue import samples
from engine.kernels.samples.sample import Sample
from engine.kernels.trial import Candidate, candidates, try_sample


@pytest.fixture
def by_torch() -> Candidate:
    return candidates("cpu")[0]


def sample(name: str) -> Sample:
    return next(each for each in samples() if each.name == name)


def test_every_sample_differs_from_every_other_in_name() -> None:
    names = [each.name for each in samples()]
    assert len(set(names)) == len(names)


def test_samples_are_the_same_each_time() -> None:
    for one, other in zip(samples(), samples(), strict=True):
        assert torch.equal(one.expected, other.expected)


@pytest.mark.parametrize("error", [1e-3, torch.nan])
def test_a_wrong_number_is_an_error(
    by_torch: Candidate, monkeypatch: pytest.MonkeyPatch, error: float
) -> None:
    activate = reference.activate
    gated = sample("Glu, SILU")
    monkeypatch.setattr(reference, "activate", lambda *rows: activate(*rows) * (1 + error))
    trial = try_sample(by_torch, gated)
    assert trial.rows_stand_alone is (error < 1)  # what is no number equals nothing
    assert not trial.passed


def test_rows_that_depend_on_those_before_them_are_told(
    by_torch: Candidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaning(x: torch.Tensor, activation: Activation) -> torch.Tensor:
        nonlocal calls
        calls += 1
        return activate(x, activation) * (1 + 1e-6 * (calls % 5))

    calls = 0
    activate = reference.activate
    gated = sample("Glu, SILU")
    monkeypatch.setattr(reference, "activate", leaning)
    trial = try_sample(by_torch, gated)
    assert trial.error <= trial.allowed
    assert not trial.rows_stand_alone
    assert not trial.passed


def test_a_fold_that_leaves_out_a_row_is_told(
    by_torch: Candidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    recurrent = sample("DeltaRule")
    assert try_sample(by_torch, recurrent).passed
    fold = type(by_torch.build(recurrent.program, recurrent.rows)).fold
    monkeypatch.setattr(
        "engine.kernels.interpreter.TorchModel.fold",
        lambda self, layers, entry, slot, rows: fold(self, layers, entry, slot, rows - 1),
    )
    assert not try_sample(by_torch, recurrent).passed
