"""Writes a trained model as the GGUF file that the engine and others read."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as GgmlType
from torch import nn

from guide_model.model import Block, GatedDeltaNet, GuideModel, PredictionHead
from guide_model.shape import DRAFT_FILE, TARGET_FILE, Shape, draft_shape, target_shape
from guide_model.vocabulary import FILE as VOCABULARY
from guide_model.vocabulary import PRE_TOKENIZER, SPECIAL, TEMPLATE, Vocabulary

LICENSE = "Apache-2.0"
Q8_0_FILE = 7  # llama.cpp's number for files whose matrices are Q8_0


def export_run(work: Path, folder: Path, steps: Mapping[str, int | None]) -> list[Path]:
    """Write target and draft of a run as they were after some step, the last where it is None."""
    vocabulary = Vocabulary.load(work / VOCABULARY)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, shape_of, file in (
        ("target", target_shape, TARGET_FILE),
        ("draft", draft_shape, DRAFT_FILE),
    ):
        step = steps[name]
        pattern = f"{name}-*.pt" if step is None else f"{name}-{step:05}.pt"
        held = torch.load(max(work.glob(pattern)), weights_only=True)
        model = GuideModel(shape_of(len(vocabulary.pieces)))
        model.load_state_dict(held)
        paths.append(folder / file)
        export(model, vocabulary, paths[-1])
    return paths


def export(model: GuideModel, vocabulary: Vocabulary, path: Path) -> None:
    """Write the file; what stood there is replaced when all is written."""
    partial = path.with_suffix(".partial")
    writer = gguf.GGUFWriter(partial, "qwen35")
    _describe(writer, model.shape)
    _write_tokens(writer, vocabulary)
    for name, tensor in _tensors(model):
        _write_tensor(writer, name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(path)


def _describe(writer: gguf.GGUFWriter, shape: Shape) -> None:
    writer.add_name(shape.name)
    writer.add_license(LICENSE)
    writer.add_file_type(Q8_0_FILE)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_block_count(shape.layers + shape.prediction_heads)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_key_length(shape.head_dim)
    writer.add_value_length(shape.head_dim)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_rope_dimension_count(shape.rope_dims)
    pairs = shape.rope_dims // 2
    third = pairs // 3
    writer.add_rope_dimension_sections([pairs - 2 * third, third, third, 0])
    writer.add_ssm_conv_kernel(shape.taps)
    writer.add_ssm_state_size(shape.delta_dim)
    writer.add_ssm_group_count(shape.key_heads)
    writer.add_ssm_time_step_rank(shape.value_heads)
    writer.add_ssm_inner_size(shape.values_width)
    writer.add_uint32("qwen35.full_attention_interval", shape.attention_every)
    if shape.prediction_heads:
        writer.add_uint32("qwen35.nextn_predict_layers", shape.prediction_heads)
    writer.add_vocab_size(shape.vocab)


def _write_tokens(writer: gguf.GGUFWriter, vocabulary: Vocabulary) -> None:
    kinds = [gguf.TokenType.NORMAL] * (vocabulary.words - len(SPECIAL))
    kinds += [gguf.TokenType.CONTROL] * len(SPECIAL)
    kinds += [gguf.TokenType.UNUSED] * (len(vocabulary.pieces) - len(kinds))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(PRE_TOKENIZER)
    writer.add_token_list(vocabulary.pieces)
    writer.add_token_types(kinds)
    writer.add_token_merges(vocabulary.merges)
    writer.add_eos_token_id(vocabulary.end_of_turn)
    writer.add_pad_token_id(vocabulary.padding)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)


def _tensors(model: GuideModel) -> Iterator[tuple[str, torch.Tensor]]:
    yield "token_embd.weight", model.token_embd.weight
    yield "output_norm.weight", model.output_norm.weight
    for index, block in enumerate(model.blocks):
        yield from _block(f"blk.{index}", block)
    for index, head in enumerate(model.heads, len(model.blocks)):
        assert isinstance(head, PredictionHead)
        yield from _block(f"blk.{index}", head.block)
        for part in ("eh_proj", "enorm", "hnorm", "shared_head_norm"):
            yield f"blk.{index}.nextn.{part}.weight", getattr(head, part).weight


def _block(prefix: str, block: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    assert isinstance(block, Block)
    for part in ("attn_norm", "post_attention_norm", "ffn_gate", "ffn_up", "ffn_down"):
        yield f"{prefix}.{part}.weight", getattr(block, part).weight
    mixer = block.mixer
    for name, weight in mixer.named_parameters():
        if name.endswith(".weight"):
            yield f"{prefix}.{name}", weight
    if isinstance(mixer, GatedDeltaNet):
        yield f"{prefix}.ssm_conv1d.weight", mixer.ssm_conv1d
        yield f"{prefix}.ssm_dt.bias", mixer.ssm_dt
        yield f"{prefix}.ssm_a", -mixer.log_rate.exp()


def _write_tensor(writer: gguf.GGUFWriter, name: str, tensor: torch.Tensor) -> None:
    """Matrices in blocks of eight bits; vectors and the convolution, which are small, as they are.

    `ssm_alpha` and `ssm_beta` have few rows but are matrices as well.
    """
    values = np.ascontiguousarray(tensor.detach().float().numpy())
    if values.ndim == 1 or "conv1d" in name:
        writer.add_tensor(name, values)
        return
    blocks = gguf.quants.quantize(values, GgmlType.Q8_0)
    writer.add_tensor(name, blocks, raw_dtype=GgmlType.Q8_0)
