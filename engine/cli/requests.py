"""What `generate` is asked to do: requests from options, token files and JSON lines."""

import argparse
import sys
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from engine.base.errors import RequestError
from engine.base.types import Message, Request, SamplingParams
from engine.cli.options import parse_json, read_json, read_text, read_tokens

Item = TypeVar("Item")

SAMPLING_KEYS = {
    "temperature": float,
    "top_k": int,
    "top_p": float,
    "min_p": float,
    "repeat_penalty": float,
    "frequency_penalty": float,
    "presence_penalty": float,
    "penalty_window": int,
    "seed": int,
}
"""What a request may set of `SamplingParams`: options and JSON keys have these names and types."""

REQUEST_KEYS = {"max_tokens": int, "ignore_eos": bool}
SOURCE_KEYS = {"prompt": str, "tokens": list, "messages": list}
JSON_KEYS: dict[str, type] = {
    **SOURCE_KEYS,
    **SAMPLING_KEYS,
    **REQUEST_KEYS,
    "stop": list,
    "logit_bias": dict,
    "logprobs": int,
}
"""What the JSON of a request may hold."""


@dataclass(frozen=True, slots=True)
class Task:
    """A request whose text is not tokens yet; one of the sources is given.

    Attributes:
        where: what to call it where there are several: "line 2 of requests.jsonl".
    """

    request: Request
    where: str = ""
    prompt: str | None = None
    tokens: tuple[int, ...] | None = None
    messages: tuple[Message, ...] | None = None


def read_tasks(options: argparse.Namespace) -> list[Task]:
    """The requests that the options name, in order.

    Raises:
        RequestError: a file is not there or does not hold what it should.
    """
    base = _base(options)
    if options.prompt is not None:
        return [Task(base, prompt=options.prompt)]
    if options.tokens_file:
        tokens = read_tokens(options.tokens_file)
        if tokens.ndim == 1:
            return [Task(base, tokens=tuple(tokens.tolist()))]
        places = [f"row {i} of {options.tokens_file}" for i in range(len(tokens))]
        return [
            Task(base, place, tokens=tuple(row.tolist()))
            for row, place in zip(tokens, places, strict=True)
        ]
    if options.messages:
        where = str(options.messages)
        document = {"messages": read_json(options.messages)}
        return [_task(base, document, where)]
    lines = enumerate(read_text(options.requests).splitlines(), 1)
    numbered = [(line, f"line {i} of {options.requests}") for i, line in lines if line.strip()]
    return [_task(base, parse_json(line, where), where) for line, where in numbered]


def _base(options: argparse.Namespace) -> Request:
    """What every request is unless it says otherwise."""
    return Request(
        prompt=(),
        max_tokens=options.max_tokens,
        sampling=SamplingParams(**{key: getattr(options, key) for key in SAMPLING_KEYS}),
        stop=tuple(options.stop),
        ignore_eos=options.ignore_eos,
        top_logprobs=options.logprobs,
        digest=options.digest,
    )


def _task(base: Request, document: object, where: str) -> Task:
    """A request from its JSON object; what it leaves out is taken from `base`."""
    fields = _fields(document, where)
    sampling = {key: fields[key] for key in SAMPLING_KEYS if key in fields}
    if "logit_bias" in fields:
        sampling["logit_bias"] = _bias(fields["logit_bias"], where)
    changes = {key: fields[key] for key in REQUEST_KEYS if key in fields}
    if "stop" in fields:
        changes["stop"] = _items(fields["stop"], str, "stop strings that are not texts", where)
    if "logprobs" in fields:
        changes["top_logprobs"] = fields["logprobs"]
    tokens, messages = fields.get("tokens"), fields.get("messages")
    wrong = "tokens that are not whole numbers"
    return Task(
        replace(base, sampling=replace(base.sampling, **sampling), **changes),
        where,
        prompt=fields.get("prompt"),
        tokens=None if tokens is None else _items(tokens, int, wrong, where),
        messages=None if messages is None else _messages(messages, where),
    )


def _fields(document: object, where: str) -> dict[str, Any]:
    """What a request's JSON object holds, each value of its key's type."""
    if not isinstance(document, dict):
        raise RequestError(f"{where} is not a JSON object.")
    fields: dict[str, Any] = dict(document)
    if isinstance(fields.get("stop"), str):
        fields["stop"] = [fields["stop"]]
    for key, value in fields.items():
        if key not in JSON_KEYS:
            known = ", ".join(sorted(JSON_KEYS))
            raise RequestError(f"{where} has the unknown key {key}; known are {known}.")
        if not _is_of(value, JSON_KEYS[key]):
            kind = JSON_KEYS[key].__name__
            raise RequestError(f"{where} has {key} = {value!r}, which is no {kind}.")
    if len(SOURCE_KEYS.keys() & fields.keys()) != 1:
        raise RequestError(f"{where} needs exactly one of {', '.join(SOURCE_KEYS)}.")
    return fields


def _is_of(value: object, kind: type) -> bool:
    if kind is float:  # JSON may hold whole numbers beyond any float
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        return abs(value) <= sys.float_info.max
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _items(values: list[Item], kind: type[Item], wrong: str, where: str) -> tuple[Item, ...]:
    if not all(_is_of(value, kind) for value in values):
        raise RequestError(f"{where} has {wrong}.")
    return tuple(values)


def _bias(entries: dict[str, float], where: str) -> dict[int, float]:
    """The number added to the logit of each token id; JSON's keys are texts."""
    if not all(key.isdecimal() and _is_of(amount, float) for key, amount in entries.items()):
        raise RequestError(f'{where} has a logit_bias that is not {{"token id": number}}.')
    return {int(key): float(amount) for key, amount in entries.items()}


def _messages(entries: list[object], where: str) -> tuple[Message, ...]:
    messages = []
    for entry in entries:
        match entry:
            case {"role": str(role), "content": str(content)}:
                messages.append(Message(role, content))
            case _:
                raise RequestError(f'{where} has a message without a "role" and a "content".')
    return tuple(messages)
