"""What pip is asked for, and when its own configuration decides where from."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from devenv import packages
from devenv.system import SetupError
from devenv.torch_builds import TORCH
from packaging.requirements import Requirement  # the library, not this project's folder

PYPROJECT = Path(packages.__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize(
    ("listing", "sources"),
    [
        ("", []),
        ("global.cert='/etc/ssl/ca.crt'\n:env:.no-input='1'\n", []),
        ("global.index-url='https://packages.example/simple'\n", ["index-url"]),
        ("site.extra-index-url='https://packages.example/simple'\n", ["extra-index-url"]),
        ("user.find-links='/wheels'\n:env:.find-links='/wheels'\n", ["find-links"]),
        (":env:.index-url='https://a.example'\ninstall.no-index='1'\n", ["index-url", "no-index"]),
        ("global.index-url='https://pypi.org/simple/'\n", []),
        ("global.extra-index-url='file:///a?b=c file:///d'\n", ["extra-index-url"]),
    ],
)
def test_the_sources_pip_is_configured_with_are_recognised(listing, sources):
    assert packages.parse_sources(listing) == sources


def test_pip_is_asked_for_what_its_environment_variables_say(monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    assert "find-links" in packages.configured_sources(Path(sys.executable))


def test_torch_is_narrowed_to_a_release_that_the_project_allows():
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    declared, wanted = project["dependencies"], packages.read_requirements(PYPROJECT).dependencies
    [(allowed, pinned)] = [pair for pair in zip(declared, wanted, strict=True) if len({*pair}) > 1]
    assert pinned == TORCH
    assert Requirement(allowed).name == "torch"
    assert pinned.partition("==")[2] in Requirement(allowed).specifier


def test_the_digest_follows_the_requirements():
    assert packages.digest(["a>=1", "b"]) == packages.digest(["a>=1", "b"])
    assert packages.digest(["a>=1", "b"]) != packages.digest(["a>=2", "b"])


@pytest.mark.parametrize("index", [None, "https://wheels.example/cpu"])
def test_pip_runs_as_a_module_with_the_index_given(monkeypatch, index):
    commands = []

    def run(command, env):
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(packages.subprocess, "run", run)
    packages.install(Path("a path/python"), ["x>=1"], index)
    options = ["--index-url", index] if index else []
    assert commands == [["a path/python", "-m", "pip", "install", "x>=1", *options]]


def test_a_failure_of_pip_says_what_helps(monkeypatch):
    monkeypatch.setattr(
        packages.subprocess, "run", lambda command, env: subprocess.CompletedProcess(command, 1)
    )
    with pytest.raises(SetupError, match="check the connection"):
        packages.install(Path("python"), ["x"])
