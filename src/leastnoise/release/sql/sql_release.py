"""`SqlRelease`: the result of a statement, as a table of released numbers; public."""

import csv
import io
import json
import math
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, overload

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.people import last_place, said_interval, said_value
from leastnoise.people.digits import DOWN, UP, decimal, rounded
from leastnoise.release.result.csv_text import inert
from leastnoise.release.result.day_values import DATED, day_value
from leastnoise.release.result.json_text import written
from leastnoise.release.result.new_file import write_new_file
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_limit, text_table
from leastnoise.release.result.workbook import workbook
from leastnoise.release.sql.formula import AnswerTo, Cell, Group, comparable, evaluated
from leastnoise.release.sql.outcome import Outcome

_SHOWN = 40
_MORE_DIGITS = 2  # than people are shown: programs may round again
Ends = tuple[Any, Any]
"""Of an interval: numbers, or dates."""


@dataclass(frozen=True, eq=False, repr=False)
class SqlRelease:
    """A statement's result, made of a release's numbers alone.

    Attributes:
        columns: the names of its columns.
        rows: one tuple for each group; None is NULL.
        ends: beside each value its 95 % interval, where it is one released number; else None.
        release: the answers to all questions of the statement, with what they cost.
        notes: what differs from SQL as engines have it, and what to know of the numbers.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ends: tuple[tuple[Ends | None, ...], ...]
    release: PlanRelease
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Cell]]:
        """One dictionary per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_json(self) -> str:
        """As JSON text: columns, rows, intervals, notes, and the release they are made of."""
        return json.dumps(
            {
                "columns": list(self.columns),
                "rows": [_written(list(row)) for row in self.rows],
                "intervals_95": [
                    [
                        each and _written(_outward(cell, each))
                        for cell, each in zip(*pair, strict=True)
                    ]
                    for pair in zip(self.rows, self.ends, strict=True)
                ],
                "notes": list(self.notes),
                "release": json.loads(self.release.to_json()),
            },
            ensure_ascii=False,
        )

    @overload
    def to_csv(self) -> str: ...
    @overload
    def to_csv(self, path: str | Path, *, replace: bool = False) -> None: ...
    def to_csv(self, path: str | Path | None = None, *, replace: bool = False) -> str | None:
        """As CSV that is safe to open in a spreadsheet: as text, or in a new file; NULL is empty.

        Behind each released number n stand the ends of its 95 % interval, n_lower and n_upper.

        Args:
            path: where to write it; None for the text itself.
            replace: whether the file may take the place of another one.
        """
        if path is None:
            return self._csv()
        write_new_file(path, self._csv().encode(), replace=replace)
        return None

    def _csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text)
        names, columns = zip(*self._with_ends(), strict=True)
        writer.writerow([inert(name) for name in names])
        writer.writerows([[inert(cell) for cell in row] for row in zip(*columns, strict=True)])
        return text.getvalue()

    def _with_ends(self) -> Iterator[tuple[str, list[Any]]]:
        """The columns that are published; behind those of released numbers, both ends."""
        taken = {name.lower() for name in self.columns}
        for place, name in enumerate(self.columns):
            cells = [row[place] for row in self.rows]
            own = [row[place] for row in self.ends]
            yield name, cells
            if any(own):
                pairs = zip(cells, own, strict=True)
                told = [[None, None] if e is None else _outward(cell, e) for cell, e in pairs]
                for number, end in enumerate(("lower", "upper")):
                    called = _free(f"{name}_{end}", taken)
                    taken.add(called.lower())
                    yield called, [each[number] for each in told]

    def _lists(self) -> dict[str, list[Any]]:
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}

    def to_pandas(self) -> Any:
        """As a pandas data frame; needs pandas."""
        return _needed("pandas").DataFrame(self._lists())

    def to_polars(self) -> Any:
        """As a Polars data frame; needs polars."""
        return _needed("polars").DataFrame(self._lists())

    def to_arrow(self) -> Any:
        """As an Arrow table; needs pyarrow."""
        return _needed("pyarrow").table(self._lists())

    def to_excel(self, path: str | Path, *, replace: bool = False) -> None:
        """As a new Excel workbook, with intervals as in CSV and a sheet about it; needs xlsxwriter.

        Args:
            path: where to write it.
            replace: whether the file may take the place of another one.
        """
        about = [[str(self.release.guarantee)], *([note] for note in self.notes)]
        write_new_file(path, workbook({"result": dict(self._with_ends())}, about), replace=replace)

    def __repr__(self) -> str:
        return f"SqlRelease({', '.join(self.columns)}; {len(self)} rows)"

    def lines(self, most: int) -> list[list[str]]:
        """The head and the first rows; behind each released number stands its interval."""
        told = [any(row[i] is not None for row in self.ends) for i in range(len(self.columns))]
        head = [
            text
            for name, has in zip(self.columns, told, strict=True)
            for text in ([name, "95 %"] if has else [name])
        ]
        body = [
            [
                text
                for cell, end, has in zip(row, ends, told, strict=True)
                for text in ([_shown(cell, end), _interval(cell, end)] if has else [_shown(cell)])
            ]
            for row, ends in zip(self.rows[:most], self.ends, strict=False)
        ]
        return [head, *body]

    def __str__(self) -> str:
        lines = [[visible(cell) for cell in row] for row in self.lines(_SHOWN)]
        more = [f"… and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        entry = self.release.entry
        promise = f"{self.release.guarantee}; line {entry.number} of the ledger"
        return "\n".join([text_table(lines), *more, *map(visible, self.notes), promise])


def sql_release(release: PlanRelease, outcome: Outcome, notes: tuple[str, ...]) -> SqlRelease:
    """The result of a statement from the answers to its questions."""
    groups, ends = _groups(release)
    kept = [each for each in groups if outcome.having is None or _holds(outcome.having, each)]
    for formula, falling, nulls_first in reversed(outcome.order):
        kept = _sorted(kept, formula, falling=falling, nulls_first=nulls_first)
    last = None if outcome.limit is None else outcome.offset + outcome.limit
    kept = kept[outcome.offset : last]
    return SqlRelease(
        columns=outcome.columns,
        rows=tuple(tuple(evaluated(cell, each) for cell in outcome.cells) for each in kept),
        ends=tuple(
            tuple(
                ends.get((cell.question, cell.level, each.key))
                if isinstance(cell, AnswerTo)
                else None
                for cell in outcome.cells
            )
            for each in kept
        ),
        release=release,
        notes=(*notes, *_remarks(release)),
    )


def _remarks(release: PlanRelease) -> Iterator[str]:
    """What is flagged, and what the bounds left out; what holds of several answers is said once."""
    about: dict[str, list[str]] = {}
    for table in release.tables:
        for each in table.remarks:
            about.setdefault(each, []).append(table.name)
    for words, names in about.items():
        yield f"{', '.join(names)}: {words.rstrip('.')}."


def _holds(having: Any, group: Group) -> bool:
    return evaluated(having, group) is True


def _sorted(groups: list[Group], formula: Any, *, falling: bool, nulls_first: bool) -> list[Group]:
    """Stable; NULL comes last, unless it is to come first."""
    pairs = [(evaluated(formula, each), each) for each in groups]
    absent = [each for value, each in pairs if value is None]
    present: list[tuple[Any, Group]] = [pair for pair in pairs if pair[0] is not None]
    present.sort(key=lambda pair: comparable(pair[0]), reverse=falling)
    there = [each for _, each in present]
    return [*absent, *there] if nulls_first else [*there, *absent]


_Ends = dict[tuple[str, float | None, tuple[Any, ...]], Ends]


def _groups(release: PlanRelease) -> tuple[list[Group], _Ends]:
    """All groups that every question has an answer for, in the order of the first."""
    answers: dict[tuple[Any, ...], dict[tuple[str, float | None], Any]] = {}
    ends: _Ends = {}
    for table in release.tables:
        leveled = table.columns[-1:] == ("quantile",) and bool(table.rows) and _has_levels(table)
        for i, row in enumerate(table.rows):
            key, level = (row[:-1], float(row[-1])) if leveled else (row, None)  # type: ignore[arg-type]
            value, lower, upper = (_told(table, name, i) for name in DATED)
            answers.setdefault(key, {})[(table.name, level)] = value
            ends[(table.name, level, key)] = lower, upper
    return [Group(key, found) for key, found in answers.items()], ends


def _told(table: ReleasedTable, measure: str, place: int) -> Any:
    """A measure of one answer: a number, or a date; None if that is not known."""
    column = {"value": table.values, "lower": table.lower, "upper": table.upper}[measure]
    found = column[place].item()
    return day_value(measure, found) if table.dated else found


def _has_levels(table: Any) -> bool:
    return all(isinstance(row[-1], float) for row in table.rows)


def _written(cells: list[Any]) -> list[Any]:
    """NULL stays; JSON has no dates and no infinite numbers."""
    return [None if cell is None else written([cell])[0] for cell in cells]


def _outward(cell: Cell, ends: Ends) -> list[Any]:
    """Both ends with as many digits as their distance warrants; the release has all of them."""
    if not all(isinstance(end, int | float) and math.isfinite(end) for end in ends):
        return list(ends)
    if isinstance(cell, int):
        return [math.floor(ends[0]), math.ceil(ends[1])]
    place = last_place(_half(ends))
    if place is None:
        return list(ends)
    rules = zip(ends, (DOWN, UP), strict=True)
    return [float(rounded(decimal(end), place - _MORE_DIGITS, rule)) for end, rule in rules]


def _shown(cell: Cell, ends: Ends | None = None) -> str:
    if cell is None:
        return "NULL"
    if ends is not None and isinstance(cell, int | float):
        return said_value(cell, _half(ends))
    return shown_limit(cell) if isinstance(cell, float) else str(cell)


def _interval(cell: Cell, ends: Ends | None) -> str:
    if ends is not None and isinstance(cell, date):
        return f"{ends[0]} to {ends[1]}"
    if ends is None or not isinstance(cell, int | float):
        return ""
    return said_interval(*ends, _half(ends), whole=isinstance(cell, int))


def _free(name: str, taken: set[str]) -> str:
    while name.lower() in taken:
        name += "_"
    return name


def _half(ends: Ends) -> float:
    return float(ends[1]) / 2 - float(ends[0]) / 2


def _needed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise _check.refuse(f"this form needs {name}", "none", f"pip install {name}.") from None
