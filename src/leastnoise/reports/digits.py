"""Many numbers as `people` writes them, quickly: a table may have twenty thousand.

`people` is the rule. Here the same digits come from decimal arithmetic, which is exact for floats
too; whatever is not an everyday number is given to `people` itself. A test compares both.
"""

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import lru_cache

from leastnoise.people import MINUS, last_place, said_interval, said_value

_LARGE = 10**7  # from here on millions are words
_SMALL = 1e-3  # below it powers of ten are written


@lru_cache(maxsize=4096)
def _step(error: float, whole: bool) -> Decimal | None:
    """What answers with this error are rounded to; None if that is not known."""
    place = last_place(error, whole=whole)
    return None if place is None or abs(place) > 15 else Decimal(1).scaleb(place)


def _written(value: float, step: Decimal, rule: str) -> str | None:
    """A number to the place of a step; None if it is not an everyday one."""
    if abs(value) >= _LARGE:
        return None
    near = Decimal(value).quantize(step, rule)
    size = abs(near)
    if size >= _LARGE or (near and size < _SMALL):
        return None
    text = f"{near:,.{max(-step.adjusted(), 0)}f}"
    if not near:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def value_texts(values: Iterable[float], errors: Iterable[float], *, whole: bool) -> list[str]:
    """Answers, each rounded to its error; see `people.said_value`."""
    return [_value(value, error, whole) for value, error in zip(values, errors, strict=True)]


def _value(value: float, error: float, whole: bool) -> str:
    step = _step(error, whole) if math.isfinite(error) and math.isfinite(value) else None
    found = None if step is None else _written(value, step, ROUND_HALF_UP)
    return said_value(value, error, whole=whole) if found is None else found


def interval_texts(
    lower: Sequence[float], upper: Sequence[float], errors: Sequence[float], *, whole: bool
) -> list[str]:
    """Intervals, rounded outward; see `people.said_interval`."""
    return [_interval(*each, whole=whole) for each in zip(lower, upper, errors, strict=True)]


def _interval(low: float, high: float, error: float, *, whole: bool) -> str:
    if math.isfinite(low) and math.isfinite(high) and math.isfinite(error):
        step = _step(error, whole)
        if step is not None:
            ends = _written(low, step, ROUND_FLOOR), _written(high, step, ROUND_CEILING)
            if None not in ends:
                return f"{ends[0]}{' to ' if low < 0 else ' – '}{ends[1]}"
    return said_interval(low, high, error if math.isfinite(error) else None, whole=whole)
