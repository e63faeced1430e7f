"""`SingleUse`: an object with a secret state that must never be in two places."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NoReturn
from weakref import WeakSet

from leastnoise.errors import UnsupportedQuery
from leastnoise.randomness.process_life import process_life


class SingleUse:
    """Noise drawn once and used on: it belongs to one process, and one thread at a time.

    A copy would answer with the same noise again, and so would a forked child; the answers of the
    two together are not what was paid for. So copies and pickles are refused, and so is every turn
    in a child process. Threads take turns.
    """

    __slots__ = ("__weakref__", "_inherited", "_life", "_lock")

    def __init__(self) -> None:
        self._lock = Lock()
        self._life = process_life()
        self._inherited = False
        _alive.add(self)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One question at a time, and only where the object was made."""
        # The hook below sees Python's own forks; the mark of the process sees those made in C.
        if self._inherited or self._life != process_life():
            raise UnsupportedQuery(
                "an object that keeps its noise must be used in the process that made it; got "
                "another process. Make one there, at a price of its own."
            )
        with self._lock:
            yield

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: two holders would answer with "
            "equal noise"
        )


_alive: WeakSet[SingleUse] = WeakSet()


def _after_fork_in_child() -> None:
    for holder in _alive:
        holder._inherited = True


os.register_at_fork(after_in_child=_after_fork_in_child)
