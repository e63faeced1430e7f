"""`run_python`: a fresh interpreter for code that forks, may hang, or may fill memory."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import leastnoise
from tests.time_limit import HANGING

_PATH = os.pathsep.join(
    [str(Path(leastnoise.__path__[0]).parent), str(Path(__file__).parent.parent)]
)


# Before anything else: a limit of processor time, and an interruption that is not ignored.
_FIRST = """
import resource, signal
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""


def run_python(code: str, *, seconds: int = 60) -> str:
    """The output of a script; fails if it fails or takes more processor time than `seconds`."""
    done = subprocess.run(
        [sys.executable, "-c", _FIRST.format(seconds=seconds) + textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": _PATH},
        capture_output=True,
        text=True,
        timeout=HANGING * seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
