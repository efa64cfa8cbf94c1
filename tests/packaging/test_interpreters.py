"""A Python that will do is found, or the person is told how to get one."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from devenv import interpreters
from devenv.interpreters import GOOD, NO_VENV, UNSUITED
from devenv.system import SetupError
from packaging.specifiers import SpecifierSet  # the library, not this project's folder

PYPROJECT = Path(interpreters.__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("minor", range(8, 18))
def test_the_versions_looked_for_are_those_the_project_declares(minor):
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    looked_for = interpreters.OLDEST <= (3, minor) <= interpreters.NEWEST
    assert (f"3.{minor}.0" in SpecifierSet(project["requires-python"])) == looked_for


def test_the_python_of_these_tests_would_do():
    assert interpreters.verdict() == GOOD


@pytest.mark.parametrize("version", [(3, 8), (3, 10), (3, 15)])
def test_too_old_and_too_new_versions_are_turned_down(monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", (*version, 0, "final", 0))
    assert interpreters.verdict() == UNSUITED


def test_a_32_bit_python_is_turned_down(monkeypatch):
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    assert interpreters.verdict() == UNSUITED


def test_a_python_without_the_means_to_make_environments_is_turned_down(monkeypatch):
    monkeypatch.setattr(interpreters.importlib.util, "find_spec", lambda name: None)
    assert interpreters.verdict() == NO_VENV


def test_the_path_is_that_of_the_python_behind_an_environment():
    command = [interpreters.executable(), "-c", "import sys; print(sys.prefix == sys.base_prefix)"]
    assert subprocess.run(command, capture_output=True, text=True).stdout.strip() == "True"


@pytest.fixture
def only(monkeypatch):
    """Makes the given paths the only candidates, beside a running Python that will not do."""

    def set_candidates(*paths):
        monkeypatch.setattr(interpreters, "verdict", lambda: UNSUITED)
        monkeypatch.setattr(interpreters, "_candidates", lambda: iter(map(str, paths)))

    return set_candidates


@pytest.mark.skipif(os.name == "nt", reason="stands in for Python with a shell script")
def test_names_that_lead_nowhere_are_passed_over(only, tmp_path):
    broken = tmp_path / "python3.14"
    broken.write_text("#!/bin/sh\necho 'not installed'\nexit 127\n")
    broken.chmod(0o755)
    only(tmp_path / "missing", broken, sys.executable)
    assert interpreters.find() == interpreters.executable()


@pytest.mark.skipif(os.name == "nt", reason="the names are those of POSIX systems")
def test_a_versioned_name_on_the_path_is_asked_before_other_places(monkeypatch, tmp_path):
    python = tmp_path / "python3.12"
    python.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert next(interpreters._candidates()) == str(python)


@pytest.mark.skipif(os.name == "nt", reason="the place is one of POSIX systems")
def test_pyenv_s_versions_are_found_without_being_on_the_path(monkeypatch, tmp_path):
    python = tmp_path / ".pyenv/versions/3.13.2/bin/python3.13"
    python.parent.mkdir(parents=True)
    python.touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    assert str(python) in interpreters._candidates()


def test_the_windows_launcher_s_list_is_read(monkeypatch):
    listing = (
        " -V:3.13 *        C:\\Program Files\\Python313\\python.exe\n"
        " -V:3.9           C:\\Users\\me\\Python39\\python.exe\n"
    )
    monkeypatch.setattr(interpreters.shutil, "which", lambda name: "C:\\Windows\\py.exe")
    monkeypatch.setattr(
        interpreters.subprocess,
        "run",
        lambda command, **kwargs: subprocess.CompletedProcess(command, 0, stdout=listing),
    )
    assert interpreters._launcher_paths() == [
        "C:\\Program Files\\Python313\\python.exe",
        "C:\\Users\\me\\Python39\\python.exe",
    ]


@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("apt", "apt install python3.11 python3.11-venv` or from https://www.python.org"),
        ("dnf", "dnf install python3.12` or from"),
        ("zypper", "zypper install python312` or from"),
        ("brew", "brew install python@3.13` or from"),
        ("winget", "winget install Python.Python.3.13` or from"),
        (None, "install one from https://www.python.org/downloads/"),
    ],
)
def test_without_a_python_the_sentence_says_how_to_get_one_here(only, monkeypatch, manager, line):
    only()
    monkeypatch.setattr(interpreters, "package_manager", lambda: manager)
    with pytest.raises(SetupError, match=r"needs Python 3\.11 to 3\.14") as error:
        interpreters.find()
    assert line in str(error.value)


def test_a_python_that_lacks_venv_is_completed_rather_than_replaced(only, monkeypatch):
    only("/usr/bin/python3.12")
    monkeypatch.setattr(interpreters, "_ask", lambda candidate: (NO_VENV, candidate))
    monkeypatch.setattr(interpreters, "package_manager", lambda: "apt")
    with pytest.raises(SetupError, match=r"apt install python3\.12-venv`"):
        interpreters.find()
