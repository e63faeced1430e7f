r"""Query shapes: how a pass over the bounded table is said in SQL.

A unit's rows are first summed per group, then bounded, then added up: rows are never ranked. Which
groups of a unit count, and with which weight, depends on the unit's own rows and a secret salt
alone: never on storage order, on ranks among units, or on other units.

Names inside the queries: u the unit, k0, k1, … the keys, q0, … places on grids; per unit and group
n its rows, s0, … sums of places, c0, … how many there were, z0, … sums of squares; t0, … totals.

Proof: docs/proofs/sensitivity.md.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import starmap
from typing import TypeAlias, assert_never

from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip, Norm
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import MOST_TEXT, Column, Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.one_pass import Pass
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.measure.sql.sql_term import kind_of, quantised, reading
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)

Summed: TypeAlias = (
    SumOf | DistanceBelow | DistanceAbove | CountPresent | SumFromCentre | SumOfSquares
)
_SLACK = 2**40  # a root of a double is surely right to one part in this
_COUNTED = (DistanceBelow, DistanceAbove, CountPresent, SumFromCentre, SumOfSquares)


@dataclass(frozen=True)
class Sums:
    """Of some rows' places: sum, number, and sum of squared distances from the centre."""

    total: Fragment
    present: Fragment
    squares: Fragment


