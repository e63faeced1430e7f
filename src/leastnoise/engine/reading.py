r"""Reading one column in SQL: its type made explicit, and when it has a value."""

from typing import assert_never

from leastnoise.engine.bin import Bin, KeyExpression
from leastnoise.engine.column_type import ColumnType
from leastnoise.engine.dialect import Dialect
from leastnoise.engine.expression import Column
from leastnoise.engine.fragment import Fragment, fill
from leastnoise.engine.grid import Grid
from leastnoise.engine.schema import Schema


def reading(column: Column, schema: Schema, dialect: Dialect) -> Fragment:
    """A column as its type of the dialect, whatever narrower type the engine has for it."""
    named = dialect.identifier(column.name)
    kind = sql_type(schema.type_of(column), dialect)
    return dialect.cast(named, kind) if kind else named


def sql_type(kind: ColumnType, dialect: Dialect) -> str | None:
    """The dialect's word; None for what is never converted."""
    return {
        ColumnType.TRUTH: dialect.truth,
        ColumnType.INTEGER: dialect.integer,
        ColumnType.WIDE_INTEGER: dialect.wide,
        ColumnType.NUMBER: dialect.number,
        ColumnType.TEXT: dialect.text,
        ColumnType.DATE: dialect.date,
        ColumnType.MOMENT: dialect.moment,
    }.get(kind)


def has_value(read: Fragment, kind: ColumnType, dialect: Dialect) -> Fragment:
    """True or false, never unknown: NaN is no value."""
    if kind is ColumnType.NUMBER:
        return fill("({} IS NOT NULL AND NOT {})", read, dialect.is_nan(read))
    return fill("({} IS NOT NULL)", read)


def quantised(column: Column, grid: Grid, schema: Schema, dialect: Dialect) -> Fragment:
    r"""The place of a column's value on a grid; NULL where it has none.

    Theorem: for every double v, infinite ones included, the place is an integer in least..most and
    monotone in v. It is `grid.place(v)`, save for v·2^bits = 1/2 − 2^−54, which goes to 1, not 0.
    Proof: docs/proofs/sensitivity.md, section 4.
    """
    read, kind = reading(column, schema, dialect), schema.type_of(column)
    number = _number(read, kind, dialect)
    return fill(
        # Clamped first, because FLOOR of a number beyond 64 bits can be an error.
        "CASE WHEN {} THEN CAST(FLOOR(GREATEST({}, LEAST({}, {} + {}))) AS "
        + dialect.integer
        + ") END",
        has_value(read, kind, dialect),
        dialect.value(float(grid.least), dialect.number),
        dialect.value(float(grid.most), dialect.number),
        dialect.scale(number, grid.bits),
        dialect.value(0.5, dialect.number),
    )


def key_sql(key: KeyExpression, schema: Schema, dialect: Dialect) -> Fragment:
    """A row's value of a key expression; NULL where it has none."""
    match key:
        case Column():
            return reading(key, schema, dialect)
        case Bin():
            return _part(key, schema, dialect)
        case _:
            assert_never(key)


def _part(key: Bin, schema: Schema, dialect: Dialect) -> Fragment:
    """The upper end is in the last part; (place − least)·cells is below 2^53."""
    place = quantised(key.column, key.grid, schema, dialect)
    least, most, cells, last, steps = (
        dialect.value(number, dialect.integer)
        for number in (
            key.grid.least,
            key.grid.most,
            key.cells,
            key.cells - 1,
            key.grid.most - key.grid.least,
        )
    )
    scaled = fill("(({} - {}) * {})", place, least, cells)
    inside = dialect.short_quotient(scaled, steps)
    return fill("CASE WHEN {} = {} THEN {} ELSE {} END", place, most, last, inside)


def _number(read: Fragment, kind: ColumnType, dialect: Dialect) -> Fragment:
    if kind is ColumnType.TRUTH:
        read = fill("CASE WHEN {} THEN 1 ELSE 0 END", read)
    return read if kind is ColumnType.NUMBER else dialect.cast(read, dialect.number)
