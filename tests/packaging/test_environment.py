"""The environment survives what happens to it: interruption, a move, a lost Python."""

import json
import subprocess
import sys

import pytest
from devenv.environment import Environment, Stamp
from devenv.interpreters import executable
from devenv.system import SetupError


@pytest.fixture
def quick_venv(monkeypatch):
    """Environments without pip, which takes most of the time that making one takes."""
    make = Environment._make
    monkeypatch.setattr(
        Environment, "_make", lambda self, python, *options: make(self, python, "--without-pip")
    )


@pytest.fixture
def made(tmp_path, quick_venv):
    """A finished environment in a folder with a space."""
    root = tmp_path / "with a space"
    root.mkdir()
    environment = Environment(root)
    stamp = environment.create(executable())
    environment.write(Stamp(root=stamp.root, python=stamp.python, dependencies="abc"))
    return environment


def prefix(environment):
    command = [str(environment.python), "-c", "import sys; print(sys.prefix)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_fresh_environment_runs_python_in_a_path_with_a_space(made):
    assert prefix(made) == str(made.folder)
    assert made.stamp() == Stamp(
        root=str(made.root), python=executable(), dependencies="abc", qt_checked=[]
    )


def test_no_folder_means_no_environment(tmp_path):
    assert Environment(tmp_path).stamp() is None


def test_one_that_was_interrupted_is_remade_without_its_leftovers(made, quick_venv):
    made.create(executable())
    leftover = made.folder / "half-copied"
    leftover.mkdir()
    assert made.stamp() is None
    made.create(executable())
    assert not leftover.exists()
    assert prefix(made) == str(made.folder)


def test_an_interruption_before_the_first_stamp_leaves_nothing_in_the_way(tmp_path):
    environment = Environment(tmp_path)
    environment.folder.mkdir()
    (environment.folder / "paceline.new").write_text('{"ro')
    assert environment.stamp() is None


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"from": "another version"})])
def test_a_damaged_stamp_counts_as_none(made, text):
    (made.folder / "paceline.json").write_text(text)
    assert made.stamp() is None


def test_an_environment_whose_python_is_gone_counts_as_none(made):
    made.write(Stamp(root=str(made.root), python="/gone/python3.11", dependencies="abc"))
    assert made.stamp() is None


def test_a_folder_that_somebody_else_made_is_refused_and_left_alone(tmp_path):
    theirs = tmp_path / ".venv" / "theirs"
    theirs.parent.mkdir()
    theirs.touch()
    with pytest.raises(SetupError, match="made by something else"):
        Environment(tmp_path).stamp()
    assert theirs.exists()


def test_a_moved_environment_goes_on_with_its_new_paths(made):
    moved = Environment(made.root.rename(made.root.with_name("moved here")))
    stamp = moved.follow_move(moved.stamp())
    assert stamp.root == str(moved.root)
    assert moved.stamp() == stamp
    assert prefix(moved) == str(moved.folder)
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    assert "moved here" in (moved.folder / scripts / "activate").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="stands in for Python with a shell script")
def test_a_venv_that_fails_is_told_with_its_reason(tmp_path):
    failing = tmp_path / "python"
    failing.write_text("#!/bin/sh\necho 'some lines' >&2\necho 'No space left' >&2\nexit 1\n")
    failing.chmod(0o755)
    with pytest.raises(SetupError, match=r"could not make .* \(No space left\): check"):
        Environment(tmp_path).create(str(failing))
