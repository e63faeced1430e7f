"""`time_limit`: turns an endless loop into a failed test. Limits may be nested.

What is counted is this process's own processor time, so that a busy machine fails nobody. A wait
that never ends uses none: a guard on the wall clock stops it, so late that no load reaches it.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

HANGING = 60  # times the limit, on the wall


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """At most so many seconds of processor time."""
    spent = f"still running after {seconds} s of processor time"
    hung = f"still waiting after {HANGING * seconds} s"
    with (
        _timer(signal.ITIMER_REAL, signal.SIGALRM, HANGING * seconds, hung),
        _timer(signal.ITIMER_PROF, signal.SIGPROF, seconds, spent),
    ):
        yield


@contextmanager
def _timer(timer: int, number: signal.Signals, seconds: float, words: str) -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(words)

    saved: Callable[[int, FrameType | None], object] | int | None
    saved = signal.signal(number, stop)
    outer, _ = signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        left, _ = signal.setitimer(timer, 0)
        signal.signal(number, saved)
        if outer:
            signal.setitimer(timer, max(outer - (seconds - left), 1e-3))
