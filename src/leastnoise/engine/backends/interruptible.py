"""Long work in an engine's own code, that an interruption from the keyboard still ends at once."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_Result = TypeVar("_Result")


def interruptible(action: Callable[[], _Result], cancel: Callable[[], None]) -> _Result:
    """The action's result, or KeyboardInterrupt as soon as the engine has let go.

    Python hears of signals only between its own instructions, so the main thread waits while
    another one is inside the engine.

    Args:
        action: what takes long.
        cancel: makes the engine give up; called from the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        return action()  # signals come to the main thread alone
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(action)
        try:
            return future.result()
        except KeyboardInterrupt:
            _cancelled(future, cancel)
            raise


def _cancelled(future: "Future[_Result]", cancel: Callable[[], None]) -> None:
    """Asks until the action has ended: a request between two statements would be lost."""
    while not future.done():
        cancel()
        try:
            future.exception(timeout=0.1)
        except TimeoutError:
            continue
