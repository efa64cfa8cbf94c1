"""Metadata of small tokenizers, as a model's file would have it."""

from collections.abc import Mapping, Sequence

import numpy as np
from tokenizers.pre_tokenizers import ByteLevel

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

CHATML_TOKENS = {
    "<|endoftext|>": CONTROL,
    "<|im_start|>": CONTROL,
    "<|im_end|>": CONTROL,
    "<think>": USER_DEFINED,
    "</think>": USER_DEFINED,
}


def byte_level(
    merges: Sequence[str] = (), special: Mapping[str, int] = CHATML_TOKENS, **entries: object
) -> dict[str, object]:
    """Byte-level BPE over all 256 bytes, with what the merges make; `special`: name → kind."""
    pieces = sorted(ByteLevel.alphabet()) + [merge.replace(" ", "") for merge in merges]
    kinds = [NORMAL] * len(pieces) + list(special.values())
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": [*pieces, *special],
        "tokenizer.ggml.token_type": np.array(kinds, np.int32),
        "tokenizer.ggml.merges": list(merges),
        **{f"tokenizer.ggml.{name}": value for name, value in entries.items()},
    }


def sentencepiece(
    scores: Mapping[str, float], special: Mapping[str, int] | None = None, **entries: object
) -> dict[str, object]:
    """SentencePiece BPE with byte fallback; `scores`: piece → score, `special`: name → kind."""
    special = {} if special is None else special
    spelled = [f"<0x{byte:02X}>" for byte in range(256)]
    pieces = ["<unk>", "<s>", "</s>", *spelled, *scores, *special]
    kinds = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256
    kinds += [NORMAL] * len(scores) + list(special.values())
    values = [0.0] * 259 + list(scores.values()) + [0.0] * len(special)
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": np.array(kinds, np.int32),
        "tokenizer.ggml.scores": np.array(values, np.float32),
        **{f"tokenizer.ggml.{name}": value for name, value in entries.items()},
    }
