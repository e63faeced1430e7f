"""Released tables written one row after another, from plain tuples: what quick writers must match.

Nothing here is shared with the writers that it is compared with.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import fields
from datetime import date
from typing import Any

import numpy as np

from leastnoise.people import grade
from leastnoise.release.result.day_values import DATED, day_value
from leastnoise.release.result.flag import FlagKind
from leastnoise.release.result.released_table import ReleasedTable

_NAMES = ("value", "standard_error", "lower", "upper")
_MEASURES = ("values", "standard_error", "lower", "upper")
_FORMULA = re.compile("'*[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]")


def csv_by_rows(table: ReleasedTable, *, raw: bool) -> str:
    """What `to_csv` returns."""
    text = io.StringIO()
    writer = csv.writer(text)
    keep: Callable[[Any], Any] = (lambda value: value) if raw else _inert
    names = {keep(name): place for place, name in enumerate(_key_names(table))}
    writer.writerow([*names, *_NAMES, "grade", "flags"])
    for row, numbers in zip(table.rows, _numbers(table), strict=True):
        writer.writerow([*(keep(row[place]) for place in names.values()), *numbers])
    return text.getvalue()


def json_by_rows(table: ReleasedTable) -> str:
    """What `to_json` of a table returns."""
    names = [*_key_names(table), *_NAMES, "grade", "flags"]
    answers = [
        dict(zip(names, map(_written, (*row, *numbers)), strict=True))
        for row, numbers in zip(table.rows, _numbers(table), strict=True)
    ]
    return json.dumps(_facts(table) | {"answers": answers}, ensure_ascii=False)


def stored_by_rows(table: ReleasedTable) -> str:
    """What a stored release says of a table."""
    places = [place for place in range(len(table.columns)) if _has_day(table, place)]
    parts = _facts(table) | {
        "proof": None if table.certificate is None else table.certificate.to_json(),
        "columns": list(table.columns),
        "rows": [[_written(each) for each in row] for row in table.rows],
        **({"dates": places} if places else {}),
        **({"dated": True} if table.dated else {}),
        "whole": table.values.dtype == np.int64,
        **{name: list(map(_written, getattr(table, name).tolist())) for name in _MEASURES},
    }
    lines = (f'   "{name}": {json.dumps(each, ensure_ascii=False)}' for name, each in parts.items())
    return "  {\n" + ",\n".join(lines) + "\n  }"


def _key_names(table: ReleasedTable) -> list[str]:
    taken = {*_NAMES, "grade", "flags"}
    return [f"{name}_key" if name in taken else name for name in table.columns]


def _numbers(table: ReleasedTable) -> list[tuple[Any, ...]]:
    """Answers, grade and flags of each row."""
    found, places = [], {id(flag): frozenset(flag.rows) for flag in table.flags}
    columns = (getattr(table, name).tolist() for name in _MEASURES)
    for place, numbers in enumerate(zip(*columns, strict=True)):
        own = [flag for flag in table.flags if not flag.rows or place in places[id(flag)]]
        bound = any(flag.kind is FlagKind.WHOLE_RANGE and flag.rows for flag in own)
        letter = "" if table.dated else _grade(numbers, bound=bound)
        told = [
            day_value(name, number) if table.dated and name in DATED else number
            for name, number in zip(_NAMES, numbers, strict=True)
        ]
        found.append((*told, letter, "; ".join(flag.words for flag in own)))
    return found


def _grade(numbers: tuple[Any, ...], *, bound: bool) -> str:
    value, _, lower, upper = numbers
    return grade(value, lower, upper, bound=bound)


def _facts(table: ReleasedTable) -> dict[str, Any]:
    cut = table.cut
    return {
        "question": table.name,
        "mechanism": table.mechanism,
        "ratio": None if table.ratio is None else str(table.ratio),
        "certificate": table.certificate_id,
        "notes": list(table.notes),
        "flags": [
            {"kind": flag.kind.value, "words": flag.words, "rows": list(flag.rows)}
            for flag in table.flags
        ],
        "ranks": None if table.ranks is None else table.ranks.facts(),
        "cut": None
        if cut is None
        else {each.name: getattr(cut, each.name) for each in fields(cut)},
    }


def _has_day(table: ReleasedTable, place: int) -> bool:
    return any(type(row[place]) is date for row in table.rows)


def _written(value: Any) -> Any:
    beyond = isinstance(value, float) and not math.isfinite(value)
    return str(value) if beyond or isinstance(value, date) else value


def _inert(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
