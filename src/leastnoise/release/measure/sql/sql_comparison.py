r"""Comparisons in SQL: two-valued, total, of matching types, so that they never fail on data."""

from datetime import date, datetime
from fractions import Fraction
from math import ceil, floor, inf

from leastnoise import _check
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import (
    Compared,
    ComparedTerms,
    Missing,
    OneOf,
    Readable,
    TextTest,
)
from leastnoise.release.ask.days import as_day
from leastnoise.release.ask.values import Relation, Value
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.reader import Reader
from leastnoise.release.measure.sql.sql_texts import text_test_sql
from leastnoise.release.measure.sql.sql_types import has_value, sql_type

_FALSE = Fragment("(1 = 0)")
_LADDERS = (
    (ColumnType.INTEGER, ColumnType.WIDE_INTEGER, ColumnType.NUMBER),
    (ColumnType.DATE, ColumnType.MOMENT),
)
Comparison = Compared | ComparedTerms | OneOf | Missing | TextTest


def comparison_sql(condition: Comparison, reader: Reader) -> Fragment:
    """A condition that is not made of others.

    Raises:
        InvalidParameter: an unknown column, or values of another type.
    """
    match condition:
        case Compared():
            return _compared(condition, reader)
        case ComparedTerms():
            return _compared_terms(condition, reader)
        case OneOf():
            return _one_of(condition, reader)
        case Missing():
            read, kind = _usable(condition.column, reader)
            return fill("(NOT {})", has_value(read, kind, reader.dialect))
        case TextTest():
            return text_test_sql(condition, reader)


def _usable(column: Readable, reader: Reader) -> tuple[Fragment, ColumnType]:
    kind = reader.kind(column)
    if kind is not ColumnType.OTHER:
        return reader.read(column), kind
    raise _check.refuse(
        "a condition's column must hold truth values, numbers, text, dates or time stamps "
        "without a zone",
        f"{column.name!r}, which holds something else",
        "Add a column of such a type to the data.",
    )


def _compared(condition: Compared, reader: Reader) -> Fragment:
    read, kind = _usable(condition.column, reader)
    said = _as_said(condition.column, kind, condition.value)
    _refuse_order(condition, kind)
    present = has_value(read, kind, reader.dialect)
    sense = _whole(condition.relation, said) if _is_whole(kind) else None
    if isinstance(sense, bool):
        return present if sense else _FALSE
    relation, value = sense or (condition.relation, said)
    test = fill("{} " + relation.value + " {}", read, _bound(value, kind, reader.dialect))
    return fill("({} AND {})", present, test)


def _refuse_order(condition: Compared | ComparedTerms, kind: ColumnType) -> None:
    if kind is ColumnType.TRUTH and condition.relation not in {Relation.EQUAL, Relation.UNEQUAL}:
        raise _check.refuse(
            "truth values have no order",
            f"{condition}",
            "Compare them with == or != , or with equals and differs.",
        )


def _compared_terms(condition: ComparedTerms, reader: Reader) -> Fragment:
    sides = [(condition.one, *_usable(condition.one, reader)),
             (condition.other, *_usable(condition.other, reader))]  # fmt: skip
    kind = _common([kind for _, _, kind in sides], condition)
    _refuse_order(condition, kind)
    word = sql_type(kind, reader.dialect)
    assert word is not None
    reads = [read if own is kind else reader.dialect.cast(read, word) for _, read, own in sides]
    tests = [has_value(read, own, reader.dialect) for _, read, own in sides]
    test = fill("{} " + condition.relation.value + " {}", *reads)
    return fill("({} AND {} AND {})", *tests, test)


def _common(kinds: list[ColumnType], condition: ComparedTerms) -> ColumnType:
    """The type in which values of two types are compared: the wider one."""
    for ladder in _LADDERS:
        if set(kinds) <= set(ladder):
            return max(kinds, key=ladder.index)
    if kinds[0] is kinds[1]:
        return kinds[0]
    raise _check.refuse(
        "both sides of a comparison must hold values of one type",
        f"{condition}, of types {kinds[0].value!r} and {kinds[1].value!r}",
        "Compare values of one type.",
    )


def _one_of(condition: OneOf, reader: Reader) -> Fragment:
    read, kind = _usable(condition.column, reader)
    said = [_as_said(condition.column, kind, value) for value in condition.values]
    values = [v for v in said if not _is_whole(kind) or _can_be_whole(v)]
    if not values:
        return _FALSE
    listed = joined(", ", (_bound(value, kind, reader.dialect) for value in values))
    return fill("({} AND {} IN ({}))", has_value(read, kind, reader.dialect), read, listed)


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


def _as_said(column: Readable, kind: ColumnType, value: Value) -> Value:
    """The value that is meant: where dates are, texts such as "2024-01-31" stand for them."""
    if kind.has_days and isinstance(value, str):
        value = as_day(value)
    if _matches(kind, value):
        return value
    raise _check.refuse(
        f"{column.name!r} holds values of type {kind.value!r} and must be compared with such",
        _check.shown(value),
        "Time stamps are compared with dates, or with moments without a zone."
        if kind is ColumnType.MOMENT
        else 'Write it as "2024-01-31".'
        if kind is ColumnType.DATE
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
