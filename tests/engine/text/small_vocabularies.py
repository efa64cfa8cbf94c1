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


def unigram(
    scores: Mapping[str, float], special: Mapping[str, int] | None = None, **entries: object
) -> dict[str, object]:
    """A unigram vocabulary; `scores`: piece → score, `special`: name → kind."""
    special = {} if special is None else special
    pieces = ["<pad>", "</s>", "<unk>", *scores, *special]
    kinds = [CONTROL, CONTROL, UNKNOWN] + [NORMAL] * len(scores) + list(special.values())
    values = [0.0] * 3 + list(scores.values()) + [0.0] * len(special)
    return {
        "tokenizer.ggml.model": "t5",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": np.array(kinds, np.int32),
        "tokenizer.ggml.scores": np.array(values, np.float32),
        **{f"tokenizer.ggml.{name}": value for name, value in entries.items()},
    }


def wordpiece(pieces: Sequence[str], **entries: object) -> dict[str, object]:
    """A WordPiece vocabulary, its pieces as GGUF files spell them."""
    special = ["[CLS]", "[UNK]", "[SEP]"]
    return {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": [*special, *pieces],
        "tokenizer.ggml.token_type": np.array([3, 3, 3] + [1] * len(pieces), np.int32),
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.unknown_token_id": 1,
        "tokenizer.ggml.seperator_token_id": 2,
        **{f"tokenizer.ggml.{name}": value for name, value in entries.items()},
    }


def charsmap(replacements: Mapping[str, str]) -> bytes:
    """SentencePiece's precompiled normalisation, laid out with 256 nodes for each node's children.

    A node's offset leads from its own place to that of its children, whose last byte is the label.
    """
    nodes, texts, blocks = [0] * 256, bytearray(), {b"": 0}

    def block(prefix: bytes, place: int) -> int:
        if prefix not in blocks:
            blocks[prefix] = len(nodes) // 256
            nodes.extend([0] * 256)
            nodes[place] |= (place ^ 256 * blocks[prefix]) << 10
        return 256 * blocks[prefix]

    nodes[0] = 256 << 10  # the root's children stand in the second block
    blocks[b""] = 1
    nodes.extend([0] * 256)
    for text, replacement in replacements.items():
        key = text.encode()
        base = 256
        for end in range(1, len(key) + 1):
            place = base + key[end - 1]
            nodes[place] |= key[end - 1]
            base = block(key[:end], place)
        nodes[place] |= 1 << 8
        nodes[base] = len(texts) | 1 << 31
        texts += replacement.encode() + b"\0"
    trie = np.array(nodes, "<u4").tobytes()
    return len(trie).to_bytes(4, "little") + trie + bytes(texts)
