r"""Reading one term in SQL: its type made explicit, and when it has a value."""

from collections.abc import Callable
from fractions import Fraction

from leastnoise import _check
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import (
    Arithmetic,
    Column,
    Constant,
    Cut,
    DatePart,
    Indicator,
    Part,
    Term,
)
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.sql_dates import dated


def reading(term: Term, schema: Schema, dialect: Dialect) -> Fragment:
    """A term's value as its type of the dialect, whatever narrower type the engine has for it."""
    match term:
        case Column():
            kind = sql_type(schema.type_of(term), dialect)
            named = dialect.identifier(term.name)
            return dialect.cast(named, kind) if kind else named
        case DatePart():
            return _date_part(term, schema, dialect)
        case Arithmetic() | Cut() | Constant():
            return _computed(term, schema, dialect)
        case Bin():
            return _part(term, schema, dialect)
        case _:
            raise AssertionError(term)


def _computed(term: Arithmetic | Cut | Constant, schema: Schema, dialect: Dialect) -> Fragment:
    match term:
        case Arithmetic():
            one, other = (_tame(each, schema, dialect) for each in (term.one, term.other))
            return fill("({} " + term.operation.value + " {})", one, other)
        case Cut():
            return _cut(term, schema, dialect)
        case Constant():
            return dialect.value(_tamed(term.value), dialect.number)


def kind_of(term: Term, schema: Schema) -> ColumnType:
    """What a term holds.

    Raises:
        InvalidParameter: an unknown column, or one of a type that it cannot be computed from.
    """
    match term:
        case Column():
            return schema.type_of(term)
        case DatePart():
            _refuse_undated(term, schema)
            return ColumnType.INTEGER
        case Arithmetic() | Cut() | Constant():
            for each in _operands(term):
                refuse_other_than_numbers(each, schema)
            return ColumnType.NUMBER
        case Bin():
            refuse_other_than_numbers(term.column, schema)
            return ColumnType.INTEGER
        case Indicator():
            return ColumnType.TRUTH
        case _:
            raise AssertionError(term)


def _operands(term: Arithmetic | Cut | Constant) -> tuple[Term, ...]:
    match term:
        case Arithmetic():
            return term.one, term.other
        case Cut():
            return (term.term,)
        case Constant():
            return ()


def _refuse_undated(term: DatePart, schema: Schema) -> None:
    kind = schema.type_of(term.column)
    fits = {ColumnType.MOMENT} if term.part is Part.HOUR else {ColumnType.DATE, ColumnType.MOMENT}
    if kind in fits:
        return
    raise _check.refuse(
        f"the {term.part.value} is read off a column of "
        + ("time stamps" if term.part is Part.HOUR else "dates or time stamps"),
        f"{term.column.name!r}, which holds values of type {kind.value!r}",
        "Take another, or declare its type where the table is read.",
    )


def refuse_other_than_numbers(term: Term, schema: Schema) -> None:
    """Checks that a term's values can be added and compared as numbers."""
    kind = kind_of(term, schema)
    if not kind.is_numeric:
        raise _check.refuse(
            "what is computed with, summed or cut into parts must be numbers or truth values",
            f"{term.name!r}, which holds values of type {kind.value!r}",
            "Take another, or declare its type where the table is read.",
        )


def _date_part(term: DatePart, schema: Schema, dialect: Dialect) -> Fragment:
    read, kind = reading(term.column, schema, dialect), schema.type_of(term.column)
    part = fill("EXTRACT(" + term.part.value.upper() + " FROM {})", read)
    return dated(read, kind, dialect, dialect.cast(part, dialect.integer))


def _cut(term: Cut, schema: Schema, dialect: Dialect) -> Fragment:
    """NULL where there is no value, which GREATEST and LEAST of engines would take for nothing."""
    read, kind = reading(term.term, schema, dialect), kind_of(term.term, schema)
    return fill(
        "CASE WHEN {} THEN GREATEST({}, LEAST({}, {})) END",
        has_value(read, kind, dialect),
        dialect.value(_tamed(term.lower), dialect.number),
        dialect.value(_tamed(term.upper), dialect.number),
        _number(read, kind, dialect),
    )


_MOST, _LEAST = 2.0**200, 2.0**-200


def _tame(term: Term, schema: Schema, dialect: Dialect) -> Fragment:
    """A number of moderate size to compute with; NULL where there is none."""
    if isinstance(term, Arithmetic | Constant):
        return reading(term, schema, dialect)
    kind = kind_of(term, schema)
    read = reading(term, schema, dialect)
    number = _number(read, kind, dialect)
    least, most, minus, zero = (
        dialect.value(each, dialect.number) for each in (_LEAST, _MOST, -_MOST, 0.0)
    )
    return fill(
        "CASE WHEN NOT {} THEN NULL WHEN abs({}) < {} THEN {} ELSE GREATEST({}, LEAST({}, {})) END",
        has_value(read, kind, dialect),
        number,
        least,
        zero,
        minus,
        most,
        number,
    )


def _tamed(value: int | Fraction) -> float:
    inside = min(max(Fraction(value), Fraction(-(2**200))), Fraction(2**200))
    return float(inside) if abs(inside) >= Fraction(1, 2**200) else 0.0


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


def quantised(column: Term, grid: Grid, schema: Schema, dialect: Dialect) -> Fragment:
    r"""The place of a column's value on a grid; NULL where it has none.

    Theorem: for every double v, infinite ones included, the place is an integer in least..most and
    monotone in v. It is `grid.place(v)`, save for v·2^bits = 1/2 − 2^−54, which goes to 1, not 0.
    Proof: docs/proofs/sensitivity.md, section 4.
    """
    read, kind = reading(column, schema, dialect), kind_of(column, schema)
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
