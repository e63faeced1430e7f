r"""`UnitNumbers`: in SQL, how many rows and groups a unit has, and how many its bounds leave out.

They depend on the unit's own rows and the salt alone. The order of a unit's groups, and the weight
of its rows under a clip, are those of the measurement itself: what is lost is what it leaves out.

Names: those of `BoundedQuery`; v0, v1, … the numbers.

Proof: docs/proofs/spread.md, section 3.
"""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined, named, names
from leastnoise.release.measure.sql.unit_bounds import clipped
from leastnoise.release.step.unit_spread import Spread, UnitSpread


@dataclass(frozen=True)
class UnitNumbers:
    """One row per unit that has rows.

    Attributes:
        spreads: which numbers; all of one measurement.
        bounded: the measurement's rows, groups and bounds.
    """

    spreads: tuple[UnitSpread, ...]
    bounded: BoundedQuery

    def query(self, carried: Fragment) -> Fragment:
        """The columns v0, v1, …, and one that is carried along."""
        columns = [*named("v", map(self._number, self.spreads)), carried]
        text = "SELECT {} FROM ({}) AS own GROUP BY u"
        return fill(text, joined(", ", columns), self._marked_pairs())

    @property
    def pairs(self) -> Fragment:
        """One row per unit and group, with n0 rows."""
        return self.bounded.pairs(self._keys) if self.bounded.made is None else self._turned

    @property
    def _dialect(self) -> Dialect:
        return self.bounded.dialect

    @property
    def _keys(self) -> list[Fragment]:
        return names("k", len(self.bounded.cells.keys))

    @property
    def _turned(self) -> Fragment:
        return self.bounded.turned(self._keys)

    def _number(self, spread: UnitSpread) -> Fragment:
        match spread.of:
            case Spread.ROWS:
                return Fragment("SUM(n0)")
            case Spread.GROUPS:
                return Fragment("COUNT(*)")
            case Spread.LOST:
                return fill("SUM({})", self._lost_in_group(spread))
            case _:
                raise AssertionError("it is no number of a unit as a whole")

    def _marked_pairs(self) -> Fragment:
        """One row per unit and group: n0, and what the bounds make of it."""
        bounds = self.bounded.asked.bounds
        if all(each.of is not Spread.LOST for each in self.spreads):
            return self.pairs
        if isinstance(bounds, Clip):
            rows = clipped(self.pairs, bounds, self._dialect)
            return clipped(rows, bounds, self._dialect, units=True)
        return self._turned

    def _lost_in_group(self, spread: UnitSpread) -> Fragment:
        """In rows, or in units of 1/W rows under a clip; in groups, where units are counted."""
        bounds, dialect = self.bounded.asked.bounds, self._dialect
        every = Fragment("1" if spread.counts_groups else "n0")
        if isinstance(bounds, Clip):
            full = dialect.value(CLIP_WEIGHT, dialect.wide)
            weight = Fragment("v" if spread.counts_groups else "w")
            return fill("({} * ({} - {}))", dialect.cast(every, dialect.wide), full, weight)
        assert isinstance(bounds, Bounds)
        rows, groups = (dialect.value(each, dialect.integer)
                        for each in (bounds.max_rows, bounds.max_groups))  # fmt: skip
        beyond = Fragment("0") if spread.counts_groups else fill("GREATEST(n0 - {}, 0)", rows)
        if not self.bounded.chooses:
            return beyond
        return fill("CASE WHEN turn <= {} THEN {} ELSE {} END", groups, beyond, every)
