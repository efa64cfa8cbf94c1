"""The tokenizer: byte-level BPE, learnt from our own texts, and the form of a conversation."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from tokenizers import AddedToken, Regex, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Split
from tokenizers.pre_tokenizers import Sequence as PreSequence
from tokenizers.trainers import BpeTrainer

FILE = "vocabulary.json"
START, END, TEXT_END = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
SPECIAL = (TEXT_END, START, END)
PRE_TOKENIZER = "qwen2"
"""The name in files for the expression below."""

TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)

_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_MULTIPLE = 32
"""The embedding has rows for a multiple of it; what is left over stays unused."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message: its role and text."""

    role: str
    text: str


@dataclass(frozen=True)
class Vocabulary:
    """Pieces by their ids, and the merges that make them."""

    pieces: tuple[str, ...]
    merges: tuple[str, ...]

    @classmethod
    def learn(cls, texts: Iterable[str], size: int) -> Self:
        """Learn `size` pieces, the special ones last; fewer where the texts hold no more."""
        tokenizer = _tokenizer(BPE())
        trainer = BpeTrainer(
            vocab_size=size - len(SPECIAL),
            min_frequency=2,
            show_progress=False,
            initial_alphabet=sorted(ByteLevel.alphabet()),
        )
        tokenizer.train_from_iterator(texts, trainer)
        model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
        pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
        pieces += SPECIAL
        spare = -len(pieces) % _MULTIPLE
        pieces += [f"[PAD{len(pieces) + index}]" for index in range(spare)]
        return cls(tuple(pieces), tuple(" ".join(pair) for pair in model["merges"]))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        held = json.loads(path.read_text(encoding="utf-8"))
        return cls(tuple(held["pieces"]), tuple(held["merges"]))

    def save(self, path: Path) -> None:
        """Write pieces and merges as JSON."""
        text = json.dumps({"pieces": self.pieces, "merges": self.merges}, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")

    @cached_property
    def words(self) -> int:
        """How many pieces there are before the unused ones."""
        return self.pieces.index(SPECIAL[-1]) + 1

    @property
    def end_of_turn(self) -> int:
        """The id that ends each message."""
        return self.pieces.index(END)

    @property
    def padding(self) -> int:
        """The id that fills rows."""
        return self.pieces.index(TEXT_END)

    def encode(self, text: str) -> list[int]:
        """Ids of a text, its special tokens read as such."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special tokens left out."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def conversation(self, turns: Iterable[Turn]) -> tuple[list[int], list[bool]]:
        """Ids of a conversation, and which of them are the assistant's own, its end included."""
        ids: list[int] = []
        own: list[bool] = []
        for turn in turns:
            head = self.encode(f"{START}{turn.role}\n")
            body = [*self.encode(turn.text), self.end_of_turn]
            tail = self.encode("\n")
            ids += [*head, *body, *tail]
            own += [False] * len(head) + [turn.role == "assistant"] * len(body)
            own += [False] * len(tail)
        return ids, own

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        ids = {piece: index for index, piece in enumerate(self.pieces)}
        pairs = [(first, second) for first, second in map(str.split, self.merges)]
        tokenizer = _tokenizer(BPE(vocab=ids, merges=pairs))
        tokenizer.add_special_tokens([AddedToken(piece, special=True) for piece in SPECIAL])
        return tokenizer


def _tokenizer(model: BPE) -> Tokenizer:
    tokenizer = Tokenizer(model)
    words = Split(Regex(_WORDS), "isolated")
    bytes_only = ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = PreSequence([words, bytes_only])
    tokenizer.decoder = ByteLevelDecoder()
    return tokenizer
