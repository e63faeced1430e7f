"""Signals that stop a command: at once, until something is paid for; from then on, at the end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_USUAL = (signal.SIG_DFL, signal.default_int_handler)


class Interrupted(Exception):
    """The user stopped the command before anything was charged."""


class Signals:
    """What came; there is one of these, as signals come to the process.

    Attributes:
        came: the numbers of the signals so far.
        held: whether they wait for the end: what was paid for is written first.
    """

    def __init__(self) -> None:
        self.came: list[int] = []
        self.held = False

    def hold(self) -> None:
        """From here on a signal is noted, and stops nothing."""
        self.held = True

    @property
    def status(self) -> int:
        """How a command ends that was stopped: 130 for Ctrl-C, as shells count."""
        return 128 + (self.came[0] if self.came else signal.SIGINT)

    @contextmanager
    def watched(self, *, to_the_end: bool = False) -> Iterator[None]:
        """Signals are ours until the end, but for those that the caller ignores or handles.

        Args:
            to_the_end: whether the process ends then: after a charge no signal may give it another
                status while it does.
        """
        self.came, self.held = [], False
        if threading.current_thread() is not threading.main_thread():
            yield  # signals come to the main thread alone
            return
        before = {each: signal.getsignal(each) for each in _STOPPING}
        usual = {each: handler for each, handler in before.items() if handler in _USUAL}
        for each in usual:
            signal.signal(each, self._come)
        try:
            yield
        finally:
            held, self.held = self.held, True  # what comes meanwhile finds nothing left to stop
            for each, handler in usual.items():
                signal.signal(each, signal.SIG_IGN if to_the_end and held else handler)
            self.held = held

    def _come(self, number: int, _: FrameType | None) -> None:
        self.came.append(number)
        if not self.held:
            raise KeyboardInterrupt


SIGNALS = Signals()
