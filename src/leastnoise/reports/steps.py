"""The page of a schedule: running totals of all steps so far, with their bands."""

import base64
import hashlib
import math
from collections.abc import Sequence
from itertools import islice

from leastnoise._display import visible
from leastnoise.privacy.spoken import said
from leastnoise.release.result.shown_row import shown_key
from leastnoise.release.result.step_release import StepRelease
from leastnoise.release.result.step_series import StepSeries
from leastnoise.reports.charts.rows import Mark
from leastnoise.reports.charts.upright import Series, lines
from leastnoise.reports.digits import interval_texts, value_texts
from leastnoise.reports.markup import (
    Markup,
    element,
    facts,
    headed_table,
    joined,
    paragraphs,
    scrolled,
)
from leastnoise.reports.style import style

MOST_GROUPS = 5  # more bands cover each other
_MOST_ROWS = 200  # of a table on the page; the files have all
_LEGEND = Markup('<span><i class="key-band"></i> running total and its 95 % band of noise</span>')


def steps_html(made: StepRelease, tables: Sequence[StepSeries]) -> str:
    """What all steps showed as one HTML page: no scripts, nothing loaded from anywhere.

    Args:
        made: the last step.
        tables: the running totals of each question, as `released_steps` gives them.
    """
    title = f"To {made.step}: {', '.join(each.name for each in tables)}"
    sheet = style(f"{visible(title)[:80]} · {said(made.guarantee)}")
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", sheet),
    )
    body = element(
        "body", element("main", element("h1", title), _about(made), *map(_question, tables))
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{body}\n</html>\n'


def series_lines(table: StepSeries) -> list[Series]:
    """The running totals of the first groups, each with its band; none before the first step."""
    groups = dict.fromkeys(tuple(row[1:]) for row in table.rows)
    return [Series(_name(group), _marks(table, group)) for group in islice(groups, MOST_GROUPS)]


def series_chart(table: StepSeries) -> Markup:
    """Running totals as lines in their bands; empty before the first step."""
    series, groups = series_lines(table), len({tuple(row[1:]) for row in table.rows})
    if not series:
        return Markup("")
    steps = [mark.label for mark in series[0].marks]
    places = [round(100 * (n + 0.5) / len(steps), 3) for n in range(len(steps))]
    chart, axis = lines(series, places, steps, label=series_words(table), steps=True)
    more = f", the first {len(series)} of {groups:,} groups" if groups > len(series) else ""
    off = "" if axis.begins_at_0 else "; the axis does not begin at 0"
    legend = element("p", _LEGEND, class_="legend", aria_hidden="true")
    return element(
        "figure", element("p", f"{table.name} to date{more}{off}", class_="axis"), chart, legend
    )


def _name(group: tuple[object, ...]) -> str:
    return " · ".join(map(shown_key, group)) or "all"


def _marks(table: StepSeries, group: tuple[object, ...]) -> list[Mark]:
    numbers = zip(table.rows, table.values, table.lower, table.upper, strict=True)
    found = []
    for row, value, low, high in numbers:
        if tuple(row[1:]) == group:
            one = float(value)
            ends = (
                float(low) if math.isfinite(low) else one,
                float(high) if math.isfinite(high) else one,
            )
            found.append(Mark(str(row[0]), one, ends, ends))
    return found


def series_words(table: StepSeries) -> str:
    """What is to be seen, in a sentence; for tables with a step."""
    texts, between = _texts(table)
    steps = {row[0] for row in table.rows}
    last = f"the last number is {texts[-1]}, between {between[-1]}"
    return f"{table.name}: running totals of {len(steps):,} steps; {last}."


def _texts(table: StepSeries) -> tuple[list[str], list[str]]:
    errors = table.standard_error.tolist()
    whole = table.values.dtype.kind in "iu"
    low, high = table.lower.tolist(), table.upper.tolist()
    values = value_texts(table.values.tolist(), errors, whole=whole)
    return values, interval_texts(low, high, errors, whole=whole)


def _about(made: StepRelease) -> Markup:
    pairs = [
        ("Steps so far", f"{made.number:,}, each a {made.every}"),
        ("Promise", f"{made.guarantee}, for all steps of the schedule together"),
        ("Paid", f"once, by line {made.entry.number} of the ledger"),
        ("Seal", made.seal),
    ]
    return joined(
        [
            paragraphs(
                "Numbers hold noise that was added on purpose, so that nobody can be told from "
                "them. What was published is never revised: a step, a week or a month is the "
                "difference of two running totals.",
            ),
            facts(pairs),
        ]
    )


def _question(table: StepSeries) -> Markup:
    values, between = _texts(table)
    first = max(0, len(table) - _MOST_ROWS)
    rows = [
        element(
            "tr",
            *(element("td", shown_key(key)) for key in table.rows[n]),
            element("td", values[n], class_="number"),
            element("td", between[n], class_="number"),
        )
        for n in range(len(table) - 1, first - 1, -1)
    ]
    heads = [*table.columns, "to date", "95 % between"]
    left = f", the last {_MOST_ROWS} of {len(table):,} rows" if first else ""
    numbers = scrolled(
        headed_table(f"{table.name}, the last step first{left}", heads, rows), name=table.name
    )
    return element("section", element("h2", table.name), series_chart(table), numbers)
