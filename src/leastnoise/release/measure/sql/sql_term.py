r"""Reading one term in SQL: its type made explicit, and when it has a value."""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Readable
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.kinds import key_kind, kind_of, refuse_other_than_numbers
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.measure.sql.sql_dates import day_number_of
from leastnoise.release.measure.sql.sql_places import place_of
from leastnoise.release.measure.sql.sql_reader import SqlReader
from leastnoise.release.measure.sql.sql_types import has_value, sql_type

__all__ = [
    "has_value",
    "key_kind",
    "key_reading",
    "kind_of",
    "quantised",
    "reading",
    "refuse_other_than_numbers",
    "sql_type",
]


def reading(term: Readable, schema: Schema, dialect: Dialect) -> Fragment:
    """A term's value as its type of the dialect, whatever narrower type the engine has for it."""
    return SqlReader(schema, dialect).read(term)


def key_reading(term: Readable, schema: Schema, dialect: Dialect) -> Fragment:
    """A term's value as what groups are made by, of the type `key_kind`; a date as its number."""
    reader, kind = SqlReader(schema, dialect), kind_of(term, schema)
    if kind is ColumnType.DATE:
        return day_number_of(reader.read(term), dialect)
    if kind is not key_kind(term, schema) is ColumnType.INTEGER:
        return reader.integer(term)
    return reader.read(term)


def quantised(column: Readable, grid: Grid, schema: Schema, dialect: Dialect) -> Fragment:
    """The place of a column's value on a grid, as `place_of` has it; NULL where it has none."""
    return place_of(column, grid, SqlReader(schema, dialect))
