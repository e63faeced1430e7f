"""`read`: the tables of a source, and who is protected in them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leastnoise.ledger.ledger import ROW
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.release.data import Data
from leastnoise.tables.relations import OfUnit, Public, Referring, Relation
from leastnoise.tables.schema import Table
from leastnoise.tables.sources import as_dict, find_table


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
) -> Data:
    """The data of a source, and who is protected in them. Reads no rows.

    Args:
        source: a Parquet or CSV file, a pattern or a list of files; a pandas, Polars or Arrow
            frame; a DuckDB connection or relation; `{"name": any of these}` for several tables; or a
            `.toml` file in which the data's owner describes them.
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
    several = isinstance(source, Mapping)
    unit, places = unit_of(privacy_unit)
    public = as_dict(public, 'public={"cities": "cities.csv"}')
    form: dict[str, Any] = {"table": table, "csv": csv, "time_zone": time_zone}
    if several:
        declared = _by_table(columns, [*source, *public])
        found = {name: find_table(each, name=name, columns=declared.get(name), **form)
                 for name, each in source.items()}  # fmt: skip
    else:
        declared = {}
        only = find_table(source, columns=columns, **form)
        found = {only.name: only}
    for name in public:
        if name in found:
            raise InvalidInput(f'"{name}" is named twice: as a table and as public.')
    shown = {name: find_table(each, name=name, columns=declared.get(name), **form)
             for name, each in public.items()}  # fmt: skip
    return data_of(found, shown, unit, places, data_version)


def data_of(
    private: Mapping[str, Table],
    public: Mapping[str, Table],
    unit: str,
    places: str | Mapping[str, str] | None,
    data_version: str | None,
) -> Data:
    """The data of tables that were found.

    Args:
        private: tables about privacy units.
        public: tables about nobody.
        unit: the name of the privacy unit.
        places: the column that names it, or for each private table one; None if rows are units.
        data_version: a name for these data.
    """
    if data_version is not None and (not isinstance(data_version, str) or not data_version.strip()):
        raise InvalidInput('data_version is a name for these data: data_version="2026-11".')
    if not private:
        raise InvalidInput('No table has a privacy unit.  ln.read("visits.parquet", ...)')
    relations = _private(private, unit, places)
    one = relations[next(iter(relations))] if len(relations) == 1 else None
    for name, table in public.items():
        relations[name] = Public(replace(table, public=True))
    return Data(relations, one, unit, data_version)


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
                f'privacy_unit names no column of "{name}". Add it, or declare the table public.'
                if name in found else
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


def unit_of(given: Any) -> tuple[str, str | Mapping[str, str] | None]:
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
