"""Draws that depend on a test alone, not on what else has been imported before it."""

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants


def draw_no_constants_of_the_project() -> None:
    """Hypothesis tries numbers and texts that it reads in the modules loaded so far.

    Which these are depends on the tests that a worker has run before, so that the same commit could
    pass and fail. Its own list of odd numbers and texts stays.
    """
    empty = Constants()
    providers._get_local_constants = lambda: empty
