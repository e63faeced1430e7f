"""A view as text of at most 80 columns."""

from collections.abc import Sequence
from textwrap import wrap

from leastnoise.report.view import Cell, View

WIDTH = 80
MOST_ROWS = 40
_GAP = "    "
_LEAST = 12  # characters that a folded column keeps


def text_of(view: View, *, most_rows: int = MOST_ROWS) -> str:
    """The view as text."""
    parts = ["\n".join(_wrapped(line) for line in view.header)]
    if view.columns:
        parts.append("\n".join(_table(view, most_rows)))
    parts += [_wrapped(note) for note in view.notes]
    return "\n\n".join(parts)


def _wrapped(text: str) -> str:
    whole = text.replace(" %", "\xa0%").replace("± ", "±\xa0")  # a number is not broken
    lines = [
        wrap(line, WIDTH) or [""] if len(line) > WIDTH else [line] for line in whole.split("\n")
    ]
    return "\n".join(each for found in lines for each in found).replace("\xa0", " ")


def _table(view: View, most_rows: int) -> list[str]:
    rows = view.rows if len(view.rows) <= most_rows else view.rows[: most_rows - 1]
    columns = [_column(view, rows, place) for place in range(len(view.columns))]
    gap = _GAP if _total(columns, _GAP) <= WIDTH else "  "
    left, others = columns[: view.left], columns[view.left :]
    lines = list[str]()
    while others or not lines:  # columns that do not fit go below
        count = max(1, sum(_total([*_narrow(left), *others[: i + 1]], gap) <= WIDTH
                           for i in range(len(others))))  # fmt: skip
        lines += ["", *_lines([*left, *others[:count]], view.left, gap)]
        others = others[count:]
    if len(rows) < len(view.rows):
        lines.append(f"...  ({len(view.rows):,} rows)")
    return lines[1:]


def _lines(columns: Sequence[Sequence[str]], left: int, gap: str) -> list[str]:
    surplus = _total(columns, gap) - WIDTH
    widest = max(range(left), key=lambda place: _width(columns[place]), default=None)
    lines = []
    for cells in zip(*columns, strict=True):
        shown = [cells]
        if surplus > 0 and widest is not None:
            shown = _folded(cells, widest, max(_LEAST, _width(columns[widest]) - surplus))
        lines += [gap.join(each).rstrip() for each in shown]
    return lines if lines[0] else lines[1:]


def _narrow(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Columns on the left, as narrow as the widest of them may be folded."""
    widths = [_width(column) for column in columns]
    if widths:
        widest = widths.index(max(widths))
        widths[widest] = min(widths[widest], _LEAST)
    return [[" " * width] for width in widths]


def _total(columns: Sequence[Sequence[str]], gap: str) -> int:
    return sum(map(_width, columns)) + len(gap) * (len(columns) - 1)


def _folded(cells: tuple[str, ...], place: int, width: int) -> list[tuple[str, ...]]:
    """A row whose long cell goes on in the lines below."""
    parts = wrap(cells[place], width) or [""]
    first = [*cells]
    first[place] = parts[0].ljust(width)
    blank = [" " * len(cell) for cell in first]
    return [tuple(first), *((*blank[:place], part, *blank[place + 1 :]) for part in parts[1:])]


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
    return f"{cell.value.rjust(values)} ± {cell.margin.ljust(margins)}"
