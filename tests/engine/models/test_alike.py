"""Architectures made of the operations of others give the logits that llama.cpp gives."""

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.alike_models import ALIKE
from tests.helpers.models import open_runner, prompt
from tests.helpers.one_operation import skip_unless_built

TOKENS = [(19 * i + 3) % 256 for i in range(24)]
LLAMA_CPP = {
    "arcee": (0.5811, -0.4760, -1.1835, 0.7360, 1.6267, -0.7874),
    "bailingmoe": (-0.2251, -0.9813, -0.2071, -1.1918, 0.5193, 0.8546),
    "bailingmoe2": (1.3742, -0.2217, 0.0751, -0.1589, -0.8531, -0.5057),
    "chatglm": (-0.5888, -0.9977, 0.0016, -3.4278, -0.1696, 0.3555),
    "command-r": (0.0247, -0.3914, 0.0394, 0.4580, 0.0710, 0.1441),
    "deepseek": (-0.1683, -0.1882, -0.0108, -1.3307, 0.4604, -0.3157),
    "dots1": (-1.3185, 1.7794, 0.3207, -1.0059, 1.0750, 0.5152),
    "ernie4_5": (1.1830, -0.4283, -0.8775, -0.6128, 1.0389, -0.1536),
    "ernie4_5-moe": (1.2566, 0.6693, 0.4460, 0.1107, 1.6203, -0.5650),
    "exaone": (1.5200, -0.5727, -0.8430, -0.5508, 0.9741, 0.0984),
    "exaone4": (1.1339, -0.6807, -0.0202, -1.0510, 0.6816, 0.2769),
    "gemma": (1.6126, -0.2568, 0.6518, 2.6734, 0.1397, -0.0584),
    "granite": (0.3481, -0.1980, -0.2700, 0.2904, 0.2843, 0.0498),
    "granitemoe": (0.5732, -0.1450, -0.2234, -0.0538, 0.0360, -0.1874),
    "hunyuan-dense": (1.3086, -0.4761, -1.0385, -0.6764, 0.7086, 0.2176),
    "hunyuan-moe": (0.4194, -1.0428, 0.8573, -2.6328, -0.4628, 0.9372),
    "internlm2": (-0.6090, -0.1124, 0.1439, -1.6511, 0.4012, -0.0671),
    "minimax-m2": (0.9972, 3.3001, 0.5179, -1.4190, 0.4430, -0.5934),
    "nemotron": (-0.2075, 1.1436, 0.4670, 2.4493, 1.1920, -0.5813),
    "olmoe": (1.2978, 1.5391, -0.5499, -1.8783, 0.1183, 0.0923),
    "phi2": (-1.8109, 1.6164, 1.0670, 0.3769, 1.1118, 0.0752),
    "qwen2vl": (1.1039, -0.3438, -0.6588, -0.5161, 1.1630, 0.2095),
    "qwen3vl": (1.3694, -0.5422, -0.9955, -0.7265, 0.6365, 0.2766),
    "qwen3vlmoe": (-0.0138, 2.2297, 0.5623, 1.2385, -0.6038, 0.0829),
    "seed_oss": (1.1736, -0.6830, -0.5773, -0.9492, 0.9818, 0.3153),
    "stablelm": (1.0845, 2.0442, 0.6934, 0.0136, -0.1341, -2.0473),
    "starcoder2": (-2.1803, -0.6292, 0.1709, -2.6270, -0.3262, -3.2985),
}
"""Of every 43rd token behind `TOKENS`, as version 0.5.0 of its library computes them.

Its GELU is rounded to 16 bits, and it takes 0 for the epsilon of qwen2vl.
"""


@pytest.mark.parametrize("kernels", ["torch", "native"])
@pytest.mark.parametrize("name", ALIKE)
def test_logits_are_those_of_llama_cpp(tmp_path: Path, name: str, kernels: str) -> None:
    if kernels == "native":
        skip_unless_built()
    with open_runner(ALIKE[name].write(tmp_path / "m.gguf"), kernels=kernels) as runner:
        logits = prompt(runner, runner.memory.new_sequence(), TOKENS)
    ours, theirs = logits[-1, :256:43].numpy(), np.array(LLAMA_CPP[name])
    assert np.mean((ours - theirs) ** 2) <= 1e-5 * np.mean(theirs**2)
