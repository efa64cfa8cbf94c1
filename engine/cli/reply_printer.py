"""Prints a reply while it arrives."""

import json
import sys

from engine.text.reply_reader import PartKind, ReplyReader


class TextPrinter:
    """Prints what follows a prompt as it is."""

    def add(self, text: str) -> None:
        """Print what came."""
        print(text, end="", flush=True)

    def finish(self) -> None:
        """Everything has been printed."""


class ReplyPrinter:
    """Prints the reply to a conversation: its answer on stdout, its reasoning on stderr.

    Args:
        opening: what its prompt says of it already, as in `Request`.
    """

    def __init__(self, opening: str) -> None:
        self._reader = ReplyReader()
        self._reader.feed(opening)
        self._num_printed = dict.fromkeys(PartKind, 0)

    def add(self, text: str) -> None:
        """Print what came."""
        self._reader.feed(text)
        self._print_new()

    def finish(self) -> None:
        """Print what was held back, and the calls of tools, a line each."""
        self._reader.finish()
        self._print_new()
        for part in self._reader.parts():
            for call in part.calls:
                print(f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}")

    def _print_new(self) -> None:
        reasoning, answer = self._new(PartKind.REASONING), self._new(PartKind.ANSWER)
        print(reasoning, end="", file=sys.stderr, flush=True)
        is_first = answer and self._num_printed[PartKind.ANSWER] == len(answer)
        if is_first and self._num_printed[PartKind.REASONING]:
            print("\n", file=sys.stderr)
        print(answer, end="", flush=True)

    def _new(self, kind: PartKind) -> str:
        """What there is of a kind and has not been printed, which now counts as printed."""
        text = self._reader.text
        parts = (part for part in self._reader.parts() if part.kind is kind)
        said = "".join(text[part.start : part.end] for part in parts).lstrip()
        new = said[self._num_printed[kind] :]
        self._num_printed[kind] = len(said)
        return new
