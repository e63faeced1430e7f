"""Released values: bars, columns, lines, points or heat, each with its 95 % interval."""

from collections.abc import Callable
from math import isfinite

import numpy as np

from leastnoise.people import many
from leastnoise.pictures.band_panel import MOST_LINES, band_groups, band_panel
from leastnoise.pictures.lines import Row
from leastnoise.pictures.names import capital, drawable
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.pictures.released_panels import (
    MOST_ROWS,
    columns_panel,
    heat_panel,
    lines_panel,
    rows_panel,
)
from leastnoise.pictures.table_words import LENGTHS, is_histogram, is_time, kind_of_table
from leastnoise.privacy.spoken import said
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_key

MOST_TABLES = 12  # a longer picture is a report
_MOST_SERIES, _MOST_SIDE = 5, 40  # lines beside each other; rows or columns of heat
_BAND = "Line: released shares. Ground: the band that holds all of a line with 95 %."
_NOISE = "Dark line: 95 % interval for the noise."
_CUT = "Dashed orange: room for what the limits cut."


def table_picture(table: ReleasedTable) -> Picture:
    """The values of one table."""
    return drawn(
        _panel(table), title=capital(table.name), subtitle=_subtitle(table), words=_words(table)
    )


def release_picture(release: PlanRelease) -> Picture:
    """The values of all tables, one below the other."""
    shown = release.tables[:MOST_TABLES]
    panels = [
        {"title": {"text": capital(table.name), "fontSize": 12, "anchor": "start"}, **_panel(table)}
        for table in shown
    ]
    cut = any(table.cut is not None and table.cut.held for table in shown)
    subtitle = [_NOISE, *([_CUT] if cut else [])]
    subtitle += _left_out(len(release.tables), MOST_TABLES, "tables")
    return drawn(
        {"vconcat": panels, "spacing": 24, "resolve": {"scale": {"color": "independent"}}},
        title=f"Released with {drawable(said(release.guarantee))}",
        subtitle=subtitle,
        words=" ".join(map(_words, shown)),
    )


def _panel(table: ReleasedTable) -> Row:
    return _chosen(table)(table)


def _chosen(table: ReleasedTable) -> Callable[[ReleasedTable], Row]:
    """How a table is drawn."""
    keys = len(table.columns)
    if table.is_band:
        return band_panel
    known = all(map(isfinite, table.values.tolist()))
    if is_histogram(table) and known and keys <= 3:
        return columns_panel
    if keys == 1 and known and is_time(table, 0):
        return lambda told: lines_panel(told, 0)
    if keys == 2 and known:
        return _two_keys(table)
    return rows_panel


def _two_keys(table: ReleasedTable) -> Callable[[ReleasedTable], Row]:
    sides = [len({row[side] for row in table.rows}) for side in (0, 1)]
    for time in (0, 1):
        if is_time(table, time) and sides[1 - time] <= _MOST_SERIES:
            return lambda told: lines_panel(told, time)
    lengths = kind_of_table(table) in LENGTHS
    return heat_panel if lengths and max(sides) <= _MOST_SIDE else rows_panel


def _subtitle(table: ReleasedTable) -> list[str]:
    if table.is_band:
        return [_BAND, *_left_out(band_groups(table), MOST_LINES, "groups")]
    told = [_NOISE] if table.cut is None or not table.cut.held else [f"{_NOISE} {_CUT}"]
    drawn_as_rows = _chosen(table) is rows_panel
    return told + (_left_out(len(table), MOST_ROWS, "rows") if drawn_as_rows else [])


def _left_out(there: int, shown: int, what: str) -> list[str]:
    return [f"the first {shown} of {there:,} {what}"] if there > shown else []


def _words(table: ReleasedTable) -> str:
    """What is to be seen, in a sentence."""
    name, count = capital(table.name), len(table.rows)
    rows = table.shown(count) if count else []
    if count == 1:
        return f"{name}: {rows[0].value}, with a 95 % interval of {_ends(rows[0].interval)}."
    if not count or not np.isfinite(table.values.astype(np.float64)).all():
        return f"{name}: {many(count, 'value')}."
    order = np.argsort(table.values, kind="stable").tolist()
    low, high = order[0], order[-1]
    return (
        f"{name}: {many(count, 'value')} with 95 % intervals; the largest is {rows[high].value} "
        f"({_label(table, high)}), the smallest {rows[low].value} ({_label(table, low)})."
    )


def _ends(interval: str) -> str:
    return interval.replace(" – ", " to ").replace(" … ", " to ")


def _label(table: ReleasedTable, place: int) -> str:
    parts = [shown_key(part) for part in table.rows[place]]
    if is_histogram(table):
        parts[-2:] = [f"{parts[-2]} to {parts[-1]}"]
    return ", ".join(parts) or "all"
