"""Keys as plain tuples, checked one row after another: what keys in columns must match."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from math import prod
from typing import Any

from leastnoise import _check
from leastnoise.release.ask.keys import refused_key
from leastnoise.release.ask.values import is_storable
from leastnoise.release.step.histograms import Grouping

Rows = tuple[tuple[Any, ...], ...]


def rows_of_keys(columns: Sequence[str], rows: Iterable[Any]) -> Rows:
    """The rows of such keys.

    Raises:
        InvalidParameter: they are no keys.
    """
    names = tuple(columns)
    found = tuple(_row(row, len(names)) for row in rows)
    _refuse_bad(names, found)
    return found


def _row(row: Any, width: int) -> tuple[Any, ...]:
    values = tuple(map(_plain, row)) if not isinstance(row, str) else (_plain(row),)
    if len(values) == width and all(map(_is_key, values)):
        return values
    raise refused_key(values, width)


def _plain(value: Any) -> Any:
    """Numbers and texts of other types, enumerations for instance, as what they are."""
    if isinstance(value, str) and type(value) is not str:
        return "".join(value)
    if isinstance(value, int) and type(value) not in (int, bool):
        return int.__new__(int, value)
    return value


def _is_key(value: object) -> bool:
    if isinstance(value, str):
        return is_storable(value)
    if isinstance(value, bool) or type(value) is date:
        return True
    return isinstance(value, int) and abs(value) < 2**63


def _refuse_bad(columns: tuple[str, ...], rows: Rows) -> None:
    if not columns or len(set(columns)) != len(columns):
        raise _check.refuse(
            "keys need columns, none twice", _check.shown(columns), "Name each once."
        )
    if not rows:
        raise _check.refuse(
            "`keys` must name at least one group", "an empty list", "List the groups."
        )
    for place, column in enumerate(columns):
        kinds = {type(row[place]) for row in rows}
        if len(kinds) > 1:
            raise _check.refuse(
                f"the keys of {column!r} must be of one type",
                " and ".join(sorted(each.__name__ for each in kinds)),
                "Write all of them as the column has them: 1 is not '1'.",
            )
    if len(set(rows)) != len(rows):
        raise _check.refuse(
            "`keys` must not name a group twice",
            f"{len(rows)} keys of {len(set(rows))} groups",
            "Drop the repeated ones.",
        )


def is_complete(
    grouping: Grouping, tests: Mapping[Any, set[object]], sizes: Mapping[str, int]
) -> bool:
    """Whether each row that counts is in one cell, and the cells are all combinations of values."""
    if grouping.keys is None or grouping.bins:
        return False
    rows = grouping.keys.rows
    listed = [{row[place] for row in rows} for place in range(len(grouping.columns))]
    return len(rows) == prod(map(len, listed)) and all(
        tests.get(column, {object()}) <= values and sizes.get(column.name) == len(values)
        for column, values in zip(grouping.columns, listed, strict=True)
    )
