"""The command line called as from a terminal, in this process."""

import json
from typing import Any

import pytest

from engine.cli.main import main


class Terminal:
    """Runs verbs and gives what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def json(self, *arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0
        return json.loads(self._capsys.readouterr().out)

    def text(self, *arguments: str) -> str:
        assert main(arguments) == 0
        return self._capsys.readouterr().out

    def complaint(self, *arguments: str, status: int = 2) -> str:
        """The one line on stderr of a call that was refused, or whose work failed (status 1)."""
        out, line = self.failure(*arguments, status=status)
        assert out == ""
        return line

    def failure(self, *arguments: str, status: int = 1) -> tuple[str, str]:
        """What a call that fails prints, and its one line on stderr."""
        try:
            left_with: object = main(arguments)
        except SystemExit as exit_:  # argparse leaves this way
            left_with = exit_.code
        captured = self._capsys.readouterr()
        assert left_with == status
        (line,) = captured.err.splitlines()
        return captured.out, line
