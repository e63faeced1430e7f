r"""`BoundedQuery`: how a pass over the bounded table is said in SQL.

Under `Bounds` or a `Clip` a unit's rows are first summed per group, then bounded, then added up: rows
are never ranked. Under a `RowLimit` each row has a weight before it is counted. Which groups of a unit
count, and with which weight, depends on the unit's own rows and a secret salt alone: never on storage
order, on ranks among units, or on other units.

Names inside the queries, beside those of `KeptRows` and `Cells`: per unit and group n0, … its rows that
meet each condition, s0, … sums of places, c0, … how many there were, z0, … sums of squares, b0, … what
the unit adds; t0, … totals.

Proof: docs/proofs/sensitivity.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.one_pass import Pass, RowLimit, ranks
from leastnoise.release.measure.sql.cells import Cells
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import (
    Fragment,
    fill,
    grouped_by,
    joined,
    named,
    names,
)
from leastnoise.release.measure.sql.kept_rows import KeptRows
from leastnoise.release.measure.sql.sums import (
    Place,
    Sums,
    from_sums,
    needs_present,
    place_of,
    squared,
)
from leastnoise.release.measure.sql.unit_bounds import (
    clipped,
    few_groups,
    weighed_rows,
    weighed_sum,
)
from leastnoise.release.step.aggregate import Aggregate, CountRows, CountUnits, SumOfSquares
from leastnoise.release.step.histograms import WEIGHT

_NOTHING = Fragment("0")  # stands for what an aggregate is not made of


@dataclass(frozen=True)
class BoundedQuery:
    """Everything a query is made of.

    Attributes:
        asked: the pass.
        schema: the columns of the table.
        unit: the column that says whose row it is; None if each row is a unit.
        scan: what stands for the table after FROM.
        again: the same for a second look at the very same rows; None if there can be none.
        key_tables: per grouping what stands for its public keys after FROM: their number i and
            values c0, c1, …; None if it has none.
        salt: secret, for the order of a unit's groups.
        dialect: the engine's spelling.
        unbounded: whether every unit is known to have one row at most.
    """

    asked: Pass
    schema: Schema
    unit: Column | None
    scan: Fragment
    again: Fragment | None
    key_tables: tuple[Fragment | None, ...]
    salt: int
    dialect: Dialect
    unbounded: bool = False

    def query(self) -> Fragment:
        """One row per cell: its keys k0, … (see `Cells.keys`), then t0, t1, …"""
        limited = isinstance(self.asked.bounds, RowLimit)
        return self._of_rows() if limited or not self._bounds_units else self._of_units()

    @cached_property
    def cells(self) -> Cells:
        """Which cells there are."""
        asked = self.asked
        return Cells(asked.groupings, self.key_tables, asked.expressions, self.schema, self.dialect)

    @cached_property
    def _rows(self) -> KeptRows:
        asked = self.asked
        private = {e for each in asked.groupings if each.is_private for e in each.by}
        places = (place_of(aggregate) for _, aggregate in asked.totals)
        found = tuple(dict.fromkeys(place for place in places if place is not None))
        return KeptRows(
            self.schema,
            self.dialect,
            self.unit,
            asked.conditions,
            asked.expressions,
            found,
            private,
        )

    @property
    def _bounds_units(self) -> bool:
        return self.unit is not None and not self.unbounded

    @cached_property
    def _totals(self) -> list[tuple[int, Aggregate]]:
        """Aggregates, each with the number of its condition."""
        numbers = {where: number for number, where in enumerate(self.asked.conditions)}
        return [(numbers[where], aggregate) for where, aggregate in self.asked.totals]

    # Nothing to bound, or bounded row by row.

    def _of_rows(self) -> Fragment:
        totals = named("t", (self._total_of_rows(*each) for each in self._totals))
        weighs = isinstance(self.asked.bounds, RowLimit) and self._bounds_units
        rows = self._weighed() if weighs else self._rows.query(self.scan)
        carried = [Fragment("w")] if weighs else self._rows.carried
        counted = self.cells.counted(rows, totals, carried)
        return self.cells.numbered(counted, names("t", len(totals)))

    def _weighed(self) -> Fragment:
        assert isinstance(self.asked.bounds, RowLimit)
        units = None if self.again is None else self._rows.units(self.again)
        columns = names("e", len(self.asked.expressions))
        most = self.asked.bounds.max_rows
        return weighed_rows(self._rows.query(self.scan), columns, units, most, self.dialect)

    def _total_of_rows(self, condition: int, aggregate: Aggregate) -> Fragment:
        if isinstance(self.asked.bounds, RowLimit) and self._bounds_units:
            return Fragment("COALESCE(SUM(w), 0)")
        count, place = self._rows.counted(condition), place_of(aggregate)
        found = Sums(count, count, _NOTHING, _NOTHING, _NOTHING)
        if place is not None:
            value = self._masked(condition, place)
            present = self.dialect.cast(fill("COUNT({})", value), self.dialect.wide)
            squares = squared(value, place[1], self.dialect)
            found = Sums(count, count, self.dialect.total(value), present, squares)
        total = from_sums(aggregate, found, self.dialect)
        if self.unit is None or isinstance(self.asked.bounds, Bounds):
            return total
        weight = CLIP_WEIGHT if isinstance(self.asked.bounds, Clip) else WEIGHT
        return fill("({} * {})", self.dialect.value(weight, self.dialect.wide), total)

    def _masked(self, condition: int, place: Place) -> Fragment:
        return self._rows.masked(f"q{self._rows.places.index(place)}", condition)

    # Several rows per unit: sum, bound, add up.

    def _of_units(self) -> Fragment:
        keys = names("k", len(self.cells.keys))
        totals = [Fragment(f"COALESCE(SUM(b{i}), 0)") for i in range(len(self._totals))]
        added = named("b", (self._contribution(*each) for each in self._totals))
        return fill(
            "SELECT {} FROM (SELECT {} FROM ({}) AS bounded) AS contributions{}",
            joined(", ", [*keys, *named("t", totals)]),
            joined(", ", [*keys, *added]),
            self._bounded(),
            grouped_by(keys),
        )

    def _bounded(self) -> Fragment:
        """Units' sums per group, in as many groups of each unit as count."""
        (grouping,), bounds = self.asked.groupings, self.asked.bounds
        if isinstance(bounds, Clip):
            return clipped(self._pairs(), bounds, self.dialect)
        assert isinstance(bounds, Bounds)
        if not ranks(grouping, bounds):
            return self._pairs()
        keys = names("k", len(self.cells.keys))
        return few_groups(self._pairs(), keys, bounds.max_groups, self.salt, self.dialect)

    @cached_property
    def _slots(self) -> list[tuple[int, Place]]:
        """What is summed under which condition, each once."""
        pairs = ((condition, place_of(aggregate)) for condition, aggregate in self._totals)
        return list(dict.fromkeys((c, place) for c, place in pairs if place is not None))

    def _slots_of(self, wanted: Callable[[Aggregate], bool]) -> list[int]:
        """The numbers of the slots that some aggregates are made of."""
        found = {(c, place_of(each)) for c, each in self._totals if wanted(each)}
        return [number for number, slot in enumerate(self._slots) if slot in found]

    def _pairs(self) -> Fragment:
        """One row per unit and group: n0, …, s0, …, and c0, …, z0, … where they are needed."""
        # Before bounding, so that groups nobody asked about do not use up a unit's few.
        rows = self.cells.numbered(
            self._rows.query(self.scan), [Fragment("u"), *self._rows.carried]
        )
        keys = [Fragment("u"), *names("k", len(self.cells.keys))]
        values = [self._masked(*slot) for slot in self._slots]
        rows_of = map(self._rows.counted, range(len(self.asked.conditions)))
        present = self._slots_of(needs_present)
        squares = self._slots_of(lambda each: isinstance(each, SumOfSquares))
        columns = [
            *keys,
            *named("n", rows_of),
            *named("s", (fill("COALESCE(SUM({}), 0)", value) for value in values)),
            *(fill(f"COUNT({{}}) AS c{i}", values[i]) for i in present),
            *(fill(f"{{}} AS z{i}", self._squares(i)) for i in squares),
        ]
        return fill("SELECT {} FROM ({}) AS kept{}", joined(", ", columns), rows, grouped_by(keys))

    def _squares(self, slot: int) -> Fragment:
        _, (_, grid) = self._slots[slot]
        return squared(self._masked(*self._slots[slot]), grid, self.dialect)

    def _contribution(self, condition: int, aggregate: Aggregate) -> Fragment:
        """What a unit adds to a group's total, within the bounds."""
        rows, value = Fragment(f"n{condition}"), self._value_of_pair(condition, aggregate)
        if isinstance(self.asked.bounds, Clip):
            return fill("(w * {})", value)
        assert isinstance(self.asked.bounds, Bounds)
        most = self.asked.bounds.max_rows
        if isinstance(aggregate, CountUnits):
            return value
        if isinstance(aggregate, CountRows):
            return fill("LEAST({}, {})", rows, self.dialect.value(most, self.dialect.integer))
        return weighed_sum(value, rows, most, self.dialect)

    def _value_of_pair(self, condition: int, aggregate: Aggregate) -> Fragment:
        rows, place = Fragment(f"n{condition}"), place_of(aggregate)
        # Under several conditions, a unit's rows in a group may all miss one.
        several = len(self.asked.conditions) > 1
        units = Fragment(f"LEAST(n{condition}, 1)" if several else "1")
        found = Sums(rows, units, _NOTHING, _NOTHING, _NOTHING)
        if place is not None:
            slot = self._slots.index((condition, place))
            present = self.dialect.cast(Fragment(f"c{slot}"), self.dialect.wide)
            found = Sums(rows, units, Fragment(f"s{slot}"), present, Fragment(f"z{slot}"))
        return from_sums(aggregate, found, self.dialect)
