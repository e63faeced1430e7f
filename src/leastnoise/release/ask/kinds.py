r"""What a term holds, found from the types of columns alone."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from fractions import Fraction
from typing import cast

from leastnoise import _check
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.choices import Case, Indicator
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Readable
from leastnoise.release.ask.day_number import DayNumber
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.signature import Wants
from leastnoise.release.ask.signatures import SIGNATURES
from leastnoise.release.ask.terms import (
    Arithmetic,
    Called,
    Column,
    Constant,
    Cut,
    DatePart,
    Part,
    Term,
)
from leastnoise.release.ask.unparsed import Unparsed
from leastnoise.release.ask.values import Value


def kind_of(term: Readable, schema: Schema) -> ColumnType:  # noqa: PLR0911 - one per kind
    """What a term holds.

    Raises:
        InvalidParameter: an unknown column, or one of a type that it cannot be computed from.
    """
    match term:
        case Column():
            return _refuse_without_zone(term, schema.type_of(term))
        case DatePart():
            _refuse_undated(term, schema)
            return ColumnType.INTEGER
        case Constant():
            return kind_of_value(term.value)
        case Arithmetic() | Cut():
            for each in term.parts:
                refuse_other_than_numbers(each, schema)
            return ColumnType.NUMBER
        case Called():
            return _kind_of_result(term, schema)
        case Bin():
            refuse_other_than_numbers(term.column, schema)
            return ColumnType.INTEGER
        case DayNumber():
            _refuse_no_days(term, schema)
            return ColumnType.INTEGER
        case Indicator() | Unparsed():
            return ColumnType.TRUTH
        case Case():
            return common_kind(term.values, schema, "what a case can be")
        case _:
            raise AssertionError(term)


def _refuse_without_zone(column: Column, kind: ColumnType) -> ColumnType:
    if kind is not ColumnType.INSTANT:
        return kind
    raise _check.refuse(
        "time stamps with a zone are read in a zone that is declared",
        f"{column.name!r} without one",
        'Give zone="Europe/Oslo", or the zone that people there live by, where the table is read.',
    )


def key_kind(term: Readable, schema: Schema) -> ColumnType:
    """What a term holds when groups are made by it: whole numbers are integers, however computed.

    Raises:
        InvalidParameter: as of `kind_of`.
    """
    kind = kind_of(term, schema)
    if kind is ColumnType.NUMBER and is_whole(term, schema):
        return ColumnType.INTEGER
    return kind


def is_whole(term: Readable, schema: Schema) -> bool:  # noqa: PLR0911 - one per kind
    """Whether every number that a term can be is whole."""
    match term:
        case Column():
            return schema.type_of(term) in _WHOLE
        case DatePart() | Indicator() | Unparsed() | Bin() | DayNumber():
            return True
        case Constant():
            return isinstance(term.value, int | Fraction) and term.value.denominator == 1
        case Arithmetic():
            return _are_whole(term.parts, schema)
        case Case():
            return _are_whole(term.values, schema)
        case Called():
            result = SIGNATURES[term.function].result
            rule = _WHOLE_IF.get(term.function)
            return result is ColumnType.INTEGER or (rule is not None and rule(term, schema))
        case _:
            return False


_WHOLE = {ColumnType.TRUTH, ColumnType.INTEGER, ColumnType.WIDE_INTEGER}
_WHOLE_IF: dict[str, Callable[[Called, Schema], bool]] = {
    "floor": lambda *_: True,
    "ceil": lambda *_: True,
    "round": lambda term, _: len(term.arguments) == 1 or term.arguments[1] in _NO_DECIMALS,
    "abs": lambda term, schema: _are_whole(term.arguments, schema),
    "least": lambda term, schema: _are_whole(term.arguments, schema),
    "greatest": lambda term, schema: _are_whole(term.arguments, schema),
    "coalesce": lambda term, schema: _are_whole(term.arguments, schema),
    "nullif": lambda term, schema: is_whole(term.arguments[0], schema),
}
_NO_DECIMALS: set[Term] = {Constant(digits) for digits in range(-15, 1)}


def _are_whole(terms: Iterable[Term], schema: Schema) -> bool:
    return all(is_whole(each, schema) for each in terms)


def kind_of_value(value: Value) -> ColumnType:
    """The type of columns that a value could stand in."""
    match value:
        case bool():
            return ColumnType.TRUTH
        case str():
            return ColumnType.TEXT
        case datetime():
            return ColumnType.MOMENT
        case date():
            return ColumnType.DATE
        case _:
            return ColumnType.NUMBER


def _kind_of_result(term: Called, schema: Schema) -> ColumnType:
    signature = SIGNATURES[term.function]
    alike: list[Term] = []
    for place, each in enumerate(term.arguments):
        parameter = signature.parameter(place)
        kind = kind_of(each, schema)
        if parameter.wants is Wants.ALIKE:
            alike.append(each)
        elif kind not in _FITTING[parameter.wants] or (
            parameter.wants is Wants.WHOLE and not is_whole(each, schema)
        ):
            raise _check.refuse(
                f"`{parameter.name}` of `{term.function}` must hold {parameter.wants.value}",
                f"{each}, which holds values of type {kind.value!r}",
                "Take another, or declare its type where the table is read.",
            )
    common = common_kind(alike, schema, f"the arguments of `{term.function}`") if alike else None
    result = signature.result or common
    assert result is not None
    return result


_NUMBERS = {*_WHOLE, ColumnType.NUMBER}
_FITTING: dict[Wants, set[ColumnType]] = {
    Wants.NUMBER: _NUMBERS,
    Wants.WHOLE: _NUMBERS,
    Wants.TEXT: {ColumnType.TEXT},
    Wants.DAY: {ColumnType.DATE, ColumnType.MOMENT},
    Wants.MOMENT: {ColumnType.MOMENT},
}


def common_kind(terms: Iterable[Term], schema: Schema, what: str) -> ColumnType:
    """What terms hold of which each may stand for another: numbers of all types are numbers.

    Raises:
        InvalidParameter: different types, or one that nothing can be asked about.
    """
    listed = list(terms)
    if not listed:
        raise _check.refuse(f"{what} must be a value somewhere", "none", "Name one.")
    kinds = {kind_of(each, schema) for each in listed}
    if all(_is_integer(each, schema) for each in listed):
        return ColumnType.INTEGER
    if kinds <= _NUMBERS and kinds != {ColumnType.TRUTH}:
        return ColumnType.NUMBER
    if len(kinds) == 1 and ColumnType.OTHER not in kinds:
        return kinds.pop()
    raise _check.refuse(
        f"{what} must hold values of one type",
        ", ".join(sorted(repr(kind.value) for kind in kinds)),
        "Take others, or declare their types where the table is read.",
    )


def _is_integer(term: Term, schema: Schema) -> bool:
    """Whether a term is one of 64-bit integers, or a constant that can be."""
    if isinstance(term, Constant):
        return (
            is_whole(term, schema)
            and kind_of(term, schema) is ColumnType.NUMBER
            and abs(cast("int", term.value)) < 2**63
        )
    return kind_of(term, schema) is ColumnType.INTEGER


def _refuse_undated(term: DatePart, schema: Schema) -> None:
    kind = kind_of(term.column, schema)
    fits = _FITTING[Wants.MOMENT if term.part is Part.HOUR else Wants.DAY]
    if kind in fits:
        return
    raise _check.refuse(
        f"the {term.part.value} is read off a column of "
        + ("time stamps" if term.part is Part.HOUR else "dates or time stamps"),
        f"{term.column.name!r}, which holds values of type {kind.value!r}",
        "Take another, or declare its type where the table is read.",
    )


def _refuse_no_days(term: DayNumber, schema: Schema) -> None:
    kind = kind_of(term.term, schema)
    if kind not in _FITTING[Wants.DAY]:
        raise _check.refuse(
            f"a range of days is one of {Wants.DAY.value}",
            f"{term.name!r}, which holds values of type {kind.value!r}",
            "Take another, or declare its type where the table is read.",
        )


def refuse_other_than_numbers(term: Readable, schema: Schema) -> None:
    """Checks that a term's values can be added and compared as numbers."""
    kind = kind_of(term, schema)
    if not kind.is_numeric:
        raise _check.refuse(
            "what is computed with, summed or cut into parts must be numbers or truth values",
            f"{term.name!r}, which holds values of type {kind.value!r}",
            "Take another, or declare its type where the table is read.",
        )
