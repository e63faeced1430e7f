"""`Keys`: the groups a table is broken down by, when they are public."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import product
from math import isnan, prod
from typing import Any, TypeAlias

import numpy as np

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.days import Period, checked_days, checked_period, is_day, written_day
from leastnoise.release.ask.key_rows import KeyPart, KeyRows, checked_column, crossed
from leastnoise.release.ask.terms import Term
from leastnoise.release.ask.tuple_field import held, reads_as_tuple
from leastnoise.release.ask.values import MOST_TEXT, is_storable

Key: TypeAlias = KeyPart

_MOST_KEYS = 10_000_000  # held in memory, with noise for each


@reads_as_tuple("rows")
@dataclass(frozen=True, init=False, repr=False, eq=False)
class Keys:
    """Public groups: one row of key values per group, none twice.

    Keys must come from outside the data: a list of all cities there are, not of those that occur.

    Args:
        columns: the names of the key columns.
        rows: one tuple of values per group, in the order of the columns.

    Example:
        >>> keys = Keys.cross(city=["Oslo", "Bergen"], smoker=[False, True])
        >>> keys.columns, len(keys.rows), keys.rows[1]
        (('city', 'smoker'), 4, ('Oslo', True))
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Key, ...], ...]

    def __init__(self, columns: Sequence[str], rows: Iterable[Sequence[Key]]) -> None:
        names = tuple(columns)
        found = _listed(rows, len(names))
        _refuse_bad(names, found)
        object.__setattr__(self, "columns", names)
        object.__setattr__(self, "rows", found)

    @property
    def listed(self) -> KeyRows:
        """The same keys, as they are held: no tuple is made for each."""
        found: KeyRows = held(self, "rows")
        return found

    def __len__(self) -> int:
        return len(self.listed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Keys):
            return NotImplemented
        return self.columns == other.columns and self.listed == other.listed

    def __hash__(self) -> int:
        return hash((self.columns, len(self), self.listed[0], self.listed[-1]))

    def __repr__(self) -> str:
        return f"Keys(columns={self.columns!r}, rows={self.listed!r})"

    @classmethod
    def of(cls, column: str, values: Iterable[Key]) -> "Keys":
        """The keys of one column."""
        return cls([column], one_column(list(values)))

    @classmethod
    def cross(
        cls, values: Mapping[str, Iterable[Key]] | None = None, **more: Iterable[Key]
    ) -> "Keys":
        """All combinations of the values of several columns."""
        lists = {name: list(items) for name, items in {**(values or {}), **more}.items()}
        _refuse_many(prod(map(len, lists.values())))
        found = [column for each in lists.values() if (column := checked_column(each)) is not None]
        if len(found) < len(lists) or not lists:  # what is wrong is told of the first such row
            return cls(list(lists), product(*lists.values()))
        return cls(list(lists), crossed(found))

    @classmethod
    def dates(
        cls, column: str | Term, start: date | str, end: date | str, step: Period | str = "day"
    ) -> "Keys":
        """The days of a range, or the first days of all weeks, months, quarters or years in it.

        Args:
            column: what holds dates.
            start: a date, or text such as "2024-01-31", "2024-01" or "2024".
            end: likewise; the last day that counts, or the month or year that it is in.
            step: "day", "week", "month", "quarter" or "year". A period counts if one of its days
                is in the range; weeks begin on Monday.

        Raises:
            InvalidParameter: no dates, an end before the start, or no such step.

        Example:
            >>> [str(day) for (day,) in Keys.dates("day", "2024-01", "2024-03", "month").rows]
            ['2024-01-01', '2024-02-01', '2024-03-01']
        """
        name = column.name if isinstance(column, Term) else column
        return cls.of(name, range_of_dates(start, end, step))

    def with_dates(self, columns: Collection[str]) -> "Keys":
        """The same, with dates for texts such as "2024-01-31" in some of the columns.

        Raises:
            InvalidParameter: a text there that is no date.
        """
        pairs = list(zip(self.columns, self.listed.columns, strict=True))
        if not any(name in columns and isinstance(column[0], str) for name, column in pairs):
            return self
        found = (
            tuple(map(_date, column)) if name in columns and isinstance(column[0], str) else column
            for name, column in pairs
        )
        return Keys(self.columns, KeyRows(found, len(self)))


def _date(key: Key) -> date:
    found = written_day(key) if isinstance(key, str) else None
    if found is not None:
        return found
    raise _check.refuse(
        "`keys` of a column of dates must be dates",
        _check.shown(key),
        'Write them as "2024-01-31".',
    )


