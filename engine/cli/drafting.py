"""What `generate` is told about drafting."""

import argparse
from dataclasses import replace
from pathlib import Path

from engine.base.errors import RequestError
from engine.base.types import (
    DEVICES,
    DRAFT_METHODS,
    LONGEST_DRAFT,
    MOST_THREADS,
    Drafting,
    DraftModelOptions,
    Script,
)
from engine.cli.options import CACHE_TYPES, positive, read_json, within
from engine.weights.opening import open_model_file

DEFAULTS = Drafting()
HOW_IT_RUNS = ("device", "context", "kv_type", "threads")
NO_DRAFT = "There is no model to draft with; name one with --draft."
SPEC_METHODS = tuple(method for method in DRAFT_METHODS if method != "scripted")


def add_drafting_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--draft", type=Path, metavar="DRAFT", help="a small model that drafts")
    parser.add_argument("--draft-device", choices=DEVICES, metavar="D")
    parser.add_argument("--draft-context", type=positive, metavar="N")
    parser.add_argument("--draft-kv-type", choices=CACHE_TYPES, metavar="T")
    parser.add_argument("--draft-threads", type=within(1, MOST_THREADS), metavar="N")
    parser.add_argument(
        "--spec",
        type=_methods,
        metavar="LIST",
        help=f"methods in the order they are asked: off, auto, {', '.join(SPEC_METHODS)}",
    )
    length = within(1, LONGEST_DRAFT)
    for name, default in (("n-max", DEFAULTS.n_max), ("n-min", DEFAULTS.n_min)):
        parser.add_argument(
            f"--spec-{name}", type=length, default=default, metavar="N", help=f"default {default}"
        )
    parser.add_argument("--spec-fixed", action="store_true", help="always draft n-max tokens")
    parser.add_argument(
        "--spec-p-min", type=_share, default=0.0, metavar="P", help="least probability of a token"
    )
    for name, use in (("n", "tokens to look up"), ("m", "tokens to propose at most")):
        parser.add_argument(f"--spec-ngram-{name}", type=length, metavar=name.upper(), help=use)
    parser.add_argument(
        "--spec-ngram-static",
        type=Path,
        metavar="PAIRS.npy",
        help="what ngram-cache asks where the text is silent: rows of two tokens, next, count",
    )
    parser.add_argument(
        "--spec-script", type=Path, metavar="TOKENS.json", help="propose this continuation"
    )
    parser.add_argument(
        "--spec-accept", type=_share, metavar="P", help="share proposed as it stands, default all"
    )


def draft_model_options(options: argparse.Namespace) -> DraftModelOptions | None:
    """The draft model to load, if one is named.

    Raises:
        RequestError: none is, and it is said how to run it.
    """
    if options.draft is None:
        if any(getattr(options, f"draft_{name}") for name in HOW_IT_RUNS):
            raise RequestError(NO_DRAFT)
        return None
    return DraftModelOptions(
        options.draft,
        options.draft_device,
        options.draft_context,
        options.draft_kv_type,
        options.draft_threads,
    )


def read_draftings(options: argparse.Namespace, num_requests: int) -> list[Drafting]:
    """How each request is drafted for.

    Raises:
        RequestError: the script cannot be read, or the options contradict each other.
    """
    if options.spec_n_min > options.spec_n_max:
        raise RequestError(
            f"A draft cannot have {options.spec_n_min} tokens or more and at most "
            f"{options.spec_n_max}; make --spec-n-max the larger one."
        )
    base = Drafting(
        _chosen(options),
        options.spec_n_min,
        options.spec_n_max,
        options.spec_fixed,
        options.spec_p_min,
    )
    if options.spec_script is None:
        if options.spec_accept is not None:
            raise RequestError("There is nothing to accept a share of; give a --spec-script.")
        return [base] * num_requests
    accept = 1.0 if options.spec_accept is None else options.spec_accept
    scripts = _scripts(options.spec_script, num_requests)
    return [replace(base, script=Script(tokens, accept)) for tokens in scripts]


def _chosen(options: argparse.Namespace) -> tuple[str, ...]:
    """The methods asked for; without a word about them, whatever was given to draft with."""
    if options.spec is None:
        given = (("scripted", options.spec_script), ("draft", options.draft))
        return next(((method,) for method, source in given if source), ())
    if options.spec_script:
        raise RequestError("A --spec-script is all that drafts; leave --spec out, or the script.")
    if options.spec == ("auto",):
        usable = {"draft": options.draft is not None, "mtp": has_draft_head(options.model)}
        return tuple(method for method in SPEC_METHODS if usable.get(method, True))
    if "draft" in options.spec and not options.draft:
        raise RequestError(NO_DRAFT)
    methods: tuple[str, ...] = options.spec
    return methods


def has_draft_head(path: Path) -> bool:
    """Whether a model's file holds heads of its own that draft for it."""
    with open_model_file(path) as file:
        architecture = file.metadata.read("general.architecture", str)
        return file.metadata.read(f"{architecture}.nextn_predict_layers", int, 0) > 0


def _methods(text: str) -> tuple[str, ...]:
    if text in ("off", "auto"):
        return ("auto",) if text == "auto" else ()
    methods = tuple(dict.fromkeys(text.split(",")))
    for method in methods:
        if method in ("off", "auto"):
            raise argparse.ArgumentTypeError(f"{method} stands alone, not in a list")
        if method not in SPEC_METHODS:
            raise argparse.ArgumentTypeError(
                f"{method} is none of off, auto, {', '.join(SPEC_METHODS)}"
            )
    return methods


def _scripts(path: Path, num_requests: int) -> list[tuple[int, ...]]:
    """The continuation for each request: one list for all of them, or a list of lists."""
    document = read_json(path)
    if tokens := _tokens(document):
        return [tokens] * num_requests
    scripts = [_tokens(entry) for entry in document] if isinstance(document, list) else []
    found = [tokens for tokens in scripts if tokens]
    if not len(found) == len(scripts) == num_requests:
        raise RequestError(
            f"{path} is no list of token ids, nor one such list for each of the {num_requests} "
            "requests."
        )
    return found


def _tokens(document: object) -> tuple[int, ...] | None:
    """A list of token ids; None, or empty, where the document is something else."""
    if not isinstance(document, list) or not all(type(token) is int for token in document):
        return None
    return tuple(document)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return value
