"""A line on the terminal that tells how far the reading of the data is, and how long it will take.

An engine tells when it has gone through the data once, and nothing between. So the line moves by
the clock there: a pass that takes as long as those before it is half through after half of that
time, and comes ever nearer to its end if it takes longer. Only what the clock says is told.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from leastnoise.cli.screen import width
from leastnoise.people import said_duration, said_share

_OFTEN = 0.2  # seconds between two looks at the clock
_LONG = 20  # of the bar


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A line on the terminal, moved by (done, of); None, hence silence, where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    line = Progress(what)
    line.write(line.words())
    over = threading.Event()
    clock = threading.Thread(target=_move, args=(line, over), daemon=True)
    clock.start()
    try:
        yield line.passed
    finally:
        over.set()
        clock.join()
        line.write("")


def _move(line: "Progress", over: threading.Event) -> None:
    while not over.wait(_OFTEN):
        line.write(line.words())


class Progress:
    """What is done, since when, which pass it is, how much of it, and how long yet.

    Args:
        what: is done.
        clock: tells seconds.

    Example:
        >>> seconds = iter([0, 10, 15])
        >>> line = Progress("reading", lambda: next(seconds))
        >>> line.passed(1, 4)
        >>> line.words()
        '  reading  pass 2 of 4  ━━━━━━━─────────────  33 %  30 s left'
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._begun = self._last = clock()
        self._done, self._of = 0, 0

    def passed(self, done: int, of: int) -> None:
        """One pass over the data is done."""
        self._done, self._of, self._last = done, of, self._clock()

    def words(self) -> str:
        """One line of at most the terminal's width."""
        now = self._clock()
        if not self._done:
            return f"  {self._what}  {said_duration(now - self._begun)} so far"
        part = min((self._done + self._inside(now)) / self._of, 1.0)
        long = max(min(_LONG, width() - len(self._what) - 50), 0)
        full = round(long * part)
        bar = "━" * full + "─" * (long - full)
        left = (now - self._begun) * (1 - part) / part
        rest = f"  {said_duration(left)} left" if part < 1 else ""
        which = f"pass {min(self._done + 1, self._of)} of {self._of}  " if self._of > 1 else ""
        return f"  {self._what}  {which}{bar}  {said_share(part)}{rest}"

    def _inside(self, now: float) -> float:
        """How much of the pass that runs: half if it has taken as long as those before it."""
        usual, own = (self._last - self._begun) / self._done, now - self._last
        return own / (own + usual) if own else 0.0

    @staticmethod
    def write(text: str) -> None:
        """In place of what was there."""
        with suppress(Exception):  # a terminal that is gone must not stop what it shows
            print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)
