"""Benchmarks of a pair: the files named on the command line, or the guide's own."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path

from app.paths import guide_files


def run_on_pair(measure: Callable[[Path, Path], Coroutine[None, None, None]]) -> None:
    """Measure target and draft."""
    given = [Path(argument) for argument in sys.argv[1:]]
    target, draft = given or guide_files()
    asyncio.run(measure(target, draft))
