"""A distribution function with its band: one line for each group, the band as a pale ground."""

from datetime import date
from math import isfinite

from leastnoise.pictures.lines import Row, axis, series
from leastnoise.pictures.names import cut, free
from leastnoise.pictures.palette import BLUE, LINES
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_key

MOST_LINES = len(LINES)
_LONGEST = 40  # letters of a group's name
_SIZE = {"width": 460, "height": 240}  # in pixels


def band_panel(table: ReleasedTable) -> Row:
    """Shares over the ends of the parts; the first groups, if there are many."""
    rows, groups = _rows(table)
    x = axis("end", table.columns[-1].removesuffix("_below"), scale={"zero": False})
    if any(isinstance(key[-1], date) for key in table.rows):
        x = {**x, "type": "temporal", "scale": {}}
    y = axis("value", "share of rows below", scale={"domain": [0, 1]}, axis={"format": "%"})
    look = series(groups) if len(groups) > 1 else {"color": {"value": BLUE}}
    lines = {name: each for name, each in look.items() if name in {"color", "strokeDash"}}
    tips = [{"field": each, "type": "nominal"} for each in ("end", "value", "lower", "upper")]
    shade = {"color": look["color"], "detail": {"field": "series", "type": "nominal"}}
    ends = {"y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    return {
        **_SIZE,
        "data": {"values": rows},
        "layer": [
            {"mark": {"type": "area", "opacity": 0.2}, "encoding": {"x": x, **ends, **shade}},
            {"mark": {"type": "line", "strokeWidth": 2, "point": True},
             "encoding": {"x": x, "y": y, **lines, "tooltip": tips}},
        ],
    }  # fmt: skip


def band_groups(table: ReleasedTable) -> int:
    """How many groups there are."""
    return len(dict.fromkeys(key[:-1] for key in table.rows))


def _rows(table: ReleasedTable) -> tuple[list[Row], list[str]]:
    """A row for each end of the groups that are shown, and the names of these, all different."""
    names: dict[tuple[object, ...], str] = {}
    found: list[Row] = []
    for key, *numbers in zip(table.rows, table.values, table.lower, table.upper, strict=True):
        group, end = key[:-1], key[-1]
        if group not in names and len(names) == MOST_LINES:
            continue
        if group not in names:
            words = cut(" · ".join(map(shown_key, group)) or "all", _LONGEST)
            names[group] = free(words, set(names.values()))
        values = [float(each) if isfinite(each) else None for each in numbers]
        found.append(
            {"end": end.isoformat() if isinstance(end, date) else end, "series": names[group]}
            | dict(zip(("value", "lower", "upper"), values, strict=True))
        )
    return found, list(names.values())
