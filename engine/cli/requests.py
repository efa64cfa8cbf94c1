"""What `generate` is asked to do: requests from options, token files and JSON lines."""

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

from engine.base.errors import RequestError
from engine.base.types import Message, Request, SamplingParams
from engine.cli.options import read_tokens

SAMPLING_KEYS = {
    "temperature": float,
    "top_k": int,
    "top_p": float,
    "min_p": float,
    "repeat_penalty": float,
    "seed": int,
}
"""What a request may set of `SamplingParams`: options and JSON keys have these names and types."""

REQUEST_KEYS = {"max_tokens": int, "ignore_eos": bool}
SOURCE_KEYS = {"prompt": str, "tokens": list, "messages": list}


@dataclass(frozen=True, slots=True)
class Task:
    """A request whose text is not tokens yet; one of the sources is given."""

    request: Request
    prompt: str | None = None
    tokens: tuple[int, ...] | None = None
    messages: tuple[Message, ...] | None = None


def read_tasks(options: argparse.Namespace) -> list[Task]:
    """The requests that the options name, in order.

    Raises:
        RequestError: a file is not there or does not hold what it should.
    """
    base = Request(
        prompt=(),
        max_tokens=options.max_tokens,
        sampling=SamplingParams(**{key: getattr(options, key) for key in SAMPLING_KEYS}),
        stop=tuple(options.stop),
        ignore_eos=options.ignore_eos,
        digest=options.digest,
    )
    if options.prompt is not None:
        return [Task(base, prompt=options.prompt)]
    if options.tokens_file:
        tokens = read_tokens(options.tokens_file)
        rows = tokens if tokens.ndim == 2 else tokens[None]
        return [Task(base, tokens=tuple(row.tolist())) for row in rows]
    if options.messages:
        where = str(options.messages)
        return [_task(base, {"messages": _parse(_read(options.messages), where)}, where)]
    lines = _read(options.requests).splitlines()
    places = [(line, f"line {i} of {options.requests}") for i, line in enumerate(lines, 1)]
    return [_task(base, _parse(line, place), place) for line, place in places if line.strip()]


def _task(base: Request, document: object, where: str) -> Task:
    """A request from its JSON object; what it leaves out is taken from `base`."""
    kinds = {**SOURCE_KEYS, **SAMPLING_KEYS, **REQUEST_KEYS, "stop": list}
    if not isinstance(document, dict):
        raise RequestError(f"{where} is not a JSON object.")
    if isinstance(document.get("stop"), str):
        document["stop"] = [document["stop"]]
    for key, value in document.items():
        if key not in kinds:
            known = ", ".join(sorted(kinds))
            raise RequestError(f"{where} has the unknown key {key}; known are {known}.")
        if not _is_of(value, kinds[key]):
            raise RequestError(f"{where} has {key} = {value!r}, which is no {kinds[key].__name__}.")
    if len(SOURCE_KEYS.keys() & document.keys()) != 1:
        raise RequestError(f"{where} needs exactly one of {', '.join(SOURCE_KEYS)}.")
    sampling = {key: document[key] for key in SAMPLING_KEYS if key in document}
    changes = {key: document[key] for key in REQUEST_KEYS if key in document}
    return Task(
        replace(
            base,
            sampling=replace(base.sampling, **sampling),
            stop=tuple(map(str, document.get("stop", base.stop))),
            **changes,
        ),
        prompt=document.get("prompt"),
        tokens=_tokens(document["tokens"], where) if "tokens" in document else None,
        messages=_messages(document["messages"], where) if "messages" in document else None,
    )


def _is_of(value: object, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _tokens(values: list[object], where: str) -> tuple[int, ...]:
    if not all(_is_of(value, int) for value in values):
        raise RequestError(f"{where} has tokens that are not whole numbers.")
    return tuple(value for value in values if isinstance(value, int))


def _messages(entries: list[object], where: str) -> tuple[Message, ...]:
    messages = []
    for entry in entries:
        match entry:
            case {"role": str(role), "content": str(content)}:
                messages.append(Message(role, content))
            case _:
                raise RequestError(f'{where} has a message without a "role" and a "content".')
    return tuple(messages)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{path} cannot be read as text.", details=str(error)) from error


def _parse(text: str, where: str) -> object:
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{where} is not JSON that can be read: {error}.") from error
    return document
