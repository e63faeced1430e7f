"""Answers along an axis: histograms as bars without gaps, time as lines, shares as a band."""

from collections.abc import Sequence
from itertools import pairwise

from leastnoise._dataclass import dataclass
from leastnoise.reports.charts.frame import (
    Axis,
    axis_of,
    drawing,
    line,
    tick_text,
    upward,
    words,
)
from leastnoise.reports.charts.rows import Mark
from leastnoise.reports.markup import Markup

_HIGH = 220  # pixels
_MOST_LABELS, _LETTERS, _PHONE_LETTERS = 11, 70, 32  # along the lower edge: none covers another
_DOTS = 40  # more points are a line
_LINE = 15  # pixels of a line of text
_LONGEST = 14  # letters of a name at the end of a line


def columns(
    marks: Sequence[Mark], edges: Sequence[float], edge_texts: Sequence[str], *, label: str
) -> Markup:
    """A histogram: one bar for each part, as wide as the part.

    Args:
        marks: the answers.
        edges: where parts begin, and where the last one ends.
        edge_texts: the same as text.
        label: what is to be seen.
    """
    axis = axis_of((end for mark in marks for end in (mark.value, *mark.ends)), zero=True)
    across = Axis(edges[0], edges[-1], ())
    parts = upward(axis, _HIGH)
    for mark, (low, high) in zip(marks, pairwise(edges), strict=True):
        parts += _column(mark, axis, across.at(low), across.at(high))
    parts += _below([across.at(edge) for edge in edges], edge_texts)
    return drawing(parts, height=_HIGH + 24, label=label, look="up")


def _column(mark: Mark, axis: Axis, left: float, right: float) -> list[str]:
    top, bottom = sorted((_y(axis, mark.value), _y(axis, 0)))
    middle = f"{(left + right) / 2:.4g}%"
    found = [
        f'<rect class="bar column" x="{left:g}%" y="{top:g}" width="{right - left:.4g}%" '
        f'height="{max(bottom - top, 0):g}"></rect>'
    ]
    noise, ends = [[_y(axis, end) for end in pair] for pair in (mark.noise, mark.ends)]
    if ends[1] < noise[1]:
        found.append(line(middle, middle, noise[1], ends[1], "cut"))
    if ends[0] > noise[0]:
        found.append(line(middle, middle, noise[0], ends[0], "cut"))
    found.append(line(middle, middle, noise[0], noise[1], "noise"))
    return found


@dataclass(frozen=True)
class Series:
    """Answers in an order, with a name that stands at the line's end if there are several."""

    name: str
    marks: Sequence[Mark]


def lines(  # noqa: PLR0913 - each is a part of the drawing
    series: Sequence[Series],
    places: Sequence[float],
    texts: Sequence[str],
    *,
    label: str,
    steps: bool = False,
    share: bool = False,
) -> tuple[Markup, Axis]:
    """Lines in their bands.

    Args:
        series: each with an answer for every place.
        places: in percent of the width.
        texts: what to write below them.
        label: what is to be seen.
        steps: whether a value holds until the next one.
        share: whether the axis is from 0 to 100 %.
    """
    ends = [end for each in series for mark in each.marks for end in (mark.value, *mark.ends)]
    axis = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0)) if share else axis_of(ends, zero=False)
    if axis.low < 0.5 * axis.high and axis.low >= 0 and not share:
        axis = axis_of(ends, zero=True)  # from 0, where that wastes little
    shown = [f"{100 * tick:g} %" for tick in axis.ticks] if share else None
    parts = upward(axis, _HIGH, shown)
    parts += [_plane(each.marks, places, axis, steps, n) for n, each in enumerate(series)]
    for each in series:
        if len(places) <= _DOTS and not steps:
            parts += [
                f'<circle class="dot" cx="{x:g}%" cy="{_y(axis, mark.value):g}" r="3"></circle>'
                for x, mark in zip(places, each.marks, strict=True)
            ]
    if len(series) > 1:
        ends_at = [_y(axis, each.marks[-1].value) for each in series]
        for each, y in zip(series, _apart(ends_at), strict=True):
            said = each.name if len(each.name) <= _LONGEST else f"{each.name[: _LONGEST - 1]}…"
            parts.append(words("100%", y + 4, f" {said}", "name", each.name))
    parts += _below(places, texts)
    look = "up named" if len(series) > 1 else "up"
    return drawing(parts, height=_HIGH + 24, label=label, look=look), axis


def _plane(
    marks: Sequence[Mark], places: Sequence[float], axis: Axis, steps: bool, number: int
) -> str:
    """Band and line in a drawing of their own, which is stretched to the width."""
    bands = []
    if any(mark.ends != mark.noise for mark in marks):
        bands.append(("cutband", [mark.ends for mark in marks]))
    bands.append(("band", [mark.noise for mark in marks]))
    shapes = []
    for look, ends in bands:
        tops = [(x, _y(axis, end[1])) for x, end in zip(places, ends, strict=True)]
        bottoms = [(x, _y(axis, end[0])) for x, end in zip(places, ends, strict=True)]
        if steps:
            tops, bottoms = _stepped(tops), _stepped(bottoms)
        around = _points([*tops, *reversed(bottoms)])
        shapes.append(f'<polygon class="{look}" points="{around}"></polygon>')
    middles = [(x, _y(axis, mark.value)) for x, mark in zip(places, marks, strict=True)]
    middle = _points(_stepped(middles) if steps else middles)
    return (
        f'<svg class="plane" width="100%" height="{_HIGH}" viewBox="0 0 100 {_HIGH}" '
        f'preserveAspectRatio="none">{"".join(shapes)}'
        f'<polyline class="line l{number}" points="{middle}"></polyline></svg>'
    )


def _apart(places: Sequence[float]) -> list[float]:
    """Places for labels, each below the one above it by a line at least."""
    order = sorted(range(len(places)), key=lambda n: places[n])
    found = list(places)
    for above, below in pairwise(order):
        found[below] = max(found[below], found[above] + _LINE)
    return found


def _stepped(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    found = points[:1]
    for (_, before), (x, y) in pairwise(points):
        found += [(x, before), (x, y)]
    return found


def _points(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _y(axis: Axis, value: float) -> float:
    return round(_HIGH * (1 - axis.at(value) / 100), 1)


def _below(places: Sequence[float], texts: Sequence[str]) -> list[str]:
    """Labels along the lower edge, few enough to stand apart; a phone shows fewer."""
    longest = max(map(len, texts), default=0)
    every = _every(len(places), min(_MOST_LABELS, _LETTERS // (longest + 2)))
    few = every * _every(-(-len(places) // every), _PHONE_LETTERS // (longest + 2))
    return [
        words(f"{places[n]:g}%", _HIGH + 17, texts[n], "tick" if n % few == 0 else "tick roomy")
        for n in range(0, len(places), every)
    ]


def _every(count: int, most: int) -> int:
    """Which of so many are labelled, so that at most so many are."""
    return max(1, -(-(count - 1) // max(most - 1, 1)))


def edge_text(edge: object) -> str:
    """An end of a part of a histogram, for the axis."""
    return tick_text(float(edge)) if isinstance(edge, int | float) else str(edge)
