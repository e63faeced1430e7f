"""Public keys as people say them: lists, lists by column, and ranges of dates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from leastnoise import _check
from leastnoise.release.ask.keys import Key, Keys, range_of_dates

RANGE_PARTS = ("from", "to", "step")
"""What a range of dates says of itself; the step may be left out."""
_WRITE = '{"from": "2024-01", "to": "2024-12", "step": "month"}'


def keys_by_column(names: Sequence[str], said: Mapping[str, Any]) -> Keys:
    """All combinations of the keys of each column, or the range of dates of a single one.

    Args:
        names: the columns, in the order of the groups.
        said: a list or a range of dates for each column; or a range alone, if there is one column.

    Raises:
        InvalidParameter: other columns, something that is no list, or no dates.

    Example:
        >>> found = keys_by_column(["day", "late"], {"late": [True], "day": {"from": "2024-01-31",
        ...                        "to": "2024-02"}})
        >>> len(found.rows), found.rows[0]
        (30, (datetime.date(2024, 1, 31), True))
    """
    if is_range(said):
        said = {_only(names): said}
    if set(said) != set(names):
        raise _check.refuse(
            "`keys` must be of the columns in `by`",
            f"keys of {_check.shown(list(said))} by {_check.shown(list(names))}",
            "Name the same columns in both.",
        )
    return Keys.cross({name: listed_keys(name, said[name]) for name in names})


def is_range(said: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether keys are a range of dates, and no lists of columns that happen to be called so."""
    if not isinstance(said, Mapping) or not {"from", "to"} & set(said):
        return False
    return all(not isinstance(said.get(part), Iterable) or isinstance(said[part], str)
               for part in ("from", "to"))  # fmt: skip


def listed_keys(name: str, said: object) -> list[Key]:
    """The keys of one column, from a list or a range of dates.

    Raises:
        InvalidParameter: neither of them.
    """
    if isinstance(said, Mapping):
        return _range_keys(said)
    plain: Any = said.tolist() if hasattr(said, "tolist") else said
    if isinstance(plain, Iterable) and not isinstance(plain, str):
        return list(plain)
    raise _check.refuse(
        f"the keys of {name!r} must be a list, or a range of dates",
        _check.shown(said),
        f"Write [{_check.shown(said)}], or {_WRITE}.",
    )


def _range_keys(said: Mapping[str, Any]) -> list[Key]:
    if {"from", "to"} <= set(said) <= set(RANGE_PARTS):
        return list(range_of_dates(said["from"], said["to"], said.get("step", "day")))
    raise _check.refuse(
        "a range of keys must have `from` and `to`, and may have `step`",
        _check.shown(list(said)),
        f"Write {_WRITE}.",
    )


def _only(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    raise _check.refuse(
        "a range of keys must be of one column",
        f"one for {_check.shown(list(names))}",
        f"Say whose it is: {{{names[0]!r}: {_WRITE}, …}}.",
    )