def range_of_dates(start: object, end: object, step: object = "day") -> list[date]:
    """The first days of all periods that have a day in a range, as `Keys.dates` has them."""
    first = checked_days(start, "the start of a range of dates")[0]
    last = checked_days(end, "the end of a range of dates")[1]
    if first <= last:
        return list(checked_period(step).between(first, last))
    raise _check.refuse(
        "a range of dates must end where it begins, or later",
        f"{first} … {last}",
        "Exchange its ends.",
    )


def one_column(values: Sequence[Key]) -> Iterable[tuple[Key, ...]]:
    """The keys of one column, checked together where they are of one plain type."""
    column = checked_column(values)
    return [(value,) for value in values] if column is None else KeyRows([column], len(values))


def _listed(rows: Iterable[Sequence[Key]], width: int) -> KeyRows:
    if isinstance(rows, KeyRows) and len(rows.columns) == width:
        return rows
    found = tuple(rows)
    # Of a million keys, all are looked at together.
    if set(map(type, found)) == {tuple} and set(map(len, found)) == {width}:
        parts = (checked_column([row[place] for row in found]) for place in range(width))
        columns = [column for column in parts if column is not None]
        if len(columns) == width:
            return KeyRows(columns, len(found))
    return KeyRows.of([_row(row, width) for row in found], width)


def _row(row: Sequence[Key], width: int) -> tuple[Key, ...]:
    values = tuple(map(_plain, row if not isinstance(row, str) else (row,)))
    if len(values) == width and all(map(_is_key, values)):
        return values
    raise refused_key(values, width)


def refused_key(values: Sequence[Any], width: int) -> InvalidParameter:
    """What is said of values that are no key of so many columns."""
    fits = len(values) == width
    return _check.refuse(
        f"a key must have {width} value{'s' * (width != 1)}, each an int, text, truth value or "
        "date",
        f"({', '.join(type(value).__name__ for value in values)})",
        _remedy(values) if fits else "Write one value for each column of the key.",
    )


def _remedy(values: Sequence[Any]) -> str:
    """What to do about values that can be no key, by the first that cannot."""
    if any(isinstance(value, datetime) for value in values):
        return "Of moments take the dates: moment.date()."
    wrong = next((value for value in values if not _is_key(value)), None)
    if isinstance(wrong, str):
        return f"Texts must have at most {MOST_TEXT} characters, all of which can be stored."
    if isinstance(wrong, int):
        return "Numbers must be smaller than 2^63; name larger ones by texts."
    if isinstance(wrong, np.generic):
        return "Write array.tolist() for an array, and value.item() for one value."
    if isinstance(wrong, float) and not isnan(wrong) and not isinstance(wrong, np.generic):
        return "Write whole numbers as integers; of others ask a histogram between bounds."
    return "Missing values cannot be keys: filter them, or give them a name of their own."


def _plain(value: Any) -> Any:
    """The number or text that a value of somebody's own type is, as everybody compares it."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__int__(value)
    return value


def _is_key(value: object) -> bool:
    if isinstance(value, str):
        return is_storable(value)
    if isinstance(value, bool) or is_day(value):
        return True
    return isinstance(value, int) and abs(value) < 2**63


def _refuse_many(count: int) -> None:
    if count > _MOST_KEYS:
        raise _check.refuse(
            f"`keys` must be at most {_MOST_KEYS}", f"{count}", "Use coarser groups."
        )


def _refuse_bad(columns: tuple[str, ...], rows: KeyRows) -> None:
    if not columns or len(set(columns)) != len(columns):
        raise _check.refuse(
            "keys need columns, none twice", _check.shown(columns), "Name each once."
        )
    if not rows:
        raise _check.refuse(
            "`keys` must name at least one group", "an empty list", "List the groups."
        )
    _refuse_many(len(rows))
    for column, values in zip(columns, rows.columns, strict=True):
        kind = {int} if isinstance(values, np.ndarray) else set(map(type, values))
        if len(kind) > 1:
            raise _check.refuse(
                f"the keys of {column!r} must be of one type",
                " and ".join(sorted(each.__name__ for each in kind)),
                "Write all of them as the column has them: 1 is not '1'.",
            )
    if rows.distinct != len(rows):
        raise _check.refuse(
            "`keys` must not name a group twice",
            f"{len(rows)} keys of {rows.distinct} groups",
            "Drop the repeated ones.",
        )
