"""`generate`: the answers of requests, and those that cannot be served."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.cli.reply_printer import ReplyPrinter
from engine.models.runner import Runner
from tests.helpers.terminal import Terminal

TIMINGS = {
    "cache_n",
    "prompt_n",
    "prompt_ms",
    "prompt_per_second",
    "predicted_n",
    "predicted_ms",
    "predicted_per_second",
    "draft_n",
    "draft_n_accepted",
    "draft_rounds",
    "draft_empty",
    "draft_rejected_whole",
    "draft_by_position",
    "draft_ms",
    "verify_ms",
    "rollback_ms",
    "draft_speedup",
    "draft_rest_cost",
}


def test_generate_answers_with_the_keys_of_the_contract(terminal: Terminal, model: str) -> None:
    document = terminal.json(
        "generate", model, "--prompt", "Hi", "--max-tokens", "5", "--ignore-eos", "--digest"
    )
    assert set(document) == {"tokens", "text", "stop_reason", "timings", "digest", "state_digest"}
    assert set(document["timings"]) == TIMINGS
    assert document["stop_reason"] == "length"
    assert document["timings"]["predicted_n"] == len(document["tokens"]) == 5
    assert len(document["digest"]) == len(document["state_digest"]) == 64


def test_many_requests_over_slots_say_what_they_say_one_by_one(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    requests = [
        {"tokens": [1, 2, 3], "max_tokens": 6, "ignore_eos": True},
        {"prompt": "Something longer", "max_tokens": 9, "temperature": 0.8, "seed": 7},
        {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4, "stop": "x"},
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, requests)))
    common = ("generate", model, "--requests", str(path), "--digest", "--kv-type", "q8_0")
    alone = terminal.json(*common, "--slots", "1")
    together = terminal.json(*common, "--slots", "3")
    assert len(alone) == 3
    for one, other in zip(alone, together, strict=True):
        one.pop("timings"), other.pop("timings")
        assert one == other


def write_requests(path: Path, *requests: dict[str, object]) -> str:
    path.write_text("\n".join(map(json.dumps, requests)))
    return str(path)


def test_a_request_that_fails_leaves_the_others_their_answers(
    broken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good: dict[str, object] = {"tokens": [1, 2, 3], "max_tokens": 2, "ignore_eos": True}
    requests = write_requests(tmp_path / "r.jsonl", good, {"tokens": [1, 5]}, good)
    assert main(["generate", broken, "--requests", requests, "--json"]) == 1
    captured = capsys.readouterr()
    first, failed, last = json.loads(captured.out)
    assert first["tokens"] == last["tokens"]
    assert len(first["tokens"]) == 2
    assert failed.keys() == {"error"}
    assert "finite number" in failed["error"]
    assert captured.err == "paceline-engine: 1 of 3 requests failed.\n"


def test_a_single_request_that_fails_is_one_line(
    terminal: Terminal, broken: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "t.npy", np.array([1, 5], dtype=np.int32))
    line = terminal.complaint(
        "generate", broken, "--tokens-file", str(tmp_path / "t.npy"), status=1
    )
    assert "finite number" in line


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tokens": list(range(200))}, "context holds 128"),
        ({"tokens": [1, 259]}, "259"),
        ({"tokens": [1], "max_tokens": 0}, "1 or more"),
        ({"tokens": [1], "top_p": 2}, "top-p"),
        ({"tokens": [1], "temperature": 10**400}, "temperature"),
        ({"tokens": [1], "logprobs": -1}, "alternatives"),
        ({"tokens": [1], "logit_bias": {"259": 1}}, "259"),
        ({"tokens": [1], "logit_bias": {"the": 1}}, "token id"),
        ({"tokens": [1], "stop": [5]}, "stop"),
        ({"tokens": [1], "prompt": "x"}, "exactly one"),
    ],
)
def test_a_request_that_cannot_be_served_is_named_before_any_is(
    terminal: Terminal,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wrong: dict[str, object],
    words: str,
) -> None:
    monkeypatch.setattr(Runner, "forward", lambda *_: pytest.fail("computed in vain"))
    requests = write_requests(tmp_path / "r.jsonl", {"tokens": [1]}, wrong)
    line = terminal.complaint("generate", model, "--requests", requests, "--context", "128")
    assert "line 2 of" in line
    assert words in line


def test_log_probabilities_come_with_their_alternatives(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    common = ("--max-tokens", "3", "--ignore-eos")
    document = terminal.json("generate", model, "--prompt", "Hi", "--logprobs", "2", *common)
    assert [entry["token"] for entry in document["logprobs"]] == document["tokens"]
    for entry in document["logprobs"]:
        assert entry["top"][0] == [entry["token"], entry["logprob"]]  # greedy takes the likeliest
        assert entry["logprob"] >= entry["top"][1][1]
    requests = write_requests(
        tmp_path / "r.jsonl", {"prompt": "Hi", "logprobs": 0}, {"prompt": "Hi"}
    )
    alone, without = terminal.json("generate", model, "--requests", requests, *common)
    assert [entry["top"] for entry in alone["logprobs"]] == [[], [], []]
    assert "logprobs" not in without


def test_penalties_and_bias_reach_the_sampler(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    common = ("--max-tokens", "12", "--ignore-eos")
    requests = write_requests(
        tmp_path / "r.jsonl",
        {"prompt": "Hi", "logit_bias": {"65": 100}},
        {"prompt": "Hi", "logit_bias": {"65": 100}, "presence_penalty": 200, "penalty_window": 1},
    )
    biased, alternating = terminal.json("generate", model, "--requests", requests, *common)
    assert biased["tokens"] == [65] * 12
    assert alternating["tokens"][::2] == [65] * 6
    assert 65 not in alternating["tokens"][1::2]
    without_repeats = terminal.json(
        "generate", model, "--prompt", "Hi", "--frequency-penalty", "1000", *common
    )
    assert len(set(without_repeats["tokens"])) == 12


def test_a_conversation_comes_from_a_file(terminal: Terminal, model: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "Hi"}]))
    document = terminal.json("generate", model, "--messages", str(path), "--max-tokens", "3")
    assert document["timings"]["prompt_n"] > 10


def test_text_streams_to_stdout_and_figures_to_stderr(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", model, "--prompt", "Hi", "--max-tokens", "5"]) == 0
    captured = capsys.readouterr()
    assert "tok/s" in captured.err
    assert "tok/s" not in captured.out


def test_the_answer_alone_is_printed_of_a_reply_to_a_conversation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printer = ReplyPrinter("<think>")
    for piece in ("\nHm.</thi", "nk>\n\nLet ", 'me.\n<tool_call>{"name": "look"', "}</tool_call>"):
        printer.add(piece)
    printer.finish()
    captured = capsys.readouterr()
    assert captured.out == "Let me.\nlook {}\n"
    assert captured.err == "Hm.\n\n"
