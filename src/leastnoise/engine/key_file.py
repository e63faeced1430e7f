"""Public keys from a file: the cities there are, not those that occur in the data."""

import csv
from pathlib import Path

from leastnoise import _check
from leastnoise.engine.column_type import ColumnType
from leastnoise.engine.keys import Key, Keys

_TRUTH = {"true": True, "false": False}


def keys_in_file(path: Path, names: list[str], kinds: list[ColumnType]) -> Keys:
    """The keys of the named columns, one group per line, each of its column's type.

    Args:
        path: a CSV file in UTF-8 whose first line names the columns; others are ignored.
        names: what the groups are made by.
        kinds: what each of these holds, and so do its keys.

    Raises:
        InvalidParameter: no such file, a column is missing, or a key is not of its column's type.
    """
    if not names:
        raise _check.refuse("`keys_file` needs `by`", "none", "Name the columns they are of.")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeError, csv.Error):
        raise _check.refuse(
            "a file of keys must be a readable CSV file in UTF-8", "none there", "Check the path."
        ) from None
    head = lines[0] if lines else []
    missing = [name for name in names if name not in head]
    if missing:
        raise _check.refuse(
            "the first line of a file of keys must name the columns in `by`",
            f"no {missing[0]!r}",
            "Add it.",
        )
    places = [head.index(name) for name in names]
    return Keys(names, (_row(line, places, kinds) for line in lines[1:] if line))


def _row(line: list[str], places: list[int], kinds: list[ColumnType]) -> list[Key]:
    if len(line) <= max(places):
        raise _check.refuse("every line of keys must have all columns", "a short one", "Fill it.")
    return [_key(line[place], kind) for place, kind in zip(places, kinds, strict=True)]


def _key(text: str, kind: ColumnType) -> Key:
    try:
        match kind:
            case ColumnType.INTEGER:
                return int(text)
            case ColumnType.TRUTH:
                return _TRUTH[text.strip().lower()]
            case _:
                return text
    except (ValueError, KeyError):
        raise _check.refuse(
            f"keys must be of their column's type, {kind.value!r}", "another", "Mend the file."
        ) from None
