r"""`BoundedQuery`: how a pass over the bounded table is said in SQL.

Under `Bounds` or a `Clip` a unit's rows are first summed per group, then bounded, then added up:
rows are never ranked. Under a `RowLimit` each row gets a weight before it is counted. Which groups
of a unit count, and with which weight, depends on the unit's own rows and a secret salt alone:
never on storage order, on ranks among units, or on other units.

Names, beside those of `KeptRows` and `Cells`: per unit and group n0, … its rows that meet each
condition, s0, … sums of places, c0, … how many there were, z0, … sums of squares, b0, … what the
unit adds; t0, … totals.

Proof: docs/proofs/sensitivity.md.
"""

from collections.abc import Callable
from functools import cached_property

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.ask.grid import Grid
from leastnoise.release.measure.one_pass import Pass, RowLimit, ranks
from leastnoise.release.measure.sql.cells import Cells
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, grouped, joined, named, names
from leastnoise.release.measure.sql.kept_rows import KeptRows
from leastnoise.release.measure.sql.sums import NEED_PRESENT, Sums, from_sums
from leastnoise.release.measure.sql.unit_bounds import (
    clipped,
    few_groups,
    few_values,
    groups_in_lists,
    groups_in_turn,
    listed_groups,
    weighed_by_number,
    weighed_rows,
    weighed_sum,
)
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountRows,
    CountUnits,
    CountValues,
    Place,
    Summed,
    SumOfSquares,
)
from leastnoise.release.step.histograms import WEIGHT

_MOST_LISTED = 2**14  # groups: a unit's list of them is never more than some hundred kilobytes


