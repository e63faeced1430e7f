"""Released values with their error bars."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from leastnoise.pictures.band_panel import MOST_LINES, band_groups, band_panel
from leastnoise.pictures.lines import Row, axis
from leastnoise.pictures.names import cut, free, small
from leastnoise.pictures.palette import BLUE
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.release.result.day_values import day_value
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_key

MOST_ROWS = 50  # more bars cannot be told apart
MOST_TABLES = 12  # a longer picture is a report
_LONGEST = 40  # letters beside a bar
_BAND = "line: released shares; ground: the band, which holds all of a line with 95 %"
_INTERVALS = "dot: released value; bar: 95 % interval for what the noise has changed"


def table_picture(table: ReleasedTable) -> Picture:
    """The values of one table."""
    subtitle = _subtitle(table)
    panel = _panel(table, " · ".join(table.columns) or None)
    return drawn(panel, title=table.name, subtitle=subtitle, words=_words(table))


def release_picture(release: PlanRelease) -> Picture:
    """The values of all tables, one below the other."""
    shown = release.tables[:MOST_TABLES]
    panels = [
        {"title": {"text": table.name, "fontSize": 12, "anchor": "start"}, **_panel(table, None)}
        for table in shown
    ]
    subtitle = [_INTERVALS, *_left_out(len(release.tables), MOST_TABLES, "tables")]
    return drawn(
        {"vconcat": panels, "spacing": 24},
        title=f"Released with {small(str(release.guarantee))}",
        subtitle=subtitle,
        words=" ".join(map(_words, shown)),
    )


def _subtitle(table: ReleasedTable) -> list[str]:
    if table.is_band:
        return [_BAND, *_left_out(band_groups(table), MOST_LINES, "groups")]
    return [_INTERVALS, *_left_out(len(table.rows), MOST_ROWS, "rows")]


def _left_out(there: int, shown: int, what: str) -> list[str]:
    return [f"the first {shown} of {there:,} {what}"] if there > shown else []


def _panel(table: ReleasedTable, keys: str | None) -> Row:
    if table.is_band:
        return band_panel(table)
    rows = _rows(table)
    order = [row["key"] for row in rows]
    # A label is a place on the axis; two groups must never fall on the same one.
    place = {
        "field": "key",
        "type": "ordinal",
        "sort": order,
        "title": keys,
        "axis": {"labelLimit": 220, "minExtent": 90},
    }
    value = axis("value", None, scale={"zero": False}, axis={"tickCount": 6})
    if table.dated:
        value = {**value, "type": "temporal", "scale": {}}
    tips = [{"field": name, "type": "nominal"} for name in ("key", "value", "lower", "upper")]
    return {
        "width": 460,
        "height": {"step": 22},
        "data": {"values": rows},
        "layer": [
            {"mark": {"type": "rule", "color": BLUE, "strokeWidth": 2},
             "encoding": {"y": place, "x": {**value, "field": "lower"}, "x2": {"field": "upper"}}},
            {"mark": {"type": "point", "filled": True, "color": BLUE, "size": 60, "opacity": 1},
             "encoding": {"y": place, "x": value, "tooltip": tips}},
        ],
    }  # fmt: skip


def _rows(table: ReleasedTable) -> list[Row]:
    found: list[Row] = []
    taken: set[str] = set()
    for key, value, low, high in list(
        zip(table.rows, table.values, table.lower, table.upper, strict=True)
    )[:MOST_ROWS]:
        name = free(_key(key), taken)
        taken.add(name)
        ends = {"value": value, "lower": low, "upper": high}
        found.append({"key": name} | {each: _drawn(table, each, ends[each]) for each in ends})
    return found


def _drawn(table: ReleasedTable, measure: str, value: float) -> float | str | None:
    day = day_value(measure, value) if table.dated else None
    return _known(value) if day is None else str(day)


def _known(value: float) -> float | None:
    """None for what cannot be drawn."""
    return float(value) if isfinite(value) else None


def _key(key: Sequence[object]) -> str:
    return cut(" · ".join(map(shown_key, key)) or "all", _LONGEST)


def _words(table: ReleasedTable) -> str:
    count = len(table.rows)
    if count != 1:
        known = bool(np.all(np.isfinite(table.lower) & np.isfinite(table.upper)))
        intervals = ", each with a 95 % interval" if known else ""
        return f"{table.name}: {count:,} values{intervals}."
    (row,) = table.shown(1, grouped=True)
    low, _, high = row.interval.partition(" … ")
    return f"{table.name}: {row.value}, with a 95 % interval from {low} to {high or low}."
