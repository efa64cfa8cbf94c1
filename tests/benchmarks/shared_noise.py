"""What a draft gains by choosing when to draw from its target's noise.

    python -m tests.benchmarks.shared_noise [--temperature 0.8]

Asks the built-in guide every third question that it was not trained on, once with each way of
choosing a draft's tokens, and prints the share of tested tokens that were accepted. The replies are
the same.
"""

import argparse
import contextlib
import io
import json
import tempfile
import tomllib
from pathlib import Path
from unittest import mock

from engine.cli.main import main as command_line
from engine.speculative.shared_chance import SharedChance

GUIDE = Path(__file__).parents[2] / "resources" / "guide"
EVERY = 3


WAYS = {
    "as it has paid": SharedChance.shares,
    "the target's noise": True,
    "the likeliest": False,  # as other engines do
}


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--temperature", default="0.8")
    temperature = parser.parse_args().temperature
    replies: set[tuple[str, ...]] = set()
    for name, shares in WAYS.items():
        with mock.patch.object(SharedChance, "shares", shares):
            texts, share = acceptance(temperature)
        replies.add(tuple(texts))
        print(f"{name:20} accepted {share:.1%} at temperature {temperature}", flush=True)
    if len(replies) > 1:
        raise SystemExit("The replies differ, which they never may.")


def acceptance(temperature: str) -> tuple[list[str], float]:
    """The replies, and the share of tested tokens that were accepted."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        requests = Path(folder) / "requests.jsonl"
        requests.write_text("".join(map(request, held_out()[::EVERY])), encoding="utf-8")
        asked = ["--requests", str(requests), "--temperature", temperature, "--json"]
        drafting = ["--spec", "draft", "--spec-fixed", "--spec-n-max", "4"]
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
