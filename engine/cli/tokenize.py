"""`tokenize`: text to token ids and back."""

import argparse
import json
import sys

from engine.base.errors import RequestError
from engine.cli.options import Verbs, add_verb, print_json
from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.tokenizer import Tokenizer
from engine.weights.opening import open_model_file


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    parser = add_verb(verbs, "tokenize", run, "Turn text into token ids.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", metavar="T", help="the text")
    source.add_argument(
        "--jsonl",
        action="store_true",
        help='read lines {"text", "add_special", "parse_special"} from stdin',
    )


def run(options: argparse.Namespace) -> None:
    """Print ids, or answer each line of stdin."""
    with open_model_file(options.model) as file:
        tokenizer = load_tokenizer(file.metadata)
    if options.jsonl:
        _answer_lines(tokenizer)
        return
    ids = tokenizer.encode(options.text, add_special=True, parse_special=True)
    if options.json:
        print_json({"ids": ids, "decoded": tokenizer.decode(ids)})
    else:
        print(*ids)


def _answer_lines(tokenizer: Tokenizer) -> None:
    try:
        for number, line in enumerate(sys.stdin, 1):
            print_json(_answer(tokenizer, line, number))
    except UnicodeDecodeError as error:
        raise RequestError("What came on stdin is not UTF-8 text.", details=str(error)) from error


def _answer(tokenizer: Tokenizer, line: str, number: int) -> dict[str, object]:
    try:
        case = json.loads(line)
        text, add_special = case["text"], case.get("add_special", True)
        parse_special = case.get("parse_special", True)
        ids = tokenizer.encode(text, add_special=add_special, parse_special=parse_special)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RequestError(
            f'Line {number} is not a JSON object with a "text".', details=str(error)
        ) from error
    return {"ids": ids, "decoded": tokenizer.decode(ids)}
