"""`Keys`: the groups a table is broken down by, when they are public."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, product
from typing import Any, TypeAlias

from leastnoise import _check
from leastnoise.release.ask.days import Period, checked_days, checked_period, is_day, written_day
from leastnoise.release.ask.terms import Term
from leastnoise.release.ask.values import is_storable

Key: TypeAlias = int | str | bool | date

_MOST_KEYS = 10_000_000  # held in memory, with noise for each


@dataclass(frozen=True, init=False)
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
        found = _rows(rows, len(names))
        _refuse_bad(names, found)
        object.__setattr__(self, "columns", names)
        object.__setattr__(self, "rows", found)

    @classmethod
    def of(cls, column: str, values: Iterable[Key]) -> "Keys":
        """The keys of one column."""
        return cls([column], [(value,) for value in values])

    @classmethod
    def cross(
        cls, values: Mapping[str, Iterable[Key]] | None = None, **more: Iterable[Key]
    ) -> "Keys":
        """All combinations of the values of several columns."""
        lists = {name: list(items) for name, items in {**(values or {}), **more}.items()}
        return cls(list(lists), product(*lists.values()))

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
        dated = [
            place
            for place, name in enumerate(self.columns)
            if name in columns and isinstance(self.rows[0][place], str)
        ]
        if not dated:
            return self
        return Keys(
            self.columns,
            (
                [_date(key) if place in dated else key for place, key in enumerate(row)]
                for row in self.rows
            ),
        )


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


def _rows(rows: Iterable[Sequence[Key]], width: int) -> tuple[tuple[Key, ...], ...]:
    found = tuple(rows)
    # Of a million integers, all are looked at together.
    if set(map(type, found)) == {tuple} and set(map(len, found)) == {width}:
        values: Any = list(chain.from_iterable(found))
        if set(map(type, values)) == {int} and max(map(abs, values)) < 2**63:
            return tuple(map(tuple, found))
    return tuple(_row(row, width) for row in found)


def _row(row: Sequence[Key], width: int) -> tuple[Key, ...]:
    values = tuple(row) if not isinstance(row, str) else (row,)
    if len(values) == width and all(map(_is_key, values)):
        return values
    raise _check.refuse(
        f"a key must have {width} values, each an int, text, truth value or date",
        f"({', '.join(type(value).__name__ for value in values)})",
        "Of moments take the dates: moment.date()."
        if any(isinstance(value, datetime) for value in values)
        else "Missing values cannot be keys: filter them, or give them a name of their own.",
    )


def _is_key(value: object) -> bool:
    if isinstance(value, str):
        return is_storable(value)
    if isinstance(value, bool) or is_day(value):
        return True
    return isinstance(value, int) and abs(value) < 2**63


def _refuse_bad(columns: tuple[str, ...], rows: tuple[tuple[Key, ...], ...]) -> None:
    if not columns or len(set(columns)) != len(columns):
        raise _check.refuse(
            "keys need columns, none twice", _check.shown(columns), "Name each once."
        )
    if not rows:
        raise _check.refuse(
            "`keys` must name at least one group", "an empty list", "List the groups."
        )
    if len(rows) > _MOST_KEYS:
        raise _check.refuse(
            f"`keys` must be at most {_MOST_KEYS}", f"{len(rows)}", "Use coarser groups."
        )
    kinds = [{type(row[i]) for row in rows} for i in range(len(columns))]
    for column, kind in zip(columns, kinds, strict=True):
        if len(kind) > 1:
            raise _check.refuse(
                f"the keys of {column!r} must be of one type",
                " and ".join(sorted(each.__name__ for each in kind)),
                "Write all of them as the column has them: 1 is not '1'.",
            )
    if len(set(rows)) != len(rows):
        raise _check.refuse(
            "`keys` must not name a group twice",
            f"{len(rows)} keys of {len(set(rows))} groups",
            "Drop the repeated ones.",
        )
