"""The real process, where no network is: it starts and answers, and reaches for nothing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.tiny_model import TinyModel

ROOT = Path(__file__).resolve().parents[2]
EMPTY_NAMESPACE = ("unshare", "--map-root-user", "--net")


def namespace():
    """What runs a command in a network namespace of its own; skips where that is not allowed."""
    if not shutil.which("unshare"):
        pytest.skip("there is no unshare on this system")
    tried = subprocess.run([*EMPTY_NAMESPACE, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"network namespaces are not allowed here: {tried.stderr.strip()}")
    return EMPTY_NAMESPACE


def attempts(*arguments, inside=()):
    """What a process of the program attempted."""
    done = subprocess.run(
        [*inside, sys.executable, "-m", "tests.helpers.offline", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "PACELINE_EXIT_AFTER_PAINT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_program_starts_without_a_network_and_reaches_for_none(tmp_path):
    assert attempts("app", "--data-dir", tmp_path / "data", inside=namespace()) == []
    assert (tmp_path / "data" / "chats.sqlite3").exists()


def test_a_reply_is_made_without_a_network_and_without_reaching_for_one(tmp_path):
    model = TinyModel().write(tmp_path / "tiny.gguf")
    assert attempts("answer", tmp_path / "data", model, inside=namespace()) == []


def test_an_attempt_is_told():
    """What the two tests above rely on."""
    code = (
        "from tests.helpers import offline; import socket; offline.sys.addaudithook(offline.note)"
    )
    code += "; socket.socket(socket.AF_INET6); socket.getaddrinfo('127.0.0.1', 80)"
    code += "; print(offline.attempts)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "socket.__new__" in done.stdout
    assert "socket.getaddrinfo" in done.stdout
