r"""Types in SQL, and when a value of one is there."""

from collections.abc import Callable

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill

_WORDS: dict[ColumnType, Callable[[Dialect], str]] = {
    ColumnType.TRUTH: lambda dialect: dialect.truth,
    ColumnType.INTEGER: lambda dialect: dialect.integer,
    ColumnType.WIDE_INTEGER: lambda dialect: dialect.wide,
    ColumnType.NUMBER: lambda dialect: dialect.number,
    ColumnType.TEXT: lambda dialect: dialect.text,
    ColumnType.DATE: lambda dialect: dialect.date,
    ColumnType.MOMENT: lambda dialect: dialect.moment,
}


def sql_type(kind: ColumnType, dialect: Dialect) -> str | None:
    """The dialect's word; None for what is never converted."""
    word = _WORDS.get(kind)
    return None if word is None else word(dialect)


def carried_type(kind: ColumnType, dialect: Dialect) -> str | None:
    """The dialect's word for what keys of a kind are carried as: dates go as numbers of days."""
    return dialect.integer if kind is ColumnType.DATE else sql_type(kind, dialect)


def has_value(read: Fragment, kind: ColumnType, dialect: Dialect) -> Fragment:
    """True or false, never unknown: NaN is no value."""
    if kind is ColumnType.NUMBER:
        return fill("({} IS NOT NULL AND NOT {})", read, dialect.is_nan(read))
    return fill("({} IS NOT NULL)", read)


def as_number(read: Fragment, kind: ColumnType, dialect: Dialect) -> Fragment:
    """What has a value, as a double."""
    if kind is ColumnType.TRUTH:
        read = fill("CASE WHEN {} THEN 1 ELSE 0 END", read)
    return read if kind is ColumnType.NUMBER else dialect.cast(read, dialect.number)
