"""Checks of what an attack is given: rows of attributes and vectors of means, never shown."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.release import Release
from leastnoise.tabulation.marginals_release import MarginalsRelease

Floats = NDArray[np.float64]
Rows = NDArray[Any]
"""One row per person, one column per attribute; kept in the type it came in until a row is used."""

_HIDDEN = "something else (not shown: it is data)"
_NUMBERS = "biuf"
_CHUNK = 1 << 22  # entries turned into floats at a time: 32 megabytes
_GREATEST = 10**100  # its square is still a float


def checked_range(values: object, name: str = "values") -> tuple[float, float]:
    """The least and the greatest value of an attribute, two floats."""
    if isinstance(values, tuple) and len(values) == 2:
        low, high = (_check.rational(value, name) for value in values)
        if -_GREATEST <= low < high <= _GREATEST:
            return float(low), float(high)
    raise _check.refuse(
        f"`{name}` must be a pair of numbers, the lesser one first",
        _check.shown(values),
        f"Write {name}=(0, 1) for bits, {name}=(-1, 1) for signs.",
    )


def vector(value: object, name: str) -> Floats:
    """A row of finite numbers, of a release or of an array."""
    array = _floats(_content(value), name)
    if array.ndim == 1 and array.size and bool(np.isfinite(array).all()):
        return array
    raise _check.refuse(
        f"`{name}` must be a row of finite numbers, one per attribute",
        _HIDDEN,
        "Give one number for each attribute, in the same order everywhere.",
    )


def _content(value: object) -> object:
    if isinstance(value, MarginalsRelease):
        return value.means
    return value.value if isinstance(value, Release) else value


def _floats(value: Any, name: str) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise _refusal(name, "numbers") from None


def rows(value: ArrayLike, name: str, attributes: int, values: tuple[float, float]) -> Rows:
    """A table with `attributes` columns whose entries all lie in the range of values."""
    try:
        array = np.asarray(value)
    except Exception:  # as above
        raise _refusal(name, "numbers") from None
    if array.dtype.kind not in _NUMBERS or isinstance(value, np.ma.MaskedArray):
        raise _refusal(name, "numbers, without masks")
    if array.ndim != 2 or array.shape[1] != attributes or not array.shape[0]:
        raise _check.refuse(
            f"`{name}` must be a table of at least one row and {attributes} columns",
            f"{array.shape[1]} columns" if array.ndim == 2 else f"{array.ndim} dimensions",
            "Give one row per person and one column per attribute of the release.",
        )
    low, high = values
    if bool(array.min() >= low) and bool(array.max() <= high):
        return array
    raise _refusal(name, f"values in {low:g}..{high:g}", "State the range: values=(low, high).")


def within(means: Floats, name: str, values: tuple[float, float]) -> Floats:
    """The means themselves, if they are means of such values."""
    low, high = values
    if bool(means.min() >= low) and bool(means.max() <= high):
        return means
    raise _refusal(name, f"means in {low:g}..{high:g}", "State the range: values=(low, high).")


def same_length(one: Floats, other: Floats, name: str) -> None:
    """Refuses two vectors of different lengths."""
    if one.shape != other.shape:
        raise _check.refuse(
            f"`{name}` must have one number per attribute of the release",
            f"{other.size} for {one.size}",
            "Check that both speak of the same attributes.",
        )


def _refusal(name: str, kind: str, remedy: str = "Clean the data first.") -> InvalidParameter:
    return _check.refuse(f"`{name}` must hold {kind}", _HIDDEN, remedy)


def products(table: Rows, weights: Floats) -> Floats:
    """Table @ weights in double precision, a few rows at a time, so that bits stay bits."""
    result = np.empty((table.shape[0], *weights.shape[1:]))
    step = max(1, _CHUNK // table.shape[1])
    for start in range(0, table.shape[0], step):
        part = table[start : start + step].astype(np.float64)
        np.matmul(part, weights, out=result[start : start + step])
    return result


def risk(value: Exact, name: str) -> Fraction:
    """A probability of error, in (0, 1)."""
    return _check.positive_delta(value, name)
