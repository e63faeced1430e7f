"""Run the command line in this process, as a shell would."""

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from leastnoise.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """What a shell would see."""

    status: int
    output: str
    errors: str

    @property
    def said(self) -> str:
        """The output without its line breaks, which are where the screen ends."""
        return " ".join(self.output.split())


def run(*arguments: str | Path, answer: str = "y\n") -> Outcome:
    """What happens if somebody sits there who answers so when asked."""
    output, errors = io.StringIO(), io.StringIO()
    status = 0
    with (
        mock.patch.object(sys, "argv", ["leastnoise", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.StringIO(answer)),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        try:
            main(to_the_end=False)
        except SystemExit as end:
            status = int(end.code or 0)
    return Outcome(status, output.getvalue(), errors.getvalue())
