r"""Groups and cells in SQL: which one a row is in, for one grouping or for many at once.

Names: e0, e1, … key expressions, g which of them make a grouping (bit i for e_i), a0, … public
keys with their numbers i; k0, k1, … what is fetched.

Proof: docs/proofs/sensitivity.md, sections 1 and 5.
"""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.measure.sql.fragment import Fragment, fill, grouped, joined, named, names
from leastnoise.release.measure.sql.kept_rows import KeptRows
from leastnoise.release.measure.sql.sql_term import key_kind
from leastnoise.release.measure.sql.sql_types import carried_type
from leastnoise.release.step.histograms import Grouping


@dataclass(frozen=True)
class Cells:
    """Groupings of which no two are made of the same expressions.

    Attributes:
        groupings: at least one.
        key_tables: per grouping what stands for its public keys after FROM, if it has any: their
            number i and values c0, c1, …
        rows: what is in them; the places of its expressions are the bits of g.
    """

    groupings: tuple[Grouping, ...]
    key_tables: tuple[Fragment | None, ...]
    rows: KeptRows

    @property
    def one(self) -> bool:
        """Whether there is one grouping, which needs no g."""
        return len(self.groupings) == 1

    def mask(self, grouping: Grouping) -> int:
        """Which expressions a grouping is made of."""
        return sum(1 << self.rows.expressions.index(each) for each in grouping.by)

    @property
    def keys(self) -> list[Fragment]:
        """What is fetched of a cell.

        Of one grouping, the number of the cell or its private key. Of many: g, the number (NULL if
        keys are private), and the expressions of private keys.
        """
        if self.one and (self._shown or not self.rows.expressions):
            return self._shown
        return [self._number()] if self.one else [Fragment("g"), self._number(), *self._shown]

    @property
    def _shown(self) -> list[Fragment]:
        return [self._value(e) for e in self.rows.expressions if e in self.rows.private]

    def places(self, grouping: Grouping) -> list[int]:
        """Which columns of what is fetched hold a grouping's numbers, or its private keys."""
        if not grouping.is_private:
            return list(range(len(self.keys))) if self.one else [1]
        return [self.keys.index(self._value(each)) for each in grouping.by]

    def numbered(self, found: Fragment, carried: list[Fragment]) -> Fragment:
        """Of rows or cells: the keys, and columns that are carried along.

        What has no value, a foreign key or an overlong one is in no cell, and is dropped.
        """
        columns = joined(", ", [*named("k", self.keys), *carried])
        tests = [self._kept(i, each) for i, each in self._apart]
        tests += [Fragment("a.i IS NOT NULL")] if self._texts else []
        kept = tests[0] if self.one else joined(" OR ", (fill("({})", test) for test in tests))
        where = fill(" WHERE {}", kept) if kept.text else kept
        joins = joined("", [*(self._join(i, each) for i, each in self._apart), self._join_texts()])
        return fill("SELECT {} FROM ({}) AS found{}{}", columns, found, joins, where)

    @property
    def _texts(self) -> dict[int, Grouping]:
        """Groupings by one column of texts, by their places; if there are two or more.

        They are joined with all of their keys at once: DuckDB takes long to plan many joins.
        """
        found = {i: each for i, each in enumerate(self.groupings)
                 if each.keys is not None and len(each.by) == len(each.columns) == 1
                 and key_kind(each.by[0], self.rows.schema) is ColumnType.TEXT}  # fmt: skip
        return found if len(found) > 1 else {}

    @property
    def _apart(self) -> list[tuple[int, Grouping]]:
        """The others."""
        return [each for each in enumerate(self.groupings) if each[0] not in self._texts]

    def _join_texts(self) -> Fragment:
        """Of a cell's values, all but those of its own grouping are NULL."""
        if not self._texts:
            return Fragment("")
        keys = [
            fill(f"SELECT CAST({self.mask(each)} AS {self.rows.dialect.integer}) AS h, c0, i "
                 "FROM {} AS listed", self.key_tables[i] or Fragment(""))
            for i, each in self._texts.items()
        ]  # fmt: skip
        return fill(
            " LEFT JOIN ({}) AS a ON g = a.h AND COALESCE({}) = a.c0",
            joined(" UNION ALL ", keys),
            joined(", ", (self._value(each.by[0]) for each in self._texts.values())),
        )

    def _number(self) -> Fragment:
        cases = [(each, self._own_number(i, each)) for i, each in self._apart
                 if not each.is_private]  # fmt: skip
        if self.one:
            return cases[0][1]
        tests = [fill(f"WHEN g = {self.mask(each)} THEN {{}}", number) for each, number in cases]
        tests += [Fragment("WHEN a.i IS NOT NULL THEN a.i")] if self._texts else []
        return fill("CASE {} END", joined(" ", tests)) if tests else Fragment("CAST(NULL AS INT)")

    def _own_number(self, place: int, grouping: Grouping) -> Fragment:
        number = Fragment("0" if grouping.keys is None else f"a{place}.i")
        for each in grouping.bins:
            cells = self.rows.dialect.value(each.cells, self.rows.dialect.integer)
            number = fill("({} * {} + {})", number, cells, self._value(each))
        return number

    def _join(self, place: int, grouping: Grouping) -> Fragment:
        keys = self.key_tables[place]
        if keys is None:
            return Fragment("")
        equal = [fill(f"{{}} = a{place}.c{j}", self._value(column))
                 for j, column in enumerate(grouping.columns)]  # fmt: skip
        on = joined(" AND ", [*self._own_mask(grouping), *equal])
        return fill(f" {'INNER' if self.one else 'LEFT'} JOIN {{}} AS a{place} ON {{}}", keys, on)

    def _kept(self, place: int, grouping: Grouping) -> Fragment:
        values = [fill("{} IS NOT NULL", self._value(each)) for each in grouping.by]
        listed = [] if self.one or grouping.keys is None else [Fragment(f"a{place}.i IS NOT NULL")]
        return joined(" AND ", [*self._own_mask(grouping), *values, *listed])

    def _own_mask(self, grouping: Grouping) -> list[Fragment]:
        return [] if self.one else [Fragment(f"g = {self.mask(grouping)}")]

    def _value(self, expression: KeyExpression) -> Fragment:
        return Fragment(f"e{self.rows.expressions.index(expression)}")

    # All groupings at once.

    def counted(self, rows: Fragment, totals: list[Fragment], carried: list[Fragment]) -> Fragment:
        """Of rows with e0, … and what is carried along: one per cell of each grouping."""
        if self.one:
            keys = names("e", len(self.rows.expressions))
            columns = joined(", ", [*keys, *totals])
            return fill("SELECT {} FROM ({}) AS kept{}", columns, rows, grouped(keys))
        if self.rows.dialect.stacked:
            return self._in_stacks(rows, totals, carried)
        return self._in_sets(rows, totals)

    def _in_sets(self, rows: Fragment, totals: list[Fragment]) -> Fragment:
        keys = names("e", len(self.rows.expressions))
        bits = [f"CAST(1 - GROUPING({key.text}) AS {self.rows.dialect.integer}) * {1 << i}"
                for i, key in enumerate(keys)]  # fmt: skip
        sets = (fill("({})", joined(", ", map(self._value, each.by))) for each in self.groupings)
        return fill(
            "SELECT {} FROM ({}) AS kept GROUP BY GROUPING SETS ({})",
            joined(", ", [Fragment(f"{' + '.join(bits)} AS g"), *keys, *totals]),
            rows,
            joined(", ", sets),
        )

    def _in_stacks(
        self, rows: Fragment, totals: list[Fragment], carried: list[Fragment]
    ) -> Fragment:
        """For engines that are slow at grouping sets: one narrow row per row and grouping.

        A grouping's values are written as text, c0, c1, …, and read back after counting.
        """
        width = max(len(each.by) for each in self.groupings)
        keys = [Fragment("g"), *names("c", width)]
        stacked = fill(
            self.rows.dialect.stacked,
            Fragment(str(len(self.groupings))),
            joined(", ", (self._stacked_row(each, width) for each in self.groupings)),
            joined(", ", keys),
        )
        narrow = fill("SELECT {} FROM ({}) AS kept", joined(", ", [stacked, *carried]), rows)
        counted = fill(
            "SELECT {} FROM ({}) AS stacked{}", joined(", ", [*keys, *totals]), narrow,
            grouped(keys),
        )  # fmt: skip
        values = [self._unstacked(i, each) for i, each in enumerate(self.rows.expressions)]
        told = joined(", ", [Fragment("g"), *values, *names("t", len(totals))])
        return fill("SELECT {} FROM ({}) AS narrow", told, counted)

    def _stacked_row(self, grouping: Grouping, width: int) -> Fragment:
        dialect = self.rows.dialect
        texts = [dialect.cast(self._value(each), dialect.text) for each in grouping.by]
        texts += [Fragment(f"CAST(NULL AS {dialect.text})")] * (width - len(texts))
        mask = Fragment(f"CAST({self.mask(grouping)} AS {dialect.integer})")
        return joined(", ", [mask, *texts])

    def _unstacked(self, number: int, expression: KeyExpression) -> Fragment:
        cases = [
            f"WHEN g = {self.mask(each)} THEN c{each.by.index(expression)}"
            for each in self.groupings
            if expression in each.by
        ]
        kind = carried_type(key_kind(expression, self.rows.schema), self.rows.dialect)
        # Where conditions say what g is, Spark leaves out the CASE: other groupings' texts come by.
        return Fragment(f"TRY_CAST(CASE {' '.join(cases)} END AS {kind}) AS e{number}")
