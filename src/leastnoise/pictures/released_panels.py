"""The panels of released tables, in the language of Vega-Lite."""

from collections.abc import Sequence
from datetime import date
from math import isfinite

import numpy as np

from leastnoise.pictures.lines import Row, axis, series
from leastnoise.pictures.names import cut, free
from leastnoise.pictures.palette import BAR, BLUE, CUT, HEAT_INK, INK, SOFT
from leastnoise.pictures.table_words import LENGTHS, has_order, head_of, kind_of_table
from leastnoise.release.result.day_values import day_value
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_key

MOST_ROWS = 50  # more bars cannot be told apart
_LONGEST = 40  # letters beside a bar
_ENDS = ("noise_low", "noise_high", "lower", "upper")


def _measures(table: ReleasedTable) -> list[Row]:
    """Value, whole interval and the interval for the noise alone, of each answer."""
    found = []
    halves = _halves(table)
    for value, low, high, half in zip(
        table.values.tolist(), table.lower.tolist(), table.upper.tolist(), halves, strict=True
    ):
        noise = (low, high) if half is None else (max(low, value - half), min(high, value + half))
        numbers = dict(zip(("value", *_ENDS), (value, *noise, low, high), strict=True))
        found.append({name: _drawn(table, name, each) for name, each in numbers.items()})
    return found


def _halves(table: ReleasedTable) -> Sequence[float | None]:
    told = table.cut
    if told is None or not told.held or len(told.noise) != len(table):
        return [None] * len(table)
    return told.noise


def _drawn(table: ReleasedTable, name: str, value: float) -> float | str | None:
    """None for what cannot be drawn."""
    measure = {"noise_low": "lower", "noise_high": "upper"}.get(name, name)
    day = day_value(measure, value) if table.dated else None
    if day is None:
        return float(value) if isfinite(value) else None
    return str(day)


def _tips(*names: str) -> list[Row]:
    return [{"field": name, "type": "nominal"} for name in (*names, "value", "lower", "upper")]


def _whiskers(along: str, across: Row, value: Row) -> list[Row]:
    """Room for the cut, dashed, below the noise; `along` is the channel of the values."""
    ends: list[tuple[Row, str, str]] = [
        ({"color": CUT, "strokeDash": [4, 3]}, "lower", "upper"),
        ({"color": INK}, "noise_low", "noise_high"),
    ]
    other = "y" if along == "x" else "x"
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 2, **look},
            "encoding": {
                other: across,
                along: {**value, "field": low},
                f"{along}2": {"field": high},
            },
        }
        for look, low, high in ends
    ]


def rows_panel(table: ReleasedTable) -> Row:
    """Answers one below the other: bars for lengths, else points; categories by value."""
    rows = _keyed(table)
    if not has_order(table) and not table.dated:
        rows.sort(key=lambda row: -(row["value"] if row["value"] is not None else -np.inf))
    # A label is a place on the axis; two groups must never fall on the same one.
    place = {
        "field": "key",
        "type": "ordinal",
        "sort": [row["key"] for row in rows],
        "title": " · ".join(table.columns) or None,
        "axis": {"labelLimit": 220, "minExtent": 90},
    }
    lengths = kind_of_table(table) in LENGTHS and bool(table.columns)
    value = axis("value", head_of(table), scale={"zero": lengths}, axis={"tickCount": 6})
    if table.dated:
        value = {**value, "type": "temporal", "scale": {}}
    encoded = {"y": place, "x": value, "tooltip": _tips("key")}
    point = {"type": "point", "filled": True, "color": BLUE, "size": 60, "opacity": 1}
    whiskers = _whiskers("x", place, value)
    bar = {"mark": {"type": "bar", "color": BAR}, "encoding": encoded}
    layers = [bar, *whiskers] if lengths else [*whiskers, {"mark": point, "encoding": encoded}]
    return {"width": 460, "height": {"step": 22}, "data": {"values": rows}, "layer": layers}


def _keyed(table: ReleasedTable) -> list[Row]:
    found: list[Row] = []
    taken: set[str] = set()
    for key, numbers in list(zip(table.rows, _measures(table), strict=True))[:MOST_ROWS]:
        words = cut(" · ".join(map(shown_key, key)) or "all", _LONGEST)
        name = free(words, taken)
        taken.add(name)
        found.append({"key": name} | numbers)
    return found


