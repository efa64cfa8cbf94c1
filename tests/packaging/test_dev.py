"""The two commands as typed: what they start, and what they say when they cannot."""

import ast
import os
import sys
from pathlib import Path

import pytest
from devenv import interpreters, main, native_library, packages, system
from devenv.environment import Environment, Stamp

PACKAGING = Path(main.__file__).parents[1]
SOURCES = [PACKAGING / "dev.py", *(PACKAGING / "devenv").glob("*.py")]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_file_parses_as_python_3_8(source):
    ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 8))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_set_up_needs_the_standard_library_alone(source):
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module]
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names | {"devenv"}


def test_dev_py_holds_nothing_that_a_python_2_cannot_read():
    tree = ast.parse((PACKAGING / "dev.py").read_text(encoding="utf-8"))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.FunctionDef)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A checkout in a path with a space, whose environment holds all that it asks for."""
    root = tmp_path / "my checkout"
    root.mkdir()
    (root / "pyproject.toml").write_bytes((PACKAGING.parent / "pyproject.toml").read_bytes())
    wanted = packages.read_requirements(root / "pyproject.toml")
    environment = Environment(root)
    environment.write(
        Stamp(
            root=str(root),
            python=sys.executable,
            torch="cpu",
            dependencies=packages.digest(wanted.dependencies),
            development=packages.digest(wanted.development),
            native=native_library.digest(root),
            qt_checked=["offscreen"],
        )
    )
    library = root / "engine" / "kernels" / "paceline_cpu.so"
    library.parent.mkdir(parents=True)
    library.touch()
    environment.python.parent.mkdir()
    environment.python.touch()
    monkeypatch.setattr(main, "ROOT", root)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(interpreters, "verdict", lambda: interpreters.GOOD)
    return environment


@pytest.fixture
def handed_over(monkeypatch):
    """The commands that took over, with their environment variables."""
    calls = []
    monkeypatch.setattr(main, "hand_over", lambda *call: calls.append(call) or 0)
    return calls


@pytest.mark.usefixtures("ready")
def test_a_second_run_starts_no_process_but_the_application(ready, handed_over, monkeypatch):
    def refuse(*args, **kwargs):
        pytest.fail(f"started {args}")

    monkeypatch.setattr("subprocess.Popen", refuse)
    assert main.main(["run", "model.gguf", "--data-dir", "chats"]) == 0
    [(command, environ)] = handed_over
    assert command == [
        *(str(ready.python), "-P", "-m", "app"),
        *("model.gguf", "--data-dir", "chats"),
    ]
    assert environ["PYTHONPATH"].split(os.pathsep)[0] == str(ready.root)


def test_test_runs_pytest_off_screen_in_the_root(ready, handed_over, monkeypatch):
    monkeypatch.chdir(ready.root.parent)
    assert main.main(["test", "-k", "some name", "-x"]) == 0
    [(command, environ)] = handed_over
    assert command[:3] == [str(ready.python), "-m", "pytest"]
    assert command[-3:] == ["-k", "some name", "-x"]
    assert set(command[3:-3]) == set(main.SIDE_BY_SIDE)
    assert environ["QT_QPA_PLATFORM"] == "offscreen"
    assert Path.cwd() == ready.root


def test_an_old_python_hands_over_to_the_one_behind_the_environment(
    ready, handed_over, monkeypatch
):
    monkeypatch.setattr(interpreters, "verdict", lambda: interpreters.UNSUITED)
    assert main.main(["run", "--torch", "cpu", "a.gguf"]) == 0
    [(command, _)] = handed_over
    dev = str(ready.root / "packaging" / "dev.py")
    assert command == [sys.executable, dev, "run", "--torch", "cpu", "a.gguf"]


@pytest.mark.parametrize(
    ("ending", "status", "line"),
    [
        (system.SetupError("No room."), 1, "No room."),
        (PermissionError(13, "Permission denied", "/x"), 1, "Permission denied: '/x'"),
        (KeyboardInterrupt(), 130, "Run the same command again to go on."),
    ],
)
@pytest.mark.usefixtures("ready")
def test_whatever_stops_set_up_is_said_in_one_line(monkeypatch, capsys, ending, status, line):
    def stop(*args, **kwargs):
        raise ending

    monkeypatch.setattr(main, "prepare", stop)
    assert main.main(["run"]) == status
    said = capsys.readouterr().err.strip()
    assert line in said
    assert len(said.splitlines()) == 1
