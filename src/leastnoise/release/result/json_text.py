"""Columns as JSON, quick for millions of rows: what `json.dumps` writes, column by column."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from json.encoder import encode_basestring
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.tuple_field import as_tuple
from leastnoise.release.result.woven import (
    Cells,
    Texts,
    is_plain,
    joined_numbers,
    number_texts,
    value_cells,
    woven,
)

_AS_JSON = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_AS_TEXT = {name: f'"{name}"' for name in _AS_JSON}
_BETWEEN = ", "
_AT_ONCE = 1 << 16


def json_pieces(value: Any) -> Iterator[str]:
    """The text of `json.dumps(value, ensure_ascii=False)`, of a value that may hold arrays.

    Example:
        >>> "".join(json_pieces({"a": np.array([1.0, np.inf]), "b": [{"c": (None, "é")}]}))
        '{"a": [1.0, Infinity], "b": [{"c": [null, "é"]}]}'
    """
    if isinstance(value, np.ndarray):
        yield from _array(value, _AS_JSON)
    elif isinstance(value, dict):
        yield "{"
        for place, (name, part) in enumerate(value.items()):
            yield f"{_BETWEEN * bool(place)}{json.dumps(name, ensure_ascii=False)}: "
            yield from json_pieces(part)
        yield "}"
    elif isinstance(value, list) and set(map(type, value)) == {dict}:
        yield "["
        for place, part in enumerate(value):
            yield _BETWEEN * bool(place)
            yield from json_pieces(part)
        yield "]"
    else:
        yield json.dumps(value, ensure_ascii=False)


def numbers_text(column: NDArray[Any]) -> Iterator[str]:
    """A list of numbers; what JSON has no numbers for is text."""
    if is_plain(column):
        return _array(column, _AS_TEXT)
    return iter([json.dumps(written(column.tolist()), ensure_ascii=False)])


def _array(
    column: NDArray[Any], named: Mapping[str, str], between: str = _BETWEEN
) -> Iterator[str]:
    yield "["
    for start in range(0, len(column), _AT_ONCE):
        yield between * bool(start)
        part = column[start : start + _AT_ONCE]
        if np.isfinite(part).all():
            yield joined_numbers(part, between)
        else:
            yield _numbers(part, named).joined(between)
    yield "]"


def _numbers(column: NDArray[Any], named: Mapping[str, str]) -> Texts:
    texts = number_texts(column)
    if np.isfinite(column).all():
        return texts
    return Texts([named.get(text, text) for text in texts.found], texts.codes)


def rows_text(columns: Sequence[Any], count: int) -> Iterator[str]:
    """A list of lists, one for each row.

    Example:
        >>> "".join(rows_text([np.array([7, 8]), ["a", None]], 2))
        '[[7, "a"], [8, null]]'
    """
    if not columns:
        yield json.dumps([[]] * count)
        return
    if len(columns) == 1 and is_plain(columns[0]) and count:
        yield from ("[", *_array(columns[0], _AS_TEXT, "], ["), "]")
        return
    cells = [(_BETWEEN if place else "[", json_cells(each)) for place, each in enumerate(columns)]
    yield from _listed(woven(cells, f"]{_BETWEEN}", count))


def objects_text(columns: Mapping[str, Cells], count: int) -> Iterator[str]:
    """A list of objects, one for each row.

    Example:
        >>> "".join(objects_text({"a": json_cells([1, 2]), "b": json_cells(["x", "y"])}, 2))
        '[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]'
    """
    names = (json.dumps(name, ensure_ascii=False) for name in columns)
    befores = [f"{_BETWEEN if place else '{'}{name}: " for place, name in enumerate(names)]
    cells = list(zip(befores, columns.values(), strict=True))
    yield from _listed(woven(cells, f"}}{_BETWEEN}", count))


def _listed(lines: Iterator[str]) -> Iterator[str]:
    """Lines in brackets, without what stands after the last one."""
    yield "["
    last = ""
    for each in lines:
        yield last
        last = each
    yield last.removesuffix(_BETWEEN)
    yield "]"


def json_cells(values: Any) -> Cells:
    """The cells of a column: an array of numbers, or any values that `written` knows."""
    if is_plain(values):
        return lambda start, end: _numbers(values[start:end], _AS_TEXT)
    return value_cells(as_tuple(values), json_texts)


def json_texts(values: Sequence[Any]) -> list[str]:
    """The text of each value; dates, and numbers that JSON does not have, are texts."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return list(map(encode_basestring, values))
    if kinds == {date}:  # some come again and again
        return list(map({each: f'"{each}"' for each in set(values)}.__getitem__, values))
    return [json.dumps(each, ensure_ascii=False) for each in written(list(values))]


def written(values: list[Any]) -> list[Any]:
    """JSON has no nan, no infinity and no dates: they are written as text."""
    kinds = set(map(type, values))
    if not any(issubclass(kind, date | float) for kind in kinds):
        return values
    if kinds <= {float, int, bool} and all(map(math.isfinite, values)):
        return values
    return [str(x) if _is_beyond_json(x) else x for x in values]


def _is_beyond_json(value: object) -> bool:
    return isinstance(value, date) or (isinstance(value, float) and not math.isfinite(value))
