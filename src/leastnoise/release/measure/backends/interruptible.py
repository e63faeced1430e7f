"""Long work in an engine's own code, that an interruption still ends at once."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

_Result = TypeVar("_Result")
_PATIENCE = 0.1  # seconds


def interruptible(action: Callable[[], _Result], cancel: Callable[[], None]) -> _Result:
    """The action's result, or what a signal raised, as soon as the engine has let go.

    Python hears of signals only between its own instructions, so the main thread waits while
    another one is inside the engine. Whatever is raised meanwhile, KeyboardInterrupt or what a
    program's own handler raises, the connection is nobody's before the engine is done with it.

    Args:
        action: what takes long.
        cancel: makes the engine give up; called from the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        return action()  # signals come to the main thread alone
    work = _Work(action)
    try:
        work.begin()
        while not work.done.wait(_PATIENCE):
            pass  # a signal that came just before the wait is heard after it
    except BaseException:
        work.abandon(cancel)
        raise
    return work.result()


class _Work(Generic[_Result]):
    """An action, mostly in a thread of its own."""

    def __init__(self, action: Callable[[], _Result]) -> None:
        self._action = action
        self._lock = threading.Lock()
        self._wanted = True
        self._begun = False
        self._found: list[_Result] = []
        self._error: BaseException | None = None
        self.done = threading.Event()

    def begin(self) -> None:
        """In a thread of its own; or here, if there can be no more, and a signal has to wait."""
        try:
            threading.Thread(target=self.run, daemon=True).start()
        except RuntimeError:
            if self._begun:  # of a signal, and not of the thread
                raise
            self.run()

    def run(self) -> None:
        with self._lock:
            if self._begun or not self._wanted:
                return
            self._begun = True
        try:
            self._found.append(self._action())
        except BaseException as error:  # to be raised where the result is asked for
            self._error = error
        finally:
            self.done.set()

    def result(self) -> _Result:
        if self._error is not None:
            raise self._error
        return self._found[0]

    def abandon(self, cancel: Callable[[], None]) -> None:
        """Not to begin it; or, begun, to ask until it has ended, whatever else is raised."""
        over = False
        while not over:
            with suppress(BaseException):
                over = self._is_over(cancel)

    def _is_over(self, cancel: Callable[[], None]) -> bool:
        with self._lock:
            self._wanted = False
        if self._begun and not self.done.is_set():
            cancel()  # again and again: a request between two statements would be lost
            self.done.wait(_PATIENCE)
        return not self._begun or self.done.is_set()
