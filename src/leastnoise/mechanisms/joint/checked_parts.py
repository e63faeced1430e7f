"""Checks of what one unit adds to the parts of a joint draw."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise import _check
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex

_MOST = 1 << 200  # beyond it a bound is a slip, and no float holds its powers
_MOST_CELLS = 10**7
_LEAST_RATE, _MOST_RATE = Fraction(1, 2**40), 4096

checked_rate = _check.limited(
    _check.positive,
    lambda rate: _LEAST_RATE <= rate <= _MOST_RATE,
    f"lie in 2**-40..{_MOST_RATE}",
    "No smaller price gives numbers of use, and no larger one protects.",
)
"""An ε for which joint noise can be drawn."""


def checked_parts(parts: Sequence[Part], name: str) -> tuple[Part, ...]:
    """The parts, each of which makes sense, at least one; no law of counters has a use for `cell`.

    Raises:
        InvalidParameter: one of them does not.
    """
    given = limited_parts(parts, name)
    return tuple(replace(part, cell=None) if isinstance(part, Simplex) else part for part in given)


def limited_parts(parts: Sequence[Part], name: str) -> tuple[Part, ...]:
    """The same, with the most that one unit adds to one cell of a simplex, if it is said.

    Raises:
        InvalidParameter: a part makes no sense, or there is none.
    """
    rule = f"`{name}` must list parts such as Box, Simplex, Diamond or Everyone, at least one"
    remedy = "Say for each row of numbers what one unit may add to it."
    if not isinstance(parts, list | tuple) or not parts:
        raise _check.refuse(rule, _check.shown(parts), remedy)
    kinds = Box | Simplex | Diamond | Everyone
    return tuple(_checked(_check.kind(part, kinds, rule, remedy)) for part in parts)


def _checked(part: Part) -> Part:
    """The same part, of Python's integers, which never overflow."""
    cells = _check.integer_between(part.cells, "cells", 1, _MOST_CELLS)
    if isinstance(part, Everyone):
        return part
    start = _check.integer_between(part.start, "start", 0, _MOST)
    if isinstance(part, Diamond):
        return Diamond(cells, _total(part), start)
    if isinstance(part, Simplex):
        most = None if part.cell is None else _check.integer_between(part.cell, "cell", 1, _MOST)
        return Simplex(cells, _total(part), start, most)
    low = _check.integer_between(part.low, "low", -_MOST, _MOST)
    high = _check.integer_between(part.high, "high", -_MOST, _MOST)
    if low > high:
        raise _check.refuse("`low` must not exceed `high`", f"{low} and {high}", "Swap them.")
    if start % 2:
        raise _check.refuse("`start` must be even", f"start={start}", "Add 1 to it.")
    return Box(low, high, cells, start)


def _total(part: Simplex | Diamond) -> int:
    return _check.integer_between(part.total, "total", 0, _MOST)
