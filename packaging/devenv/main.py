"""The two commands, from what was typed to the program that takes over."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from devenv import interpreters, native_library, qt_libraries
from devenv.environment import Environment, Stamp
from devenv.installation import prepare
from devenv.system import SetupError, hand_over
from devenv.torch_builds import CPU, CUDA, KEEP

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]

# Tests of a file share what they load, so they stay together. `-n 0` runs all in one process.
SIDE_BY_SIDE = ("--numprocesses=2", "--dist=loadfile")


def main(arguments: Sequence[str]) -> int:
    """Run a command; whatever ends it early is said in one line."""
    try:
        return _run(arguments)
    except SetupError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"Set-up failed: {error}. Mend that, then run this command again.", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to go on.", file=sys.stderr)
        return 130
    return 1


def _run(arguments: Sequence[str]) -> int:
    options, passed_on = _parse(arguments)
    environment = Environment(ROOT)
    if interpreters.verdict() != interpreters.GOOD:
        stamp = environment.stamp()
        python = stamp.python if stamp else interpreters.find()
        return hand_over([python, str(ROOT / "packaging" / "dev.py"), *arguments], os.environ)
    testing = options.command == "test"
    environ = dict(os.environ)
    if testing:
        environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    python = interpreters.executable()
    stamp = prepare(environment, python, development=testing, torch=options.torch)
    stamp = native_library.update(environment, stamp)
    _check_qt(environment, stamp, qt_libraries.platforms(environ))
    if testing:
        os.chdir(ROOT)
        command = [str(environment.python), "-m", "pytest", *SIDE_BY_SIDE, *passed_on]
        return hand_over(command, environ)
    # Files named by the person are seen from where they stand, so the sources come by path.
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), environ.get("PYTHONPATH")]))
    return hand_over([str(environment.python), "-P", "-m", "app", *passed_on], environ)


def _parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of this program, and the arguments for the one it starts."""
    parser = argparse.ArgumentParser(
        prog="dev.py",
        description="Set Paceline up, then start it or its tests with the arguments left over.",
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=["run", "test"])
    parser.add_argument(
        "--torch",
        choices=[CPU, CUDA, KEEP],
        help="the build of PyTorch; left out, one that suits this computer. KEEP: leave it alone",
    )
    return parser.parse_known_args(arguments)


def _check_qt(environment: Environment, stamp: Stamp, platforms: Sequence[str]) -> None:
    """Look for Qt's system libraries, until they were found once for these platforms."""
    names = ",".join(platforms)
    if sys.platform == "linux" and names not in stamp.qt_checked:
        qt_libraries.check(environment.folder, platforms)
        environment.write(replace(stamp, qt_checked=[*stamp.qt_checked, names]))
