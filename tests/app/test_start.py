"""The program as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "numpy", "gguf", "tokenizers", "jinja2")
BUILD_AND_PAINT = f"""
import json, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
app = QApplication([])
from app.bootstrap import build_window
window = build_window(Path(sys.argv[1]))
window.show()
app.processEvents()
picture = window.grab()
assert not picture.isNull()
print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_window_is_built_and_painted_without_torch_or_anything_heavy(tmp_path):
    done = run("-c", BUILD_AND_PAINT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_the_process_can_end_after_its_first_paint(tmp_path):
    data = tmp_path / "data"
    done = run("-m", "app", "--data-dir", data, PACELINE_EXIT_AFTER_PAINT="1")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((data / "settings.json").read_text())["window_geometry"]


def test_an_unknown_option_is_answered_in_words():
    done = run("-m", "app", "--colour")
    assert done.returncode == 2
    assert "--colour" in done.stderr
