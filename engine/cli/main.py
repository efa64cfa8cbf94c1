"""The command line: verbs, their options, and what goes wrong as one line and an exit status."""

import argparse
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
from engine.cli import bench, generate, info, logits, tokenize

USAGE_ERRORS = (DeviceError, ModelFileError, RequestError, UnsupportedModelError)


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb.

    Returns:
        The exit status: 0 done; 1 the work failed; 2 bad arguments or an unusable file.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except PacelineError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2 if isinstance(error, USAGE_ERRORS) else 1
    except BrokenPipeError:  # the reader of our output has left
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="paceline-engine", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for verb in (info, tokenize, logits, generate, bench):
        verb.add_parser(verbs)
    return parser
