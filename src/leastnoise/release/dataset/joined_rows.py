"""Rows of a table with their owner, and with the columns of tables that they refer to."""

from collections.abc import Callable, Collection, Mapping, Sequence

from leastnoise import _check
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.location import PostgresTable, SparkFrame, StoredLocation, Zoned
from leastnoise.release.dataset.described_table import DescribedTable, Reference
from leastnoise.release.dataset.ways import Way
from leastnoise.release.measure.sources import (
    PublicRows,
    Rows,
    Stored,
    mapped,
    owned,
    public_mapped,
    referring,
    with_public,
)


def rows_of_owners(
    way: Way, unit: Reference, stored: Callable[[str], Stored], keep: Collection[str] = ()
) -> Rows:
    """The rows of the table where a way begins, with the owners that it leads to.

    Args:
        way: keys from the table to the unit.
        unit: the key that names units.
        stored: a table as it lies, by name.
        keep: tables on the way whose columns are kept, called patients.born.
    """
    rows, carried = owned(stored(unit.table), unit.column, called=str(unit)), list[str]()
    for column, key in reversed(way):
        name = key.column
        if key.table in keep:
            own = [each for each in rows.schema.names if each not in carried]
            called = {each: f"{key.table}.{each}" for each in own}
            rows = mapped(
                rows, {called.get(each, each): Column(each) for each in rows.schema.names}
            )
            name, carried = called[key.column], [*carried, *called.values()]
        rows = referring(stored(column.table), column.column, rows, name, keep=carried)
    return rows


def with_public_tables(
    rows: Rows,
    begun: Sequence[str],
    joined: Sequence[str],
    tables: Mapping[str, DescribedTable],
    public_rows: Callable[[str], PublicRows],
) -> Rows:
    """The same rows beside what public tables say of them; rows without a match stay.

    Args:
        rows: columns of the first table have their own names, those of others are called
            patients.born.
        begun: the tables whose columns they have.
        joined: public tables, each referred to by one column of those before.
        tables: all tables.
        public_rows: the rows of a public table, by name.
    """
    sources = list(begun)
    for name in joined:
        column, key = _referring_column(name, sources, tables)
        here = column.column if column.table == begun[0] else str(column)
        found = public_rows(name)
        terms = {f"{name}.{each}": Column(each) for each in found.schema.names}
        rows = with_public(rows, public_mapped(found, terms), on=[(here, str(key))], how="left")
        sources.append(name)
    return rows


def _referring_column(
    name: str, sources: Sequence[str], tables: Mapping[str, DescribedTable]
) -> tuple[Reference, Reference]:
    found = [
        (Reference(source, column), key)
        for source in sources
        for column, key in tables[source].refers
        if key.table == name
    ]
    if len(found) == 1:
        return found[0]
    raise _check.refuse(
        f"the table {name!r} must be referred to by one column of {', '.join(map(repr, sources))}",
        ", ".join(str(column) for column, _ in found) or "none",
        "Say it by `refers` in the dataset, or ask in SQL.",
    )


def on_one_engine(rows: Rows) -> Rows:
    """The rows, if one engine has all tables that they are made of.

    Raises:
        InvalidParameter: the tables lie on several engines, or in several databases.
    """
    homes = {_home(each.location): each.name for each in reversed(rows.leaves)}
    if len(homes) == 1:
        return rows
    raise _check.refuse(
        "tables that are joined must lie on one engine: files, tables in memory and one DuckDB "
        "file; one PostgreSQL database; or one Spark session",
        f"{' and '.join(sorted(map(repr, homes.values())))} on several",
        "Copy the smaller ones to where the largest is.",
    )


def _home(location: StoredLocation) -> object:
    place = location.place if isinstance(location, Zoned) else location
    if isinstance(place, PostgresTable):
        return place.url
    return "Spark" if isinstance(place, SparkFrame) else "here"