def columns_panel(table: ReleasedTable) -> Row:
    """A histogram: bars as wide as their parts; a facet for each group."""
    rows = []
    for key, numbers in zip(table.rows, _measures(table), strict=True):
        begin, end = (_place(part) for part in key[-2:])
        where = {"from": begin, "to": end, "middle": _middle(key[-2], key[-1])}
        group = {"group": cut(" · ".join(map(shown_key, key[:-2])), _LONGEST)} if key[:-2] else {}
        rows.append(where | group | numbers)
    dated = any(isinstance(row[-1], date) for row in table.rows)
    kind = {"type": "temporal"} if dated else {}
    title = table.columns[-2].removesuffix("_from")
    x = axis("from", title, scale={"nice": False, "zero": False}) | kind
    middle = {**x, "field": "middle"}
    y = axis("value", head_of(table), scale={"zero": True}, axis={"tickCount": 6})
    ends: Row = {"x": x, "x2": {"field": "to"}, "y": y, "y2": {"datum": 0}}
    ends["tooltip"] = _tips("from", "to")
    bars = {"mark": {"type": "bar", "color": BAR, "binSpacing": 1}, "encoding": ends}
    panel = {"width": 460, "height": 220, "layer": [bars, *_whiskers("y", middle, y)]}
    data = {"data": {"values": rows}}
    if len(table.columns) == 2:
        return {**data, **panel}
    facet = {"field": "group", "type": "nominal", "title": table.columns[0]}
    return {**data, "facet": facet, "columns": 1, "spec": {**panel, "height": 120}}


def _place(part: object) -> float | str:
    return part.isoformat() if isinstance(part, date) else float(part)  # type: ignore[arg-type]


def _middle(begin: object, end: object) -> float | str:
    if isinstance(begin, date) and isinstance(end, date):
        return (begin + (end - begin) / 2).isoformat()
    return (float(begin) + float(end)) / 2  # type: ignore[arg-type]


def lines_panel(table: ReleasedTable, time: int) -> Row:
    """Answers over time, as lines in their bands; one for each value of the other key."""
    rows = []
    for key, numbers in zip(table.rows, _measures(table), strict=True):
        others = [shown_key(part) for place, part in enumerate(key) if place != time]
        label = cut(" · ".join(others) or "all", _LONGEST)
        rows.append({"time": str(key[time]), "series": label} | numbers)
    names = list(dict.fromkeys(row["series"] for row in rows))
    dated = all(isinstance(row[time], date) for row in table.rows)
    x: Row = {"field": "time", "type": "ordinal", "title": table.columns[time],
              "axis": {"labelAngle": 0, "labelOverlap": True}}  # fmt: skip
    if dated:
        x = {"field": "time", "type": "temporal", "title": table.columns[time]}
    y = axis("value", head_of(table), scale={"zero": False}, axis={"tickCount": 6})
    look = series(names) if len(names) > 1 else {"color": {"value": BLUE}}
    shade = {"color": look["color"], "detail": {"field": "series", "type": "nominal"}}
    bands = [
        {"mark": {"type": "area", "opacity": opacity, **colour},
         "encoding": {"x": x, "y": {**y, "field": low}, "y2": {"field": high}, **mine}}
        for opacity, colour, low, high, mine in (
            (0.12, {"color": CUT}, "lower", "upper", {"detail": shade["detail"]}),
            (0.3, {"color": SOFT}, "noise_low", "noise_high", shade),
        )
    ]  # fmt: skip
    line = {
        "mark": {"type": "line", "strokeWidth": 2, "point": len(rows) <= MOST_ROWS},
        "encoding": {"x": x, "y": y, **look, "tooltip": _tips("time", "series")},
    }
    wanted = bands if any(row["upper"] != row["noise_high"] for row in rows) else bands[1:]
    return {"width": 460, "height": 240, "data": {"values": rows}, "layer": [*wanted, line]}


def heat_panel(table: ReleasedTable) -> Row:
    """Two keys: cells the darker the larger their answers, with the answer in each."""
    shown = table.shown(len(table))
    rows = [
        {"down": shown_key(key[0]), "across": shown_key(key[1]), "text": row.value} | numbers
        for key, numbers, row in zip(table.rows, _measures(table), shown, strict=True)
    ]
    down, across = (
        {
            "field": name,
            "type": "nominal",
            "sort": list(dict.fromkeys(row[name] for row in rows)),
            "title": title,
            "axis": {"labelAngle": 0, "labelLimit": 160},
        }
        for name, title in zip(("down", "across"), table.columns, strict=True)
    )
    colour = axis("value", head_of(table), scale={"type": "sqrt", "range": [SOFT, BLUE]})
    places = {"y": down, "x": across}
    most = float(table.values.max())
    ink = {
        "condition": {"test": f"datum.value > {0.25 * most}", "value": "white"},
        "value": HEAT_INK,
    }
    return {
        "width": {"step": max(54, 9 * max((len(row["text"]) for row in rows), default=0))},
        "height": {"step": 28},
        "data": {"values": rows},
        "layer": [
            {"mark": "rect",
             "encoding": {**places, "color": colour, "tooltip": _tips("down", "across")}},
            {"mark": {"type": "text", "fontSize": 12},
             "encoding": {**places, "text": {"field": "text"}, "color": ink}},
        ],
    }  # fmt: skip
