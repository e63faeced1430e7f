"""The released tables, each row with its interval as numbers and as a bar."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.reports.markup import (
    Markup,
    element,
    items,
    joined,
    paragraphs,
    scrolled,
    section,
    text,
)
from leastnoise.reports.numbers import many

MOST_ROWS = 1000
"""Longer tables are cut: nobody reads them on a page."""

_FOLDED_FROM = 60  # rows: more than a screen
_FEW = 20  # rows that are kept on one printed page
_LEFT, _WIDE = 4.0, 112.0  # of a bar, in the 120 pixels of the style

Floats = NDArray[np.float64]


def tables_section(release: PlanRelease) -> Markup:
    """The section with the results."""
    return section(
        "tables",
        "The results",
        paragraphs(
            "Every number carries noise that was drawn at random. With 95 % probability the noise "
            "is such that the interval contains the number that would have been published without "
            "it; each interval stands for itself. The bars show the intervals of a table on one "
            "scale, with a stroke at the published number."
        ),
        *(_table(table, number) for number, table in enumerate(release.tables, 1)),
    )


def _table(table: ReleasedTable, number: int) -> Markup:
    shown = _shown_table(table)
    if min(len(table), MOST_ROWS) > _FOLDED_FROM:
        summary = element("summary", f"Show the {min(len(table), MOST_ROWS):,} rows")
        shown = element("details", summary, shown)
    cut = []
    if len(table) > MOST_ROWS:
        cut = [
            f"These are the first {MOST_ROWS:,} of {len(table):,} rows; the rest is in the table's "
            "file (CSV, or release.json)."
        ]
    return joined(
        (
            element("h3", table.name, id=f"table-{number}"),
            shown,
            *(element("p", sentence, class_="small") for sentence in cut),
            items(*table.remarks, *table.notes) if table.remarks or table.notes else "",
        )
    )


def _shown_table(table: ReleasedTable) -> Markup:
    head = element(
        "tr",
        *(element("th", name, scope="col") for name in table.columns),
        element("th", "value", scope="col", class_="n"),
        element("th", "95 % interval", scope="col", class_="n"),
        element("th", "standard error", scope="col", class_="n"),
        element("th", "interval as a bar", scope="col"),
    )
    caption = element("caption", f"{table.name}: {many(len(table), 'value')} with 95 % intervals")
    rows = joined(_rows(table))
    parts = caption, element("thead", head), element("tbody", rows)
    body = element("table", *parts, class_="numbers")
    return scrolled(body, name=table.name, kind="few" if len(table) <= _FEW else "")


def _rows(table: ReleasedTable) -> list[Markup]:
    """Written out by hand rather than by `element`: there may be very many."""
    count = min(len(table), MOST_ROWS)
    bars = _bars(table.values[:count], table.lower[:count], table.upper[:count])
    return [
        Markup(
            f"<tr>{_key(row.key)}<td>{row.value}{_flags(row.flags)}</td><td>{row.interval}</td>"
            f"<td>{row.error}</td><td>{bar}</td></tr>\n"
        )
        for row, bar in zip(table.shown(count, grouped=True), bars, strict=True)
    ]


def _key(parts: Sequence[str]) -> str:
    return "".join(f'<th scope="row">{text(part)}</th>' for part in parts)


def _flags(words: str) -> str:
    return f'<small class="flag">{text(words)}</small>' if words else ""


def _bars(
    values: NDArray[np.float64] | NDArray[np.int64], lower: Floats, upper: Floats
) -> list[str]:
    """Small drawings; the same numbers stand beside them, so screen readers skip them."""
    ends = np.concatenate([lower, upper, values.astype(np.float64)])
    finite = ends[np.isfinite(ends)]
    if not finite.size:
        return [""] * len(values)
    low, high = float(finite.min()), float(finite.max())
    scale = _WIDE / (high - low) if high > low else 0.0
    columns = [
        np.round(_LEFT + (np.clip(np.nan_to_num(x, nan=low), low, high) - low) * scale, 1).tolist()
        for x in (values.astype(np.float64), lower, upper)
    ]
    known = (np.isfinite(values) & ~np.isnan(lower) & ~np.isnan(upper)).tolist()
    return [
        f'<svg aria-hidden="true"><path d="M{a:g} 6H{b:g}M{v:g} 2v8"/></svg>' if sure else ""
        for v, a, b, sure in zip(*columns, known, strict=True)
    ]
