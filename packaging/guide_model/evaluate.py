"""Puts questions that training never saw to the files, through the engine that people use."""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guide_model.knowledge import ROOT, Topic, read_texts, read_topics

MOST_TOKENS = 200
TEXTS_OF_A_KIND = 24
_ONE_TOKEN_DRAFTS = ("--spec-fixed", "--spec-n-min", "1", "--spec-n-max", "1")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what it is about, and the answer that came."""

    question: str
    topic: Topic
    answer: str
    timings: dict[str, Any]

    @property
    def is_right(self) -> bool:
        """Whether the answer has the topic's facts."""
        return self.topic.is_told(self.answer)


@dataclass(slots=True)
class Tally:
    """What is counted for a kind of prompt."""

    asked: list[Asked] = field(default_factory=list)

    @property
    def right(self) -> int:
        """Answers with all facts."""
        return sum(asked.is_right for asked in self.asked)

    @property
    def agreement(self) -> float:
        """Share of the draft's tokens that are the target's own greedy choice."""
        return self._sum("draft_n_accepted") / max(1.0, self._sum("draft_n"))

    @property
    def tokens_per_second(self) -> float:
        """While decoding."""
        return 1e3 * self._sum("predicted_n") / max(1e-9, self._sum("predicted_ms"))

    def _sum(self, key: str) -> float:
        return float(sum(asked.timings[key] for asked in self.asked))


def evaluate(target: Path, draft: Path) -> dict[str, Tally]:
    """Greedy answers, with drafts of a single token, so that acceptance is agreement."""
    held_out = [(question, topic) for topic in read_topics() for question in topic.held_out]
    questions = [*held_out, *_samples(read_texts())]
    answers = ask(target, [question for question, _ in questions], draft)
    tallies: dict[str, Tally] = defaultdict(Tally)
    for (question, topic), answer in zip(questions, answers, strict=True):
        asked = Asked(question, topic, answer["text"], answer["timings"])
        tallies[topic.kind].asked.append(asked)
    return dict(tallies)


def ask(target: Path, questions: Sequence[str], draft: Path) -> list[dict[str, Any]]:
    """The engine's results, one for each question."""
    with tempfile.TemporaryDirectory() as folder:
        requests = Path(folder) / "requests.jsonl"
        requests.write_text("".join(map(_request, questions)), encoding="utf-8")
        command = [sys.executable, "-m", "engine", "generate", str(target), "--draft", str(draft)]
        command += ["--requests", str(requests), "--temperature", "0", "--json", *_ONE_TOKEN_DRAFTS]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def report(tallies: dict[str, Tally]) -> str:
    """A table in Markdown, and what was answered wrongly."""
    lines = [
        "| prompts | asked | with all facts | draft agrees | tokens/s |",
        "|---|---|---|---|---|",
    ]
    for kind, tally in tallies.items():
        judged = any(asked.topic.facts for asked in tally.asked)
        right = f"{tally.right} ({tally.right / len(tally.asked):.1%})" if judged else "not judged"
        lines.append(
            f"| {kind} | {len(tally.asked)} | {right} | {tally.agreement:.1%} "
            f"| {tally.tokens_per_second:.0f} |"
        )
    wrong = [asked for tally in tallies.values() for asked in tally.asked if not asked.is_right]
    lines += ["", *(f"- {a.question} [{a.topic.id}]: {a.answer[:120]!r}" for a in wrong)]
    return "\n".join(lines)


def _samples(texts: Sequence[Topic]) -> list[tuple[str, Topic]]:
    """Some of each kind, evenly taken; learnt from, so that only agreement is told."""
    by_kind: dict[str, list[Topic]] = defaultdict(list)
    for text in texts:
        by_kind[text.kind].append(text)
    chosen = []
    for same in by_kind.values():
        chosen += same[:: -(-len(same) // TEXTS_OF_A_KIND)]
    return [(text.questions[0], text) for text in chosen]


def _request(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    return json.dumps({"messages": messages, "max_tokens": MOST_TOKENS}) + "\n"
