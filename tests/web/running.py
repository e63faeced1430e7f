"""An explorer that runs as a program of its own, as it does for people."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE

_PROGRAM = "from leastnoise.cli.main import main; main()"


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a page that is served from a folder."""
    command = [sys.executable, "-c", _PROGRAM, "explore", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=folder, stdout=PIPE, stderr=DEVNULL, text=True, env=environment
    ) as program:
        try:
            assert program.stdout is not None
            yield program.stdout.readline().split()[-1]
        finally:
            program.terminate()
            try:
                program.wait(timeout=10)
            except subprocess.TimeoutExpired:
                program.kill()
