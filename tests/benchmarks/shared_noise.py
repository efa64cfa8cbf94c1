"""What a draft gains by drawing from its target's noise, beside one that takes the likeliest token.

    python -m tests.benchmarks.shared_noise [--temperature 0.8] [--methods draft mtp]

Asks the built-in guide every third question that it was not trained on, once with each way of
drafting, and prints the share of tested tokens that were accepted. The replies are the same.
"""

import argparse
import contextlib
import io
import json
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import numpy as np

from engine.base.types import SamplingParams
from engine.cli.main import main as command_line

GUIDE = Path(__file__).parents[2] / "resources" / "guide"
EVERY = 3
PROPOSERS = {
    "draft": "engine.speculative.draft_model.sample",
    "mtp": "engine.speculative.mtp.sample",
}


def main() -> None:
    """Print a line for each method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--temperature", default="0.8")
    parser.add_argument("--methods", nargs="+", default=list(PROPOSERS), choices=PROPOSERS)
    options = parser.parse_args()
    for method in options.methods:
        texts, shared = acceptance(method, options.temperature)
        with mock.patch(PROPOSERS[method], likeliest):
            same_texts, argmax = acceptance(method, options.temperature)
        if texts != same_texts:
            raise SystemExit("The replies differ, which they never may.")
        print(
            f"{method:5} at temperature {options.temperature}: accepted {shared:.1%} with the "
            f"target's noise, {argmax:.1%} with the likeliest token, {shared - argmax:+.1%}"
        )


def likeliest(
    logits: np.ndarray, params: SamplingParams, history: Sequence[int], index: int
) -> int:
    """In the place of `sample`: no chance at all."""
    return int(logits.argmax())


def acceptance(method: str, temperature: str) -> tuple[list[str], float]:
    """The replies, and the share of tested tokens that were accepted."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        requests = Path(folder) / "requests.jsonl"
        requests.write_text("".join(map(request, held_out()[::EVERY])), encoding="utf-8")
        asked = ["--requests", str(requests), "--temperature", temperature, "--json"]
        drafting = ["--spec", method, "--spec-fixed", "--spec-n-max", "4"]
        command_line(["generate", "guide", *asked, *drafting])
    results = json.loads(out.getvalue())
    tested, accepted = (
        sum(result["timings"][key] for result in results) for key in ("draft_n", "draft_n_accepted")
    )
    return [result["text"] for result in results], accepted / tested


def held_out() -> list[str]:
    """Questions that the guide was not trained on."""
    files = sorted(GUIDE.glob("*.toml"))
    topics = [t for file in files for t in tomllib.loads(file.read_text("utf-8"))["topic"]]
    return [question for topic in topics for question in topic["held_out"]]


def request(question: str) -> str:
    """A line of the requests' file."""
    message = {"role": "user", "content": question}
    return json.dumps({"messages": [message], "max_tokens": 100}) + "\n"


if __name__ == "__main__":
    main()
