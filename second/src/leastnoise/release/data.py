"""`read` and the verbs on data: where, group_by, agg. They make a frozen query."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from leastnoise.ledger.ledger import ROW, Ledger
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import Exact, whole, written
from leastnoise.release import release as releasing
from leastnoise.release.choose_noise import Word
from leastnoise.release.from_sql import Statement
from leastnoise.release.grouping import Bins, Key, groups_of, key_of
from leastnoise.release.kinds import Aggregate, bind
from leastnoise.release.measurement import Drawn, Limit
from leastnoise.release.preview import Preview
from leastnoise.release.query import Select
from leastnoise.release.result import Result
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.sql.to_expression import expression_of
from leastnoise.tables.relations import Filtered, OfUnit, Public, Referring, Relation
from leastnoise.tables.schema import Schema, Table
from leastnoise.tables.sources import find_table


def read(
    source: Any,
    *,
    privacy_unit: Any = None,
    public: Mapping[str, Any] | None = None,
    columns: Mapping[str, Any] | None = None,
    csv: Mapping[str, str] | None = None,
    table: str | None = None,
    time_zone: str | None = None,
    data_version: str | None = None,
) -> "Data":
    """The data of a source, and who is protected in them. Reads no rows.

    Args:
        source: a Parquet or CSV file, a pattern or a list of files; a pandas, Polars or Arrow
            frame; a DuckDB connection or relation; or `{"name": any of these}` for several tables.
        privacy_unit: who is protected: the column that names them, `"patient_id"`; with a name in
            the singular, `{"patient": "patient_id"}`; of several tables, one column for each:
            `{"patient": {"patients": "id", "visits": "patient_id", "lab": "visit_id -> visits.id"}}`;
            `ln.ROW` if every row is somebody else.
        public: tables about nobody, by name. To declare a table public is up to the data's owner.
        columns: for some columns their type, or a dict of type, range, values, label, measured_in;
            of several tables, such a dict for each table.
        csv: the delimiter and the decimal point of text files: `{"delimiter": ";", "decimal": ","}`.
        table: the table of a connection.
        time_zone: the zone in which moments with a zone are read: "Europe/Oslo".
        data_version: a name for these data. With it, a query that was answered for the same name is
            shown again without a look at the data.
    """
    if data_version is not None and (not isinstance(data_version, str) or not data_version.strip()):
        raise InvalidInput('data_version is a name for these data: data_version="2026-11".')
    several = isinstance(source, Mapping)
    unit, places = _unit(privacy_unit)
    form: dict[str, Any] = {"table": table, "csv": csv, "time_zone": time_zone}
    if several:
        declared = _by_table(columns, [*source, *(public or {})])
        found = {name: find_table(each, name=name, columns=declared.get(name), **form)
                 for name, each in source.items()}  # fmt: skip
    else:
        declared = {}
        only = find_table(source, columns=columns, **form)
        found = {only.name: only}
    for name in public or {}:
        if name in found:
            raise InvalidInput(f'"{name}" is named twice: as a table and as public.')
    private = _private(found, unit, places)
    for name, each in (public or {}).items():
        shown = find_table(each, name=name, columns=declared.get(name), **form)
        private[name] = Public(replace(shown, public=True))
    relation = None if several and len(found) > 1 else private[next(iter(found))]
    return Data(private, relation, unit, data_version)


def _by_table(columns: Mapping[str, Any] | None, tables: Sequence[str]) -> dict[str, Any]:
    for name, fields in (columns or {}).items():
        if name not in tables or not isinstance(fields, Mapping):
            hint = did_you_mean(name, tables)
            raise InvalidInput(
                f'columns= names "{name}", which is no table.{hint} With several tables write:  '
                'columns={"visits": {"cost": "number"}}'
            )
    return dict(columns or {})


def _private(
    found: Mapping[str, Table], unit: str, places: str | Mapping[str, str] | None
) -> dict[str, Relation]:
    """The private tables as relations; child tables after their parents."""
    if places is None or isinstance(places, str):
        if isinstance(places, str) and len(found) > 1:
            names = ", ".join(f'"{name}": "{places}"' for name in found)
            raise InvalidInput(
                f"Which column names the {unit} in each table?\n"
                f'  privacy_unit={{"{unit}": {{{names}}}}}'
            )
        places = dict.fromkeys(found, places) if places else {}
        if not places:
            return {name: OfUnit(table) for name, table in found.items()}
    for name in [*places, *found]:
        if name not in found or name not in places:
            hint = did_you_mean(name, found)
            raise InvalidInput(
                f'privacy_unit names no column of "{name}".' if name in found else
                f'privacy_unit names "{name}", which is no table.{hint}')  # fmt: skip
    relations: dict[str, Relation] = {}
    waiting = dict(places)
    while waiting:
        ready = [
            name
            for name, place in waiting.items()
            if "->" not in place or _parent(place)[1] in relations
        ]
        if not ready:
            name, place = next(iter(waiting.items()))
            raise InvalidInput(
                f'"{name}" refers to "{_parent(place)[1]}", which is no table with a privacy unit.'
            )
        for name in ready:
            relations[name] = _relation(found[name], waiting.pop(name), relations)
    return {name: relations[name] for name in found}


def _parent(place: str) -> tuple[str, str, str]:
    """The column, the parent and its key of "visit_id -> visits.id"."""
    column, _, target = (part.strip() for part in place.partition("->"))
    table, _, key = target.rpartition(".")
    return column, table, key


def _relation(table: Table, place: str, relations: Mapping[str, Relation]) -> Relation:
    if "->" not in place:
        table.schema[place]  # refuses an unknown name
        return OfUnit(replace(table, unit=place))
    column, parent, key = _parent(place)
    if not column or not parent or not key:
        raise InvalidInput(f'"{place}" is not readable. Write "visit_id -> visits.id".')
    above = relations[parent]
    assert isinstance(above, OfUnit | Referring)
    return Referring(table, column, above, key)


def _unit(given: Any) -> tuple[str, str | Mapping[str, str] | None]:
    """The name of the unit and its column, or columns; none where every row is a unit."""
    if given is None:
        raise InvalidInput(
            "Who is protected? Name the column that tells people apart:\n"
            '  privacy_unit={"patient": "patient_id"}\n'
            "or, if every row is somebody else:  privacy_unit=ln.ROW"
        )
    if isinstance(given, str) and given == ROW:
        return ROW, None
    if isinstance(given, str):
        return given, given
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, column),) = given.items()
        columns = list(column.values()) if isinstance(column, Mapping) else [column]
        if (
            isinstance(name, str)
            and name.strip()
            and all(isinstance(each, str) for each in columns)
        ):
            return name, column
    raise InvalidInput(
        f'privacy_unit is {given!r:.60}. Write privacy_unit={{"patient": "patient_id"}}.'
    )


@dataclass(frozen=True, eq=False)
class Data:
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
    ) -> "Query":
        """A SELECT: `sql("SELECT city, COUNT(*) AS visits FROM visits GROUP BY city")`.

        Args:
            text: the statement. FROM names the tables as they were read.
            groups: as in `group_by`.
            min_units: as in `group_by`.
            max_contributions: as in `agg`.
            max_per_group: as in `agg`.
        """
        read = Statement(text, self.tables, self.unit)
        return Query(
            read.relation,
            self.unit,
            tuple(read.keys),
            groups_of(read.keys, groups),
            read.aggregates,
            _limit(read.relation, max_contributions, max_per_group),
            read.title,
            min_units=_min_units(groups, min_units),
            outer=read.outer,
            hidden=read.hidden,
            text=read.text,
            data_version=self.data_version,
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
