"""Runs the command `leastnoise`: in this process, and as the installed script in a terminal."""

import io
import os
import pty
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from unittest.mock import patch

from leastnoise.cli.main import main

SCRIPT = Path(sys.executable).parent / "leastnoise"
ENVIRONMENT = os.environ | {
    "COLUMNS": "80",
    "TERM": "dumb",
    "PATH": f"{SCRIPT.parent}:{os.environ['PATH']}",
}
PATIENCE = 300  # seconds until a hanging command is an error


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str


def leastnoise(*arguments: str, stdin: str = "") -> Ran:
    """The command in this process, without a terminal."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", io.StringIO(stdin)):
        status = main(list(arguments))
    return Ran(status, out.getvalue(), err.getvalue())


def on_terminal(command: str | Sequence[str], answers: Sequence[str | signal.Signals]) -> Ran:
    """A command whose stdin and stderr are a terminal; each question gets the next answer.

    An answer may be a signal.
    """
    # A background job is started with SIGINT ignored, which a new process inherits; a handler it does not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    words = shlex.split(command) if isinstance(command, str) else list(command)
    ours, theirs = pty.openpty()
    with open(ours, "rb+", buffering=0) as terminal:
        process = subprocess.Popen(
            words, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        os.close(theirs)
        seen, rest = "", list(answers)
        while True:
            try:
                seen += terminal.read(4096).decode("utf-8", "replace")
            except OSError:  # the other side is closed
                break
            if rest and seen.rstrip(" ").endswith(("]", ":", ">")):
                answer = rest.pop(0)
                if isinstance(answer, signal.Signals):
                    Thread(target=_send, args=(process, answer)).start()
                else:
                    terminal.write(f"{answer}\n".encode())
        out, _ = process.communicate(timeout=PATIENCE)
    return Ran(process.returncode, out, seen.replace("\r\n", "\n"))


def _send(process: "subprocess.Popen[str]", answer: signal.Signals) -> None:
    """Sends a signal, and again where it came just before the command began to read."""
    while process.poll() is None:
        process.send_signal(answer)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
