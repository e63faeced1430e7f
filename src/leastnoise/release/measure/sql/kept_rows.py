r"""Rows that count, in SQL: whose they are, what they are grouped by, and what is added up of them.

Names: u the unit, e0, e1, … key expressions, q0, … places on grids, f0, … whether a row meets each
of several conditions.

Proof: docs/proofs/sensitivity.md, sections 1 and 2.
"""

from collections.abc import Set as AbstractSet
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import MOST_TEXT, Column, Condition, Indicator, Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined, named, names
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.measure.sql.sql_term import key_kind, key_reading, quantised, reading
from leastnoise.release.step.aggregate import Place


@dataclass(frozen=True)
class KeptRows:
    """Rows that have a unit; and, if there is one condition, meet it.

    Attributes:
        schema: the columns of the table.
        dialect: the engine's spelling.
        unit: the column that says whose row it is; None if each row is a unit.
        conditions: None for all rows. Of several, each only marks its rows.
        expressions: what makes groups.
        places: the columns that are summed, each on its grid.
        private: the expressions whose values would be shown: long texts are none.
        beside: further columns of each row, with their names.
    """

    schema: Schema
    dialect: Dialect
    unit: Column | None
    conditions: tuple[Condition | None, ...] = (None,)
    expressions: tuple[KeyExpression, ...] = ()
    places: tuple[Place, ...] = ()
    private: AbstractSet[KeyExpression] = frozenset()
    beside: tuple[Fragment, ...] = ()

    def query(self, scan: Fragment) -> Fragment:
        """One row per row that counts."""
        units = [] if self.unit is None else [self._named_unit]
        places = (self._place(*each) for each in self.places)
        columns = [
            *units,
            *named("e", map(self._key, self.expressions)),
            *named("q", places),
            *named("f", map(self._test, self.conditions) if self.marks else ()),
            *self.beside,
        ]
        return self._select(columns or [Fragment("1 AS one")], scan)

    def units(self, scan: Fragment) -> Fragment:
        """Whose the rows are, and nothing else."""
        return self._select([self._named_unit], scan)

    @property
    def carried(self) -> list[Fragment]:
        """The names of what is added up, and of the marks."""
        marks = names("f", len(self.conditions)) if self.marks else []
        return names("q", len(self.places)) + marks

    @property
    def marks(self) -> bool:
        """Whether there are several conditions, so that each has a mark."""
        return len(self.conditions) > 1

    def masked(self, value: str, condition: int) -> Fragment:
        """A value of the rows that meet a condition, by its number; others have none."""
        return Fragment(f"CASE WHEN f{condition} THEN {value} END" if self.marks else value)

    def counted(self, condition: int) -> Fragment:
        """How many rows meet a condition."""
        return fill("COUNT({})", self.masked("1" if self.marks else "*", condition))

    def _select(self, columns: list[Fragment], scan: Fragment) -> Fragment:
        tests = [] if self.unit is None else [fill("{} IS NOT NULL", self._read(self.unit))]
        tests += [self._test(e) for e in self.conditions if e is not None and not self.marks]
        kept = fill(" WHERE {}", joined(" AND ", tests)) if tests else Fragment("")
        return fill("SELECT {} FROM {}{}", joined(", ", columns), scan, kept)

    @property
    def _named_unit(self) -> Fragment:
        assert self.unit is not None
        return fill("{} AS u", self._read(self.unit))

    def _key(self, key: KeyExpression) -> Fragment:
        read = key_reading(key, self.schema, self.dialect)
        if key not in self.private or key_kind(key, self.schema) is not ColumnType.TEXT:
            return read
        longest = self.dialect.value(MOST_TEXT, self.dialect.integer)
        return fill("CASE WHEN LENGTH({}) <= {} THEN {} END", read, longest, read)

    def _place(self, column: Term, grid: Grid) -> Fragment:
        if not isinstance(column, Indicator):
            return quantised(column, grid, self.schema, self.dialect)
        met, other = (
            self.dialect.value(grid.place(Fraction(each)), self.dialect.integer) for each in (1, 0)
        )
        return fill("CASE WHEN {} THEN {} ELSE {} END", self._test(column.condition), met, other)

    def _test(self, condition: Condition | None) -> Fragment:
        if condition is None:
            return Fragment("(1 = 1)")
        return condition_sql(condition, self.schema, self.dialect)

    def _read(self, term: Term) -> Fragment:
        return reading(term, self.schema, self.dialect)