@dataclass(frozen=True)
class BoundedQuery:
    """Everything a query is made of.

    Attributes:
        asked: the pass.
        schema: the columns of the table.
        unit: the column that says whose row it is; None if each row is a unit.
        scan: what stands for the table after FROM.
        key_table: what stands for the public keys after FROM: their number i and values c0, c1, …
        salt: secret, for the order of a unit's groups.
        dialect: the engine's spelling.
        unbounded: whether every unit is known to have one row at most.
    """

    asked: Pass
    schema: Schema
    unit: Column | None
    scan: Fragment
    key_table: Fragment | None
    salt: int
    dialect: Dialect
    unbounded: bool = False

    def query(self) -> Fragment:
        """One row per group: its keys k0, … (its number k0, if keys are public), then t0, t1."""
        return self._of_rows() if self.unit is None or self.unbounded else self._of_units()

    @property
    def places(self) -> tuple[tuple[Term, Grid], ...]:
        """The columns that are summed, each on its grid, each once."""
        return tuple(dict.fromkeys((each.column, each.grid) for each in self._summed))

    @property
    def _summed(self) -> list[Summed]:
        every = self.asked.aggregates
        return [each for each in every if not isinstance(each, CountRows | CountUnits)]

    def _places_of(self, *kinds: type[Summed]) -> set[int]:
        """Which places some kinds of aggregates are of."""
        found = (each for each in self._summed if isinstance(each, kinds))
        return {self.places.index((each.column, each.grid)) for each in found}

    # One row per unit: nothing to bound.

    def _of_rows(self) -> Fragment:
        totals = _numbered("t", map(self._total_of_rows, self.asked.aggregates))
        keys = _names("k", len(self.asked.by))
        grouped = fill(
            "SELECT {} FROM ({}) AS rows_of_table{}",
            joined(", ", [*keys, totals]),
            self._rows(),
            _grouped(keys),
        )
        if self.key_table is None:
            return grouped
        columns = _names("t", len(self.asked.aggregates))
        return self._joined_with_keys(grouped, columns)

    def _total_of_rows(self, aggregate: Aggregate) -> Fragment:
        total = self._value(aggregate, self._sums_of_rows, Fragment("COUNT(*)"))
        if self.unit is not None and isinstance(self.asked.bounds, Clip):
            return fill("({} * {})", self._wide(CLIP_WEIGHT), total)
        return total

    def _sums_of_rows(self, place: int) -> Sums:
        return Sums(
            self.dialect.total(Fragment(f"q{place}")),
            self.dialect.cast(Fragment(f"COUNT(q{place})"), self.dialect.wide),
            self._squares(place),
        )

    def _squares(self, place: int) -> Fragment:
        """(2·place − least − most)² is at most 2^42, or the measurement was refused."""
        _, grid = self.places[place]
        ends = self.dialect.value(grid.least + grid.most, self.dialect.integer)
        twice = fill(f"(2 * q{place} - {{}})", ends)
        return self.dialect.total(fill("({} * {})", twice, twice))

    # Several rows per unit: sum, bound, add up.

    def _of_units(self) -> Fragment:
        keys = _names("k", self._key_count)
        totals = _numbered("t", starmap(self._total_of_units, enumerate(self.asked.aggregates)))
        contributions = _numbered("b", map(self._contribution, self.asked.aggregates))
        return fill(
            "SELECT {} FROM (SELECT {} FROM ({}) AS bounded) AS contributions{}",
            joined(", ", [*keys, totals]),
            joined(", ", [*keys, contributions]),
            self._bounded(),
            _grouped(keys),
        )

    @property
    def _key_count(self) -> int:
        return len(self.asked.by) if self.key_table is None else 1

    def _total_of_units(self, number: int, aggregate: Aggregate) -> Fragment:
        if isinstance(aggregate, CountUnits) and isinstance(self.asked.bounds, Bounds):
            return Fragment("COUNT(*)")
        return Fragment(f"COALESCE(SUM(b{number}), 0)")

    def _bounded(self) -> Fragment:
        """Units' sums per group, in at most `max_groups` groups of each unit."""
        pairs = self._pairs()
        if isinstance(self.asked.bounds, Clip):
            return self._clipped(pairs, self.asked.bounds)
        most = self.asked.bounds.max_groups
        if not self.asked.by or (self.asked.keys and len(self.asked.keys.rows) <= most):
            return pairs
        keys = _names("k", self._key_count)
        return fill(
            "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {}) AS turn "
            "FROM ({}) AS pairs) AS ordered WHERE turn <= {}",
            # Two groups may share a hash; the keys make the order total, hence the same each time.
            joined(", ", [self.dialect.hash(self.salt, [Fragment("u"), *keys]), *keys]),
            pairs,
            self.dialect.value(most, self.dialect.integer),
        )

    def _clipped(self, pairs: Fragment, clip: Clip) -> Fragment:
        """Units' sums per group, all of them, and the weight w of each unit's rows."""
        rows = self.dialect.cast(Fragment("n"), self.dialect.wide)
        size = rows if clip.norm is Norm.TOTAL else fill("{} * {}", rows, rows)
        # The weight is that of a rounded-up root, which the engine takes of doubles.
        sized = fill("SELECT *, SUM({}) OVER (PARTITION BY u) AS size FROM ({}) AS pairs",
                     size, pairs)  # fmt: skip
        root = fill("SELECT *, {} AS guess FROM ({}) AS sized", self._root(clip), sized)
        above = fill(
            "CASE WHEN guess * guess < size THEN guess + {} + {} ELSE guess END",
            self._wide(1),
            self.dialect.quotient(Fragment("guess"), self._wide(_SLACK)),
        )
        above = above if clip.norm is Norm.EUCLIDEAN else Fragment("guess")
        lighter = self.dialect.quotient(self._wide(clip.reach), above)
        limit = clip.rows if clip.norm is Norm.TOTAL else clip.rows**2
        return fill(
            "SELECT *, CASE WHEN size <= {} THEN {} ELSE {} END AS w FROM ({}) AS rooted",
            self._wide(limit),
            self._wide(CLIP_WEIGHT),
            lighter,
            root,
        )

    def _root(self, clip: Clip) -> Fragment:
        if clip.norm is Norm.TOTAL:
            return Fragment("size")
        root = fill("CEIL(SQRT({}))", self.dialect.cast(Fragment("size"), self.dialect.number))
        return self.dialect.cast(root, self.dialect.wide)

    def _pairs(self) -> Fragment:
        """One row per unit and group: n, s0, c0, s1, c1 and so on."""
        rows = self._rows()
        places = [f"q{i}" for i in range(len(self.places))]
        if self.key_table is not None:
            # Before bounding, so that groups nobody asked about do not use up a unit's few.
            rows = self._joined_with_keys(rows, [Fragment("u"), *map(Fragment, places)])
        keys = joined(", ", [Fragment("u"), *_names("k", self._key_count)])
        sums = [f"COALESCE(SUM({q}), 0) AS s{i}" for i, q in enumerate(places)]
        counts = [f"COUNT({places[i]}) AS c{i}" for i in sorted(self._places_of(*_COUNTED))]
        squares = [fill(f"{{}} AS z{i}", self._squares(i))
                   for i in sorted(self._places_of(SumOfSquares))]  # fmt: skip
        plain = map(Fragment, ["COUNT(*) AS n", *sums, *counts])
        columns = joined(", ", [keys, *plain, *squares])
        return fill("SELECT {} FROM ({}) AS kept GROUP BY {}", columns, rows, keys)

    def _contribution(self, aggregate: Aggregate) -> Fragment:
        """What a unit adds to a group's total, within the bounds."""
        if isinstance(self.asked.bounds, Clip):
            one = Fragment("1") if isinstance(aggregate, CountUnits) else Fragment("n")
            return fill("(w * {})", self._value(aggregate, self._sums_of_pair, one))
        most = self.dialect.value(self.asked.bounds.max_rows, self.dialect.integer)
        match aggregate:
            case CountRows():
                return fill("LEAST(n, {})", most)
            case CountUnits():
                return Fragment("1")
            case (
                SumOf()
                | DistanceBelow()
                | DistanceAbove()
                | CountPresent()
                | SumFromCentre()
                | SumOfSquares()
            ):
                value = self._value(aggregate, self._sums_of_pair, Fragment("n"))
                return self._weighed(value, most)
            case _:
                assert_never(aggregate)

    def _sums_of_pair(self, place: int) -> Sums:
        present = self.dialect.cast(Fragment(f"c{place}"), self.dialect.wide)
        return Sums(Fragment(f"s{place}"), present, Fragment(f"z{place}"))

    def _weighed(self, value: Fragment, most: Fragment) -> Fragment:
        """All rows with the weight max_rows/n if they are too many: no row is chosen."""
        wide = self.dialect.wide
        product = fill("({} * {})", self.dialect.cast(value, wide), most)
        weighed = self.dialect.quotient(product, self.dialect.cast(Fragment("n"), wide))
        return fill("CASE WHEN n <= {} THEN {} ELSE {} END", most, value, weighed)

    # Both.

    def _value(
        self,
        aggregate: Aggregate,
        sums: Callable[[int], Sums],
        count: Fragment,
    ) -> Fragment:
        """An aggregate from the sums behind it."""
        if isinstance(aggregate, CountRows | CountUnits):
            return count
        found = sums(self.places.index((aggregate.column, aggregate.grid)))
        return self._from_sums(aggregate, found)

    def _from_sums(self, aggregate: Summed, found: Sums) -> Fragment:
        least, most = aggregate.grid.least, aggregate.grid.most
        match aggregate:
            case SumOf():
                return found.total
            case DistanceBelow():
                return fill("({} - {} * {})", found.total, self._wide(least), found.present)
            case DistanceAbove():
                return fill("({} * {} - {})", self._wide(most), found.present, found.total)
            case CountPresent():
                return found.present
            case SumFromCentre():
                ends = self._wide(least + most)
                return fill("(2 * {} - {} * {})", found.total, ends, found.present)
            case SumOfSquares():
                shift = self._wide(aggregate.shift)
                return fill("({} - {} * {})", found.squares, shift, found.present)
            case _:
                assert_never(aggregate)

    def _wide(self, value: int) -> Fragment:
        return self.dialect.value(value, self.dialect.wide)

    def _rows(self) -> Fragment:
        """The rows that count: unit, keys and places; every unit and every key has a value."""
        columns = [] if self.unit is None else [fill("{} AS u", self._read(self.unit))]
        columns += [fill(f"{{}} AS k{i}", self._read(key)) for i, key in enumerate(self.asked.by)]
        columns += [
            fill(f"{{}} AS q{i}", quantised(column, grid, self.schema, self.dialect))
            for i, (column, grid) in enumerate(self.places)
        ]
        return fill(
            "SELECT {} FROM {} WHERE {}",
            joined(", ", columns or [Fragment("1 AS one")]),
            self.scan,
            joined(" AND ", self._filters()),
        )

    def _filters(self) -> list[Fragment]:
        units = [] if self.unit is None else [fill("{} IS NOT NULL", self._read(self.unit))]
        keys = [self._key_filter(key) for key in self.asked.by]
        where = self.asked.where
        conditions = [condition_sql(where, self.schema, self.dialect)] if where is not None else []
        return [*units, *keys, *conditions] or [Fragment("1 = 1")]

    def _key_filter(self, key: KeyExpression) -> Fragment:
        read = self._read(key)
        if self.key_table is not None or kind_of(key, self.schema) is not ColumnType.TEXT:
            return fill("{} IS NOT NULL", read)
        longest = self.dialect.value(MOST_TEXT, self.dialect.integer)
        return fill("LENGTH({}) <= {}", read, longest)  # what is missing has no length

    def _read(self, column: Term) -> Fragment:
        return reading(column, self.schema, self.dialect)

    def _joined_with_keys(self, rows: Fragment, columns: list[Fragment]) -> Fragment:
        assert self.key_table is not None
        on = [Fragment(f"found.k{i} = asked.c{i}") for i in range(len(self.asked.by))]
        return fill(
            "SELECT asked.i AS k0, {} FROM ({}) AS found INNER JOIN {} AS asked ON {}",
            joined(", ", columns),
            rows,
            self.key_table,
            joined(" AND ", on),
        )


def _names(letter: str, count: int) -> list[Fragment]:
    return [Fragment(f"{letter}{i}") for i in range(count)]


def _numbered(letter: str, parts: Iterable[Fragment]) -> Fragment:
    return joined(", ", (fill(f"{{}} AS {letter}{i}", part) for i, part in enumerate(parts)))


def _grouped(keys: list[Fragment]) -> Fragment:
    return fill(" GROUP BY {}", joined(", ", keys)) if keys else Fragment("")
