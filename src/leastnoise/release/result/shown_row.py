"""Released numbers as people read them: the same digits in print, terminal, page and report."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leastnoise._display import visible

UNKNOWN = "not known"

# From here on a double has no digit for ones, and as many zeros as one likes would say nothing.
_NO_ONES = 2**53


@dataclass(frozen=True)
class ShownRow:
    """One answer in words.

    Attributes:
        key: the parts of its key.
        value: the answer.
        interval: both ends.
        error: the standard error.
        flags: what must be known before relying on it.
    """

    key: tuple[str, ...]
    value: str
    interval: str
    error: str
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
    grouped: bool = False,
) -> ShownRow:
    """A key, and a value with its standard error and interval; `grouped` as in `shown_number`."""
    value, error = (shown_number(each, grouped=grouped) for each in numbers[:2])
    interval = shown_interval(numbers[0], numbers[2], numbers[3], grouped=grouped)
    return ShownRow(tuple(shown_key(part) for part in key), value, interval, error, visible(flags))


def shown_interval(value: float, low: float, high: float, *, grouped: bool = False) -> str:
    """Both ends; of a whole number they are whole too, rounded outward.

    Example:
        >>> shown_interval(6759, 6656.2, 10221.3), shown_interval(0.5, 0.25, 1.0)
        ('6656 … 10222', '0.25 … 1')
    """
    if isinstance(value, int):
        low = math.floor(low) if math.isfinite(low) else low
        high = math.ceil(high) if math.isfinite(high) else high
    ends = shown_number(low, grouped=grouped), shown_number(high, grouped=grouped)
    return UNKNOWN if ends == (UNKNOWN, UNKNOWN) else " … ".join(ends)


def shown_number(value: float, *, grouped: bool = False) -> str:
    """Six digits, and never fewer than the whole part has.

    Args:
        value: any number.
        grouped: with thousands set apart and signs as in print; else as programs read them.

    Example:
        >>> shown_number(3470392.0), shown_number(1234567, grouped=True), shown_number(0.5)
        ('3470392', '1,234,567', '0.5')
    """
    if math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        text = "∞" if value > 0 else "-∞"
    else:
        value = value or 0  # minus zero is zero
        whole = "d" if isinstance(value, int) else ".0f"
        digits = whole if 10**6 <= abs(value) < _NO_ONES or whole == "d" else ".6g"
        text = format(value, f"{',' if grouped else ''}{digits}")
    return text.replace("-", "−") if grouped else text


def shown_key(part: object) -> str:
    """One part of the key of a row. It may come from the data: nothing in it steers what shows it.

    Example:
        >>> shown_key(None), shown_key(True), shown_key(0.25)
        ('all', 'True', '0.25')
    """
    if part is None:
        return "all"
    return shown_number(part) if isinstance(part, float) else visible(str(part))


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
