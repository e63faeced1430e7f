"""Checks of what is promised about relative errors."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.groupwise.secret_counts import LARGEST_COUNT

# The lattice is too coarse for less.
_LEAST_ERROR = Fraction(1, 10**8)

_error = _check.limited(
    _check.rational,
    lambda error: _LEAST_ERROR <= error < 1,
    "lie in [10**-8, 1)",
    "Write 0.05 for 5 %. At 0 nothing is private, and 1 is met by publishing 0.",
)
_slack = _check.limited(
    _check.non_negative,
    lambda extra: extra <= LARGEST_COUNT,
    "be at most 2**62",
    "No count is larger.",
)


def checked_promise(
    relative_error: Exact, smallest: SupportsIndex, slack: Exact
) -> tuple[Fraction, int, Fraction]:
    """The three numbers of the promise E|x̂ − x| ≤ relative_error·(x + slack) for x ≥ smallest."""
    error, extra = _error(relative_error, "relative_error"), _slack(slack, "slack")
    least = _check.integer_between(smallest, "smallest", 0, LARGEST_COUNT)
    if least + extra > 0:
        return error, least, extra
    raise _check.refuse(
        "`smallest` must be at least 1 if there is no slack",
        "smallest=0",
        "An error relative to an empty group allows none at all: promise it from 1 on, or allow "
        "slack=1.",
    )
