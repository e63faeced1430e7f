"""Noise against cut: what each bound costs, for people who choose one."""

from leastnoise.pictures.lines import Row, axis, series
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.release.bounds_look import BoundRow, BoundsLook

_SIZE = {"width": 320, "height": 220}  # in pixels, of one panel
_LINES = ("both together", "noise", "cut off")
_LEAST_PART = 0.01  # of the noise: less cannot be seen


def bounds_picture(found: BoundsLook) -> Picture:
    """One panel for each bound of each question."""
    best = [f"{each.bound} = {each.value} for {each.question}" for each in found if each.advised]
    return drawn(
        {
            "data": {"values": [line for each in found for line in _lines(each)]},
            "facet": {"field": "panel", "type": "nominal", "title": None},
            "columns": 2,
            "spec": {
                **_SIZE,
                "mark": {"type": "line", "strokeWidth": 2.5, "point": True},
                "encoding": {
                    "x": axis("bound", "bound", scale={"type": "log"}),
                    "y": axis("rows", "rows, in one answer", scale={"type": "log"}),
                    **series(_LINES),
                },
            },
            "resolve": {"scale": {"x": "independent", "y": "independent"}},
        },
        title=f"Noise grows with a bound, what is cut off falls: {'; '.join(best[:2])}",
        words=f"For each bound, mean noise and what is cut off. Least error: {'; '.join(best)}.",
    )


def _lines(one: BoundRow) -> list[Row]:
    """Axes of powers have no 0: what is next to nothing is left out."""
    values = dict(zip(_LINES, (one.error, one.noise, one.cut), strict=True))
    least, panel = _LEAST_PART * one.noise, f"{one.question}: {one.bound}"
    return [
        {"panel": panel, "bound": one.value, "rows": rows, "series": name}
        for name, rows in values.items()
        if rows > least
    ]
