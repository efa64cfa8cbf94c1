"""Qt's missing system libraries are named, with the line that installs them."""

import subprocess

import pytest
from devenv import qt_libraries
from devenv.system import SetupError


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libGL.so.1", "libgl1"),
        ("libX11.so.6", "libx11-6"),
        ("libX11-xcb.so.1", "libx11-xcb1"),
        ("libxkbcommon.so.0", "libxkbcommon0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxcb-icccm.so.4", "libxcb-icccm4"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libfontconfig.so.1", "libfontconfig1"),
        ("libwayland-cursor.so.0", "libwayland-cursor0"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
        ("libgthread-2.0.so.0", "libglib2.0-0"),
        ("libz.so.1", "zlib1g"),
    ],
)
def test_debian_s_package_follows_from_the_library(library, package):
    assert qt_libraries.debian_package(library) == package


@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("apt", "apt install libegl1 libxcb-cursor0`"),
        ("dnf", "dnf install 'libEGL.so.1()(64bit)' 'libxcb-cursor.so.0()(64bit)'`"),
        ("zypper", "zypper install 'libEGL.so.1()(64bit)' 'libxcb-cursor.so.0()(64bit)'`"),
        (None, "(libEGL.so.1, libxcb-cursor.so.0): install them"),
    ],
)
def test_the_advice_is_the_line_for_this_system(manager, line):
    assert line in qt_libraries.advice(["libEGL.so.1", "libxcb-cursor.so.0"], manager)


@pytest.mark.parametrize(
    ("environ", "platforms"),
    [
        ({}, ["xcb"]),
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["wayland", "xcb"]),
        ({"QT_QPA_PLATFORM": "offscreen"}, ["offscreen"]),
        ({"QT_QPA_PLATFORM": "wayland;vnc:size=9x9", "WAYLAND_DISPLAY": "w"}, ["wayland", "vnc"]),
    ],
)
def test_the_platforms_are_those_that_qt_would_try(environ, platforms):
    assert qt_libraries.platforms(environ) == platforms


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """An environment with Qt in it, on a system that lacks one library of the xcb platform."""
    (tmp_path / "lib/python3.12/site-packages/PySide6").mkdir(parents=True)

    def ldd(command, **kwargs):
        lines = ["\tlibGL.so.1 => /lib/libGL.so.1 (0x00007f)"]
        if command[1].endswith("libqxcb.so"):
            lines.append("\tlibxcb-cursor.so.0 => not found")
        return subprocess.CompletedProcess(command, 0, stdout="\n".join(lines))

    monkeypatch.setattr(qt_libraries.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(qt_libraries.subprocess, "run", ldd)
    return tmp_path


def test_a_missing_library_of_the_platform_is_found(environment):
    assert qt_libraries.missing_libraries(environment, "xcb") == ["libxcb-cursor.so.0"]
    assert qt_libraries.missing_libraries(environment, "offscreen") == []


def test_set_up_stops_only_when_no_platform_could_show_the_window(environment):
    qt_libraries.check(environment, ["wayland", "xcb"])
    with pytest.raises(SetupError, match="libxcb-cursor0"):
        qt_libraries.check(environment, ["xcb"])


def test_without_the_tool_that_lists_libraries_nothing_is_claimed(environment, monkeypatch):
    monkeypatch.setattr(qt_libraries.shutil, "which", lambda name: None)
    assert qt_libraries.missing_libraries(environment, "xcb") == []
