r"""How a pass of histograms is said in SQL: weights per unit, then all groupings at once.

Names inside the queries: u the unit, e0, e1, … the distinct key expressions, w a row's weight, g
which expressions a grouping is made of (bit i for e_i), t a cell's count; k0, k1, … and t0 what is
fetched.

Proof: docs/proofs/sensitivity.md, section 5.
"""

from dataclasses import dataclass

from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import MOST_TEXT, Column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.measure.sql.sql_term import kind_of, reading, sql_type
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms


@dataclass(frozen=True)
class HistogramQuery:
    """Everything a query is made of.

    Attributes:
        asked: groupings of which no two are made of the same expressions.
        schema: the columns of the table.
        unit: the column that says whose row it is; None if each row is a unit.
        scan: what stands for the table after FROM.
        again: the same for a second look at the very same rows; None if there can be none.
        key_tables: per grouping what stands for its public keys, if it has any.
        dialect: the engine's spelling.
        unbounded: whether every unit is known to have one row at most.
    """

    asked: Histograms
    schema: Schema
    unit: Column | None
    scan: Fragment
    again: Fragment | None
    key_tables: tuple[Fragment | None, ...]
    dialect: Dialect
    unbounded: bool = False

    def query(self) -> Fragment:
        """One row per cell: g, its number (NULL if keys are private), expressions, its count."""
        numbers = [self._numbered(i, each) for i, each in enumerate(self.asked.groupings)]
        counted = [number for number in numbers if number is not None]
        number = (
            fill("CASE {} END", joined(" ", counted)) if counted else Fragment("CAST(NULL AS INT)")
        )
        values = [Fragment(f"e{i} AS k{place}") for place, i in enumerate(self.shown, start=2)]
        return fill(
            "SELECT {} FROM ({}) AS counted{} WHERE {}",
            joined(", ", [fill("g AS k0, {} AS k1", number), *values, Fragment("t AS t0")]),
            self._counted(),
            joined("", self._joins()),
            joined(" OR ", (self._kept(i, each) for i, each in enumerate(self.asked.groupings))),
        )

    @property
    def expressions(self) -> tuple[KeyExpression, ...]:
        """All key expressions, each once; their places are the bits of g."""
        return tuple(dict.fromkeys(e for each in self.asked.groupings for e in each.by))

    @property
    def shown(self) -> tuple[int, ...]:
        """Which expressions' values are fetched: those of private keys."""
        private = [each for each in self.asked.groupings if each.is_private]
        return tuple(sorted({self.expressions.index(e) for each in private for e in each.by}))

    def mask(self, grouping: Grouping) -> int:
        """Which expressions a grouping is made of."""
        return sum(1 << self.expressions.index(each) for each in grouping.by)

    # Cells of public keys have numbers.

    def _numbered(self, place: int, grouping: Grouping) -> Fragment | None:
        if grouping.is_private:
            return None
        number = Fragment("0" if grouping.keys is None else f"a{place}.i")
        for each in grouping.bins:
            cells = self.dialect.value(each.cells, self.dialect.integer)
            number = fill("({} * {} + {})", number, cells, self._value(each))
        return fill(f"WHEN g = {self.mask(grouping)} THEN {{}}", number)

    def _joins(self) -> list[Fragment]:
        tables = enumerate(zip(self.asked.groupings, self.key_tables, strict=True))
        return [self._join(i, *each) for i, each in tables if each[1] is not None]

    def _join(self, place: int, grouping: Grouping, keys: Fragment | None) -> Fragment:
        assert keys is not None
        equal = (
            fill(f"{{}} = a{place}.c{j}", self._value(column))
            for j, column in enumerate(grouping.columns)
        )
        on = joined(" AND ", [Fragment(f"g = {self.mask(grouping)}"), *equal])
        return fill(f" LEFT JOIN {{}} AS a{place} ON {{}}", keys, on)

    def _kept(self, place: int, grouping: Grouping) -> Fragment:
        """Cells without a value, with a foreign key or with an overlong one are dropped."""
        tests = [Fragment(f"g = {self.mask(grouping)}")]
        tests += [fill("{} IS NOT NULL", self._value(each)) for each in grouping.by]
        if grouping.keys is not None:
            tests.append(Fragment(f"a{place}.i IS NOT NULL"))
        if grouping.is_private:
            longest = self.dialect.value(MOST_TEXT, self.dialect.integer)
            texts = [c for c in grouping.columns if kind_of(c, self.schema) is ColumnType.TEXT]
            tests += [fill("LENGTH({}) <= {}", self._value(each), longest) for each in texts]
        return fill("({})", joined(" AND ", tests))

    def _value(self, expression: KeyExpression) -> Fragment:
        return Fragment(f"e{self.expressions.index(expression)}")

    # All groupings at once.

    def _counted(self) -> Fragment:
        total = Fragment("COALESCE(SUM(w), 0)" if self._has_weights else "COUNT(*)")
        if self.unit is not None and self.unbounded:
            total = fill("({} * {})", total, self.dialect.value(WEIGHT, self.dialect.wide))
        return self._in_sets(total) if not self.dialect.stacked else self._in_stacks(total)

    @property
    def _has_weights(self) -> bool:
        return self.unit is not None and not self.unbounded

    def _in_sets(self, total: Fragment) -> Fragment:
        names = [f"e{i}" for i in range(len(self.expressions))]
        bits = [f"CAST(1 - GROUPING({n}) AS {self.dialect.integer}) * {1 << i}"
                for i, n in enumerate(names)]  # fmt: skip
        sets = (self._set(each) for each in self.asked.groupings)
        return fill(
            "SELECT {}, {} AS t FROM ({}) AS weighed GROUP BY GROUPING SETS ({})",
            Fragment(", ".join([f"{' + '.join(bits) or '0'} AS g", *names])),
            total,
            self._weighed(),
            joined(", ", sets),
        )

    def _set(self, grouping: Grouping) -> Fragment:
        return fill("({})", joined(", ", map(self._value, grouping.by)))

    def _in_stacks(self, total: Fragment) -> Fragment:
        """For engines that are slow at grouping sets: one narrow row per row and grouping.

        A grouping's values are written as text, c0, c1, …, and read back after counting.
        """
        width = max((len(each.by) for each in self.asked.groupings), default=0)
        names = [f"c{i}" for i in range(width)]
        stacked = joined(", ", (self._stacked_row(each, width) for each in self.asked.groupings))
        rows = fill(
            "SELECT {}" + (", w" if self._has_weights else "") + " FROM ({}) AS weighed",
            fill(
                self.dialect.stacked,
                Fragment(str(len(self.asked.groupings))),
                stacked,
                Fragment(", ".join(["g", *names])),
            ),
            self._weighed(),
        )
        keys = ", ".join(["g", *names])
        counted = fill(f"SELECT {keys}, {{}} AS t FROM ({{}}) AS stacked GROUP BY {keys}",
                       total, rows)  # fmt: skip
        values = (self._unstacked(i, each) for i, each in enumerate(self.expressions))
        return fill("SELECT {} FROM ({}) AS narrow",
                    joined(", ", [Fragment("g"), *values, Fragment("t")]), counted)  # fmt: skip

    def _stacked_row(self, grouping: Grouping, width: int) -> Fragment:
        texts = [self.dialect.cast(self._value(each), self.dialect.text) for each in grouping.by]
        texts += [Fragment(f"CAST(NULL AS {self.dialect.text})")] * (width - len(texts))
        mask = Fragment(f"CAST({self.mask(grouping)} AS {self.dialect.integer})")
        return joined(", ", [mask, *texts])

    def _unstacked(self, number: int, expression: KeyExpression) -> Fragment:
        cases = [
            f"WHEN g = {self.mask(each)} THEN c{each.by.index(expression)}"
            for each in self.asked.groupings
            if expression in each.by
        ]
        # Where conditions say what g is, Spark leaves out the CASE: other groupings' texts come by.
        return Fragment(
            f"TRY_CAST(CASE {' '.join(cases)} END AS {self._type(expression)}) AS e{number}"
        )

    def _type(self, expression: KeyExpression) -> str:
        kind = sql_type(kind_of(expression, self.schema), self.dialect)
        assert kind is not None
        return kind

    # Rows and their weights.

    def _weighed(self) -> Fragment:
        if not self._has_weights:
            return self._rows()
        names = joined(", ", [Fragment(f"e{i}") for i in range(len(self.expressions))])
        columns = fill("{}, ", names) if self.expressions else Fragment("")
        return self._by_window(columns) if self.again is None else self._by_join(columns)

    def _by_join(self, columns: Fragment) -> Fragment:
        """Few units have more rows than may count: only these are looked up."""
        assert self.again is not None
        units = fill("SELECT {} FROM {} WHERE {}", self._unit(), self.again, self._filter())
        heavy = fill(
            "SELECT u AS v, {} AS w FROM ({}) AS units GROUP BY u HAVING COUNT(*) > {}",
            self._lighter(Fragment("COUNT(*)")),
            units,
            self._most(),
        )
        return fill(
            "SELECT {}COALESCE(w, {}) AS w FROM ({}) AS kept LEFT JOIN ({}) AS heavy ON u = v",
            columns,
            self._integer(WEIGHT),
            self._rows(),
            heavy,
        )

    def _by_window(self, columns: Fragment) -> Fragment:
        """For tables that might show other rows at a second look."""
        return fill(
            "SELECT {}CASE WHEN n <= {} THEN {} ELSE {} END AS w FROM "
            "(SELECT *, COUNT(*) OVER (PARTITION BY u) AS n FROM ({}) AS kept) AS numbered",
            columns,
            self._most(),
            self._integer(WEIGHT),
            self._lighter(Fragment("n")),
            self._rows(),
        )

    def _lighter(self, rows: Fragment) -> Fragment:
        return self.dialect.short_quotient(self._integer(WEIGHT * self.asked.max_rows), rows)

    def _most(self) -> Fragment:
        return self._integer(self.asked.max_rows)

    def _integer(self, value: int) -> Fragment:
        return self.dialect.value(value, self.dialect.integer)

    def _rows(self) -> Fragment:
        columns = [] if self.unit is None else [self._unit()]
        columns += [
            fill(f"{{}} AS e{i}", reading(each, self.schema, self.dialect))
            for i, each in enumerate(self.expressions)
        ]
        return fill(
            "SELECT {} FROM {} WHERE {}",
            joined(", ", columns or [Fragment("1 AS one")]),
            self.scan,
            self._filter(),
        )

    def _unit(self) -> Fragment:
        assert self.unit is not None
        return fill("{} AS u", reading(self.unit, self.schema, self.dialect))

    def _filter(self) -> Fragment:
        tests = []
        if self.unit is not None:
            read = reading(self.unit, self.schema, self.dialect)
            tests.append(fill("{} IS NOT NULL", read))
        if self.asked.where is not None:
            tests.append(condition_sql(self.asked.where, self.schema, self.dialect))
        return joined(" AND ", tests or [Fragment("1 = 1")])
