"""Every column as one of our types, by a total function of its own value.

What engines store beyond our types is missing or moved to the nearest value that we have: NaN is
missing, doubles beyond 2^200 become that, those below 2^-200 become 0, integers beyond 64 bits and
days outside the years 1 to 9999 are missing. Text that was declared as something else is read by
patterns, because an engine's cast takes far more (1_000, 0x10, the word epoch); what fits no
pattern is missing. So nothing behind a cleaned column can fail on data.

Trusted.
"""

import re
from datetime import date, datetime

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.dialect import Dialect, Fragment, fill
from leastnoise.tables.schema import Type

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_WIDE_INTEGERS = ("UBIGINT", "HUGEINT", "UHUGEINT")
_TEXTS = ("VARCHAR", "ENUM", "UUID")
_ZONED = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")

MOST, LEAST = 2.0**200, 2.0**-200

_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_DAY = f"{_YEAR}-[0-9]{{2}}-[0-9]{{2}}"
_TIME = "([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_TRUE, _FALSE = "'true', 't', 'yes', 'y', '1'", "'false', 'f', 'no', 'n', '0'"


def type_of(native: str, time_zone: str | None) -> Type:
    """What an engine's type means to us; only the word before a parenthesis counts."""
    word = native.partition("(")[0]
    if native.endswith("]"):
        return Type.OTHER
    if word == "DECIMAL":
        return Type.INTEGER if native.endswith(",0)") else Type.NUMBER
    if word in _ZONED:
        return Type.TIMESTAMP if time_zone else Type.OTHER
    for kind, words in (
        (Type.BOOLEAN, ("BOOLEAN",)),
        (Type.INTEGER, _INTEGERS + _WIDE_INTEGERS),
        (Type.NUMBER, ("FLOAT", "DOUBLE")),
        (Type.TEXT, _TEXTS),
        (Type.DATE, ("DATE",)),
        (Type.TIMESTAMP, _MOMENTS),
    ):
        if word in words:
            return kind
    return Type.OTHER


def cleaned(
    raw: Fragment,
    native: str,
    kind: Type,
    dialect: Dialect,
    *,
    decimal: str = ".",
    time_zone: str | None = None,
) -> Fragment:
    """A column of an engine's type as one of ours."""
    own = type_of(native, time_zone)
    if own is Type.TEXT and kind is not Type.TEXT:
        return _parsed(fill("CAST({} AS VARCHAR)", raw), kind, dialect, decimal)
    if own is not kind and not (own.is_numeric and kind.is_numeric):
        raise InvalidInput(f"{raw.text} is of type {own} and was declared as {kind}.")
    match kind:
        case Type.INTEGER:
            narrow = native in _INTEGERS
            return fill("CAST({} AS BIGINT)" if narrow else "TRY_CAST({} AS BIGINT)", raw)
        case Type.NUMBER:
            return tame(raw, dialect)
        case Type.TEXT:
            return fill("CAST({} AS VARCHAR)", raw)
        case Type.DATE:
            return _in_years(raw, dialect, date.min, date.max, Type.DATE)
        case Type.TIMESTAMP:
            if native.partition("(")[0] in _ZONED:
                raw = _local(raw, dialect, time_zone or "UTC")
            moment = fill("TRY_CAST({} AS TIMESTAMP)", raw)
            return _in_years(moment, dialect, datetime.min, datetime.max, Type.TIMESTAMP)
        case _:
            return raw


def unit(
    raw: Fragment, native: str, kind: Type, dialect: Dialect, *, decimal: str = "."
) -> Fragment:
    """The column that names the privacy unit, told apart exactly: a whole number, or bytes.

    Whole numbers of all widths, and of text that was declared so, are compared as numbers.
    """
    if native in _INTEGERS:
        return fill("CAST({} AS BIGINT)", raw)
    text = fill("CAST({} AS VARCHAR)", raw)
    if kind is not Type.INTEGER:
        return fill(dialect.to_bytes, text)
    if type_of(native, None) is Type.NUMBER:
        raise InvalidInput(f"{raw.text} has decimals, which do not tell units apart. Convert it.")
    if type_of(native, None) is Type.TEXT:
        return _whole(text, dialect, decimal, dialect.wide)
    return fill(f"TRY_CAST({{}} AS {dialect.wide})", raw)


