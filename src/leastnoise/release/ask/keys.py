"""`Keys`: the groups a table is broken down by, when they are public."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from leastnoise import _check
from leastnoise.release.ask.expression import is_storable

Key: TypeAlias = int | str | bool

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
        found = tuple(_row(row, len(names)) for row in rows)
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


def _row(row: Sequence[Key], width: int) -> tuple[Key, ...]:
    values = tuple(row) if not isinstance(row, str) else (row,)
    if len(values) == width and all(map(_is_key, values)):
        return values
    raise _check.refuse(
        f"a key must have {width} values, each an int, text or truth value",
        f"({', '.join(type(value).__name__ for value in values)})",
        "Missing values cannot be keys: filter them, or give them a name of their own.",
    )


def _is_key(value: object) -> bool:
    if isinstance(value, str):
        return is_storable(value)
    return isinstance(value, bool) or (isinstance(value, int) and abs(value) < 2**63)


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
