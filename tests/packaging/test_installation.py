"""What is installed, in which order and from where, as the stamp and the command line ask."""

import sys
from collections import namedtuple

import pytest
from devenv import installation, packages, torch_builds
from devenv.environment import Environment, Stamp
from devenv.system import SetupError
from devenv.torch_builds import TORCH

PYPROJECT = """
[project]
dependencies = ["numpy>=2", "torch>=2.11"]
[dependency-groups]
dev = ["pytest>=9"]
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout on a Linux computer without an NVIDIA card; nothing is really installed."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    monkeypatch.setattr(Environment, "_make", make_nothing)
    monkeypatch.setattr(packages, "configured_sources", lambda python: [])
    monkeypatch.setattr(torch_builds, "find_gpu", lambda: None)
    monkeypatch.setattr(torch_builds, "this_computer", lambda: ("Linux", "x86_64"))
    return Environment(tmp_path)


def make_nothing(environment, python, *options):
    environment.python.parent.mkdir(parents=True, exist_ok=True)
    environment.python.touch()


@pytest.fixture
def installed(monkeypatch):
    """What pip was asked for: the requirements and the index."""
    calls = []
    monkeypatch.setattr(
        packages, "install", lambda python, wanted, index=None: calls.append((list(wanted), index))
    )
    return calls


def prepare(checkout, *, development=False, torch=None):
    return installation.prepare(checkout, sys.executable, development=development, torch=torch)


CPU_INDEX = "https://download.pytorch.org/whl/cpu"
CUDA_INDEX = "https://download.pytorch.org/whl/cu130"


def test_torch_comes_first_and_the_rest_cannot_replace_it(checkout, installed, capsys):
    prepare(checkout, development=True)
    assert installed == [([TORCH], CPU_INDEX), (["numpy>=2", TORCH, "pytest>=9"], None)]
    said = capsys.readouterr().out
    assert said.index("To download: about") < said.index("Installing PyTorch")


def test_where_pip_names_its_own_sources_no_index_is_added(checkout, installed, monkeypatch):
    monkeypatch.setattr(packages, "configured_sources", lambda python: ["find-links"])
    prepare(checkout, torch="cuda")
    assert installed == [([TORCH], None), (["numpy>=2", TORCH], None)]


def test_keep_leaves_torch_alone(checkout, installed):
    prepare(checkout, torch="KEEP")
    assert installed == [(["numpy>=2"], None)]
    prepare(checkout, development=True)
    assert installed[1:] == [(["numpy>=2", "pytest>=9"], None)]


def test_a_finished_environment_needs_nothing(checkout, installed):
    first = prepare(checkout, development=True)
    installed.clear()
    assert prepare(checkout) == prepare(checkout, torch="cpu") == checkout.stamp()
    assert checkout.stamp().torch == first.torch == "cpu"
    assert not installed


def test_tests_after_a_run_add_their_packages(checkout, installed, capsys):
    prepare(checkout)
    capsys.readouterr()
    prepare(checkout, development=True)
    assert installed[-1] == (["numpy>=2", TORCH, "pytest>=9"], None)
    assert "To download" not in capsys.readouterr().out


def test_changed_dependencies_are_installed_over_what_is_there(checkout, installed):
    prepare(checkout, torch="cuda")
    leftover = checkout.folder / "lib"
    leftover.mkdir()
    (checkout.root / "pyproject.toml").write_text(PYPROJECT.replace("numpy>=2", "numpy>=2.1"))
    prepare(checkout)
    assert installed[2:] == [([TORCH], CUDA_INDEX), (["numpy>=2.1", TORCH], None)]
    assert leftover.exists()


def test_another_build_of_torch_remakes_the_environment(checkout, installed):
    prepare(checkout, torch="cpu")
    leftover = checkout.folder / "lib"
    leftover.mkdir()
    prepare(checkout, torch="cuda")
    assert installed[2] == ([TORCH], CUDA_INDEX)
    assert not leftover.exists()


def test_an_installation_cut_short_starts_over(checkout, installed, monkeypatch):
    prepare(checkout)
    monkeypatch.setattr(packages, "install", cut_short)
    with pytest.raises(KeyboardInterrupt):
        prepare(checkout, development=True)
    assert checkout.stamp() is None


def test_an_update_cut_short_does_not_cost_a_torch_of_ones_own(checkout, installed, monkeypatch):
    prepare(checkout, torch="KEEP")
    monkeypatch.setattr(packages, "install", cut_short)
    with pytest.raises(KeyboardInterrupt):
        prepare(checkout, development=True)
    stamp = checkout.stamp()
    assert stamp.torch == "KEEP"
    assert not stamp.development


def cut_short(python, wanted, index=None):
    raise KeyboardInterrupt


def test_a_moved_checkout_keeps_what_is_installed(checkout, installed):
    stamp = prepare(checkout)
    checkout.write(Stamp(**{**vars(stamp), "root": "/where/it/was"}))
    installed.clear()
    assert prepare(checkout).root == str(checkout.root)
    assert not installed


def test_an_old_driver_is_told_and_the_processor_serves(checkout, installed, monkeypatch, capsys):
    monkeypatch.setattr(torch_builds, "find_gpu", lambda: torch_builds.Gpu(470, 8.6))
    prepare(checkout)
    assert installed[0] == ([TORCH], CPU_INDEX)
    assert torch_builds.UNFIT_GPU in capsys.readouterr().out


def test_a_full_disk_is_noticed_before_anything_is_downloaded(checkout, installed, monkeypatch):
    usage = namedtuple("usage", "free")(free=100_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    with pytest.raises(SetupError, match="only 100 MB free"):
        prepare(checkout)
    assert not installed
