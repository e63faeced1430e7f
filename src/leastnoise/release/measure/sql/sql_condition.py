r"""Conditions in SQL: two-valued, total, and of matching types, so that they never fail on data."""

from datetime import date, datetime
from fractions import Fraction
from math import ceil, floor, inf
from typing import assert_never

from leastnoise import _check
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import (
    Both,
    Compared,
    Condition,
    Either,
    Missing,
    Not,
    OneOf,
    Relation,
    Term,
    Value,
)
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_term import has_value, kind_of, reading, sql_type

_DEEPEST = 100
_FALSE, _TRUE = Fragment("(1 = 0)"), Fragment("(1 = 1)")


def condition_sql(
    condition: Condition, schema: Schema, dialect: Dialect, depth: int = 0
) -> Fragment:
    """A condition as SQL that is true or false for every row, never unknown, and never fails.

    Raises:
        InvalidParameter: an unknown column, a value of another type, or conditions too deep.
    """
    if depth > _DEEPEST:
        raise _check.refuse(
            f"conditions may be nested {_DEEPEST} deep",
            f"{depth}",
            "Use isin for many values of one column.",
        )
    match condition:
        case Compared():
            return _compared(condition, schema, dialect)
        case OneOf():
            return _one_of(condition, schema, dialect)
        case Missing():
            read, kind = _usable(condition.column, schema, dialect)
            return fill("(NOT {})", has_value(read, kind, dialect))
        case Not():
            inner = condition_sql(condition.condition, schema, dialect, depth + 1)
            return fill("(NOT {})", inner)
        case Both() | Either():
            word = " AND " if isinstance(condition, Both) else " OR "
            parts = _chain(condition)
            inner = joined(word, (condition_sql(c, schema, dialect, depth + 1) for c in parts))
            return fill("({})", inner)
        case _:
            assert_never(condition)


def _chain(condition: Both | Either) -> list[Condition]:
    """The parts of a & b & c & …, which Python nests one deeper for each."""
    parts: list[Condition] = []
    rest: list[Condition] = [condition]
    while rest:
        part = rest.pop()
        if isinstance(part, Both | Either) and type(part) is type(condition):
            rest += [part.other, part.one]
        else:
            parts.append(part)
    return parts


def _usable(column: Term, schema: Schema, dialect: Dialect) -> tuple[Fragment, ColumnType]:
    kind = kind_of(column, schema)
    if kind is not ColumnType.OTHER:
        return reading(column, schema, dialect), kind
    raise _check.refuse(
        "a condition's column must hold truth values, numbers, text, dates or time stamps "
        "without a zone",
        f"{column.name!r}, which holds something else",
        "Add a column of such a type to the data.",
    )


def _compared(condition: Compared, schema: Schema, dialect: Dialect) -> Fragment:
    read, kind = _usable(condition.column, schema, dialect)
    _refuse_mismatch(condition.column, kind, condition.value)
    if kind is ColumnType.TRUTH and condition.relation not in {Relation.EQUAL, Relation.UNEQUAL}:
        raise _check.refuse(
            "truth values have no order", f"{condition}", "Compare them with == or != ."
        )
    present = has_value(read, kind, dialect)
    sense = _whole(condition.relation, condition.value) if _is_whole(kind) else None
    if isinstance(sense, bool):
        return present if sense else _FALSE
    relation, value = sense or (condition.relation, condition.value)
    test = fill("{} " + relation.value + " {}", read, _bound(value, kind, dialect))
    return fill("({} AND {})", present, test)


def _one_of(condition: OneOf, schema: Schema, dialect: Dialect) -> Fragment:
    read, kind = _usable(condition.column, schema, dialect)
    for value in condition.values:
        _refuse_mismatch(condition.column, kind, value)
    values = [v for v in condition.values if not _is_whole(kind) or _can_be_whole(v)]
    if not values:
        return _FALSE
    listed = joined(", ", (_bound(value, kind, dialect) for value in values))
    return fill("({} AND {} IN ({}))", has_value(read, kind, dialect), read, listed)


def _is_whole(kind: ColumnType) -> bool:
    return kind in {ColumnType.INTEGER, ColumnType.WIDE_INTEGER}


_MOST_WHOLE = 2**120


def _can_be_whole(value: Value) -> bool:
    """Whether an integer column, however wide, can hold a value."""
    return isinstance(value, int) and abs(value) <= _MOST_WHOLE


def _whole(relation: Relation, value: Value) -> tuple[Relation, int] | bool:
    """A comparison of integers with a rational, as one with an integer, or as its known truth."""
    assert isinstance(value, int | Fraction)
    if not -_MOST_WHOLE <= value <= _MOST_WHOLE:
        below = relation in {Relation.LESS, Relation.AT_MOST}
        above = relation in {Relation.MORE, Relation.AT_LEAST}
        return relation is Relation.UNEQUAL or (below if value > 0 else above)
    if isinstance(value, int):
        return relation, value
    match relation:
        case Relation.EQUAL | Relation.UNEQUAL:
            return relation is Relation.UNEQUAL
        case Relation.LESS | Relation.AT_MOST:
            return Relation.AT_MOST, floor(value)
        case Relation.MORE | Relation.AT_LEAST:
            return Relation.AT_LEAST, ceil(value)


def _bound(value: Value, kind: ColumnType, dialect: Dialect) -> Fragment:
    if kind is ColumnType.NUMBER:
        assert isinstance(value, int | Fraction)
        return dialect.value(_nearest(value), dialect.number)
    # An integer column is compared in the wide type, in which every bound fits.
    word = dialect.wide if _is_whole(kind) else sql_type(kind, dialect)
    assert word is not None
    return dialect.value(value, word)


def _nearest(value: int | Fraction) -> float:
    """The double nearest to a number, as the column's own values are."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _refuse_mismatch(column: Term, kind: ColumnType, value: Value) -> None:
    if _matches(kind, value):
        return
    raise _check.refuse(
        f"{column.name!r} holds values of type {kind.value!r} and must be compared with such",
        f"a {type(value).__name__}",
        "Time stamps are compared with dates, or with moments without a zone."
        if kind is ColumnType.MOMENT
        else "Compare it with a value of that type.",
    )


def _matches(kind: ColumnType, value: Value) -> bool:
    match kind:
        case ColumnType.TRUTH:
            return isinstance(value, bool)
        case ColumnType.INTEGER | ColumnType.WIDE_INTEGER | ColumnType.NUMBER:
            return isinstance(value, int | Fraction) and not isinstance(value, bool)
        case ColumnType.TEXT:
            return isinstance(value, str)
        case ColumnType.DATE:
            return isinstance(value, date) and not isinstance(value, datetime)
        case ColumnType.MOMENT:
            return isinstance(value, date) and getattr(value, "tzinfo", None) is None
        case _:
            return False
