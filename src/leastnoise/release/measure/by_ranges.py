"""A pass over a prepared table: bounded unit by unit, range after range of units.

What a unit adds depends on its own rows and the salt, and every unit is in one range: totals of
ranges add up to the totals of all. Which way a range goes changes no total.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.measure.backends.prepared import PreparedSession
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.chosen_pairs import chosen_pairs
from leastnoise.release.measure.one_pass import ranks
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import fill
from leastnoise.release.measure.sql.packed_rows import PackedRows
from leastnoise.release.measure.unit_ranges import UnitRange, merged
from leastnoise.release.step.aggregate import CountUnits
from leastnoise.release.step.secret_totals import Totals

_MOST_ROWS = 2**20  # sums of 2^42 then fit into 63 bits; units with more rows are left to SQL
_FITTING = 2**62


def found_by_ranges(query: BoundedQuery, session: PreparedSession) -> Found:
    """What the query would find; `can_be_packed` must hold of it."""
    light, packed, heavy = _sorted_out(query, session.prepared.ranges)
    counts = len(query.cells.keys), len(query.asked.totals)
    parts = []
    for units in light:
        plain = replace(query, scan=session.part(units), unbounded=True)
        parts.append(session.fetch(plain.query(), *counts))
    undecided = [np.arange(each.first, each.last + 1) for each in heavy]
    for units in packed:
        pairs, left = _pairs(replace(query, scan=session.part(units)), units.first, session)
        with session.showing(pairs) as shown:
            added = query.added_up(fill("SELECT * FROM {}", shown))
            parts.append(session.fetch(added, *counts))
        undecided.append(left)
    left = np.concatenate([np.zeros(0, np.int64), *undecided])
    if len(left):
        parts.append(session.fetch(replace(query, scan=session.rows_of(left)).query(), *counts))
    return _added(parts, counts[1], grouped=bool(counts[0]))


def _sorted_out(
    query: BoundedQuery, ranges: Sequence[UnitRange]
) -> tuple[list[UnitRange], list[UnitRange], list[UnitRange]]:
    """Ranges in which no bound bites, those that are packed, and units with too many rows."""
    light = [each for each in ranges if each.most <= _unbitten(query)]
    heavy = [each for each in ranges if each.rows > _MOST_ROWS]
    packed = [each for each in ranges if each not in light and each not in heavy]
    return merged(light, 2**62), merged(packed, _MOST_ROWS), [e for e in heavy if e not in light]


def _unbitten(query: BoundedQuery) -> int:
    """Units with so many rows are within all bounds, and count in no group twice."""
    bounds, (grouping,) = query.asked.bounds, query.asked.groupings
    assert isinstance(bounds, Bounds)
    if any(isinstance(each, CountUnits) for _, each in query.asked.totals):
        return 1
    chosen = ranks(grouping, bounds)
    return min(bounds.max_rows, bounds.max_groups) if chosen else bounds.max_rows


def _cells(query: BoundedQuery) -> int:
    (grouping,) = query.asked.groupings
    return grouping.cells or 1


def _pairs(
    query: BoundedQuery, first: int, session: PreparedSession
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int64]]:
    """What the units of a range add, before it is bounded in each group; and undecided units."""
    packed = PackedRows(query, first)
    word, *words = session.arrays(packed.select())
    bounds, (grouping,) = query.asked.bounds, query.asked.groupings
    assert isinstance(bounds, Bounds)
    most = bounds.max_groups if ranks(grouping, bounds) else None
    found = chosen_pairs(word, lambda rows: packed.groups(words, rows), most, _cells(query))
    counted = [each[found.rows] for each in words]
    columns = {each.name: found.sums(each.read(counted)) for each in packed.summands}
    columns["k0"] = packed.groups(words, found.rows[found.starts])
    columns.setdefault("n0", found.sizes)
    return columns, found.undecided + first


def _added(parts: Sequence[Found], totals: int, *, grouped: bool) -> Found:
    """Totals of all parts together, of every group that one of them has."""
    if not grouped:
        return Found((), tuple(_summed(parts, i, np.zeros(len(parts), np.int64), 1)
                               for i in range(totals)))  # fmt: skip
    places = np.concatenate(
        [np.zeros(0, np.int64), *(np.array(e.keys[0], np.int64) for e in parts)]
    )
    groups, home = np.unique(places, return_inverse=True)
    found = tuple(_summed(parts, i, home, len(groups)) for i in range(totals))
    return Found((groups.tolist(),), found)


def _summed(parts: Sequence[Found], total: int, home: NDArray[np.int64], count: int) -> Totals:
    """One total of all parts, exact however large."""
    values = np.concatenate([np.zeros(0, np.int64), *(each.totals[total] for each in parts)])
    fits = values.dtype == np.int64 and _size(values) * len(parts) < _FITTING
    found: Totals = np.zeros(count, np.int64) if fits else np.zeros(count, np.object_)
    np.add.at(found, home, values)
    return found


def _size(values: NDArray[np.int64]) -> int:
    return max(abs(int(values.min())), abs(int(values.max()))) if len(values) else 0
