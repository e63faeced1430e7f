"""`Expected`: what somebody expects a question's answers to be, for forecasts alone."""

from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact

_MOST_ROWS = 10**15


@dataclass(frozen=True)
class Expected:
    """Public guesses. They change what is foretold, and neither noise nor price.

    Attributes:
        rows: how many rows one answer is about, those of a group if it is asked by group; people,
            where people are asked for. None if nobody says.
        answer: what the answer will be about, in its own unit; None if nobody says.
    """

    rows: int | None = None
    answer: Fraction | None = None


NOTHING_EXPECTED = Expected()


def expectation(rows: SupportsIndex | None, answer: Exact | None) -> Expected:
    """Both guesses, checked.

    Raises:
        InvalidParameter: rows that are no whole number from 1 on, an answer that is no number.
    """
    return Expected(
        None if rows is None else _check.integer_between(rows, "expected", 1, _MOST_ROWS),
        None if answer is None else _check.rational(answer, "expected_answer"),
    )
