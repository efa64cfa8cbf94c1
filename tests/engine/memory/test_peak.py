"""The plan is held to: what a real process takes at most stays within a tenth of it."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as GgmlType

from engine.gguf.reader import open_gguf
from engine.kernels.backend_memory import CPU_NATIVE, CPU_TORCH, BackendMemory
from engine.kernels.native_library import LIBRARY
from engine.memory.fit import TIGHT_FACTOR
from engine.memory.plan import ModelUse, Serving
from engine.models.footprint import model_facts
from tests.helpers.tiny_model import TinyModel

SLOTS, CONTEXT = 2, 256
SERVE = """
import sys
from engine.cli.main import main
from engine.cli.peak_memory import peak_bytes

status = main(["generate", *sys.argv[1:]])
print(peak_bytes(), file=sys.stderr)
sys.exit(status)
"""
SMALL = TinyModel("llama", quant=GgmlType.Q8_0)
LARGE = TinyModel(
    "qwen3",
    layers=4,
    width=1024,
    heads=8,
    kv_heads=8,
    head_dim=128,
    feed_forward=3072,
    quant=GgmlType.F32,
)


def measured_bytes(model: Path, kernels: str, folder: Path) -> int:
    """Peak of a process that fills the context of every slot."""
    requests = folder / "requests.jsonl"
    prompts = [[slot + 1, *range(CONTEXT - 4)] for slot in range(SLOTS)]
    lines = ({"tokens": [token % 256 for token in prompt]} for prompt in prompts)
    requests.write_text("\n".join(map(json.dumps, lines)))
    options = ["--requests", requests, "--slots", SLOTS, "--context", CONTEXT, "--threads", 1]
    ending = ["--max-tokens", 2, "--ignore-eos", "--device", "cpu", "--kernels", kernels]
    command = [sys.executable, "-c", SERVE, *map(str, [model, *options, *ending])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stderr.splitlines()[-1])


@pytest.mark.parametrize(
    ("kernels", "backend", "model"),
    [
        ("torch", CPU_TORCH, SMALL),
        ("torch", CPU_TORCH, LARGE),
        ("native", CPU_NATIVE, replace(LARGE, quant=GgmlType.Q8_0)),
    ],
    ids=["small", "large", "native"],
)
def test_a_process_takes_what_was_planned(
    kernels: str, backend: BackendMemory, model: TinyModel, tmp_path: Path
) -> None:
    if kernels == "native" and not LIBRARY.exists():
        pytest.skip("needs the native library: `python3 packaging/dev.py test` builds it")
    path = model.write(tmp_path / "m.gguf")
    with open_gguf(path) as file:
        plan = Serving(ModelUse(model_facts(file), backend), SLOTS).plan(CONTEXT)
    measured = measured_bytes(path, kernels, tmp_path)
    assert 0.6 * plan.total_bytes <= measured <= TIGHT_FACTOR * plan.total_bytes
