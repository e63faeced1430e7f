"""Passes over few rows that differ by their condition alone: read together, each bounded by itself.

Which groups of a unit count depends on the rows that meet a condition, so that a statement answers
one condition, and to plan it takes longer than to read a few thousand rows. Here they are read
once, with a mark for each condition, and groups are chosen in arrays, in the very same order. What
is left is added up by the statement of one such pass, the groups of all conditions side by side.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.chosen_pairs import chosen_pairs
from leastnoise.release.measure.one_pass import Pass, ranks
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import fill
from leastnoise.release.measure.sql.packed_rows import PackedRows
from leastnoise.release.measure.sql.sql_term import reading

FEW = 2**17
"""So many rows are few."""
_PAIRS = 2**19  # held at once, of all conditions
_TOGETHER = 128  # conditions of one statement; to plan more takes longer than they save


def alike(passes: Sequence[Pass], table: Table, session: Session) -> list[list[int]]:
    """The numbers of passes that can be answered together, two at least each time."""
    # A session of another type may show other rows, or hash in another way.
    if type(session) is not DuckDBSession or table.unit is None or not session.rereads:
        return []
    families: dict[object, list[int]] = {}
    for number, each in enumerate(passes):
        if _is_chosen(each):
            family = each.bounds, tuple(each.groupings), tuple(each.totals)
            families.setdefault(family, []).append(number)
    parts = (
        numbers[first : first + _TOGETHER]
        for numbers in families.values()
        for first in range(0, len(numbers), _TOGETHER)
    )
    return [part for part in parts if len(part) > 1]


def _is_chosen(asked: Pass) -> bool:
    """Whether some of a unit's public groups have to be chosen, under one condition."""
    grouping, *others = asked.groupings
    return (
        not others
        and not grouping.is_private
        and ranks(grouping, asked.bounds)
        and asked.valued is None
        and asked.turns is None
        and len(asked.conditions) == 1
    )


def joint(passes: Iterable[Pass]) -> Pass:
    """A pass whose rows are marked for each condition; None is the first of these."""
    first, *others = passes
    marked = Pass(first.bounds, dict(first.groupings), {None: 0}, dict(first.totals))
    for each in (first, *others):
        (where,) = each.conditions
        marked.conditions.setdefault(where, len(marked.conditions))
    return marked


def found_for_each(
    passes: Sequence[Pass], marked: BoundedQuery, one: BoundedQuery, session: DuckDBSession
) -> list[Found] | None:
    """What each pass finds; None if two groups of a unit are in no order by few bits.

    Args:
        passes: alike.
        marked: the query of `joint`.
        one: the query of the first of them.
        session: where the rows are.
    """
    bounds, (grouping,) = one.asked.bounds, one.asked.groupings
    assert isinstance(bounds, Bounds)
    assert grouping.cells is not None
    packed, word, words, marks = _read(marked, session)
    found: list[Found] = []
    parts: list[dict[str, NDArray[np.int64]]] = []
    for each in passes:
        (where,) = each.conditions
        rows = np.flatnonzero(marks[marked.asked.conditions[where]])
        own = [column[rows] for column in words]
        groups = partial(packed.groups, own)
        pairs = chosen_pairs(word[rows], groups, bounds.max_groups, grouping.cells)
        if len(pairs.undecided):
            return None
        counted = [column[pairs.rows] for column in own]
        part = {each.name: pairs.sums(each.read(counted)) for each in packed.summands}
        part["n0"] = pairs.sizes
        part["k0"] = groups(pairs.rows[pairs.starts])
        parts.append(part)
        if each is passes[-1] or sum(len(part["k0"]) for part in parts) > _PAIRS:
            found += _added_up(parts, one, session)
            parts = []
    return found


def _added_up(
    parts: Sequence[Mapping[str, NDArray[np.int64]]], one: BoundedQuery, session: DuckDBSession
) -> list[Found]:
    """What the pairs of each condition add up to, in one statement."""
    (grouping,) = one.asked.groupings
    cells = grouping.cells or 1
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    home = np.repeat(np.arange(len(parts)), [len(part["k0"]) for part in parts])
    columns["k0"] += home * cells
    with session.showing(columns) as shown:
        query = one.added_up(fill("SELECT * FROM {}", shown))
        found = session.fetch(query, 1, len(one.asked.totals))
    keys = np.array(found.keys[0], np.int64)
    owns = (keys // cells == number for number in range(len(parts)))
    return [
        Found(((keys[own] % cells).tolist(),), tuple(total[own] for total in found.totals))
        for own in owns
    ]


def _read(
    marked: BoundedQuery, session: DuckDBSession
) -> tuple[PackedRows, NDArray[np.int64], list[NDArray[np.int64]], list[NDArray[np.bool_]]]:
    """The rows as words, in the order of units and turns, and which of them meet each condition."""
    unit = marked.rows.unit
    assert unit is not None
    # Equal units have equal numbers; which ones decides about nothing.
    number = fill(
        "DENSE_RANK() OVER (ORDER BY {}) - 1 AS d",
        reading(unit, marked.rows.schema, marked.dialect),
    )
    rows = replace(marked.rows, beside=(number,))
    query = replace(marked, rows=rows, cells=replace(marked.cells, rows=rows))
    packed = PackedRows(query, 0, apart=True)
    word, *others = session.arrays(packed.select())
    order = word.argsort(kind="stable")
    words = [each[order] for each in others[: packed.words]]
    # What is neither true nor false is not met.
    marks = [np.ma.filled(each, False)[order] for each in others[packed.words :]]
    return packed, word[order], words, marks
