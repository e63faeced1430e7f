"""A view as text of at most 80 columns."""

from collections.abc import Sequence
from textwrap import wrap

from leastnoise.report.view import Cell, View

WIDTH = 80
MOST_ROWS = 40
_GAP = "    "


def text_of(view: View, *, most_rows: int = MOST_ROWS) -> str:
    """The view as text."""
    parts = ["\n".join(_wrapped(line) for line in view.header)]
    if view.columns:
        parts.append("\n".join(_table(view, most_rows)))
    parts += [_wrapped(note) for note in view.notes]
    return "\n\n".join(parts)


def _wrapped(text: str) -> str:
    lines = [
        wrap(line, WIDTH) or [""] if len(line) > WIDTH else [line] for line in text.split("\n")
    ]
    return "\n".join(each for found in lines for each in found)


def _table(view: View, most_rows: int) -> list[str]:
    rows = view.rows if len(view.rows) <= most_rows else view.rows[: most_rows - 1]
    columns = [_column(view, rows, place) for place in range(len(view.columns))]
    gap = _GAP if sum(map(_width, columns)) + len(_GAP) * (len(columns) - 1) <= WIDTH else "  "
    lines = [gap.join(cells).rstrip() for cells in zip(*columns, strict=True)]
    if len(rows) < len(view.rows):
        lines.append(f"...  ({len(view.rows):,} rows)")
    return lines


def _width(column: Sequence[str]) -> int:
    return len(column[0])


def _column(view: View, rows: Sequence[Sequence[Cell]], place: int) -> list[str]:
    """The head and the cells of a column, all of one width; values and margins are aligned."""
    cells = [row[place] for row in rows]
    values = max((len(cell.value) for cell in cells), default=0)
    margins = max((len(cell.margin) for cell in cells if cell.margin is not None), default=0)
    texts = [
        cell.value.ljust(values) if place < view.left else _aligned(cell, values, margins)
        for cell in cells
    ]
    width = max([len(view.columns[place]), *map(len, texts)])
    align = str.ljust if place < view.left else str.rjust
    return [align(text, width) for text in (view.columns[place], *texts)]


def _aligned(cell: Cell, values: int, margins: int) -> str:
    if cell.margin is None:
        return cell.value.rjust(values) + (" " * (margins + 3) if margins else "")
    return f"{cell.value.rjust(values)} ± {cell.margin.rjust(margins)}"
