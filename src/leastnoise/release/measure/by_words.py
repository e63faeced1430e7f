"""A pass over a large table whose units are integers: its rows as words, sorted and bounded.

A statement that groups by unit and group hashes and moves every row; here a row is one integer, and
sorting these brings the rows of each unit and group together. Which groups of a unit count is
decided by the engine's own hashes, so that totals are those of the statement, group by group.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.added_parts import added_parts
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.pair_totals import totals_of_pairs
from leastnoise.release.measure.spread_pass import SpreadPass
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.kept_rows import KeptRows
from leastnoise.release.measure.sql.packed_rows import can_be_packed
from leastnoise.release.measure.sql.spread_query import SpreadQuery
from leastnoise.release.measure.sql.unit_words import UnitWords
from leastnoise.release.measure.word_pairs import counting, pairs_of, parts_of_words

LEAST_ROWS = 2**17
"""Of fewer rows a statement is as fast."""
MOST_ROWS = 5 * 2**22
"""So many words are held; more rows are left to the engine, which spills to disk."""
_PART = 2**19  # rows that are looked at together
_ARRAYS = {"INTEGER": np.int32, "BIGINT": np.int64}


@dataclass(frozen=True, repr=False)
class Span:
    """How many rows have a unit, the least unit and the greatest. Secret."""

    rows: int
    least: int
    most: int


class UnitSpan:
    """Answers for one table and session whether its rows are words; looks at most once."""

    def __init__(self, table: Table, session: Session, one_row: OneRowUnits) -> None:
        self._table = table
        self._session = session
        self._one_row = one_row
        self._looked: list[Span | None] = []

    def words(self, query: BoundedQuery) -> UnitWords | None:
        """The words of a pass; None if it is to be asked by a statement."""
        if not self._is_possible or not can_be_packed(query) or not self._one_row.seems_large:
            return None
        if not self._looked:
            self._looked.append(self._look())
        span = self._looked[0]
        if span is None:
            return None
        found = UnitWords(query, span.least, span.most, span.rows)
        return found if found.fit else None

    @property
    def _is_possible(self) -> bool:
        # A session of another type may show other rows, or hash in another way.
        if type(self._session) is not DuckDBSession or self._table.unit is None:
            return False
        return self._session.is_quick_to_reread

    def _look(self) -> Span | None:
        assert self._table.unit is not None
        unit = Column(self._table.unit)
        rows = KeptRows(self._table.schema, self._session.dialect, unit)
        found = span_of_units(rows, self._session)
        if found is None:
            return None
        return found if LEAST_ROWS <= found.rows <= MOST_ROWS else None


def span_of_units(rows: KeptRows, session: Session) -> Span | None:
    """The span of the units of a table; None if they are no integers."""
    if rows.unit is None or rows.schema.type_of(rows.unit) is not ColumnType.INTEGER:
        return None
    text = (
        "SELECT COUNT(*) AS t0, COALESCE(MIN(u), 0) AS t1, COALESCE(MAX(u), 0) AS t2 "
        "FROM ({}) AS units"
    )
    query = fill(
        text, KeptRows(rows.schema, rows.dialect, rows.unit).units(session.scan((rows.unit.name,)))
    )
    return Span(*(int(each[0]) for each in session.fetch(query, 0, 3).totals))


def found_by_words(
    rows: UnitWords, spreads: Sequence[SpreadPass], session: DuckDBSession
) -> tuple[Found, list[Found]]:
    """What the query would find, and what each of the spreads of its pairs would."""
    asked = rows.query.asked
    kinds = session.kinds(rows.query.pair_columns)
    assert _ARRAYS.keys() >= set(kinds), "units and numbers of groups are integers"
    words = session.words(rows.select(), rows.rows)
    words.sort(kind=session.sorting)
    parts: list[Found] = []
    told: list[list[Found]] = [[] for _ in spreads]
    for part in parts_of_words(words, rows.low, _PART):
        pairs = _Part(rows, part, kinds, session)
        parts.append(_totals(rows.query, pairs.bounded(), session))
        if spreads:
            with session.showing(pairs.spread()) as shown:
                made = replace(rows.query, made=shown)
                for each, found in zip(spreads, told, strict=True):
                    query = SpreadQuery(tuple(each.spreads), made).query()
                    found.append(session.fetch(query, len(each.spreads), 1 + len(each.spreads)))
    grouped = bool(rows.query.cells.keys)
    return added_parts(parts, len(asked.totals), grouped=grouped), list(map(_beside, spreads, told))


class _Part:
    """The pairs of some units, of which all rows are here. Secret."""

    def __init__(
        self, rows: UnitWords, words: NDArray[np.uint64], kinds: Sequence[str],
        session: DuckDBSession,
    ) -> None:  # fmt: skip
        self._rows = rows
        self._words = words
        self._kinds = kinds
        self._session = session
        self._pairs = pairs_of(words, rows.pair_shift)
        self._units = rows.units(self._pairs.names)
        self._counting = self._chosen()

    def _chosen(self) -> NDArray[np.bool_] | None:
        bounds = self._rows.query.asked.bounds
        assert isinstance(bounds, Bounds)
        if not self._rows.query.chooses:
            return None
        return counting(self._units, bounds.max_groups, self._hashes)

    def _hashes(self, places: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The engine's own hashes, in the order of the places, whatever order they come in."""
        query = self._rows.query
        names = self._pairs.names[places]
        narrow = np.int32 if len(places) < 2**31 else np.int64
        columns = {
            "i": np.arange(len(places), dtype=narrow),
            "u": self._rows.units(names) + self._rows.least,
            "k0": self._rows.groups(names).astype(_ARRAYS[self._kinds[1]]),
        }
        unit, group = (
            Fragment(f"CAST({name} AS {kind})")
            for name, kind in zip(("u", "k0"), self._kinds, strict=True)
        )
        with self._session.showing(columns) as shown:
            hashed = query.dialect.hash(query.salt, [unit, group])
            asked = fill("SELECT i, {} AS h FROM {}", hashed, shown)
            order, found = self._session.arrays(asked, related=True)
        hashes = np.empty(len(places), np.uint64)
        hashes[order] = found.view(np.uint64)
        return hashes

    def bounded(self) -> dict[str, NDArray[np.int64]]:
        """What `added_up` takes: the sums of pairs that count."""
        pairs, rows = self._pairs, self._rows
        if self._counting is not None:
            pairs = pairs.only(np.flatnonzero(self._counting))
        columns = {"k0": rows.groups(pairs.names)}
        columns |= rows.sums(self._words, pairs.starts, pairs.sizes)
        return columns

    def spread(self) -> dict[str, NDArray[np.int64]]:
        """What spreads are taken of: all pairs, with a turn up to the bound if they count."""
        bounds, rows = self._rows.query.asked.bounds, self._rows
        assert isinstance(bounds, Bounds)
        groups = rows.groups(self._pairs.names)
        columns = {"u": self._units, "k0": groups, "n0": self._pairs.sizes}
        count = np.ones(len(groups), bool) if self._counting is None else self._counting
        columns["turn"] = np.where(count, 1, bounds.max_groups + 1)
        return columns


def _totals(
    query: BoundedQuery, pairs: Mapping[str, NDArray[np.int64]], session: DuckDBSession
) -> Found:
    """What pairs add up to; by a statement where numbers may be too large for arrays."""
    found = totals_of_pairs(query, pairs)
    if found is not None:
        return found
    with session.showing(pairs) as shown:
        added = query.added_up(fill("SELECT * FROM {}", shown))
        return session.fetch(added, len(query.cells.keys), len(query.asked.totals))


def _beside(spread: SpreadPass, parts: Iterable[Found]) -> Found:
    """Weights of all parts, one after the other: they are added on their knots."""
    found = list(parts)
    count = len(spread.spreads)
    return Found(
        tuple([knot for each in found for knot in each.keys[i]] for i in range(count)),
        tuple(
            np.concatenate([np.zeros(0, np.int64), *(each.totals[i] for each in found)])
            for i in range(1 + count)
        ),
    )
