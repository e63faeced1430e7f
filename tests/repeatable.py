"""Draws that depend on a test alone, not on what else has been imported or run before it."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from leastnoise.randomness import source

_SYSTEM = os.urandom


def draw_no_constants_of_the_project() -> None:
    """Hypothesis tries numbers and texts that it reads in the modules loaded so far.

    Which these are depends on the tests that a worker has run before, so that the same commit could
    pass and fail. Its own list of odd numbers and texts stays.
    """
    empty = Constants()
    providers._get_local_constants = lambda: empty


class Entropy:
    """Stands for `os.urandom`: what it gives depends on a name, until the process forks.

    A forked child, and every program that is started, has the operating system's again.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._random = random.Random("nobody")

    def __call__(self, count: int) -> bytes:
        return self._random.randbytes(count) if os.getpid() == self._process else _SYSTEM(count)

    @contextmanager
    def named(self, name: str) -> Iterator[None]:
        """What is drawn in here depends on the name; the process has a new source of its own."""
        before = self._random, source._default
        self._random, source._default = random.Random(name), None
        try:
            yield
        finally:
            self._random, source._default = before


def repeatable_entropy() -> Entropy:
    """From here on no key is the operating system's: the verdict on a commit is always the same."""
    entropy = Entropy()
    os.urandom = entropy
    return entropy
