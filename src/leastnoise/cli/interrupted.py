"""Interruptions: what to say after one, and a while in which none may come."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(Exception):
    """The user stopped the command; the message says what had been done by then."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """An interruption waits until the end: files that belong together are written together."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone
        return
    waiting: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        waiting.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt
