"""Two keys: a table whose cells are the darker the larger their answers."""

import math
from collections.abc import Callable, Sequence

from leastnoise.people import said_number
from leastnoise.reports.charts.frame import round_ticks
from leastnoise.reports.markup import Markup, element, joined, scrolled, text

MOST_CELLS = 400
"""More cells have no room for text."""
SHADES = 12
_NOTED = 16  # cells: so few have room for the error and the grade
_SWATCHES = 5


def shade(value: float, most: float) -> int:
    """The darkness of a cell, on a square-root scale."""
    if not math.isfinite(value) or value <= 0 or most <= 0:
        return 0
    return min(SHADES, max(1, math.ceil(SHADES * math.sqrt(value / most))))


def heat(  # noqa: PLR0913 - each is a part of the table
    rows: Sequence[str],
    columns: Sequence[str],
    cell: Callable[[int, int], tuple[float, str, str] | None],
    *,
    caption: str,
    most: float,
    names: tuple[str, str] = ("", ""),
) -> Markup:
    """The table.

    Args:
        rows: the names of its rows.
        columns: the names of its columns.
        cell: by row and column, the answer, its text, and a note for small tables; None if there
            is none.
        caption: for those who cannot see it.
        most: the largest answer of all tables that share a scale.
        names: what rows and columns are.
    """
    plain = len(rows) * len(columns) > MOST_CELLS
    noted = len(rows) * len(columns) <= _NOTED
    corner = " by ".join(name for name in names if name) or "key"
    head = [f'<th scope="col" class="corner">{text(corner)}</th>']
    head += [f'<th scope="col">{text(name)}</th>' for name in columns]
    body = []
    for i, name in enumerate(rows):
        cells = [f'<th scope="row">{text(name)}</th>']
        for j in range(len(columns)):
            found = cell(i, j)
            if found is None:
                cells.append('<td class="none">–</td>')
                continue
            value, said, note = found
            more = f"<small>{text(note)}</small>" if noted and note else ""
            inside = "" if plain else f"{text(said)}{more}"
            hidden = f'<span class="hidden">{text(said)}</span>' if plain else ""
            cells.append(f'<td class="h{shade(value, most)}">{inside}{hidden}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    table = Markup(
        f'<table class="heat"><caption class="hidden">{text(caption)}</caption>'
        f"<thead><tr>{''.join(head)}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    )
    return scrolled(table, name=caption)


def swatches(most: float, what: str) -> Markup:
    """What the shades stand for."""
    shown = round_ticks(0.0, most, _SWATCHES)[1:] if most > 0 else ()
    parts = [
        Markup(f'<span class="h{shade(tick, most)}">{text(said_number(tick, 4))}</span>')
        for tick in shown
    ]
    return element("p", joined(parts), f" {what}", class_="swatches", aria_hidden="true")
