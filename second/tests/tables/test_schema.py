"""Public values in their normal forms, as text and back, and the columns of a table."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.schema import (
    Column,
    Frame,
    Schema,
    Table,
    Type,
    as_text,
    is_missing,
    normal,
    of_text,
    value_of,
)

DAY, MOMENT = date(2013, 1, 31), datetime(2013, 1, 31, 12, 30)


class Moment(datetime):
    """A subclass, as pandas has one."""


NORMAL: list[tuple[Type, Any, Any]] = [
    (Type.BOOLEAN, True, True), (Type.BOOLEAN, 1, None), (Type.BOOLEAN, "True", None),
    (Type.INTEGER, 1.0, 1), (Type.INTEGER, 1.5, None), (Type.INTEGER, True, None), (Type.INTEGER, "1", None),
    (Type.INTEGER, np.int64(7), 7), (Type.INTEGER, 2**63 - 1, 2**63 - 1), (Type.INTEGER, 2**63, None),
    (Type.INTEGER, -(2**63), -(2**63)), (Type.INTEGER, -(2**63) - 1, None), (Type.INTEGER, float("inf"), None),
    (Type.INTEGER, float("nan"), None), (Type.INTEGER, Fraction(4, 2), 2), (Type.INTEGER, Fraction(1, 2), None),
    (Type.NUMBER, 0.1, Fraction(1, 10)), (Type.NUMBER, 3, Fraction(3)), (Type.NUMBER, 2**70, Fraction(2**70)),
    (Type.NUMBER, False, None), (Type.NUMBER, "0.1", None), (Type.NUMBER, -float("inf"), None),
    (Type.TEXT, "a", "a"), (Type.TEXT, np.str_("b"), "b"), (Type.TEXT, 1, None), (Type.TEXT, b"a", None),
    (Type.DATE, DAY, DAY), (Type.DATE, "2013-01-31", DAY), (Type.DATE, datetime(2013, 1, 31), DAY),
    (Type.DATE, MOMENT, None), (Type.DATE, "2013-01-31 12:30", None), (Type.DATE, "tomorrow", None),
    (Type.DATE, 20130131, None), (Type.DATE, time(0), None), (Type.DATE, datetime(2013, 1, 31, tzinfo=UTC), None),
    (Type.TIMESTAMP, MOMENT, MOMENT), (Type.TIMESTAMP, "2013-01-31T12:30:00", MOMENT),
    (Type.TIMESTAMP, DAY, datetime(2013, 1, 31)), (Type.TIMESTAMP, Moment(2013, 1, 31, 12, 30), MOMENT),
    (Type.TIMESTAMP, MOMENT.replace(tzinfo=UTC), None), (Type.TIMESTAMP, "2013-01-31T12:30:00+01:00", None),
    (Type.OTHER, "a", None),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "expected"), NORMAL)
def test_a_value_has_one_normal_form(kind: Type, given: Any, expected: Any) -> None:
    found = normal(given, kind)
    assert (type(found), found) == (type(expected), expected)
    if expected is not None:
        assert normal(found, kind) == found
        assert value_of(given, kind, "day") == expected
    elif not is_missing(given):
        with pytest.raises(
            InvalidInput, match=f"day holds values of type {kind}; .* is not one"
        ) as caught:
            value_of(given, kind, "day")
        assert ("Write it as" in str(caught.value)) is (kind in (Type.DATE, Type.TIMESTAMP))


def test_missing_values_of_every_library_are_missing() -> None:
    for missing in (None, float("nan"), pd.NA, pd.NaT, np.float64("nan"), Decimal("nan")):
        assert is_missing(missing)
        assert value_of(missing, Type.INTEGER, "n") is None
    assert not any(map(is_missing, (0, "", "nan", False, MOMENT)))


@pytest.mark.parametrize(("kind", "value", "text"), [
    (Type.BOOLEAN, True, "True"), (Type.BOOLEAN, False, "False"), (Type.INTEGER, -7, "-7"), (Type.TEXT, "", ""),
    (Type.TEXT, "True", "True"), (Type.DATE, DAY, "2013-01-31"), (Type.TIMESTAMP, MOMENT, "2013-01-31T12:30:00"),
    (Type.INTEGER, None, None), (Type.TEXT, None, None),
])  # fmt: skip
def test_values_are_written_and_read(kind: Type, value: Any, text: str | None) -> None:
    assert as_text(value) == text
    read = of_text(text, kind)
    assert (type(read), read) == (type(value), value)


def test_types_that_add_up_and_types_that_have_a_day() -> None:
    assert [kind for kind in Type if kind.is_numeric] == [Type.INTEGER, Type.NUMBER]
    assert [kind for kind in Type if kind.is_dated] == [Type.DATE, Type.TIMESTAMP]


def test_a_column_that_there_is_not_is_refused_with_the_nearest_one() -> None:
    few = Schema([Column("carrier", Type.TEXT), Column("b", Type.DATE)])
    with pytest.raises(InvalidInput) as caught:
        few["carier"]
    assert str(caught.value) == (
        'the table has no column "carier". Did you mean "carrier"?\nIts columns: b, carrier.'
    )
    for count, end in ((20, "c18, c19."), (21, "c18, c19, and 1 more.")):
        many = Schema((Column(f"c{i:02}", Type.TEXT) for i in range(count)), "flights")
        with pytest.raises(InvalidInput, match=r'flights has no column "x"\.') as caught:
            many["x"]
        assert str(caught.value).endswith(end)
    assert ("b" in few, "x" in few, len(few), [*few]) == (True, False, 2, ["carrier", "b"])
    assert hash(few) == hash(Schema([*few.values()]))
    assert repr(few) == "the table: carrier (text), b (date)"


def test_tables_are_themselves_alone() -> None:
    """The same rows under the same name are two tables, unless they are one object."""
    rows = Frame(None)
    one, other = (Table("t", rows, Schema([])) for _ in range(2))
    assert one == one and one != other and not one.public
    assert rows == rows and rows != Frame(None)
