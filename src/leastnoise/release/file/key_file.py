"""Public keys from a file: the cities there are, not those that occur in the data."""

import csv
import io
import os
import stat
from collections.abc import Sequence
from datetime import date
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.days import written_day
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.measure.local_files import files_of_data

Places: TypeAlias = str | Path | Sequence[str | Path]

_TRUTH = {"true": True, "false": False}
_MOST_BYTES = 1 << 26  # read as a whole, and parsed several times as large
_MOST_LINES = 1_000_000  # each key is a cell that gets noise


def keys_in_file(path: Path, names: list[str], kinds: list[ColumnType], *, data: Places) -> Keys:
    """The keys of the named columns, one group per line, each of its column's type.

    Args:
        path: a CSV file in UTF-8 whose first line names the columns; others are ignored.
        names: what the groups are made by.
        kinds: what each of these holds, and so do its keys.
        data: where the rows are: paths, folders, patterns or addresses.

    Raises:
        InvalidParameter: no such file, one of the data, a column is missing, or a key is not of its
            column's type.
    """
    if not names:
        raise _check.refuse(
            "`keys_file` needs `by`", f"{path.name!r} alone", "Name the columns they are of."
        )
    lines = _lines(path, data)
    head = lines[0] if lines else []
    missing = [name for name in names if name not in head]
    if missing:
        raise _check.refuse(
            "the first line of a file of keys must name the columns in `by`",
            f"no {missing[0]!r}",
            "Name the columns there as the plan does.",
        )
    places = [head.index(name) for name in names]
    rows = enumerate(lines[1:], 2)
    return Keys(names, (_row(line, number, places, kinds) for number, line in rows if line))


def _lines(path: Path, data: Places) -> list[list[str]]:
    try:
        text = io.StringIO(_content(path, data).decode("utf-8-sig"), newline="")
        lines = list(islice(csv.reader(text), _MOST_LINES + 1))
    except InvalidParameter:
        raise
    except (OSError, ValueError, csv.Error):
        raise _check.refuse(
            "a file of keys must be a readable CSV file in UTF-8",
            f"{path.name!r}",
            "Check the path.",
        ) from None
    if len(lines) <= _MOST_LINES:
        return lines
    raise _check.refuse(
        f"a file of keys must have at most {_MOST_LINES:,} lines",
        f"more in {path.name!r}",
        "Use coarser groups.",
    )


def _content(path: Path, data: Places) -> bytes:
    """What is in the file, once it is known not to hold the rows and to have an end."""
    # A pipe without a writer would keep us waiting for ever.
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(number, "rb") as file:
        _refuse_bad(os.fstat(number), data)
        content = file.read(_MOST_BYTES + 1)
    if len(content) <= _MOST_BYTES:
        return content
    raise _check.refuse(
        f"a file of keys must have at most {_MOST_BYTES >> 20} MiB",
        f"more in {path.name!r}",
        "Use coarser groups.",
    )


def _refuse_bad(found: os.stat_result, data: Places) -> None:
    """By what the file is, and not by what it is called: links and spellings lead to one file.

    What is in it is not compared with the data: a refusal would tell whether a guess is right.
    """
    if not stat.S_ISREG(found.st_mode):
        raise _check.refuse(
            "keys must be in a plain file", "a folder, pipe or device", "Check the path."
        )
    places = (data,) if isinstance(data, str | Path) else data
    if any((found.st_dev, found.st_ino) in files_of_data(place) for place in places):
        raise _check.refuse(
            "a file of keys must not be one of the data",
            "a file with rows",
            "List the groups there are, whether or not they occur: names from rows are not public.",
        )


def _row(line: list[str], number: int, places: list[int], kinds: list[ColumnType]) -> list[Key]:
    """Mistakes are told by their line: nobody knows yet whether what is there is public."""
    if len(line) <= max(places):
        raise _check.refuse(
            "every line of keys must have all columns", f"fewer in record {number}", "Fill it up."
        )
    return [_key(line[place], kind, number) for place, kind in zip(places, kinds, strict=True)]


def _day(text: str) -> date:
    found = written_day(text)
    if found is None:
        raise ValueError
    return found


def _key(text: str, kind: ColumnType, number: int) -> Key:
    try:
        match kind:
            case ColumnType.INTEGER:
                return int(text)
            case ColumnType.TRUTH:
                return _TRUTH[text.strip().lower()]
            case ColumnType.DATE:
                return _day(text.strip())
            case _:
                return text
    except (ValueError, KeyError):
        raise _check.refuse(
            f"keys must be of their column's type, {kind.value!r}",
            f"something else in record {number}",
            "Write it as the column has it.",
        ) from None
