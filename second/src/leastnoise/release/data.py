"""Data and the verbs on it: where, group_by, agg, sql. They make a frozen query."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from leastnoise.ledger.costs import Asked
from leastnoise.ledger.ledger import Ledger
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import Exact, whole, written
from leastnoise.release import release as releasing
from leastnoise.release.choose_noise import Word
from leastnoise.release.grouping import Bins, Key, groups_of, key_of
from leastnoise.release.kinds import Aggregate, bind
from leastnoise.release.marginal_tables import Marginals
from leastnoise.release.measurement import Drawn, Limit
from leastnoise.release.plan import tables_of
from leastnoise.release.preview import Preview, least_epsilon
from leastnoise.release.query import Select
from leastnoise.release.result import Result
from leastnoise.release.schedule import Schedule, periods_of
from leastnoise.report.html import Notebook
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.sql import expression_of
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import (
    Filtered,
    Relation,
    over_tables,
)
from leastnoise.tables.schema import Schema
from leastnoise.tables.sources import find_table


@dataclass(frozen=True, eq=False, repr=False)
class Data(Notebook):
    """Rows about privacy units. Nothing is read before a release.

    Attributes:
        tables: all tables by name.
        one: the rows that `where`, `group_by` and `agg` ask about; None if there are several tables.
        unit: the name of the privacy unit.
        data_version: a name for these data.
    """

    tables: Mapping[str, Relation]
    one: Relation | None
    unit: str
    data_version: str | None = None

    @property
    def relation(self) -> Relation:
        """The rows that are asked about."""
        if self.one is None:
            names = ", ".join(self.tables)
            raise InvalidInput(
                f'Which table? data["{next(iter(self.tables))}"], or ask in SQL. Tables: {names}.'
            )
        return self.one

    def __getitem__(self, name: str) -> "Data":
        """The rows of one table: `data["visits"]`."""
        if name not in self.tables:
            raise InvalidInput(f'There is no table "{name}".{did_you_mean(name, self.tables)}')
        relation = self.tables[name]
        if relation.is_public:
            raise InvalidInput(f"{name} is public. Query it directly.")
        return replace(self, one=relation)

    def sql(
        self,
        text: str,
        *,
        groups: Any = None,
        min_units: int | None = None,
        max_contributions: Any = "auto",
        max_per_group: int | None = None,
    ) -> "Query | Any":
        """A SELECT: `sql("SELECT city, COUNT(*) AS visits FROM visits GROUP BY city")`.

        With GROUP BY GROUPING SETS it is a plan of tables that fit together, as of `ln.marginals`.

        Args:
            text: the statement. FROM names the tables as they were read.
            groups: as in `group_by`.
            min_units: as in `group_by`.
            max_contributions: as in `agg`.
            max_per_group: as in `agg`.
        """
        from leastnoise.release.from_sql import Statement

        read = Statement(text, self.tables, self.unit)
        return _asked(
            self,
            tuple(read.keys),
            groups,
            read.sets,
            relation=read.relation,
            aggregates=read.aggregates,
            limit=_limit(read.relation, max_contributions, max_per_group),
            title=read.title,
            min_units=_min_units(groups, min_units),
            outer=read.outer,
            hidden=read.hidden,
            text=read.text,
        )

    @property
    def schema(self) -> Schema:
        """The columns: names, types, and what is declared of them."""
        return self.relation.schema

    def where(self, condition: str) -> "Data":
        """The rows that meet a condition in SQL: `where("dep_delay > 15")`."""
        found = expression_of(condition, self.schema, "where")
        return replace(self, one=Filtered(self.relation, found))

    def group_by(
        self,
        *columns: str | Bins | Marginals,
        groups: Any = None,
        min_units: int | None = None,
        **named: str | Bins,
    ) -> "Grouped":
        """Groups by columns, bins, or named expressions: `group_by(year="year(day)")`.

        Args:
            *columns: names of columns, or bins; or `ln.marginals` alone.
            groups: the groups to show: a list (one column), a dict of lists (all combinations), a
                list of tuples or a frame. Rows of other groups are left out. Truth values, bins and
                columns with declared values need none. "auto": found privately, large ones only.
            min_units: with groups="auto", groups of fewer units are never listed.
            **named: SQL expressions by name.
        """
        several = [each for each in columns if isinstance(each, Marginals)]
        if several:
            if len(columns) > 1 or named or min_units is not None:
                raise InvalidInput(
                    "marginals stands alone in group_by: name all columns in it.\n"
                    '  .group_by(ln.marginals(["sex", "smoker", "region"], ways=2), groups={...})'
                )
            keys = [key_of(each, self.schema) for each in several[0].columns]
            return Grouped(self, tuple(keys), groups, sets=several[0].sets)
        keys = [key_of(each, self.schema) for each in columns if not isinstance(each, Marginals)]
        keys += [key_of(each, self.schema, name) for name, each in named.items()]
        if not keys:
            raise InvalidInput('group_by needs a column:  .group_by("city", groups=[...])')
        return Grouped(self, tuple(keys), groups, _min_units(groups, min_units))

    def agg(
        self,
        *unnamed: Any,
        max_contributions: Any = "auto",
        max_per_group: int | None = None,
        **aggregates: Aggregate,
    ) -> "Query":
        """One row of answers: `agg(max_contributions=12, visits=ln.count())`.

        Args:
            *unnamed: refused, because every answer needs a name.
            max_contributions: how many rows of one unit count in all.
            max_per_group: how many of them in one group.
            **aggregates: the answers by name.
        """
        return Grouped(self, (), None).agg(
            *unnamed,
            max_contributions=max_contributions,
            max_per_group=max_per_group,
            **aggregates,
        )

    def view(self) -> View:
        """The columns as a table."""
        relations = self.tables if self.one is None else {"": self.one}
        rows = [row for name, each in relations.items() for row in _described(name, each.schema)]
        names = ", ".join(self.tables if self.one is None else [t.name for t in self.one.tables])
        public = [name for name, each in self.tables.items() if each.is_public]
        header = [f"{names}: each {self.unit} is protected"]
        if public:
            header.append(f"Declared public: {', '.join(public)}")
        return View(
            tuple(header), ("column", "type", "range or values", "label"), tuple(rows), (), left=4
        )

    def __repr__(self) -> str:
        return text_of(self.view())


def _described(table: str, schema: Schema) -> Iterator[tuple[Cell, ...]]:
    for column in schema.values():
        known = ""
        if column.range is not None:
            known = " to ".join(each.isoformat() if isinstance(each, date) else written(each)
                                for each in column.range)  # fmt: skip
        elif column.values is not None:
            more = ", ..." if len(column.values) > 5 else ""
            known = ", ".join(map(str, column.values[:5])) + more
        name = f"{table}.{column.name}" if table else column.name
        yield tuple(map(Cell, (name, str(column.type), known, column.label or "")))


@dataclass(frozen=True, eq=False)
class Grouped:
    """Data with groups; `agg` makes a query of it, or, of several sets of groups, tables."""

    data: Data
    keys: tuple[Key, ...]
    groups: Any
    min_units: int = 1
    sets: Sequence[tuple[int, ...]] = ()

    def agg(
        self,
        *unnamed: Any,
        max_contributions: Any = "auto",
        max_per_group: int | None = None,
        **aggregates: Aggregate,
    ) -> "Query | Any":
        """One row of answers for each group: `agg(max_contributions=12, visits=ln.count())`.

        Of `ln.marginals` it is a plan of tables that fit together.

        Args:
            *unnamed: refused, because every answer needs a name.
            max_contributions: how many rows of one unit count in all.
            max_per_group: how many of them in one group.
            **aggregates: the answers by name.
        """
        if unnamed:
            raise InvalidInput("Give every answer a name:  .agg(rows=ln.count())")
        data, names = self.data, [key.name for key in self.keys]
        kinds = {name: bind(each, data.schema, name) for name, each in aggregates.items()}
        title = next(data.relation.tables).name
        if names and not self.sets:
            title += f" by {', '.join(names)}"
        limit = _limit(data.relation, max_contributions, max_per_group)
        return _asked(
            data, self.keys, self.groups, self.sets, relation=data.relation, aggregates=kinds,
            limit=limit, title=title, min_units=self.min_units,
        )  # fmt: skip


def _asked(
    data: Data, keys: tuple[Key, ...], groups: Any, sets: Sequence[tuple[int, ...]], **more: Any
) -> "Query | Any":
    """A query; of several sets of keys, tables that fit together."""
    own, listed = ((), Groups()) if sets else (keys, groups_of(keys, groups))
    query = Query(
        unit=data.unit, keys=own, groups=listed, data_version=data.data_version, **more
    )  # fmt: skip
    return tables_of(query, keys, sets, groups) if sets else query


def _min_units(groups: Any, given: Any) -> int:
    if given is None:
        return 1
    if not isinstance(groups, str) or groups != "auto":
        raise InvalidInput('min_units goes with groups="auto". Leave it out.')
    return whole(given, "min_units")


def _limit(relation: Relation, rows: Any, per_group: Any) -> Limit | Drawn | None:
    if relation.one_row_each:
        if rows != "auto" or per_group is not None:
            raise InvalidInput(
                "No privacy unit has more than one row here, so no limit is needed. Leave it out."
            )
        return None
    if isinstance(rows, str) and rows == "auto":
        if per_group is not None:
            raise InvalidInput(
                "max_per_group needs max_contributions: the most rows of one unit in all.\n"
                "  .agg(max_contributions=600, max_per_group=5, ...)"
            )
        return Drawn()
    per = None if per_group is None else whole(per_group, "max_per_group")
    return Limit(whole(rows, "max_contributions"), per)


@dataclass(frozen=True, eq=False, repr=False)
class Query(Select):
    """One SELECT with its limit. Preview it, then release it."""

    data_version: str | None = None

    def preview(
        self,
        ledger: Ledger | None = None,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        noise: Word = "auto",
        expected_rows: int | None = None,
        on: Any = None,
    ) -> Preview | Result:
        """The margins to expect and the cost. Reads no data and spends nothing.

        Args:
            ledger: the budget that a release would be charged to.
            epsilon: how much of it; on a ledger in rho, `rho=` in its place.
            rho: see epsilon.
            noise: "auto", or "laplace" or "gaussian" to insist.
            expected_rows: how many rows a group has, for the margins of means and shares.
            on: a frame of public or made-up rows, with several tables a dict of them: the whole
                release is tried on these, without a charge.
        """
        ledger = _given(ledger)
        if on is not None:
            asking = replace(self._asking, selects={self.title: self._over(on)})
            return releasing.trial(asking, ledger, epsilon=epsilon, rho=rho, noise=noise)[
                self.title
            ]
        return releasing.preview(
            self._asking, ledger, epsilon=epsilon, rho=rho, noise=noise, expected_rows=expected_rows
        )

    def release(
        self,
        ledger: Ledger | None = None,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        noise: Word = "auto",
        analyst: str | None = None,
        again: bool = False,
    ) -> Result:
        """The answer with noise. It is charged once: the same release is shown again for free.

        Args:
            ledger: the budget that it is charged to.
            epsilon: how much of it; on a ledger in rho, `rho=` in its place.
            rho: see epsilon.
            noise: "auto", or "laplace" or "gaussian" to insist.
            analyst: who asks, for the ledger.
            again: draw new noise at the full price, even if the answer is stored.
        """
        found = releasing.release(
            self._asking,
            _given(ledger),
            epsilon=epsilon,
            rho=rho,
            noise=noise,
            analyst=analyst,
            again=again,
        )
        return found[self.title]

    def schedule(
        self,
        ledger: Ledger,
        *,
        every: str,
        column: str,
        first: str | date,
        periods: int,
        append_only: bool,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
    ) -> Schedule:
        """The same for many periods, one after another, for one price. Reads and spends nothing.

        The limit of a unit is for all periods together.

        Args:
            ledger: the budget that all periods are charged to, when the first one is released.
            every: how long a period is: "day", "week", "month", "quarter" or "year".
            column: the dates by which rows belong to periods.
            first: the first day of the first period: "2013-01-01".
            periods: how many there are.
            append_only: True says that rows are only ever added to the tables, also late ones, and
                that none is changed or removed before the last period is released; also that no
                release reads an older copy than one before it. The data's owner must know this:
                where it is false, the promise does not hold.
            epsilon: what all periods together may cost; on a ledger in rho, `rho=` in its place.
            rho: see epsilon.
        """
        together, starts = periods_of(
            self, every=every, column=column, first=first, periods=periods, append_only=append_only
        )
        asking = replace(self._asking, selects={"": together})
        asked = Asked.of(releasing.meters_of(asking, ledger), epsilon, rho)
        return Schedule(self, together, ledger, asked, every, starts, self.data_version)

    def _over(self, rows: Any) -> Select:
        """The same query over other rows of its private tables."""
        private = {table.name: table for table in self.relation.tables if not table.public}
        given = rows if isinstance(rows, Mapping) else dict.fromkeys(private, rows)
        if given.keys() != private.keys():
            names = ", ".join(f'"{name}": frame' for name in private)
            raise InvalidInput(f"on= needs rows for each private table:  on={{{names}}}")
        new = {
            table: replace(table, place=find_table(given[name]).place)
            for name, table in private.items()
        }
        relation = over_tables(self.relation, new)
        return replace(self, relation=relation, title=f"Trial of {self.title}")

    @property
    def _asking(self) -> releasing.Asking:
        selects = {self.title: self}
        return releasing.Asking(selects, (Fraction(1),), self.title, self.data_version)

    def needed_epsilon(self, ledger: Ledger | None = None, *, margin: float, column: str) -> float:
        """About the least epsilon at which a column gets this margin; reads and spends nothing.

        Args:
            ledger: the budget that a release would be charged to.
            margin: the margin to reach, in a group of 10,000 rows; shares from 0 to 1.
            column: which answer.
        """

        def margin_at(epsilon: float) -> float:
            found = self.preview(ledger, epsilon=epsilon)
            assert isinstance(found, Preview)
            return found.margin(column)

        return least_epsilon(margin_at, margin)


def _given(ledger: Ledger | None) -> Ledger:
    if ledger is None:
        raise InvalidInput('Which ledger?  query.release(ln.Ledger("flights.ledger"), epsilon=1)')
    return ledger
