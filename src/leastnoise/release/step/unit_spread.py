r"""`UnitSpread`: what units have, or what bounds leave out of them, as weights on public knots.

A unit has the weight 1, in units of 1/W. It puts it on the two knots around its number, the more
on the nearer one. So every function that is straight between knots can be summed over all units
from the weights alone, and one unit still moves them by no more than its weight.
"""

from collections.abc import Iterable
from enum import Enum
from itertools import pairwise
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Condition
from leastnoise.release.step.aggregate import CountRows, CountUnits, CountValues, Place
from leastnoise.release.step.measurement import Measurement

SPREAD_WEIGHT = 2**20
"""W: what one unit weighs. Between knots a power of two up to 2^20 apart, nothing is rounded."""
_FARTHEST = 2**40
_MOST_KNOTS = 256

_COUNTS = CountRows | CountUnits | CountValues


class Spread(Enum):
    """Which number of a unit; rows are those that meet the condition and are in a group."""

    ROWS = "its rows, in all groups"
    GROUPS = "the groups that it is in"
    ROWS_IN_GROUP = "its rows in a group; its weight is divided evenly over its groups"
    LOST = "its rows that the bounds leave out, in all groups; its groups, where units are counted"
    VALUES = "places of its rows' values; its weight is divided evenly over rows that have one"


@dataclass(frozen=True, init=False)
class UnitSpread:
    r"""The units' weights on knots x_0 < … < x_J.

    Law: a part of weight w at the number v, clamped to x_0..x_J, with x_j ≤ v ≤ x_{j+1}, puts
    t = ⌊w·(v − x_j)/(x_{j+1} − x_j)⌋ on knot j + 1 and w − t on knot j. A unit that has rows is one
    part of weight W = 2^20; of `ROWS_IN_GROUP` it is g of them, ⌊W/g⌋ each, one for each of its g
    groups, and of `VALUES` one for each of its rows that have a value. Under a `Clip` a row loses
    what it does not weigh, so that v need not be a whole number.
    Theorem: a unit adds non-negative integers to the knots, W in all at most; and exactly W, if it
    has rows and is one part. For every function f that is straight between knots, a part's weights
    times f at the knots add up to w·f(v), to within f(x_{j+1}) − f(x_j); and exactly, if the gap
    x_{j+1} − x_j divides w·(v − x_j).
    Proof: docs/proofs/spread.md.

    The answer has one row (x_j,) for each knot, and one total: the weights, in units of 1/W.

    Args:
        of: which number of a unit.
        knots: 2..256 rising integers, none farther from 0 than 2^40, and none negative unless they
            are places of values; each is a column's value times 2^bits then.
        measurement: which rows, groups and bounds; of `VALUES`, it sums one column on its grid.

    Raises:
        InvalidParameter: the knots do not rise, or are too many, too few or too far from 0; or
            values of no column, or of several, are asked for.

    Example:
        >>> from leastnoise.release.ask.bounds import Bounds
        >>> rows = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=8))
        >>> UnitSpread(Spread.LOST, (0, 1, 2, 4, 8), rows).results
        1
    """

    of: Spread
    knots: tuple[int, ...]
    measurement: Measurement

    def __init__(
        self, of: Spread, knots: Iterable[SupportsIndex], measurement: Measurement
    ) -> None:
        object.__setattr__(self, "of", Spread(of))
        object.__setattr__(self, "knots", _checked_knots(self.of, knots))
        object.__setattr__(self, "measurement", measurement)
        if self.of is Spread.VALUES:
            _refuse_other_than_one_column(measurement)

    @property
    def results(self) -> int:
        """How many `SecretTotals` the engine finds for it."""
        return 1

    @property
    def where(self) -> Condition | None:
        """Only rows for which this is true."""
        return self.measurement.where

    @property
    def counts_groups(self) -> bool:
        """Whether a group is lost as one, however many rows of the unit are in it."""
        return all(isinstance(each, CountUnits) for each in self.measurement.aggregates)

    @property
    def place(self) -> Place:
        """The column whose values are spread, on its grid."""
        (aggregate,) = self.measurement.aggregates
        assert not isinstance(aggregate, _COUNTS)
        return aggregate.place


def _checked_knots(of: Spread, knots: Iterable[SupportsIndex]) -> tuple[int, ...]:
    least = -_FARTHEST if of is Spread.VALUES else 0
    found = tuple(_check.integer_between(each, "knots", least, _FARTHEST) for each in knots)
    if not 2 <= len(found) <= _MOST_KNOTS:
        raise _check.refuse(
            f"there must be 2..{_MOST_KNOTS} knots", f"{len(found)}", "Doubling ones are few."
        )
    if all(one < other for one, other in pairwise(found)):
        return found
    raise _check.refuse("knots must rise", _check.shown(found), "Sort them, and name each once.")


def _refuse_other_than_one_column(measurement: Measurement) -> None:
    """Checks that it is clear whose values are meant."""
    summed = [e for e in measurement.aggregates if not isinstance(e, _COUNTS)]
    if len(summed) != 1 or len(measurement.aggregates) != 1:
        raise _check.refuse(
            "the spread of values must be of one column, which is summed",
            f"{len(measurement.aggregates)} aggregates, {len(summed)} of them of a column",
            "Measure its sum alone.",
        )
