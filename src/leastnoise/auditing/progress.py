"""Progress of a long audit: a bar on a terminal, or a function of one's own."""

import sys
from collections.abc import Callable
from typing import TextIO

from leastnoise import _check

Progress = Callable[[int, int], None]
"""Called with (outputs drawn so far, outputs to be drawn)."""

_WIDTH = 40  # half a terminal


def checked_progress(progress: Progress | bool | None) -> Progress:
    """The function given; a bar for True; nothing for None or False."""
    if progress is None or progress is False:
        return silent
    if progress is True:
        return Bar(sys.stderr)
    if callable(progress):
        return progress
    raise _check.refuse(
        "`progress` must be True or a function of (done, total)",
        f"a {type(progress).__name__}",
        "Leave it out for silence.",
    )


def silent(done: int, total: int) -> None:
    """Tells nobody."""
    del done, total


class Bar:
    """A line that fills up; silent where nobody watches.

    Example:
        >>> Bar(sys.stderr, watched=False)(1, 2)
    """

    def __init__(self, stream: TextIO, watched: bool | None = None) -> None:
        self._stream = stream
        self._watched = stream.isatty() if watched is None else watched

    def __call__(self, done: int, total: int) -> None:
        """Draw the line anew."""
        if not self._watched:
            return
        filled = _WIDTH * done // max(total, 1)
        end = "\n" if done >= total else ""
        bar = "█" * filled + "·" * (_WIDTH - filled)
        self._stream.write(f"\r{bar} {done}/{total}{end}")
        self._stream.flush()
