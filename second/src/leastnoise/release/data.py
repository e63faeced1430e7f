"""`read` and the verbs on data: where, group_by, agg. They make a frozen query."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from leastnoise.ledger.ledger import ROW, Ledger
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, whole
from leastnoise.release import release as releasing
from leastnoise.release.choose_noise import Word
from leastnoise.release.grouping import Bins, Key, groups_of, key_of
from leastnoise.release.kinds import Aggregate, bind
from leastnoise.release.measurement import Drawn, Limit
from leastnoise.release.preview import Preview
from leastnoise.release.query import Select
from leastnoise.release.result import Result
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.sql.to_expression import expression_of
from leastnoise.tables.relations import Filtered, OfUnit, Relation
from leastnoise.tables.schema import Schema
from leastnoise.tables.sources import find_table


def read(
    source: Any,
    *,
    privacy_unit: Any = None,
    columns: Mapping[str, Any] | None = None,
    csv: Mapping[str, str] | None = None,
    table: str | None = None,
    time_zone: str | None = None,
    data_version: str | None = None,
) -> "Data":
    """The data of a source, and who is protected in them. Reads no rows.

    Args:
        source: a Parquet or CSV file, a pattern or a list of files; a pandas, Polars or Arrow
            frame; a DuckDB connection or relation.
        privacy_unit: who is protected: the column that names them, `"patient_id"`; with a name in
            the singular, `{"patient": "patient_id"}`; `ln.ROW` if every row is somebody else.
        columns: for some columns their type, or a dict of type, range, values, label, measured_in.
        csv: the delimiter and the decimal point of text files: `{"delimiter": ";", "decimal": ","}`.
        table: the table of a connection.
        time_zone: the zone in which moments with a zone are read: "Europe/Oslo".
        data_version: a name for these data. With it, a query that was answered for the same name is
            shown again without a look at the data.
    """
    unit, column = _unit(privacy_unit)
    found = find_table(source, table=table, csv=csv, columns=columns, time_zone=time_zone)
    if column is not None:
        found.schema[column]  # refuses an unknown name
    found = replace(found, unit=column)
    if data_version is not None and (not isinstance(data_version, str) or not data_version.strip()):
        raise InvalidInput('data_version is a name for these data: data_version="2026-11".')
    return Data(OfUnit(found), unit, data_version)


def _unit(given: Any) -> tuple[str, str | None]:
    """The name of the unit and its column; no column where every row is a unit."""
    if given is None:
        raise InvalidInput(
            "Who is protected? Name the column that tells people apart:\\n"
            '  privacy_unit={"patient": "patient_id"}\\n'
            "or, if every row is somebody else:  privacy_unit=ln.ROW"
        )
    if isinstance(given, str) and given == ROW:
        return ROW, None
    if isinstance(given, str):
        return given, given
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, column),) = given.items()
        if isinstance(name, str) and isinstance(column, str) and name.strip():
            return name, column
    raise InvalidInput(
        f'privacy_unit is {given!r:.60}. Write privacy_unit={{"patient": "patient_id"}}.'
    )


@dataclass(frozen=True, eq=False)
class Data:
    """Rows about privacy units. Nothing is read before a release."""

    relation: Relation
    unit: str
    data_version: str | None = None

    @property
    def schema(self) -> Schema:
        """The columns: names, types, and what is declared of them."""
        return self.relation.schema

    def where(self, condition: str) -> "Data":
        """The rows that meet a condition in SQL: `where("dep_delay > 15")`."""
        found = expression_of(condition, self.schema, "where")
        return replace(self, relation=Filtered(self.relation, found))

    def group_by(
        self,
        *columns: str | Bins,
        groups: Any = None,
        min_units: int | None = None,
        **named: str | Bins,
    ) -> "Grouped":
        """Groups by columns, bins, or named expressions: `group_by(year="year(day)")`.

        Args:
            *columns: names of columns, or bins.
            groups: the groups to show: a list (one column), a dict of lists (all combinations), a
                list of tuples or a frame. Rows of other groups are left out. Truth values, bins and
                columns with declared values need none. "auto": found privately, large ones only.
            min_units: with groups="auto", groups of fewer units are never listed.
            **named: SQL expressions by name.
        """
        keys = [key_of(each, self.schema) for each in columns]
        keys += [key_of(each, self.schema, name) for name, each in named.items()]
        if not keys:
            raise InvalidInput('group_by needs a column:  .group_by("city", groups=[...])')
        return Grouped(self, tuple(keys), groups, _min_units(groups, min_units))

    def agg(
        self,
        *,
        max_contributions: Any = "auto",
        max_per_group: int | None = None,
        **aggregates: Aggregate,
    ) -> "Query":
        """One row of answers: `agg(max_contributions=12, visits=ln.count())`.

        Args:
            max_contributions: how many rows of one unit count in all.
            max_per_group: how many of them in one group.
            **aggregates: the answers by name.
        """
        return Grouped(self, (), None).agg(
            max_contributions=max_contributions, max_per_group=max_per_group, **aggregates
        )

    def view(self) -> View:
        """The columns as a table."""
        tables = ", ".join(table.name for table in self.relation.tables)
        columns = ("column", "type", "range or values", "label")
        rows = []
        for column in self.schema.values():
            known = ""
            if column.range is not None:
                known = f"{column.range[0]} to {column.range[1]}"
            elif column.values is not None:
                known = ", ".join(map(str, column.values[:5])) + (
                    ", ..." if len(column.values) > 5 else ""
                )
            rows.append(
                tuple(map(Cell, (column.name, str(column.type), known, column.label or "")))
            )
        return View((f"{tables}: each {self.unit} is protected",), columns, tuple(rows), (), left=4)

    def __repr__(self) -> str:
        return text_of(self.view())


@dataclass(frozen=True, eq=False)
class Grouped:
    """Data with groups; `agg` makes a query of it."""

    data: Data
    keys: tuple[Key, ...]
    groups: Any
    min_units: int = 1

    def agg(
        self,
        *,
        max_contributions: Any = "auto",
        max_per_group: int | None = None,
        **aggregates: Aggregate,
    ) -> "Query":
        """One row of answers for each group: `agg(max_contributions=12, visits=ln.count())`.

        Args:
            max_contributions: how many rows of one unit count in all.
            max_per_group: how many of them in one group.
            **aggregates: the answers by name.
        """
        data, keys = self.data, self.keys
        groups = groups_of(keys, self.groups)
        found = {name: bind(each, data.schema, name) for name, each in aggregates.items()}
        names = [key.name for key in keys]
        by = f" by {', '.join(names)}" if names else ""
        title = f"{next(data.relation.tables).name}{by}"
        limit = _limit(data.relation, max_contributions, max_per_group)
        return Query(
            data.relation,
            data.unit,
            keys,
            groups,
            found,
            limit,
            title,
            min_units=self.min_units,
            data_version=data.data_version,
        )


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
        ledger: Ledger,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        noise: Word = "auto",
        expected_rows: int | None = None,
    ) -> Preview:
        """The margins to expect and the cost. Reads no data and spends nothing.

        Args:
            ledger: the budget that a release would be charged to.
            epsilon: how much of it; on a ledger in rho, `rho=` in its place.
            rho: see epsilon.
            noise: "auto", or "laplace" or "gaussian" to insist.
            expected_rows: how many rows a group has, for the margins of means and shares.
        """
        return releasing.preview(
            self._asking, ledger, epsilon=epsilon, rho=rho, noise=noise, expected_rows=expected_rows
        )

    def release(
        self,
        ledger: Ledger,
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
            ledger,
            epsilon=epsilon,
            rho=rho,
            noise=noise,
            analyst=analyst,
            again=again,
        )
        return found[self.title]

    @property
    def _asking(self) -> releasing.Asking:
        selects = {self.title: self}
        return releasing.Asking(selects, (Fraction(1),), self.title, self.data_version)
