"""A folder's `tokenizer.json` in the keys that GGUF has for a tokenizer.

The format is that of Hugging Face's tokenizers library; what stands for what in GGUF follows what
llama.cpp's converter makes of such folders.
"""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.base.errors import PacelineError
from engine.gguf.metadata import MetadataValue
from engine.huggingface.config import Config
from engine.huggingface.documents import Document, read_document, read_optional
from engine.huggingface.splitting import components, splitting_name
from engine.text.tokenizer_facts import TokenKind, damaged_tokenizer

FILE = "tokenizer.json"

_MOST_BYTES = 64 << 20
_MOST_TOKENS = 1 << 20
_NO_SCORE = -1e9  # of tokens that text is not cut into
_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_MARK = re.compile(r"<[|｜].*[|｜]>|<(?:pad|mask)>")  # such tokens are no text, whatever is said
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")

Entries = dict[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The pieces by id, and the other way round."""

    pieces: list[str]
    kinds: list[int]
    ids: Mapping[str, int]


def read_vocabulary(folder: Path, config: Config, rows: int) -> Mapping[str, MetadataValue]:
    """The vocabulary; nothing where the folder has none, which is told where one is needed.

    Args:
        folder: of the model.
        config: its configuration.
        rows: of the embedding, for as many of which there are tokens in the end.

    Raises:
        UnsupportedModelError: it makes no sense.
    """
    if not (folder / FILE).is_file():
        return {}
    try:
        document = read_document(folder / FILE, _MOST_BYTES)
        settings = read_optional(folder / "tokenizer_config.json")
        generation = read_optional(folder / "generation_config.json")
    except PacelineError as error:
        raise damaged_tokenizer(str(error)) from error
    model = document.get("model")
    if not isinstance(model, dict):
        raise damaged_tokenizer("it has no model")
    tokens = _tokens(document, model, min(rows, _MOST_TOKENS))
    entries = {
        "tokens": list[str](tokens.pieces),
        "token_type": np.array(tokens.kinds, np.int32),
        **_cutting(document, model, tokens),
        **_special_ids(document, model, settings, tokens),
        **_ends(config, settings, generation, tokens),
    }
    return {f"tokenizer.ggml.{key}": value for key, value in entries.items()}


def _tokens(document: Document, model: Document, least: int) -> _Tokens:
    """All tokens; ids that none has are filled up, as the embedding has rows for them."""
    vocabulary, added = _vocabulary(model), _added(document)
    ids = vocabulary | {content: index for content, index, _ in added}
    count = max([least - 1, *ids.values()]) + 1
    pieces = [f"[PAD{index}]" for index in range(count)]
    kinds = [int(TokenKind.UNUSED)] * count
    has_bytes = model.get("byte_fallback") is True
    for piece, index in vocabulary.items():
        pieces[index] = piece
        is_byte = has_bytes and _BYTE.fullmatch(piece)
        kinds[index] = TokenKind.BYTE if is_byte else TokenKind.NORMAL
    for content, index, is_special in added:
        pieces[index] = content
        is_mark = is_special or _MARK.fullmatch(content)
        kinds[index] = TokenKind.CONTROL if is_mark else TokenKind.USER_DEFINED
    unknown = ids.get(str(model.get("unk_token")))
    if unknown is not None and not _is_byte_level(document):
        kinds[unknown] = TokenKind.UNKNOWN
    return _Tokens(pieces, kinds, ids)


def _vocabulary(model: Document) -> dict[str, int]:
    """The pieces that text is cut into."""
    entries = model.get("vocab")
    if isinstance(entries, list):  # unigram: pieces with their scores
        pieces = [each[0] if isinstance(each, list) and each else None for each in entries]
        if not all(isinstance(piece, str) for piece in pieces):
            raise damaged_tokenizer("a token has no text")
        entries = {piece: index for index, piece in enumerate(pieces)}
    if not isinstance(entries, dict) or not entries:
        raise damaged_tokenizer("it has no tokens")
    if not all(_is_id(index) for index in entries.values()):
        raise damaged_tokenizer("a token has no number")
    return entries


def _added(document: Document) -> list[tuple[str, int, bool]]:
    """Text, id, and whether it is special, of the tokens that are looked for in the text."""
    entries = document.get("added_tokens") or []
    if not isinstance(entries, list):
        raise damaged_tokenizer("its added tokens are no list")
    added = []
    for entry in entries:
        match entry:
            case {"content": str(content), "id": int(index)} if _is_id(index):
                added.append((content, index, entry.get("special") is True))
            case _:
                raise damaged_tokenizer("an added token makes no sense")
    return added


def _is_id(value: object) -> bool:
    return type(value) is int and 0 <= value < _MOST_TOKENS


def _cutting(document: Document, model: Document, tokens: _Tokens) -> Entries:
    """How text is cut into pieces."""
    if isinstance(model.get("vocab"), list):
        return _unigram(document, model, tokens)
    merges = _merges(model)
    if _is_byte_level(document):
        keeps = model.get("ignore_merges") is True
        name = splitting_name(document, keeps_known_words=keeps)
        return {"model": "gpt2", "pre": name, "merges": merges}
    return {"model": "llama", "merges": merges, "add_space_prefix": _adds_space(document)}


def _merges(model: Document) -> list[str]:
    """`left right`, best first; newer files have pairs instead."""
    entries = model.get("merges")
    if not isinstance(entries, list):
        raise damaged_tokenizer(f"tokenizers of the kind {model.get('type')!r} are not supported")
    try:
        return [each if isinstance(each, str) else " ".join(each) for each in entries]
    except TypeError:
        raise damaged_tokenizer("its merges make no sense") from None


def _unigram(document: Document, model: Document, tokens: _Tokens) -> Entries:
    scores = np.full(len(tokens.pieces), _NO_SCORE, np.float32)
    vocabulary = model["vocab"]
    assert isinstance(vocabulary, list)
    for index, entry in enumerate(vocabulary):
        match entry:
            case [str(), int() | float() as score]:
                scores[index] = score
            case _:
                raise damaged_tokenizer("a token has no score")
    entries: Entries = {"model": "t5", "scores": scores, "add_space_prefix": _adds_space(document)}
    if _is_id(model.get("unk_id")):
        entries["unknown_token_id"] = int(str(model["unk_id"]))
    for part in components(document.get("normalizer")):
        if isinstance(charsmap := part.get("precompiled_charsmap"), str):
            try:
                raw = base64.b64decode(charsmap, validate=True)
            except (binascii.Error, ValueError):
                raise damaged_tokenizer("its normalisation makes no sense") from None
            entries["precompiled_charsmap"] = np.frombuffer(raw, np.uint8)
    return entries


def _is_byte_level(document: Document) -> bool:
    parts = (*components(document.get("pre_tokenizer")), *components(document.get("decoder")))
    return any(part.get("type") == "ByteLevel" for part in parts)


def _adds_space(document: Document) -> bool:
    """Whether text is read with a space before it."""
    for part in components(document.get("normalizer")):
        if part.get("type") == "Prepend":
            return True
    for part in components(document.get("pre_tokenizer")):
        if part.get("type") == "Metaspace":
            is_first = part.get("add_prefix_space", True) is not False  # as older files say it
            return part.get("prepend_scheme", "first" if is_first else "never") != "never"
    return False


def _special_ids(
    document: Document, model: Document, settings: Document, tokens: _Tokens
) -> Entries:
    """The tokens that begin a text and end it, and whether they are put there unasked."""
    first, last = _frame(document)
    stated = settings.get("add_bos_token"), settings.get("add_eos_token")
    has_frame = any(part.get("type") == "TemplateProcessing" for part in _processors(document))
    entries: Entries = {
        "add_bos_token": bool(first) if has_frame else stated[0] is True,
        "add_eos_token": bool(last) if has_frame else stated[1] is True,
    }
    named = {
        "bos_token_id": first or _name(settings.get("bos_token")),
        "padding_token_id": _name(settings.get("pad_token")),
        "unknown_token_id": _name(model.get("unk_token")),
    }
    found = {key: tokens.ids.get(name) for key, name in named.items()}
    return entries | {key: index for key, index in found.items() if index is not None}


def _processors(document: Document) -> Sequence[Document]:
    return list(components(document.get("post_processor")))


def _frame(document: Document) -> tuple[str, str]:
    """The names of the tokens put before and behind a text; empty where there are none."""
    for part in _processors(document):
        single = part.get("single")
        if part.get("type") == "TemplateProcessing" and isinstance(single, list) and single:
            names = [_special_name(single[0]), _special_name(single[-1])]
            return names[0], names[1]
    return "", ""


def _special_name(entry: object) -> str:
    match entry:
        case {"SpecialToken": {"id": str(name)}}:
            return name
    return ""


def _name(entry: object) -> str:
    """A token's name, which may be within its description."""
    match entry:
        case str(name) | {"content": str(name)}:
            return name
    return ""


def _ends(config: Config, settings: Document, generation: Document, tokens: _Tokens) -> Entries:
    """The tokens that end a reply: that of the tokenizer first, then those of the settings."""
    named = tokens.ids.get(_name(settings.get("eos_token")))
    stated = [*_ids(generation.get("eos_token_id")), *_ids(config.value("eos_token_id"))]
    ends = dict.fromkeys([*([] if named is None else [named]), *stated])
    known = (index for index in ends if index < len(tokens.pieces))
    return dict(zip(_END_KEYS, known, strict=False))


def _ids(entry: object) -> list[int]:
    """An id or a list of them; whatever else stands there counts for nothing."""
    entries = entry if isinstance(entry, list) else [entry]
    return [index for index in entries if isinstance(index, int) and _is_id(index)]