def tame(raw: Fragment, dialect: Dialect) -> Fragment:
    """A double that is missing, 0, or between 2^-200 and 2^200 in magnitude; never -0.0 or NaN."""
    number = fill("CAST({} AS DOUBLE)", raw)
    most, least, minus = (dialect.bound(x, "DOUBLE") for x in (MOST, LEAST, -MOST))
    return fill(
        "CASE WHEN abs({}) BETWEEN {} AND {} THEN {} WHEN isnan({}) OR {} IS NULL THEN NULL "
        "WHEN abs({}) < {} THEN 0 ELSE greatest({}, least({}, {})) END",
        *(number, least, most, number, number, number, number, least, minus, most, number),
    )


def _in_years(raw: Fragment, dialect: Dialect, first: date, last: date, kind: Type) -> Fragment:
    ends = dialect.value(first, kind), dialect.value(last, kind)
    return fill("CASE WHEN {} BETWEEN {} AND {} THEN {} END", raw, *ends, raw)


def _local(raw: Fragment, dialect: Dialect, zone: str) -> Fragment:
    """Local time in a zone, of a moment in the years that no zone can shift out of the calendar."""
    ends = (
        dialect.bound(f"{year}-01-01 00:00:00+00", "TIMESTAMP WITH TIME ZONE")
        for year in ("0002", "9999")
    )
    moment = fill("TRY_CAST({} AS TIMESTAMP WITH TIME ZONE)", raw)
    local = fill("timezone({}, {})", dialect.bound(zone, "VARCHAR"), moment)
    return fill("CASE WHEN {} BETWEEN {} AND {} THEN {} END", moment, *ends, local)


def _parsed(text: Fragment, kind: Type, dialect: Dialect, decimal: str) -> Fragment:
    """Text as what it was declared to be."""
    point = re.escape(decimal)
    plain = fill("replace({}, {}, '.')", text, dialect.bound(decimal, "VARCHAR"))
    match kind:
        case Type.BOOLEAN:
            word = fill("lower(trim({}))", text)
            return fill(
                f"CASE WHEN {{}} IN ({_TRUE}) THEN TRUE WHEN {{}} IN ({_FALSE}) THEN FALSE END",
                word,
                word,
            )
        case Type.INTEGER:
            return _whole(text, dialect, decimal, dialect.types[Type.INTEGER])
        case Type.NUMBER:
            pattern = f"[+-]?([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
            read = fill("TRY_CAST({} AS DOUBLE)", plain)
            return tame(_if_like(text, pattern, read, dialect), dialect)
        case Type.DATE:
            read = fill("TRY_CAST({} AS DATE)", text)
            return _if_like(text, _DAY, read, dialect)
        case Type.TIMESTAMP:
            read = fill("TRY_CAST({} AS TIMESTAMP)", text)
            return _if_like(text, f"{_DAY}([ T]{_TIME})?", read, dialect)
        case _:
            raise InvalidInput(f"{text.text} cannot be declared as {kind}.")


def _whole(text: Fragment, dialect: Dialect, decimal: str, integer: str) -> Fragment:
    """Text as a whole number."""
    plain = fill("replace({}, {}, '.')", text, dialect.bound(decimal, "VARCHAR"))
    pattern = f"[+-]?[0-9]+({re.escape(decimal)}0*)?"
    return _if_like(text, pattern, fill(f"TRY_CAST({{}} AS {integer})", plain), dialect)


def _if_like(text: Fragment, pattern: str, value: Fragment, dialect: Dialect) -> Fragment:
    like = dialect.bound(f"[ \\t]*({pattern})[ \\t]*", "VARCHAR")
    return fill("CASE WHEN regexp_full_match({}, {}) THEN {} END", text, like, value)
