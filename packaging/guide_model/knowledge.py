"""What the guide is taught: topics that the help pages share, and texts of our own."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[2]
TOPICS = ROOT / "resources" / "guide"
TEXTS = Path(__file__).parent / "texts"


@dataclass(frozen=True, slots=True)
class Topic:
    """A thing to know about the application, or a way of talking.

    Attributes:
        questions: phrasings to learn from.
        held_out: phrasings that only evaluation uses.
        facts: what a right answer contains; `a|b` is either.
        kind: `topic`, `talk`, or what a text is a sample of (`code`, `creative` …).
    """

    id: str
    questions: tuple[str, ...]
    held_out: tuple[str, ...]
    facts: tuple[str, ...]
    answer: str
    kind: str

    @classmethod
    def read(cls, entry: dict[str, Any]) -> Self:
        """From a file's table."""
        return cls(
            id=entry["id"],
            questions=tuple(entry["questions"]),
            held_out=tuple(entry["held_out"]),
            facts=tuple(entry["facts"]),
            answer=entry["answer"].strip(),
            kind=entry.get("kind", "topic"),
        )

    def is_told(self, answer: str) -> bool:
        """Whether an answer has all facts; case and line breaks do not count."""
        told = " ".join(answer.lower().split())
        return all(
            any(" ".join(choice.lower().split()) in told for choice in fact.split("|"))
            for fact in self.facts
        )


def read_topics(folder: Path = TOPICS) -> list[Topic]:
    """All topics, in the order of the files' names."""
    return [Topic.read(entry) for entry in _entries(folder, "topic")]


def read_texts(folder: Path = TEXTS) -> list[Topic]:
    """Samples of other text, each with what asks for it; none where the folder is missing."""
    return [
        Topic(
            id=f"{path.stem}-{index}",
            questions=tuple(entry.get("questions", [entry["request"]])),
            held_out=(),
            facts=(),
            answer=entry["answer"].strip(),
            kind=path.stem,
        )
        for path, index, entry in _numbered(folder, "text")
    ]


def _entries(folder: Path, table: str) -> Iterator[dict[str, Any]]:
    for _, _, entry in _numbered(folder, table):
        yield entry


def _numbered(folder: Path, table: str) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    for path in sorted(folder.glob("*.toml")):
        with path.open("rb") as file:
            for index, entry in enumerate(tomllib.load(file)[table]):
                yield path, index, entry
