"""Released numbers as people read them: the same digits in print, terminal, page and report."""

import math
from collections.abc import Iterable, Sequence

from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.people import UNKNOWN, grade, said_error, said_interval, said_number, said_value

_WIDTHS = 1.96  # standard errors to either side: only to choose how many digits are told

_TYPED_DIGITS = 9  # bounds, ends of ranges and levels of quantiles were typed, and are short


@dataclass(frozen=True)
class ShownRow:
    """One answer in words.

    Attributes:
        key: the parts of its key.
        value: the answer, rounded to the place of its noise.
        interval: both ends, rounded outward to that place.
        error: the standard error.
        noise: half the width of the 95 % interval of the noise alone.
        grade: how reliable it is, from A to D; nothing where there is no such measure.
        flags: what must be known before relying on it.
    """

    key: tuple[str, ...]
    value: str
    interval: str
    error: str
    noise: str = ""
    grade: str = ""
    flags: str = ""

    @property
    def cells(self) -> list[str]:
        """What a narrow table shows."""
        return [*self.key, self.value, self.interval]


def shown_row(
    key: Iterable[object],
    numbers: tuple[float, float, float, float],
    flags: str = "",
    *,
    noise: float | None = None,
    bound: bool = False,
) -> ShownRow:
    """A key, and a value with its standard error and interval.

    Args:
        key: its parts.
        numbers: the value, its standard error and both ends of its interval.
        flags: what to know of it.
        noise: half the width of the noise's own interval; by default of the whole interval.
        bound: whether it is only a bound of what was asked for.

    Example:
        >>> row = shown_row(("Oslo",), (43195.2, 181.2, 42673.1, 43717.3))
        >>> row.cells, row.noise, row.error, row.grade
        (['Oslo', '43,200', '42,670 – 43,720'], '±520', '180', 'A')
    """
    value, error, low, high = numbers
    width = _noise(error, low, high) if noise is None else noise
    whole = isinstance(value, int)
    return ShownRow(
        key=tuple(shown_key(part) for part in key),
        value=said_value(value, width, whole=whole),
        interval=said_interval(low, high, width, whole=whole),
        error=said_value(error, error) if math.isfinite(error) else UNKNOWN,
        noise=said_error(width, whole=whole),
        grade=grade(value, low, high, bound=bound),
        flags=visible(flags),
    )


def _noise(error: float, low: float, high: float) -> float:
    half = high / 2 - low / 2
    return half if math.isfinite(half) else _WIDTHS * error


def shown_limit(value: float) -> str:
    """A number that somebody typed, such as a bound.

    Example:
        >>> shown_limit(600.0), shown_limit(-0.25), shown_limit(1e6)
        ('600', '−0.25', '1,000,000')
    """
    return said_number(value, _TYPED_DIGITS)


def shown_key(part: object) -> str:
    """One part of the key of a row. It may come from the data: nothing in it steers what shows it.

    Example:
        >>> shown_key(None), shown_key(True), shown_key(0.25)
        ('all', 'yes', '0.25')
    """
    if part is None:
        return "all"
    if isinstance(part, bool):
        return "yes" if part else "no"
    return shown_limit(part) if isinstance(part, float) else visible(str(part))


def text_table(lines: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> str:
    """Lines of cells, each column as wide as its widest cell; `right`: which ones stand right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = right or [False] * len(widths)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if side else cell.ljust(width)
            for cell, width, side in zip(line, widths, sides, strict=True)
        ).rstrip()
        for line in lines
    )
