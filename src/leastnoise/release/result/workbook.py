"""Released tables as an Excel workbook: numbers are numbers, and no text is ever a formula."""

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from importlib import import_module
from typing import Any

from leastnoise import _check

ABOUT = "About"
_MOST_ROWS = 1_048_575  # beside the head
_LONGEST_NAME = 31
_LONGEST_TEXT = 32_767
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_RESERVED = frozenset({"history", ABOUT.lower()})
_MOST_EXACT = 10**15  # Excel shows so many digits; longer ones are kept as text
_FIRST_DAY = date(1900, 3, 1)  # before it, Excel counts a day that never was
_PLAIN = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}

Columns = Mapping[str, Sequence[Any]]


def workbook(tables: Mapping[str, Columns], about: Iterable[Sequence[Any]]) -> bytes:
    """A workbook with one sheet for each table, and one about all of them.

    Args:
        tables: columns by name, for each table, by its name.
        about: the lines of the sheet about them.

    Raises:
        InvalidParameter: xlsxwriter is not installed, or a table has too many rows for a sheet.
    """
    for name, columns in tables.items():
        _refuse_long(name, columns)
    file = io.BytesIO()
    with _xlsxwriter().Workbook(file, _PLAIN) as book:
        bold, day = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        sheets = _sheet_names(tables)
        for name, columns in tables.items():
            sheet = book.add_worksheet(sheets[name])
            sheet.freeze_panes(1, 0)
            for place, (head, values) in enumerate(columns.items()):
                sheet.write_string(0, place, head, bold)
                for row, value in enumerate(values, 1):
                    _write(sheet, row, place, value, (day, moment))
        sheet = book.add_worksheet(ABOUT)
        sheet.set_column(0, 0, 24)
        sheet.set_column(1, 1, 100)
        for row, cells in enumerate(about):
            for place, value in enumerate(cells):
                _write(sheet, row, place, value, (day, moment))
    return file.getvalue()


def _write(sheet: Any, row: int, place: int, value: object, formats: tuple[Any, Any]) -> None:
    """A cell of the value's own kind; what Excel has no number for is text."""
    match value:
        case None:
            sheet.write_blank(row, place, None)
        case bool():
            sheet.write_boolean(row, place, value)
        case int() if abs(value) < _MOST_EXACT:
            sheet.write_number(row, place, value)
        case float() if math.isfinite(value):
            sheet.write_number(row, place, value)
        case float() if math.isnan(value):
            sheet.write_blank(row, place, None)
        case datetime() if value.tzinfo is None and value.date() >= _FIRST_DAY:
            sheet.write_datetime(row, place, value, formats[1])
        case date() if not isinstance(value, datetime) and value >= _FIRST_DAY:
            sheet.write_datetime(row, place, value, formats[0])
        case _:
            sheet.write_string(row, place, str(value)[:_LONGEST_TEXT])


def _sheet_names(tables: Iterable[str]) -> dict[str, str]:
    """Names that Excel allows, each once whatever their case."""
    found: dict[str, str] = {}
    taken = set(_RESERVED)
    for number, name in enumerate(tables, 1):
        plain = _FORBIDDEN.sub("_", name).strip("' ")[:_LONGEST_NAME].strip("' ")
        if not plain or plain.casefold() in taken:
            end = f" {number}"
            plain = f"{plain[: _LONGEST_NAME - len(end)]}{end}".strip()
        taken.add(plain.casefold())
        found[name] = plain
    return found


def _refuse_long(name: str, columns: Columns) -> None:
    rows = max(map(len, columns.values()), default=0)
    if rows > _MOST_ROWS:
        raise _check.refuse(
            f"a sheet has at most {_MOST_ROWS} rows",
            f"{rows} answers of {name!r}",
            "Write CSV or Parquet.",
        )


def _xlsxwriter() -> Any:
    try:
        return import_module("xlsxwriter")  # an extra
    except ImportError:
        raise _check.refuse(
            "Excel workbooks need the package xlsxwriter",
            "it is not installed",
            "pip install 'leastnoise[excel]'",
        ) from None
