"""When the native kernels are built, with which tools, and what is said where they cannot be."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from devenv import native_library, packages
from devenv.environment import Environment, Stamp


@pytest.fixture
def checkout(tmp_path):
    """A checkout with one source, and an environment that holds no library yet."""
    sources = tmp_path / "engine" / "kernels" / "csrc"
    sources.mkdir(parents=True)
    (sources / "pool.cpp").write_text("int threads;")
    environment = Environment(tmp_path)
    environment.write(Stamp(root=str(tmp_path), python=sys.executable))
    return environment


class Tools:
    """Stands for the programs that are run: notes the commands, and installs a library."""

    def __init__(self, checkout):
        self.commands = []
        self.present = {"c++", "cmake", "ninja"}
        self.failing = None

    def which(self, name):
        return f"/usr/bin/{name}" if name in self.present else None

    def run(self, command, **options):
        self.commands.append(command)
        if "--install" in command:
            folder = Path(command[-1], "engine", "kernels")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "paceline_cpu.so").write_text("built")
        failed = self.failing is not None and self.failing in command
        return subprocess.CompletedProcess(command, int(failed), stdout="/environment/bin\n")


@pytest.fixture
def tools(checkout, monkeypatch):
    tools = Tools(checkout)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr("shutil.which", tools.which)
    monkeypatch.setattr("subprocess.run", tools.run)
    return tools


def test_what_is_built_is_built_again_only_when_its_sources_change(checkout, tools):
    stamp = native_library.update(checkout, checkout.stamp() or Stamp())
    assert [command[1] for command in tools.commands] == ["-S", "--build", "--install"]
    tools.commands.clear()
    assert native_library.update(checkout, stamp) == stamp
    assert not tools.commands
    (checkout.root / "engine" / "kernels" / "csrc" / "pool.cpp").write_text("long threads;")
    assert native_library.update(checkout, stamp) != stamp
    assert tools.commands


def test_a_library_of_other_sources_is_stale(checkout):
    assert not native_library.is_stale(checkout.root)  # there is none
    library = checkout.root / "engine" / "kernels" / "paceline_cpu.so"
    library.write_bytes(b"\0code\0" + native_library.digest(checkout.root).encode() + b"\0")
    assert not native_library.is_stale(checkout.root)
    (checkout.root / "engine" / "kernels" / "csrc" / "pool.cpp").write_text("long threads;")
    assert native_library.is_stale(checkout.root)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake")
def test_the_build_writes_the_same_digest(tmp_path):
    root = Path(__file__).parents[2]
    folder, out = root / "engine" / "kernels" / "csrc", tmp_path / "sources.cpp"
    script = folder / "digest.cmake"
    command = ["cmake", f"-DFOLDER={folder}", f"-DOUT={out}", "-P", str(script)]
    subprocess.run(command, check=True, timeout=60)
    assert f'"{native_library.digest(root)}"' in out.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="there a library in use cannot be replaced")
def test_a_library_that_is_in_use_stays_whole(checkout, tools):
    library = checkout.root / "engine" / "kernels" / "paceline_cpu.so"
    library.write_text("mapped")
    with library.open() as mapped:
        native_library.update(checkout, Stamp())
        assert mapped.read() == "mapped"
    assert library.read_text() == "built"


def test_a_library_that_was_deleted_is_built_again(checkout, tools):
    stamp = Stamp(native=native_library.digest(checkout.root))
    native_library.update(checkout, stamp)
    assert tools.commands


@pytest.mark.skipif(sys.platform == "win32", reason="there CMake looks for Visual Studio itself")
def test_without_a_compiler_set_up_goes_on_and_says_how_to_get_one(
    checkout, tools, monkeypatch, capsys
):
    tools.present = {"cmake", "ninja"}
    monkeypatch.setattr(native_library, "package_manager", lambda: "apt")
    assert native_library.update(checkout, Stamp()) == Stamp()
    assert not tools.commands
    [line] = capsys.readouterr().out.splitlines()
    assert "apt install g++" in line
    assert "PyTorch" in line


def test_a_build_that_fails_names_its_log_and_set_up_goes_on(checkout, tools, capsys):
    tools.failing = "--build"
    assert native_library.update(checkout, Stamp()) == Stamp()
    assert "log.txt says why" in capsys.readouterr().out
    assert (checkout.root / "build" / "native" / "log.txt").exists()


def test_tools_that_the_system_lacks_come_from_pypi(checkout, tools, monkeypatch):
    tools.present = {"c++"}
    installed = []
    monkeypatch.setattr(packages, "install", lambda python, wanted: installed.extend(wanted))
    native_library.update(checkout, Stamp())
    assert "cmake" in installed
    assert tools.commands[-1][0].startswith("/environment/bin")


def test_a_folder_that_moved_is_configured_anew(checkout, tools):
    build = checkout.root / "build" / "native"
    build.mkdir(parents=True)
    (build / "CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/where/it/was/csrc")
    (build / "old.o").touch()
    stamp = native_library.update(checkout, Stamp())
    assert not (build / "old.o").exists()
    assert replace(stamp, native="") == Stamp()
