"""The command line: verbs, their options, and what goes wrong as one line and an exit status."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from engine.base.errors import (
    DeviceError,
    ModelFileError,
    PacelineError,
    RequestError,
    UnsupportedModelError,
)
from engine.cli import bench, generate, info, logits, perplexity, selftest, tokenize
from engine.cli.guide import name_guide
from engine.cli.options import one_line

USAGE_ERRORS = (DeviceError, ModelFileError, RequestError, UnsupportedModelError)


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {one_line(message)}. See {self.prog} --help.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb.

    Returns:
        The exit status: 0 done; 1 the work failed; 2 bad arguments or an unusable file.
    """
    _speak_utf8()
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        name_guide(options)
        options.run(options)
        sys.stdout.flush()
    except PacelineError as error:
        return _complain(parser.prog, str(error), 2 if isinstance(error, USAGE_ERRORS) else 1)
    except BrokenPipeError:  # the reader of our output has left; nothing more can be said to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # of an output: a full disk, for example
        return _complain(parser.prog, f"The system refused: {error}.", 1)
    except MemoryError:
        return _complain(parser.prog, "There is not enough memory left for this.", 1)
    except Exception as error:  # the last resort: people get a sentence, never a traceback
        cause = f"{type(error).__name__}: {error}"
        sentence = f"This failed because of an internal error ({cause}). Please report it."
        return _complain(parser.prog, sentence, 1)
    return 0


def _speak_utf8() -> None:
    """Speak UTF-8 whatever the locale is: JSON and models' texts hold any character."""
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "replace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


def _complain(prog: str, sentence: str, status: int) -> int:
    print(f"{prog}: {one_line(sentence)}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="paceline-engine", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for verb in (info, tokenize, logits, generate, bench, perplexity, selftest):
        verb.add_parser(verbs)
    return parser
