"""What pairs of unit and group add up to, in arrays: the arithmetic of `BoundedQuery.added_up`.

Theorem: for all sums that rows of pairs can have, `totals_of_pairs` finds what `added_up` finds of
them, or nothing.
Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    CountValues,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    Summed,
    SumOf,
    SumOfSquares,
    contribution,
)

Numbers: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = NDArray[np.bool_]
Columns: TypeAlias = Mapping[str, Numbers]

_FITTING = 2**62
_DENSE = 2**16  # up to so many groups there is a total for each


def totals_of_pairs(query: BoundedQuery, pairs: Columns) -> Found | None:
    """The totals of each group that has pairs; None if some number might leave 63 bits.

    Args:
        query: a pass for which `can_be_packed` holds.
        pairs: of each pair that counts k0, n0, … and what else `BoundedQuery.pairs` has.
    """
    bounds, groups = query.asked.bounds, pairs["k0"]
    assert isinstance(bounds, Bounds)
    if not len(groups) or not _fits(query, bounds, pairs):
        return None
    keys, home = _groups(query, groups)
    sums = _GroupSums(pairs, home, len(keys))
    totals = (_total(query, number, each, sums) for number, each in query.asked.totals)
    return Found((keys,) if query.cells.keys else (), tuple(totals))


class _GroupSums:
    """What columns of pairs add up to in each group, each added up once. Secret."""

    def __init__(self, pairs: Columns, home: Numbers, groups: int) -> None:
        self.pairs = pairs
        self._home = home
        self._groups = groups
        self._found: dict[str, Numbers] = {}

    def of(self, column: str) -> Numbers:
        """Of all pairs."""
        if column not in self._found:
            self._found[column] = self.added(self.pairs[column], self._home)
        return self._found[column]

    def of_some(self, values: Numbers, places: Numbers) -> Numbers:
        """Of values of some pairs."""
        return self.added(values, self._home[places])

    def count(self, met: Marks | None) -> Numbers:
        """How many pairs each group has, or how many that meet something."""
        home = self._home if met is None else self._home[met]
        return np.bincount(home, minlength=self._groups)

    def added(self, values: Numbers, home: Numbers) -> Numbers:
        """Values added up where they belong."""
        found = np.zeros(self._groups, np.int64)
        np.add.at(found, home, values)
        return found


def _fits(query: BoundedQuery, bounds: Bounds, pairs: Columns) -> bool:
    """Whether every term stays within 63 bits, and all that is added up, too."""
    rows = int(_rows(query, pairs).max())
    ends = (abs(end) for _, each in query.asked.totals for end in contribution(each))
    grids = (each.grid for _, each in query.asked.summed)
    far = (2 * max(abs(each.least), abs(each.most)) for each in grids)
    # A row is within these ends, and no term of it farther; of a pair, so many rows count at most.
    one = 2 * max([*ends, *far])
    return one * min(rows, bounds.max_rows) * max(rows, len(pairs["k0"])) < _FITTING


def _rows(query: BoundedQuery, pairs: Columns) -> Numbers:
    """At least as many rows as each pair has of any condition."""
    first, *others = (pairs[f"n{number}"] for number in query.asked.conditions.values())
    for each in others:
        first = np.maximum(first, each)
    return first


def _groups(query: BoundedQuery, groups: Numbers) -> tuple[Numbers, Numbers]:
    """The groups that have pairs, and the place of each pair's group among them."""
    (grouping,) = query.asked.groupings
    if (grouping.cells or 1) > _DENSE:
        return np.unique(groups, return_inverse=True)
    there = np.bincount(groups) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[groups]


def _total(query: BoundedQuery, number: int, aggregate: Aggregate, sums: _GroupSums) -> Numbers:
    """What all pairs add to one total, within the bounds.

    Sums without bounds may leave 63 bits and come back as other numbers; what is added to them to
    make them sums within bounds does so, too, and the total is right since it is within 63 bits.
    """
    bounds, rows = query.asked.bounds, sums.pairs[f"n{number}"]
    assert isinstance(bounds, Bounds)
    assert not isinstance(aggregate, CountValues), "these have a query of their own"
    if isinstance(aggregate, CountUnits):
        return sums.count(rows > 0 if len(query.asked.conditions) > 1 else None)
    terms = _terms(query, number, aggregate)
    found = np.zeros(1, np.int64)
    for factor, column in terms:
        found = found + factor * sums.of(column)
    many = np.flatnonzero(rows > bounds.max_rows)
    if len(many):
        own = np.zeros(len(many), np.int64)
        for factor, column in terms:
            own += factor * sums.pairs[column][many]
        found = found + sums.of_some(_bounded(own, rows[many], bounds.max_rows) - own, many)
    return found


def _bounded(values: Numbers, rows: Numbers, most: int) -> Numbers:
    """What pairs add that have more rows than count; rounded toward 0, as the engine does."""
    return np.sign(values) * (np.abs(values) * most // rows)


def _terms(
    query: BoundedQuery, number: int, aggregate: CountRows | Summed
) -> list[tuple[int, str]]:
    """What `from_sums` says in SQL: columns, each with its factor."""
    if isinstance(aggregate, CountRows):
        return [(1, f"n{number}")]
    slot, grid = query.slot(number, aggregate), aggregate.grid
    total, present, squares = f"s{slot}", f"c{slot}", f"z{slot}"
    match aggregate:
        case SumOf():
            found = [(1, total)]
        case DistanceBelow():
            found = [(1, total), (-grid.least, present)]
        case DistanceAbove():
            found = [(grid.most, present), (-1, total)]
        case CountPresent():
            found = [(1, present)]
        case SumFromCentre():
            found = [(2, total), (-(grid.least + grid.most), present)]
        case SumOfSquares():
            found = [(1, squares), (-aggregate.shift, present)]
    return [each for each in found if each[0]]
