"""Columns as CSV, quick for millions of rows: what `csv.writer` writes, column by column."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from leastnoise.release.ask.tuple_field import as_tuple
from leastnoise.release.result.woven import Cells, is_plain, number_cells, value_cells, woven

_END = "\r\n"
_QUOTED = re.compile('[",\r\n]')
# The last four are the wide forms of the signs, which East Asian spreadsheets take for the same.
_FORMULA = "'*[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]"
_IS_FORMULA, _HAS_FORMULA = re.compile(_FORMULA), re.compile(f"\n{_FORMULA}")


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """A line of names, then one for each row; there are two columns at least.

    Example:
        >>> csv_text({"city": ["Oslo", "a,b"], "n": [1, 2.5]}).splitlines()
        ['city,n', 'Oslo,1', '"a,b",2.5']
    """
    count = len(next(iter(columns.values())))
    cells = {name: csv_cells(values) for name, values in columns.items()}
    return "".join(csv_lines(cells, count))


def csv_lines(columns: Mapping[str, Cells], count: int) -> Iterator[str]:
    """The same text of so many rows, some lines at a time."""
    yield ",".join(csv_texts(list(columns))) + _END
    cells = [("," if place else "", each) for place, each in enumerate(columns.values())]
    yield from woven(cells, _END, count)


def csv_cells(values: Any, *, raw: bool = True) -> Cells:
    """The cells of a column.

    Args:
        values: an array of numbers, or any values.
        raw: whether texts that a spreadsheet would run stay as they are.
    """
    if is_plain(values):
        return number_cells(values)
    texts = csv_texts if raw else lambda part: csv_texts(_all_inert(part))
    return value_cells(as_tuple(values), texts)


def inert(value: Any) -> Any:
    """A cell that no spreadsheet runs; the rule can be undone, as it never merges two texts."""
    return f"'{value}" if isinstance(value, str) and _IS_FORMULA.match(value) else value


def _all_inert(values: Sequence[Any]) -> Sequence[Any]:
    """Many such cells; where none begins like a formula, all of them as they are."""
    if set(map(type, values)) == {str} and not _HAS_FORMULA.search("\n" + "\n".join(values)):
        return values
    return list(map(inert, values))


def csv_texts(values: Sequence[Any]) -> list[str]:
    """The cell of each value, as one of several in a row."""
    kinds = set(map(type, values))
    if kinds <= {int, float, bool}:
        return list(map(repr, values))
    if kinds == {str} and not _QUOTED.search("".join(values)):
        return list(values)
    if kinds in ({str}, {date}):  # some come again and again
        return list(map({each: _cell(each) for each in set(values)}.__getitem__, values))
    return list(map(_cell, values))


def _cell(value: Any) -> str:
    """An empty one that is alone would be quoted."""
    text = io.StringIO()
    csv.writer(text).writerow([value, ""])
    return text.getvalue()[: -len(_END) - 1]
