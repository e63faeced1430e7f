"""`run_python`: a fresh interpreter for code that forks, may hang, or may fill memory."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import leastnoise

_PATH = os.pathsep.join(
    [str(Path(leastnoise.__path__[0]).parent), str(Path(__file__).parent.parent)]
)


def run_python(code: str, *, seconds: float = 60) -> str:
    """The standard output of a script; fails if it fails or takes longer than `seconds`."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": _PATH},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
