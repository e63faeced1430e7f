"""From a TOML file to data and to a plan.

Nothing in a file is executed, and nothing is read but the tables that it names.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from leastnoise.files.document import Document, Keys
from leastnoise.files.fields import check
from leastnoise.ledger.ledger import ROW, Ledger
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import exact, positive
from leastnoise.release import read as tables
from leastnoise.release.data import Data, Query
from leastnoise.release.measurement import Drawn
from leastnoise.release.plan import Plan, Tables
from leastnoise.release.schedule import Schedule
from leastnoise.tables.relations import OfUnit
from leastnoise.tables.schema import Table
from leastnoise.tables.sources import find_table

P = ParamSpec("P")

_BESIDE = ("sql", "budget_weight", "schedule")  # fields of a query that `Data.sql` does not take
_PLACE = re.compile(r"line (\d+), column (\d+): ")


def load(path: str | os.PathLike[str], *, data_version: str | None = None) -> Plan:
    """The queries of a TOML file with their data, ledger and epsilon. Reads no rows.

    `load("clinic.toml").preview()` and `.release()` need no arguments.

    Args:
        path: the file.
        data_version: a name for the data, as in `read`.
    """
    return DataFile.open(path).plan(data_version)


def or_file(read: Callable[P, Data]) -> Callable[P, Data]:
    """`read`, which also takes a `.toml` file."""

    @wraps(read)
    def reading(*args: P.args, **options: P.kwargs) -> Data:
        source = args[0] if args else options.get("source")
        if not isinstance(source, str | os.PathLike) or not is_toml(source):
            return read(*args, **options)
        version: Any = options.pop("data_version", None)
        options.pop("source", None)
        if options:
            raise InvalidInput(
                f"{next(iter(options))}= stands in {Path(source).name}. Leave it out here."
            )
        return DataFile.open(source).data(version)

    return reading


read = or_file(tables.read)


def is_toml(path: str | os.PathLike[str]) -> bool:
    """Whether a file is TOML by its name."""
    return os.fspath(path).lower().endswith(".toml")


@dataclass(frozen=True, eq=False)
class DataFile:
    """A TOML file whose form was checked.

    Attributes:
        document: what it holds.
        folder: where it is; paths in it start here.
    """

    document: Document
    folder: Path

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "DataFile":
        """The file at a path."""
        document = Document.open(Path(path))
        check(document)
        return cls(document, Path(path).parent)

    @property
    def ledger_path(self) -> Path:
        """The file of the ledger."""
        name = self.document.values.get("ledger")
        if name is None:
            example = f'ledger = "{Path(self.document.name).stem}.ledger"'
            raise InvalidInput(
                f"{self.document.name} names no ledger. Write at its top:  {example}"
            )
        with self.document.at("ledger"):
            return Path(self._path(name))

    @property
    def unit(self) -> str:
        """The name of the privacy unit."""
        return self._units()[0]

    def data(self, data_version: str | None = None) -> Data:
        """The data as the owner described them."""
        unit, places = self._units()
        described = self.document.values["tables"]
        found = {name: self._table(name, fields) for name, fields in described.items()}
        private = {name: table for name, table in found.items() if name in places}
        public = {name: table for name, table in found.items() if name not in places}
        for name, place in places.items():
            if unit != ROW and "->" not in place:
                with self.document.at("tables", name, "privacy_unit"):
                    OfUnit(Table(name, found[name].place, found[name].schema, unit=place))
        with self.document.at("tables"):
            return tables.data_of(
                private, public, unit, None if unit == ROW else places, data_version
            )

    def plan(self, data_version: str | None = None) -> Plan:
        """The queries of the file."""
        queries, data = self._queries(scheduled=False), self.data(data_version)
        found = {name: self._query(data, name, fields) for name, fields in queries.items()}
        weights = {name: exact(fields.get("budget_weight", 1)) for name, fields in queries.items()}
        return Plan(found, weights, data, self.ledger_path, *self.amounts)

    def schedule(self, name: str, ledger: Ledger, data_version: str | None = None) -> Schedule:
        """The schedule of a query; without a name that of the only query that has one."""
        queries = self._queries(scheduled=True)
        name = next(iter(queries)) if not name and len(queries) == 1 else name
        if name not in queries:
            raise InvalidInput(
                f"Which query? Write one of:  {', '.join(f'{n}=DAY' for n in queries)}"
            )
        query = self._query(self.data(data_version), name, queries[name])
        with self.document.at("queries", name, "schedule"):
            return query.schedule(ledger, **queries[name]["schedule"])

    def _queries(self, *, scheduled: bool) -> dict[str, Any]:
        """The queries with a schedule, or those without one."""
        queries = self.document.values.get("queries", {}).items()
        found = {name: each for name, each in queries if ("schedule" in each) is scheduled}
        if not found:
            other = " but those with a schedule: name a --period" if queries else ""
            raise InvalidInput(
                f"{self.document.name} has no queries{' with a schedule' if scheduled else other}. "
                "Write one:\n"
                '  [queries.visits]\n  sql = "SELECT COUNT(*) AS visits FROM visits"'
            )
        return found

    @property
    def amounts(self) -> tuple[Fraction | None, Fraction | None]:
        """Epsilon and rho, as far as the file has them."""
        values = self.document.values
        if "epsilon" in values and "rho" in values:
            raise self.document.error(("rho",), "the file has epsilon too. Leave one of them out.")
        epsilon, rho = (
            positive(values[name], name) if name in values else None for name in ("epsilon", "rho")
        )
        return epsilon, rho

    def query(self, data: Data, text: str, fields: Mapping[str, Any]) -> Query | Tables:
        """A statement on the data, with the file's defaults for what its own fields leave open."""
        own = {name: each for name, each in fields.items() if name not in _BESIDE}
        defaults = dict(self.document.values.get("defaults", {}))
        fewest = defaults.pop("min_units", None)
        if fewest is not None and own.get("groups") == "auto":
            own.setdefault("min_units", fewest)
        if "max_contributions" in own:
            return data.sql(text, **own)
        query = data.sql(text, **own) if "max_per_group" not in own else None
        first = next(iter(query.queries.values())) if isinstance(query, Tables) else query
        if first is None or isinstance(first.limit, Drawn):
            return data.sql(text, **defaults | own)
        assert query is not None
        return query  # no unit has several rows, so no limit is needed

    def _query(self, data: Data, name: str, fields: Mapping[str, Any]) -> Query:
        where = ("queries", name)
        if not all(each.isalnum() or each in "_-" for each in name):
            raise self.document.error(
                where, f'"{name}" will be the name of a file. Use letters, digits, - and _.'
            )
        try:
            found = self.query(data, fields["sql"], fields)
            if isinstance(found, Tables):
                raise InvalidInput(
                    "GROUPING SETS are released by themselves, not in a file of queries."
                )
            return found
        except InvalidInput as error:
            raise self._in_statement((*where, "sql"), fields["sql"], str(error)) from None

    def _in_statement(self, where: Keys, sql: str, message: str) -> InvalidInput:
        """A refusal of a statement, with the place in the file if it has one in the statement."""
        found = _PLACE.match(message)
        _, end = self.document.places[where]
        start = self.document.text.find(sql, end)
        if found is None or start < 0:
            return self.document.error(where, message)
        before, line, column = self.document.text[:start], int(found[1]), int(found[2])
        if line == 1:
            column += start - before.rfind("\n") - 1
        name, line = self.document.name, line + before.count("\n")
        return InvalidInput(f"{name}, line {line}, column {column}: {message[found.end() :]}")

    def _units(self) -> tuple[str, dict[str, str]]:
        """The privacy unit, and of each private table the column that names it."""
        units: dict[str, str] = {}
        places: dict[str, str] = {}
        for name, fields in self.document.values["tables"].items():
            given, public = fields.get("privacy_unit"), fields.get("public", False)
            if (given is None) is not public:
                message = (
                    f"{name} is public and has a privacy unit. Leave one of them out."
                    if public
                    else f"{name} names no privacy unit. Who is protected, and which column names "
                    'them?\n  privacy_unit = {patient = "patient_id"}\n'
                    'Every row is somebody else:  privacy_unit = "row"\n'
                    "The table is about nobody:   public = true"
                )
                raise self.document.error(("tables", name, "privacy_unit"), message)
            if given is not None:
                units[name], place = tables.unit_of(given)
                places[name] = str(place)
        if not places:
            raise self.document.error(("tables",), "no table names a privacy unit.")
        first, *others = units.items()
        for name, unit in others:
            if unit != first[1]:
                raise self.document.error(
                    ("tables", name, "privacy_unit"),
                    f"{first[0]} protects each {first[1]}, and {name} each {unit}. A file protects "
                    "one.",
                )
        return first[1], places

    def _table(self, name: str, fields: Mapping[str, Any]) -> Table:
        with self.document.at("tables", name, "path"):
            if "path" not in fields:
                raise InvalidInput(f'{name} has no path. Write:  path = "{name}.parquet"')
            given = fields["path"]
            paths = [self._path(each) for each in (given if isinstance(given, list) else [given])]
        form = {"csv": fields.get("csv"), "time_zone": fields.get("time_zone")}
        columns = fields.get("columns", {})
        try:
            return find_table(paths, name=name, columns=columns, **form)
        except InvalidInput as error:
            where = self._blamed(paths, columns, form)
            raise self.document.error(("tables", name, *where), str(error)) from None

    def _blamed(
        self, paths: list[str], columns: Mapping[str, Any], form: dict[str, Any]
    ) -> tuple[str, ...]:
        """The field because of which a table cannot be read."""
        blamed: tuple[str, ...] = ("path",)
        try:
            find_table(paths, **form)
            for column, declared in columns.items():
                blamed = ("columns", column)
                find_table(paths, columns={column: declared}, **form)
        except InvalidInput:
            return blamed
        return ("columns",)

    def _path(self, text: str) -> str:
        """A path as it is seen from here; env:NAME is what the environment has."""
        name = text.removeprefix("env:")
        if name != text:
            text = os.environ.get(name, "")
            if not text:
                raise InvalidInput(
                    f"The environment has no variable {name}. Set it:  export {name}=..."
                )
        return str(self.folder / text)
