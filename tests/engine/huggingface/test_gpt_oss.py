"""gpt-oss from folders: experts in blocks as they are published, or in plain floats."""

import numpy as np
import pytest
from gguf import GGMLQuantizationType as GgmlType
from gguf.quants import quantize

from engine.base.errors import ModelFileError
from engine.weights.opening import open_model_file
from tests.helpers.alike_models import EXPERTS, PRODUCTS
from tests.helpers.described_model import DescribedModel
from tests.helpers.folders import write_json, write_shards
from tests.helpers.safetensors_files import stored

MODEL = DescribedModel(
    "gpt-oss",
    layers=1,
    settings={**EXPERTS, "attention.sliding_window": 8},
    optional=PRODUCTS | {"attn_output.bias", "gate_inp.bias", "_exps.bias", "output.weight"},
)
CONFIG = {
    "model_type": "gpt_oss",
    "num_hidden_layers": 1,
    "hidden_size": 96,
    "intermediate_size": 32,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
    "num_local_experts": 6,
    "num_experts_per_tok": 2,
    "sliding_window": 8,
    "layer_types": ["sliding_attention"],
    "rope_scaling": {
        "rope_type": "yarn",
        "factor": 32.0,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "original_max_position_embeddings": 64,
    },
    "rope_theta": 150000,
    "vocab_size": 259,
}
NAMES = {
    "attn_norm": "input_layernorm",
    "post_attention_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate_inp": "mlp.router",
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
PUBLISHED = {**CONFIG, "quantization_config": {"quant_method": "mxfp4"}}


def folder_of(path, tensors, *, in_blocks):
    """The tensors, experts in float32, as such a folder has them."""
    written = {}
    for name, values in tensors.items():
        place, _, ending = name.rpartition(".")
        stem = place.removeprefix("blk.0.")
        prefix = "model.layers.0." if place != stem else ""
        if stem == "attn_sinks":
            written[prefix + "self_attn.sinks"] = stored(values, "F32")
        elif "_exps" not in name:
            written[f"{prefix}{NAMES[stem]}.{ending}"] = stored(values, "F32")
    for kind in ("gate_up", "down"):
        values, bias = (joined(tensors, kind, ending) for ending in ("weight", "bias"))
        place = f"model.layers.0.mlp.experts.{kind}_proj"
        written[f"{place}_bias"] = stored(bias, "F32")
        if in_blocks:
            blocks, scales = in_nibbles(quantize(values, GgmlType.MXFP4))
            written[f"{place}_blocks"] = ("U8", blocks.shape, blocks.tobytes())
            written[f"{place}_scales"] = ("U8", scales.shape, scales.tobytes())
        else:
            written[place] = stored(np.ascontiguousarray(values.swapaxes(1, 2)), "F32")
    path.mkdir()
    write_shards(path, written, 1)
    write_json(path / "config.json", PUBLISHED if in_blocks else CONFIG)
    return path


def joined(tensors, kind, ending):
    """Rows of gates and of what they gate in turns."""
    if kind == "down":
        return tensors[f"blk.0.ffn_down_exps.{ending}"]
    parts = [tensors[f"blk.0.ffn_{each}_exps.{ending}"] for each in ("gate", "up")]
    return np.stack(parts, axis=2).reshape(parts[0].shape[0], -1, *parts[0].shape[2:])


def in_nibbles(rows):
    """Elements two by two, and the scales apart, of rows as GGUF has them."""
    blocks = rows.reshape(*rows.shape[:-1], -1, 17)
    elements = np.concatenate((blocks[..., 1:] & 15, blocks[..., 1:] >> 4), axis=-1)
    return elements[..., 0::2] | elements[..., 1::2] << 4, np.ascontiguousarray(blocks[..., 0])


@pytest.mark.parametrize("in_blocks", [True, False], ids=["published", "plain"])
def test_a_folder_holds_what_the_gguf_file_holds(tmp_path, in_blocks):
    tensors = {name: np.asarray(values) for name, (values, _) in MODEL.tensors().items()}
    with open_model_file(folder_of(tmp_path / "m", tensors, in_blocks=in_blocks)) as file:
        read = {name: file.data(name) for name in file.tensors}
        file.complete(lambda: None)
        assert set(read) == set(tensors)
        for name, values in tensors.items():
            assert file.tensors[name].shape == values.shape, name
            if in_blocks and name.endswith("_exps.weight"):
                values = quantize(values, GgmlType.MXFP4)
                assert file.tensors[name].type is GgmlType.MXFP4
            np.testing.assert_array_equal(read[name], values.reshape(-1).view(np.uint8), name)
        metadata = file.metadata
        assert metadata["gpt-oss.expert_feed_forward_length"] == 32
        assert metadata["gpt-oss.rope.scaling.original_context_length"] == 64
        assert metadata["gpt-oss.attention.sliding_window_pattern"].tolist() == [True]


def test_blocks_without_their_scales_are_refused(tmp_path):
    tensors = {name: np.asarray(values) for name, (values, _) in MODEL.tensors().items()}
    path = folder_of(tmp_path / "m", tensors, in_blocks=True)
    blocks = np.zeros((6, 64, 3, 16), np.uint8)
    part = {"model.layers.0.mlp.experts.down_proj_blocks": ("U8", blocks.shape, blocks.tobytes())}
    (path / "model.safetensors").unlink()
    write_shards(path, part, 1)
    with pytest.raises(ModelFileError, match="scales"):
        open_model_file(path)
