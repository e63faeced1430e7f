"""Standard output and standard error, whatever has become of them.

A terminal that is gone, a pipe that nobody reads, a full disk or an encoding without our letters
must not decide how a command ends, least of all after a budget was charged.
"""

import codecs
import io
import os
import shutil
import sys
import textwrap
from contextlib import suppress
from typing import TextIO

from leastnoise._display import visible
from leastnoise.people.ascii import in_ascii

_LAST_STANDARD_STREAM = 2  # 0 is input, 1 output, 2 errors
_SPELLED = "leastnoise.spelled"
_NARROW, _WIDE = 50, 100  # columns that people can read


class Unread(Exception):
    """The output cannot be written any more, as in `leastnoise budget … | head`."""

    def __init__(self, failure: OSError) -> None:
        super().__init__()
        self.failure = failure


def make_ready() -> None:
    """There are two streams, and they take any text."""
    # Where a stream is closed its number is free: a ledger must not be opened under it.
    number = 0
    while number <= _LAST_STANDARD_STREAM:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_SPELLED)


def _spelled(failure: UnicodeError) -> tuple[str | bytes, int]:
    """Letters that an encoding lacks, in ASCII where there is a way, else by their numbers."""
    if not isinstance(failure, UnicodeEncodeError):
        raise failure
    missing = failure.object[failure.start : failure.end]
    spelled = in_ascii(missing)
    return spelled.encode("ascii", "backslashreplace").decode("ascii"), failure.end


codecs.register_error(_SPELLED, _spelled)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def complain(words: str) -> None:
    """Say it on standard error, if anybody can hear it; wrapped for people, in one line else."""
    told = visible(words, keep="\n")
    with suppress(OSError, ValueError):
        if sys.stderr.isatty():
            wide = min(max(shutil.get_terminal_size().columns, _NARROW), _WIDE)
            told = "\n".join(textwrap.fill(line, wide) for line in told.split("\n"))
    tell(told)


def tell(words: str, end: str = "\n") -> None:
    """The same for words in which nothing is left that could steer a terminal but colours."""
    with suppress(OSError, ValueError):
        print(words, end=end, file=sys.stderr, flush=True)


def finish() -> OSError | None:
    """Write what is still waiting; else what kept us from it. After that nothing waits."""
    failed = None
    for stream in (sys.stderr, sys.stdout):
        try:
            stream.flush()
        except ValueError:  # closed by somebody
            pass
        except OSError as failure:
            failed = failure
            _let_go(stream)
    return failed


def _let_go(stream: TextIO) -> None:
    """Python would try again at its end, and make a status of its own of it."""
    with suppress(OSError, ValueError), _nowhere() as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
