r"""`SpreadQuery`: how the weights of units on knots are said in SQL.

Every part of a unit gets its weight and its number from the unit's own rows and the salt alone;
which knots are around the number is public then. No unit is compared with another.

Names: those of `UnitNumbers` and of `hats`.

Proof: docs/proofs/spread.md, section 3.
"""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined, named, names
from leastnoise.release.measure.sql.hats import clamped, hat, knot_below, moved_up
from leastnoise.release.measure.sql.unit_numbers import UnitNumbers
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, Spread, UnitSpread


@dataclass(frozen=True)
class SpreadQuery:
    """Everything a query is made of.

    Attributes:
        spreads: of one measurement; several only where each unit is one part.
        bounded: the measurement's rows, groups and bounds.
    """

    spreads: tuple[UnitSpread, ...]
    bounded: BoundedQuery

    def query(self) -> Fragment:
        """One row per spread and knot that is next below a part.

        k0, … the knot's number, in the column of its spread; t0 the weight of the parts above it;
        t1, … how much of that goes to the knot above them, of each spread.
        """
        count = len(self.spreads)
        knots, codes = names("j", count), names("c", count)
        below = named("j", (knot_below(code, self._dialect) for code in codes))
        above = named("m", map(moved_up, codes, knots))
        sums = [Fragment(f"SUM({each.text})") for each in (Fragment("h"), *names("m", count))]
        return fill(
            "SELECT {} FROM (SELECT {}, h FROM (SELECT *, {} FROM ({}) AS coded) AS knotted) "
            "AS hats GROUP BY GROUPING SETS ({})",
            joined(", ", [*named("k", knots), *named("t", sums)]),
            joined(", ", [*knots, *above]),
            joined(", ", below),
            self._coded(),
            joined(", ", (fill("({})", knot) for knot in knots)),
        )

    @property
    def _dialect(self) -> Dialect:
        return self.bounded.dialect

    def _coded(self) -> Fragment:
        """One row per part: its weight, and each of its numbers as `hat` has it."""
        numbers, codes = [], []
        for i, each in enumerate(self.spreads):
            scale = self._scale(each)
            ends = scale * each.knots[0], scale * each.knots[-1]
            numbers.append(clamped(Fragment(f"v{i}"), ends, self._dialect))
            codes.append(hat(f"v{i}", each.knots, scale, self._dialect))
        return fill(
            "SELECT {}, h FROM (SELECT {}, h FROM ({}) AS parts) AS clamped",
            joined(", ", named("c", codes)),
            joined(", ", named("v", numbers)),
            self._parts(),
        )

    def _scale(self, spread: UnitSpread) -> int:
        """In which fractions a number is counted: what a clip leaves out need not be whole rows."""
        weighs = isinstance(self.bounded.asked.bounds, Clip) and self.bounded.is_bounded
        return CLIP_WEIGHT if weighs and spread.of is Spread.LOST else 1

    def _parts(self) -> Fragment:
        """One row per part: its numbers v0, … and its weight h."""
        numbers = UnitNumbers(self.spreads, self.bounded)
        if self.spreads[0].of is Spread.VALUES:
            return self._places()
        if not self.bounded.is_bounded:
            return self._single_rows()
        if self.spreads[0].of is Spread.ROWS_IN_GROUP:
            text = "SELECT n0 AS v0, {} AS h FROM ({}) AS pairs"
            return fill(text, self._even_share, numbers.pairs)
        return numbers.query(fill("{} AS h", self._whole))

    def _places(self) -> Fragment:
        several = self.bounded.is_bounded
        return fill(
            "SELECT q0 AS v0, {} AS h FROM ({}) AS places WHERE q0 IS NOT NULL",
            self._even_share if several else self._whole,
            self._rows([Fragment("q0"), *([Fragment("u")] if several else [])]),
        )

    def _single_rows(self) -> Fragment:
        """Each row is a unit: it has one of everything, and nothing of it is lost."""
        numbers = [Fragment("0" if each.of is Spread.LOST else "1") for each in self.spreads]
        columns = [*named("v", numbers), fill("{} AS h", self._whole)]
        rows = self._rows([Fragment("1 AS single")])
        return fill("SELECT {} FROM ({}) AS singles", joined(", ", columns), rows)

    def _rows(self, carried: list[Fragment]) -> Fragment:
        """Rows that are in a group."""
        return self.bounded.cells.numbered(self.bounded.rows.query(self.bounded.scan), carried)

    @property
    def _whole(self) -> Fragment:
        return self._dialect.value(SPREAD_WEIGHT, self._dialect.integer)

    @property
    def _even_share(self) -> Fragment:
        """A unit's weight, divided over its parts and rounded down."""
        parts = Fragment("COUNT(*) OVER (PARTITION BY u)")
        return self._dialect.short_quotient(self._whole, parts)
