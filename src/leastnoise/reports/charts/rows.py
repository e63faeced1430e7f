"""Answers one below the other: bars for lengths, points for everything else."""

from collections.abc import Sequence

from leastnoise._dataclass import dataclass
from leastnoise.reports.charts.frame import Axis, across, axis_of, drawing, line, words
from leastnoise.reports.markup import Markup

_STEP, _BAR, _CAP = 26, 16, 4  # pixels of a row, a bar, half a whisker's cap
_LONGEST = 30  # letters of a label
_GUTTERS = ((9, "g1"), (17, "g2"), (_LONGEST, "g3"))


@dataclass(frozen=True)
class Mark:
    """One answer to draw.

    Attributes:
        label: beside it.
        value: the answer.
        noise: the ends of the interval for the noise alone.
        ends: the ends of the interval for noise and what the bounds cut.
        short: whether the answer is a lower bound, of which more was cut than the noise is off.
    """

    label: str
    value: float
    noise: tuple[float, float]
    ends: tuple[float, float]
    short: bool = False


def row_chart(marks: Sequence[Mark], *, lengths: bool, label: str) -> tuple[Markup, Axis]:
    """The drawing, and its axis: bars from 0, or points on an axis of their own."""
    axis = axis_of(
        (end for mark in marks for end in (mark.value, *mark.noise, *mark.ends)), zero=lengths
    )
    height = _STEP * len(marks)
    parts = across(axis, height)
    for place, mark in enumerate(marks):
        parts += _row(mark, axis, _STEP * place + _STEP / 2, lengths)
    longest = max((len(mark.label) for mark in marks), default=0)
    gutter = next((name for most, name in _GUTTERS if longest <= most), _GUTTERS[-1][1])
    return drawing(parts, height=height + 24, label=label, look=gutter), axis


def strip(mark: Mark, *, label: str) -> tuple[Markup, Axis]:
    """One number on an axis of its own."""
    axis = axis_of((mark.value, *mark.noise, *mark.ends), zero=False)
    parts = [*across(axis, 44), *_whisker(mark, axis, 22), _dot(mark, axis, 22)]
    return drawing(parts, height=68, label=label, look="g0"), axis


def _row(mark: Mark, axis: Axis, y: float, lengths: bool) -> list[str]:
    said = mark.label if len(mark.label) <= _LONGEST else f"{mark.label[: _LONGEST - 1]}…"
    found = [words("-8", y + 4, said, "lab end", mark.label)]
    if not lengths:
        return [*found, *_whisker(mark, axis, y), _dot(mark, axis, y)]
    low, high = sorted((axis.at(0), axis.at(mark.value)))
    found.append(_bar("bar", low, high, y))
    if mark.short and mark.ends[1] > mark.value:
        found.append(_bar("hatched", axis.at(mark.value), axis.at(mark.ends[1]), y))
        return [*found, *_noise(mark, axis, y)]
    return [*found, *_whisker(mark, axis, y)]


def _bar(look: str, low: float, high: float, y: float) -> str:
    return (
        f'<rect class="{look}" x="{low:g}%" y="{y - _BAR / 2:g}" width="{high - low:.4g}%" '
        f'height="{_BAR}"></rect>'
    )


def _dot(mark: Mark, axis: Axis, y: float) -> str:
    return f'<circle class="dot" cx="{axis.at(mark.value):g}%" cy="{y:g}" r="5"></circle>'


def _whisker(mark: Mark, axis: Axis, y: float) -> list[str]:
    """The noise, and the room for what was cut where the interval is wider than that."""
    noise = tuple(map(axis.at, mark.noise))
    ends = tuple(map(axis.at, mark.ends))
    found = []
    if ends[0] < noise[0]:
        found.append(line(f"{ends[0]:g}%", f"{noise[0]:g}%", y, y, "cut"))
    if ends[1] > noise[1]:
        found.append(line(f"{noise[1]:g}%", f"{ends[1]:g}%", y, y, "cut"))
    return found + _noise(mark, axis, y)


def _noise(mark: Mark, axis: Axis, y: float) -> list[str]:
    low, high = (f"{axis.at(end):g}%" for end in mark.noise)
    return [
        line(low, high, y, y, "noise"),
        line(low, low, y - _CAP, y + _CAP, "noise"),
        line(high, high, y - _CAP, y + _CAP, "noise"),
    ]
