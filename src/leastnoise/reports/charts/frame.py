"""Axes of charts: round ticks, places in percent of the width, and what every chart is made of.

A drawing has no `viewBox`: places along the page are percentages, the others pixels, so that text
keeps its size on every screen.
"""

import math
from collections.abc import Iterable, Sequence

from leastnoise._dataclass import dataclass
from leastnoise.people import said_number
from leastnoise.reports.markup import Markup, element, joined, text

_MOST_TICKS = 6
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_ROOM = 0.03  # of the axis, beyond the last mark
_NOTHING = 1e-290  # a length that has no tenth
_MOST_LETTERS = 24  # of all labels together: more cover each other on a phone
_HAIR = 1e-9  # of a step: what rounding may do


@dataclass(frozen=True)
class Axis:
    """A quantity from low to high, with round ticks.

    Attributes:
        low: where it begins.
        high: where it ends.
        ticks: what is labelled.
    """

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The place of a value, in percent."""
        part = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(part, 0.0), 1.0), 2)

    @property
    def begins_at_0(self) -> bool:
        """Whether lengths on it can be compared."""
        return self.low <= 0 <= self.high


def axis_of(values: Iterable[float], *, zero: bool) -> Axis:
    """An axis for all of these; `zero` if it must show 0."""
    known = [float(value) for value in values if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < _NOTHING:
        low, high = low - 1, high + 1
    room = _ROOM * (high - low)
    ends = (low - room if low < 0 or not zero else low), high + room
    ticks = round_ticks(*ends, _MOST_TICKS)
    if sum(len(tick_text(tick)) for tick in ticks) > _MOST_LETTERS:
        ticks = round_ticks(*ends, _MOST_TICKS // 2)
    return Axis(*ends, ticks)


def round_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Multiples of the least round step that makes few enough of them."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(step * power for step in _STEPS if (high - low) / (step * power) <= most)
    first, last = math.ceil(low / step - _HAIR), math.floor(high / step + _HAIR)
    return tuple(step * tick for tick in range(first, last + 1))


def tick_text(value: float) -> str:
    """A label of an axis."""
    return said_number(value, 4)


def line(x1: str, x2: str, y1: float, y2: float, look: str) -> str:
    """A straight line; written out by hand, as there may be many."""
    return f'<line class="{look}" x1="{x1}" x2="{x2}" y1="{y1:g}" y2="{y2:g}"></line>'


def words(x: str, y: float, said: str, look: str, title: str = "") -> str:
    """A text in a drawing; `title` is the whole of one that was cut."""
    more = f"<title>{text(title)}</title>" if title and title != said else ""
    return f'<text class="{look}" x="{x}" y="{y:g}">{text(said)}{more}</text>'


def drawing(parts: Iterable[str], *, height: float, label: str, look: str = "") -> Markup:
    """A picture with a name for those who cannot see it."""
    return element(
        "svg",
        joined(Markup(part) for part in parts),
        class_=f"chart {look}".rstrip(),
        width="100%",
        height=f"{height:g}",
        role="img",
        aria_label=label,
    )


def across(axis: Axis, height: float) -> list[str]:
    """Grid and labels of an axis that lies below a chart."""
    found = []
    for tick in axis.ticks:
        at = f"{axis.at(tick):g}%"
        found.append(line(at, at, 0, height, "zero" if not tick else "grid"))
        found.append(words(at, height + 17, tick_text(tick), "tick"))
    return found


def upward(axis: Axis, height: float, texts: Sequence[str] | None = None) -> list[str]:
    """Grid and labels of an axis that stands left of a chart."""
    found = []
    labels = [tick_text(tick) for tick in axis.ticks] if texts is None else texts
    for tick, said in zip(axis.ticks, labels, strict=True):
        y = height * (1 - axis.at(tick) / 100)
        found.append(line("0", "100%", y, y, "zero" if not tick else "grid"))
        found.append(words("-8", y + 4, said, "tick end"))
    return found
