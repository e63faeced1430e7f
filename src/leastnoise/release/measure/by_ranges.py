"""A pass over a prepared table: bounded unit by unit, range after range of units.

What a unit adds depends on its own rows and the salt, and every unit is in one range: totals of
ranges add up to the totals of all. Which way a range goes changes no total.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.measure.added_parts import AddedParts
from leastnoise.release.measure.backends.prepared import PreparedSession
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.by_words import found_by_words, span_of_units
from leastnoise.release.measure.chosen_pairs import chosen_pairs
from leastnoise.release.measure.one_pass import ranks
from leastnoise.release.measure.sorted_words import sorting_of_runs
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import fill
from leastnoise.release.measure.sql.packed_rows import PackedRows
from leastnoise.release.measure.sql.unit_words import UnitWords
from leastnoise.release.measure.unit_ranges import UnitRange, merged
from leastnoise.release.step.aggregate import CountUnits

_MOST_ROWS = 2**20  # sums of 2^42 then fit into 63 bits; units with more rows are left to SQL
_FEW = 8  # light units have a statement of their own if one row in so many is theirs
_MOST_WORDS = 2**23  # of so many rows words are sorted together


def found_by_ranges(query: BoundedQuery, session: PreparedSession) -> Found:
    """What the query would find; `can_be_packed` must hold of it."""
    light, packed, heavy = _sorted_out(query, session.prepared.ranges)
    counts = len(query.cells.keys), len(query.asked.totals)
    added = AddedParts(_cells(query) if query.cells.keys else None, counts[1])
    for units in light:
        plain = replace(query, scan=session.part(units), unbounded=True)
        added.add(session.fetch(plain.query(), *counts))
    undecided = [np.arange(each.first, each.last + 1) for each in heavy]
    one_word = _words(query, packed, session)
    for words in one_word:
        added.add(found_by_words(words, (), session, sorting_of_runs())[0])
    for units in [] if one_word else packed:
        pairs, left = _pairs(replace(query, scan=session.part(units)), units.first, session)
        with session.showing(pairs) as shown:
            total = query.added_up(fill("SELECT * FROM {}", shown))
            added.add(session.fetch(total, *counts))
        undecided.append(left)
    left = np.concatenate([np.zeros(0, np.int64), *undecided])
    if len(left):
        added.add(session.fetch(replace(query, scan=session.rows_of(left)).query(), *counts))
    return added.found()


def _sorted_out(
    query: BoundedQuery, ranges: Sequence[UnitRange]
) -> tuple[list[UnitRange], list[UnitRange], list[UnitRange]]:
    """Ranges in which no bound bites, those that are packed, and units with too many rows."""
    light = [each for each in ranges if each.most <= _unbitten(query)]
    if sum(each.rows for each in light) * _FEW < sum(each.rows for each in ranges):
        light = []
    heavy = [each for each in ranges if each.rows > _MOST_ROWS]
    packed = [each for each in ranges if each not in light and each not in heavy]
    return merged(light, 2**62), merged(packed, _MOST_ROWS), [e for e in heavy if e not in light]


def _words(
    query: BoundedQuery, ranges: Sequence[UnitRange], session: PreparedSession
) -> list[UnitWords]:
    """One word for each row of all ranges; none if units are no integers, or not all fits."""
    span = span_of_units(query.rows, session) if ranges else None
    if span is None:
        return []
    found = [
        UnitWords(_only(query, units, session), span.least, span.most, units.rows)
        for units in merged(ranges, _MOST_WORDS)
    ]
    return found if all(each.fit for each in found) else []


def _only(query: BoundedQuery, units: UnitRange, session: PreparedSession) -> BoundedQuery:
    """The query, of the rows of a range; a table that is one range is not looked through for it."""
    every = session.prepared.ranges
    whole = (units.first, units.last) == (every[0].first, every[-1].last)
    return query if whole else replace(query, scan=session.part(units))


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
