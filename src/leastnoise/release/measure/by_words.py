"""A pass over a large table: its rows as words, sorted and bounded.

A statement that groups by unit and group hashes and moves every row; here a row is one integer, and
sorting these brings the rows of each unit and group together. Which groups of a unit count is
decided by the engine's own hashes, so that totals are those of the statement, group by group.
Units that are texts, or integers that are too far apart, have numbers: `hashed_units`.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.errors import BackendError
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.added_parts import AddedParts
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.listed_units import ListedUnits
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.pair_totals import totals_of_pairs
from leastnoise.release.measure.part_pairs import PartPairs, part_pairs
from leastnoise.release.measure.sorted_words import Sorting, has_room, word_store
from leastnoise.release.measure.spread_pass import SpreadPass
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.kept_rows import KeptRows
from leastnoise.release.measure.sql.packed_rows import can_be_packed
from leastnoise.release.measure.sql.spread_query import SpreadQuery
from leastnoise.release.measure.sql.unit_words import UnitWords
from leastnoise.release.measure.word_pairs import counting

LEAST_ROWS = 2**17
"""Of fewer rows a statement is as fast."""
MOST_ROWS = 2**40
"""More rows are left to the engine."""
_ARRAYS = {"INTEGER": np.int32, "BIGINT": np.int64}
_MANY_GROUPS = 32  # in fewer, a statement has few pairs of unit and group to move
_LEAST_BITS = 20  # for fewer units than these can tell apart, a list of them is no gain
_EARLY = 2**17  # rows, by which it is guessed how many count
_CHANGED = (
    "the table must stay what it is; it has other units than before, and nothing was charged. "
    "Release from a copy."
)


@dataclass(frozen=True, repr=False)
class Span:
    """How many rows have a unit, the least unit and the greatest. Secret."""

    rows: int
    least: int
    most: int


class UnitSpan:
    """Answers for one table and session whether its rows are words; looks at most once.

    Args:
        table: whose rows.
        session: where they are read.
        one_row: what was seen of its first rows.
        held: keeps a list of units for as long as there may be another pass.
    """

    def __init__(
        self, table: Table, session: Session, one_row: OneRowUnits, held: ExitStack
    ) -> None:
        self._table = table
        self._session = session
        self._one_row = one_row
        self._held = held
        self._looked: list[Span | None] = []
        self._lists: list[ListedUnits] = []

    def words(self, query: BoundedQuery) -> UnitWords | None:
        """The words of a pass; None if it is to be asked by a statement."""
        if not self._is_possible or not can_be_packed(query) or not self._one_row.seems_large:
            return None
        if not self._looked:
            if self._are_texts and not self._may_be_listed(query):
                return None
            self._looked.append(self._look())
        span = self._looked[0]
        if span is None:
            return None
        found = UnitWords(query, span.least, span.most, span.rows)
        return found if found.fit else self._hashed(query, span.rows)

    @property
    def _is_possible(self) -> bool:
        # A session of another type may show other rows, or hash in another way.
        if type(self._session) is not DuckDBSession or self._table.unit is None:
            return False
        return self._session.is_quick_to_reread

    def _look(self) -> Span | None:
        found = span_of_units(self._units, self._session) or self._span_of_texts()
        if found is None or not LEAST_ROWS <= found.rows <= MOST_ROWS:
            return None
        assert isinstance(self._session, DuckDBSession)
        return found if has_room(found.rows, self._session.folder) else None

    def _span_of_texts(self) -> Span | None:
        """How many rows have a unit, if units are texts: farther apart than words can be."""
        unit = self._units.unit
        if unit is None or not self._are_texts:
            return None
        rows = self._units.units(self._session.scan((unit.name,)))
        query = fill("SELECT COUNT(*) AS t0 FROM ({}) AS units", rows)
        return Span(int(self._session.fetch(query, 0, 1).totals[0][0]), 0, 2**64)

    @property
    def _are_texts(self) -> bool:
        unit = self._units.unit
        return unit is not None and self._table.schema.type_of(unit) is ColumnType.TEXT

    @property
    def _units(self) -> KeptRows:
        assert self._table.unit is not None
        return KeptRows(self._table.schema, self._session.dialect, Column(self._table.unit))

    def _hashed(self, query: BoundedQuery, rows: int) -> UnitWords | None:
        """The words of a pass by numbers of units; None if there are too few bits for these."""
        session, bits = self._session, UnitWords(query, 0, 0, rows).free_bits
        assert isinstance(session, DuckDBSession)
        if bits < _LEAST_BITS or not self._may_be_listed(query):
            return None
        if not self._lists:
            self._lists.append(ListedUnits(self._units, session, self._held))
        most = (1 << bits) - 1
        if not UnitWords(query, 0, most, rows).fit or not self._is_worth_a_list(query, rows):
            return None
        units = self._lists[0].numbers(bits, query.salt)
        return None if units is None else UnitWords(query, 0, most, rows, units)

    def _is_worth_a_list(self, query: BoundedQuery, rows: int) -> bool:
        """Listing the units of all rows is much work for a pass over few rows."""
        if self._lists[0].is_made:
            return True
        return query.rows.conditions == (None,) and self._mostly_counts(query, rows)

    def _may_be_listed(self, query: BoundedQuery) -> bool:
        """Whether units can be listed, and it is no work for few pairs."""
        (grouping,), session = query.asked.groupings, self._session
        if not query.chooses or (grouping.cells or 1) < _MANY_GROUPS:
            return False
        return isinstance(session, DuckDBSession) and session.surely_rereads

    def _mostly_counts(self, query: BoundedQuery, rows: int) -> bool:
        """Whether half of the first rows or more are in public groups; others may differ."""
        early = fill(f"(SELECT * FROM {{}} LIMIT {_EARLY}) AS early", query.scan)
        kept = query.cells.numbered(query.rows.query(early), [Fragment("u")])
        counted = fill("SELECT COUNT(*) AS t0 FROM ({}) AS kept", kept)
        found = int(self._session.fetch(counted, 0, 1).totals[0][0])
        return 2 * found >= min(rows, _EARLY)


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
    rows: UnitWords,
    spreads: Sequence[SpreadPass],
    session: DuckDBSession,
    sorting: Sorting = None,
) -> tuple[Found, list[Found]]:
    """What the query would find, and what each of the spreads of its pairs would.

    Args:
        rows: the words of a pass.
        spreads: of its pairs.
        session: where the rows are.
        sorting: how words are sorted fastest.
    """
    kinds = session.kinds(rows.query.pair_columns)
    assert _ARRAYS.keys() >= {*kinds[rows.hashed is not None :]}, "units, groups are integers"
    added = AddedParts(rows.cells if rows.query.cells.keys else None, len(rows.query.asked.totals))
    told: list[list[Found]] = [[] for _ in spreads]
    with word_store(rows.rows, rows.low, session.folder, sorting) as words:
        session.stream_words(rows.select(), words.take)
        for part in words.parts():
            pairs = _Part(rows, part_pairs(rows, part), kinds, session)
            added.add(_totals(rows.query, pairs.bounded(), session))
            if spreads:
                with session.showing(pairs.spread()) as shown:
                    made = replace(rows.query, made=shown)
                    for each, found in zip(spreads, told, strict=True):
                        query = SpreadQuery(tuple(each.spreads), made).query()
                        found.append(session.fetch(query, len(each.spreads), 1 + len(each.spreads)))
    return added.found(), list(map(_beside, spreads, told))


class _Part:
    """The pairs of some units, of which all rows are here. Secret."""

    def __init__(
        self, rows: UnitWords, pairs: PartPairs, kinds: Sequence[str], session: DuckDBSession
    ) -> None:
        self._rows = rows
        self._pairs = pairs
        self._kinds = kinds
        self._session = session
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
        names = self._pairs.names[places]
        narrow = np.int32 if len(places) < 2**31 else np.int64
        columns = {
            "i": np.arange(len(places), dtype=narrow),
            "u": self._rows.units(names) + self._rows.least,
            "k0": self._rows.groups(names).astype(_ARRAYS[self._kinds[1]]),
        }
        with self._session.showing(columns) as shown:
            asked = self._asked_hashes(columns["u"], shown)
            order, found = self._session.arrays(asked, related=True)
        seen = np.zeros(len(places), bool)
        seen[order] = True
        if len(order) != len(places) or not seen.all():
            raise BackendError(_CHANGED)
        hashes = np.empty(len(places), np.uint64)
        hashes[order] = found.view(np.uint64)
        return hashes

    def _asked_hashes(self, units: NDArray[np.int64], shown: Fragment) -> Fragment:
        """One row per pair that is shown, with the hash of its unit's own value and its group."""
        query, hashed = self._rows.query, self._rows.hashed
        name = "u" if hashed is None else "listed.u"
        unit, group = (
            Fragment(f"CAST({name} AS {kind})")
            for name, kind in zip((name, "k0"), self._kinds, strict=True)
        )
        found = query.dialect.hash(query.salt, [unit, group])
        if hashed is None:
            return fill("SELECT i, {} AS h FROM {}", found, shown)
        among = hashed.among(int(units[0]), int(units[-1]))
        text = "SELECT i, {} AS h FROM {} AS pairs INNER JOIN ({}) AS listed ON d = pairs.u"
        return fill(text, found, shown, among)

    def bounded(self) -> dict[str, NDArray[np.int64]]:
        """What `added_up` takes: the sums of pairs that count."""
        places = None if self._counting is None else np.flatnonzero(self._counting)
        names = self._pairs.names if places is None else self._pairs.names[places]
        return {"k0": self._rows.groups(names), **self._pairs.sums(places)}

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
