"""A line on the terminal that tells how far the reading of the data is, and how long it will take.

An engine tells when it has gone through the data once, and nothing between. So the line moves by
the clock there: a pass that takes as long as those before it is half through after half of that
time, and comes ever nearer to its end if it takes longer. Only what the clock says is told.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from leastnoise._display import visible
from leastnoise.cli.screen import width
from leastnoise.people import said_duration, said_share
from leastnoise.pictures.names import cut

_OFTEN = 0.2  # seconds between two looks at the clock
_LONG = 20  # of the bar
_BETWEEN = 3  # columns: two before the bar, and one that stays free


@contextmanager
def progress(what: str) -> Iterator["Progress | None"]:
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
        yield line
    finally:
        over.set()
        clock.join()
        line.write("")


def _move(line: "Progress", over: threading.Event) -> None:
    while not over.wait(_OFTEN):
        line.write(line.words())


class Progress:
    """Which questions are being read for, which pass it is, how much of all, and how long yet.

    Args:
        what: is done, as long as nobody says for which questions.
        clock: tells seconds.

    Example:
        >>> seconds = iter([0, 10, 15])
        >>> line = Progress("reading", lambda: next(seconds))
        >>> line(1, 4)
        >>> line.reading(["visits", "patients", "mean cost"])
        >>> line.words()
        '  visits and 2 more  pass 2 of 4  ━━━━━━━─────────────  33 %  30 s left'
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._more, self._clock = what, "", clock
        self._begun = self._last = clock()
        self._done, self._of = 0, 0

    def __call__(self, done: int, of: int) -> None:
        """One pass over the data is done."""
        self._done, self._of, self._last = done, of, self._clock()

    def reading(self, names: Sequence[str]) -> None:
        """The next pass is for these questions."""
        others = len(names) - 1
        self._what, self._more = visible(names[0]), f" and {others} more" if others else ""

    def words(self) -> str:
        """One line of at most the terminal's width; a name that is too long is cut."""
        now = self._clock()
        if not self._done:
            return self._line(f"  {said_duration(now - self._begun)} so far")
        part = min((self._done + self._inside(now)) / self._of, 1.0)
        left = (now - self._begun) * (1 - part) / part
        which = f"  pass {min(self._done + 1, self._of)} of {self._of}" if self._of > 1 else ""
        end = f"  {said_share(part)}" + (f"  {said_duration(left)} left" if part < 1 else "")
        room = width() - len(f"  {self._what}{self._more}{which}{end}") - _BETWEEN
        long = max(min(_LONG, room), 0)
        bar = "━" * round(long * part) + "─" * (long - round(long * part))
        return self._line(f"{which}  {bar}{end}" if bar else f"{which}{end}")

    def _line(self, rest: str) -> str:
        room = width() - len(self._more) - len(rest) - _BETWEEN
        return f"  {cut(self._what, max(room, 1))}{self._more}{rest}"

    def _inside(self, now: float) -> float:
        """How much of the pass that runs: half if it has taken as long as those before it."""
        usual, own = (self._last - self._begun) / self._done, now - self._last
        return own / (own + usual) if own else 0.0

    @staticmethod
    def write(text: str) -> None:
        """In place of what was there."""
        with suppress(Exception):  # a terminal that is gone must not stop what it shows
            print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)
