r"""A unit's rows counted and added up in SQL.

Names: g0, g1, … what makes groups of a unit's rows, q0, q1, … what is added up of a row: integers.

Proof: docs/proofs/joins.md, Theorem 2(f).
"""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.per_unit import (
    CountOf,
    GreatestOf,
    LeastOf,
    MeanOf,
    OfValues,
    PerUnit,
    Total,
)
from leastnoise.release.measure.rows.stored import OWNER
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, grouped, joined, named, names
from leastnoise.release.measure.sql.pairs_sql import INNER, LEFT
from leastnoise.release.measure.sql.sql_term import has_value, key_reading, quantised, reading


@dataclass(frozen=True)
class PerUnitQuery:
    """Totals of each owner's rows.

    Attributes:
        rows: what is asked.
        wanted: the columns to tell.
        schema: those of the rows that are added up, with the owner's.
        dialect: the engine's spelling.
    """

    rows: PerUnit
    wanted: tuple[str, ...]
    schema: Schema
    dialect: Dialect

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that are read."""
        terms = [term for _, term in self.rows.by]
        terms += [each.term for _, each in self._totals if each.term is not None]
        return tuple(dict.fromkeys(column.name for term in terms for column in term.columns))

    @property
    def _totals(self) -> list[tuple[str, Total]]:
        return [(name, each) for name, each in self.rows.totals if name in self.wanted]

    def query(self, found: Fragment) -> Fragment:
        """A SELECT of the owner, of the groups' values and of the totals; nobody's rows go."""
        owner, groups = self.dialect.identifier(OWNER), names("g", len(self.rows.by))
        shown = [owner]
        for group, (name, _) in zip(groups, self.rows.by, strict=True):
            if name in self.wanted:
                shown.append(fill("{} AS {}", group, self.dialect.identifier(name)))
        for place, (name, each) in enumerate(self._totals):
            total = self._total(Fragment(f"q{place}"), each)
            shown.append(fill("{} AS {}", total, self.dialect.identifier(name)))
        return fill(
            "SELECT {} FROM ({}) AS {}{}",
            joined(", ", shown),
            self._read(found),
            self.dialect.identifier(LEFT),
            grouped([owner, *groups]),
        )

    def _read(self, found: Fragment) -> Fragment:
        owner = reading(Column(OWNER), self.schema, self.dialect)
        columns = [
            fill("{} AS {}", owner, self.dialect.identifier(OWNER)),
            *named("g", (key_reading(term, self.schema, self.dialect) for _, term in self.rows.by)),
            *named("q", (self._added(each) for _, each in self._totals)),
        ]
        return fill(
            "SELECT {} FROM ({}) AS {} WHERE {} IS NOT NULL",
            joined(", ", columns),
            found,
            self.dialect.identifier(INNER),
            owner,
        )

    def _added(self, total: Total) -> Fragment:
        """An integer; NULL if the row has nothing to add."""
        if not isinstance(total, CountOf):
            return quantised(total.term, total.grid, self.schema, self.dialect)
        if total.term is None:
            return Fragment("1")
        kind = kind_of(total.term, self.schema)
        present = has_value(reading(total.term, self.schema, self.dialect), kind, self.dialect)
        return fill("CASE WHEN {} THEN 1 END", present)

    def _total(self, added: Fragment, total: Total) -> Fragment:
        """Exact until the last step, which is one rounding of an integer, and one of a quotient."""
        count = fill("COUNT({})", added)
        if isinstance(total, CountOf):
            return self.dialect.cast(count, self.dialect.integer)
        number = self.dialect.cast(self._place(added, total), self.dialect.number)
        value = fill("{} * {}", number, self.dialect.value(float(total.grid.step),
                                                           self.dialect.number))  # fmt: skip
        if isinstance(total, MeanOf):
            value = fill("{} / {}", value, self.dialect.cast(count, self.dialect.number))
        return fill("CASE WHEN {} > 0 THEN {} END", count, value)

    def _place(self, added: Fragment, total: OfValues) -> Fragment:
        """A place on the grid: of all values together, or of one of them."""
        if isinstance(total, LeastOf | GreatestOf):
            return fill("MIN({})" if isinstance(total, LeastOf) else "MAX({})", added)
        return self.dialect.total(added)
