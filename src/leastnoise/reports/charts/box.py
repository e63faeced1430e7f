"""Quantiles of one column: a box on the axis of its values, and the interval of each below."""

from collections.abc import Sequence

from leastnoise.reports.charts.frame import Axis, across, axis_of, drawing, line
from leastnoise.reports.charts.rows import Mark
from leastnoise.reports.markup import Markup

_HIGH = 78  # pixels
_TOP, _BOTTOM, _BELOW = 12, 48, 62


def box(marks: Sequence[Mark], *, label: str) -> tuple[Markup, Axis]:
    """From the first to the last quantile, with a line at each."""
    axis = axis_of((end for mark in marks for end in (mark.value, *mark.ends)), zero=False)
    places = [axis.at(mark.value) for mark in marks]
    low, high = min(places), max(places)
    parts = across(axis, _HIGH)
    parts.append(
        f'<rect class="box" x="{low:g}%" y="{_TOP}" width="{high - low:.4g}%" '
        f'height="{_BOTTOM - _TOP}"></rect>'
    )
    for place, mark in zip(places, marks, strict=True):
        parts.append(line(f"{place:g}%", f"{place:g}%", _TOP, _BOTTOM, "quantile"))
        low_end, high_end = (f"{axis.at(end):g}%" for end in mark.ends)
        parts.append(line(low_end, high_end, _BELOW, _BELOW, "noise"))
    return drawing(parts, height=_HIGH + 24, label=label, look="g0"), axis
