"""The table of PyTorch builds, row by row, and the sentences for computers outside it."""

import subprocess

import pytest
from devenv import torch_builds
from devenv.system import SetupError
from devenv.torch_builds import BUILDS, CPU, CUDA, Gpu, choose

OLD = Gpu(driver=550, capability=6.1)
USUAL = Gpu(driver=580, capability=8.9)
NEWEST = Gpu(driver=590, capability=12.0)


@pytest.mark.parametrize(
    ("system", "machine", "gpu", "asked", "build"),
    [
        ("Linux", "x86_64", None, None, "cpu"),
        ("Linux", "x86_64", USUAL, None, "cu130"),
        ("Linux", "x86_64", NEWEST, None, "cu130"),
        ("Linux", "x86_64", Gpu(579, 8.9), None, "cu126"),
        ("Linux", "x86_64", Gpu(525, 8.9), None, "cu126"),
        ("Linux", "x86_64", Gpu(524, 8.9), None, "cpu"),
        ("Linux", "x86_64", Gpu(580, 7.0), None, "cu126"),  # Volta: not in CUDA 13
        ("Linux", "x86_64", Gpu(570, 12.0), None, "cpu"),  # Blackwell: not in CUDA 12.6
        ("Linux", "x86_64", OLD, None, "cu126"),
        ("Linux", "x86_64", Gpu(580, 3.5), None, "cpu"),
        ("Linux", "x86_64", Gpu(0, 0), None, "cpu"),
        ("Linux", "x86_64", USUAL, CPU, "cpu"),
        ("Linux", "x86_64", None, CUDA, "cu130"),
        ("Linux", "x86_64", OLD, CUDA, "cu126"),
        ("Linux", "aarch64", None, None, "cpu"),
        ("Linux", "aarch64", Gpu(580, 9.0), None, "cu130"),
        ("Linux", "aarch64", Gpu(550, 9.0), None, "cu126"),
        ("Linux", "aarch64", Gpu(580, 7.5), None, "cpu"),
        ("Windows", "AMD64", USUAL, None, "cu130"),
        ("Windows", "AMD64", Gpu(528, 8.9), None, "cu126"),
        ("Windows", "AMD64", Gpu(527, 8.9), None, "PyPI"),
        ("Windows", "AMD64", None, None, "PyPI"),
        ("Windows", "AMD64", USUAL, CPU, "PyPI"),
        ("Darwin", "arm64", None, None, "PyPI"),
        ("Darwin", "arm64", None, CPU, "PyPI"),
    ],
)
def test_each_computer_gets_the_build_that_suits_it(system, machine, gpu, asked, build):
    index = choose(system, machine, gpu, asked).index
    expected = None if build == "PyPI" else f"https://download.pytorch.org/whl/{build}"
    assert index == expected


def test_every_row_is_chosen_for_some_computer():
    for row in BUILDS:
        gpu = Gpu(row.driver, row.capability[0]) if row.kind == CUDA else None
        assert choose(row.system, row.machine, gpu, None) == row


@pytest.mark.parametrize(
    ("system", "machine"), [("Darwin", "x86_64"), ("Windows", "ARM64"), ("Linux", "riscv64")]
)
def test_a_computer_without_a_build_is_told_which_have_one(system, machine):
    with pytest.raises(SetupError, match=f"no build for Python on {system} {machine}"):
        choose(system, machine, None, None)


def test_asking_for_cuda_where_there_is_none_is_an_error():
    with pytest.raises(SetupError, match="no CUDA on Darwin"):
        choose("Darwin", "arm64", None, CUDA)


def test_asking_for_cuda_with_an_old_driver_names_the_driver_to_install():
    with pytest.raises(SetupError, match="driver 580 or newer"):
        choose("Linux", "x86_64", Gpu(470, 8.6), CUDA)


@pytest.mark.parametrize(
    ("answer", "gpu"),
    [
        ("580.65.06, 9.0\n", Gpu(580, 9.0)),
        ("566.03, 7.5\n566.03, 12.0\n", Gpu(566, 12.0)),  # the most capable card counts
        ("", Gpu(0, 0)),
        ('Field "compute_cap" is not a valid field to query.\n', Gpu(0, 0)),
    ],
)
def test_the_card_is_read_from_nvidia_smi(monkeypatch, answer, gpu):
    monkeypatch.setattr(torch_builds.shutil, "which", lambda name: "/usr/bin/nvidia-smi")
    monkeypatch.setattr(
        torch_builds.subprocess,
        "run",
        lambda command, **kwargs: subprocess.CompletedProcess(command, 0, stdout=answer),
    )
    assert torch_builds.find_gpu() == gpu


def test_a_driver_that_does_not_answer_counts_as_too_old(monkeypatch):
    def hang(command, **kwargs):
        raise subprocess.TimeoutExpired(command, 30)

    monkeypatch.setattr(torch_builds.shutil, "which", lambda name: "/usr/bin/nvidia-smi")
    monkeypatch.setattr(torch_builds.subprocess, "run", hang)
    assert torch_builds.find_gpu() == Gpu(0, 0)


def test_without_nvidia_smi_there_is_no_card(monkeypatch):
    monkeypatch.setattr(torch_builds.shutil, "which", lambda name: None)
    assert torch_builds.find_gpu() is None
