"""`Expected`: what somebody expects a question's answers to be, for forecasts alone."""

from fractions import Fraction
from typing import Protocol, SupportsIndex, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass

_MOST_ROWS = 10**15


@runtime_checkable
class ReleasedCounts(Protocol):
    """Numbers of rows as an earlier release tells them: public, so that anyone may use them."""

    @property
    def values(self) -> NDArray[np.int64] | NDArray[np.float64]:
        """One for each group."""


Rows: TypeAlias = SupportsIndex | ReleasedCounts
"""A number of rows, or a table of an earlier release that counts them."""


@dataclass(frozen=True)
class Expected:
    """Public guesses. They change the forecast, and neither noise nor price.

    Attributes:
        rows: how many rows one answer is about, those of a group if it is asked by group; people,
            where people are asked for. None if nobody says.
        answer: what the answer will be about, in its own unit; None if nobody says.
    """

    rows: int | None = None
    answer: Fraction | None = None


NOTHING_EXPECTED = Expected()


def expectation(rows: Rows | None, answer: Exact | None) -> Expected:
    """Both guesses, checked. Of released counts it is the middle one, and at least 1.

    Raises:
        InvalidParameter: rows that are no whole number from 1 on, an answer that is no number.
    """
    return Expected(
        None if rows is None else _check.integer_between(_one(rows), "expected", 1, _MOST_ROWS),
        None if answer is None else _check.rational(answer, "expected_answer"),
    )


def _one(rows: Rows) -> SupportsIndex:
    """A number for all groups; anything that is neither is left to be refused."""
    values = rows.values if isinstance(rows, ReleasedCounts) else None
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf":
        return rows  # type: ignore[return-value]
    known = values[np.isfinite(values)]
    if len(known):
        return max(1, round(float(np.median(known))))
    raise _check.refuse(
        "`expected` must be a number of rows, or released counts",
        "a table without answers",
        "Write expected=1000.",
    )