@dataclass(frozen=True)
class BoundedQuery:
    """Everything a query is made of.

    Attributes:
        asked: the pass.
        rows: which rows count, of which table.
        cells: in which groups.
        scan: what stands for the table after FROM.
        again: the same for a second look at the very same rows; None if there can be none.
        salt: secret, for the order of a unit's groups.
        unbounded: whether every unit is known to have one row at most.
        rows_known: whether each row says in n how many rows count of its unit.
        gathered: whether rows go to where their unit is before they are summed: one journey for
            all rows, instead of one for what is left of them and one more for units' sums.
        made: what stands for the result of `holdable` after FROM, if there is one.
    """

    asked: Pass
    rows: KeptRows
    cells: Cells
    scan: Fragment
    again: Fragment | None
    salt: int
    unbounded: bool = False
    rows_known: bool = False
    gathered: bool = False
    made: Fragment | None = None

    def query(self) -> Fragment:
        """One row per cell: its keys as `Cells` has them, then t0, t1, and so on."""
        if self.asked.valued is not None:
            return self._of_values(self.asked.valued)
        if self.is_bounded and not isinstance(self.asked.bounds, RowLimit):
            return self._of_units()
        return self._of_rows()

    @property
    def dialect(self) -> Dialect:
        """The engine's spelling."""
        return self.rows.dialect

    @property
    def is_bounded(self) -> bool:
        """Whether a unit may have several rows."""
        return self.rows.unit is not None and not self.unbounded

    @cached_property
    def _slots(self) -> dict[tuple[int, Place], int]:
        """What is summed under which condition, each with its number."""
        found = dict.fromkeys((number, each.place) for number, each in self.asked.summed)
        return {slot: number for number, slot in enumerate(found)}

    def _values(self) -> list[Fragment]:
        """The places that each slot sums."""
        places = {place: number for number, place in enumerate(self.rows.places)}
        return [self.rows.masked(f"q{places[place]}", number) for number, place in self._slots]

    @property
    def slots(self) -> list[tuple[Place, int, Fragment, tuple[bool, bool]]]:
        """What is summed: its place, number and value, and whether to count and to square it."""
        needs = [
            {self.slot(n, each) for n, each in self.asked.summed if isinstance(each, kinds)}
            for kinds in (NEED_PRESENT, SumOfSquares)
        ]
        return [
            (place, i, value, (i in needs[0], i in needs[1]))
            for ((_, place), i), value in zip(self._slots.items(), self._values(), strict=True)
        ]

    @property
    def slot_conditions(self) -> list[int]:
        """By the number of what is summed: the number of its condition."""
        return [number for number, _ in self._slots]

    # Nothing to bound, or bounded row by row.

    def _of_rows(self) -> Fragment:
        weighs = self.is_bounded
        totals = [Fragment("COALESCE(SUM(w), 0)")] if weighs else self._totals_of_rows()
        rows = self._weighed() if weighs else self.rows.query(self.scan)
        carried = [Fragment("w")] if weighs else []
        counted = self.cells.counted(rows, named("t", totals), carried)
        return self.cells.numbered(counted, names("t", len(totals)))

    def _weighed(self) -> Fragment:
        assert isinstance(self.asked.bounds, RowLimit)
        units = None if self.again is None else self.rows.units(self.again)
        columns, most = names("e", len(self.asked.expressions)), self.asked.bounds.max_rows
        if self.rows_known:
            return weighed_by_number(self.rows.query(self.scan), columns, most, self.dialect)
        return weighed_rows(self.rows.query(self.scan), columns, units, most, self.dialect)

    def _totals_of_rows(self) -> list[Fragment]:
        sums = [self._sums_of_rows(*each) for each in zip(self._values(), self._slots, strict=True)]
        found = []
        for number, aggregate in self.asked.totals:
            count = self.rows.counted(number)
            found.append(self._value(number, aggregate, (count, count), sums.__getitem__))
        if self.rows.unit is None or isinstance(self.asked.bounds, Bounds):
            return found
        weight = CLIP_WEIGHT if isinstance(self.asked.bounds, Clip) else WEIGHT
        full = self.dialect.value(weight, self.dialect.wide)
        return [fill("({} * {})", full, total) for total in found]

    def _sums_of_rows(self, value: Fragment, slot: tuple[int, Place]) -> Sums:
        present = self.dialect.cast(fill("COUNT({})", value), self.dialect.wide)
        squares = self.dialect.total(self.square(value, slot[1][1]))
        return Sums(self.dialect.total(value), present, squares)

    def square(self, value: Fragment, grid: Grid) -> Fragment:
        """(2·place − least − most)² is at most 2^42, or the measurement was refused."""
        ends = self.dialect.value(grid.least + grid.most, self.dialect.integer)
        twice = fill("(2 * {} - {})", value, ends)
        return fill("({} * {})", twice, twice)

    # Different values.

    def _of_values(self, valued: CountValues) -> Fragment:
        keys, bounds = names("k", len(self.cells.keys)), self.asked.bounds
        value = Fragment(f"e{self.rows.expressions.index(valued.column)} AS v")
        units = [Fragment("u")] if self.is_bounded else []
        found = self.cells.numbered(self.rows.query(self.scan), [*units, value])
        if self.is_bounded:
            assert isinstance(bounds, Bounds)
            (grouping,) = self.asked.groupings
            chosen = bounds.max_groups if ranks(grouping, bounds) else None
            found = few_values(found, keys, (chosen, bounds.max_rows), self.salt, self.dialect)
        columns = joined(", ", [*keys, Fragment("COUNT(DISTINCT v) AS t0")])
        return fill("SELECT {} FROM ({}) AS valued{}", columns, found, grouped(keys))

    # Several rows per unit: sum, bound, add up.

    def _of_units(self) -> Fragment:
        return self.added_up(self._bounded(names("k", len(self.cells.keys))))

    def added_up(self, bounded: Fragment) -> Fragment:
        """Of units' sums in the groups that count: the totals."""
        keys, count = names("k", len(self.cells.keys)), len(self.asked.totals)
        totals = named("t", (Fragment(f"COALESCE(SUM(b{i}), 0)") for i in range(count)))
        added = named("b", (self._contribution(*each) for each in self.asked.totals))
        return fill(
            "SELECT {} FROM (SELECT {} FROM ({}) AS bounded) AS contributions{}",
            joined(", ", [*keys, *totals]),
            joined(", ", [*keys, *added]),
            bounded,
            grouped(keys),
        )

    def _bounded(self, keys: list[Fragment]) -> Fragment:
        """Units' sums per group, in as many groups of each unit as count."""
        pairs, bounds = self.turned(keys), self.asked.bounds
        if isinstance(bounds, Clip):
            for units in {isinstance(each, CountUnits) for _, each in self.asked.totals}:
                pairs = clipped(pairs, bounds, self.dialect, units=units)
            return pairs
        assert isinstance(bounds, Bounds)
        return few_groups(pairs, bounds.max_groups, self.dialect) if self.chooses else pairs

    @property
    def chooses(self) -> bool:
        """Whether a unit may be in more groups than count."""
        (grouping,) = self.asked.groupings
        return ranks(grouping, self.asked.bounds)

    def turned(self, keys: list[Fragment]) -> Fragment:
        """Units' sums per group, in all groups, with the turn of each where some must be chosen."""
        if self.made is not None:
            made = fill("SELECT * FROM {}", self.made)
            columns = [*keys, *self._summed_names]
            return groups_in_lists(made, columns, self.dialect) if self._lists else made
        pairs = self.pairs(keys)
        return groups_in_turn(pairs, keys, self.salt, self.dialect) if self.chooses else pairs

    def holdable(self, keys: list[Fragment]) -> Fragment:
        """What `turned` is made of, in the form in which an engine may hold it for several uses."""
        if not self._lists:
            return self.turned(keys)
        pairs = self.pairs(keys)
        together = pairs if self.gathered else fill(self.dialect.gathered, pairs)
        return listed_groups(together, (keys, self._summed_names), self.salt, self.dialect)

    @property
    def _lists(self) -> bool:
        """Whether a unit's groups are held as one list: only where no unit can have too many."""
        (grouping,) = self.asked.groupings
        few = grouping.cells is not None and grouping.cells <= _MOST_LISTED
        return bool(self.dialect.listed) and self.chooses and few

    @property
    def _summed_names(self) -> list[Fragment]:
        """The names of what `pairs` has beside the unit and the keys."""
        found = names("n", len(self.asked.conditions))
        for _, i, _, (counts, squares) in self.slots:
            found.append(Fragment(f"s{i}"))
            found += [Fragment(f"c{i}")] if counts else []
            found += [Fragment(f"z{i}")] if squares else []
        return found

    def pairs(self, keys: list[Fragment]) -> Fragment:
        """One row per unit and group: n0, …, s0, …, and c0, …, z0, … where they are needed."""
        # Before bounding, so that groups nobody asked about do not use up a unit's few.
        carried = [Fragment("u"), *self.rows.carried]
        rows = self.cells.numbered(self.rows.query(self.scan), carried)
        rows = fill(self.dialect.gathered, rows) if self.gathered else rows
        pair = joined(", ", [Fragment("u"), *keys])
        columns = [pair, *named("n", map(self.rows.counted, self.asked.conditions.values()))]
        for (_, grid), i, value, (counts, squares) in self.slots:
            columns.append(fill(f"COALESCE(SUM({{}}), 0) AS s{i}", value))
            columns += [fill(f"COUNT({{}}) AS c{i}", value)] if counts else []
            squared = self.dialect.total(self.square(value, grid))
            columns += [fill(f"{{}} AS z{i}", squared)] if squares else []
        return fill("SELECT {} FROM ({}) AS kept GROUP BY {}", joined(", ", columns), rows, pair)

    @property
    def pair_columns(self) -> Fragment:
        """The unit and the keys of each row, of the very types that the order of groups is by."""
        keys = names("k", len(self.cells.keys))
        rows = self.cells.numbered(self.rows.query(self.scan), [Fragment("u")])
        return fill("SELECT {} FROM ({}) AS kept", joined(", ", [Fragment("u"), *keys]), rows)

    def slot(self, number: int, aggregate: Summed) -> int:
        """The number of what is summed, under a condition."""
        return self._slots[number, aggregate.place]

    def _contribution(self, number: int, aggregate: Aggregate) -> Fragment:
        """What a unit adds to a group's total, within the bounds."""
        rows, bounds = Fragment(f"n{number}"), self.asked.bounds
        # Of several conditions, all of a unit's rows in a group may miss one.
        some = Fragment(f"LEAST(n{number}, 1)" if len(self.asked.conditions) > 1 else "1")
        value = self._value(number, aggregate, (rows, some), self._sums_of_pair)
        if isinstance(bounds, Clip):
            return fill("(v * {})" if isinstance(aggregate, CountUnits) else "(w * {})", value)
        assert isinstance(bounds, Bounds)
        if isinstance(aggregate, CountUnits):
            return value
        if isinstance(aggregate, CountRows):
            most = self.dialect.value(bounds.max_rows, self.dialect.integer)
            return fill("LEAST({}, {})", rows, most)
        return weighed_sum(value, rows, bounds.max_rows, self.dialect)

    def _sums_of_pair(self, slot: int) -> Sums:
        present = self.dialect.cast(Fragment(f"c{slot}"), self.dialect.wide)
        return Sums(Fragment(f"s{slot}"), present, Fragment(f"z{slot}"))

    # Both.

    def _value(
        self,
        number: int,
        aggregate: Aggregate,
        counts: tuple[Fragment, Fragment],
        sums: Callable[[int], Sums],
    ) -> Fragment:
        """An aggregate from the counts of rows and of units, or from the sums behind it."""
        if isinstance(aggregate, CountRows | CountUnits):
            return counts[isinstance(aggregate, CountUnits)]
        assert not isinstance(aggregate, CountValues), "these have a query of their own"
        return from_sums(aggregate, sums(self.slot(number, aggregate)), self.dialect)
