"""A view as HTML, for notebooks and reports: a plain table with thin interval bars.

No script and no colour of its own: everything takes the colours of the page, light or dark.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Protocol

from leastnoise.report.view import Cell, View

MOST_ROWS = 20

_NUMBER = "text-align:right;white-space:nowrap"
_TEXT = "text-align:left"
_BAR = "display:inline-block;position:relative;width:6em;height:.7em;margin-left:.7em"
_LINE = "position:absolute;top:.3em;height:.12em;background:currentColor;opacity:.5"
_DOT = "position:absolute;top:.1em;height:.5em;width:.16em;background:currentColor"


class HasView(Protocol):
    """What can show itself."""

    def view(self) -> View:
        """What is shown."""


class Notebook:
    """Gives a notebook the view of what it shows."""

    def _repr_html_(self: HasView) -> str:
        return html_of([self.view()])


def html_of(views: Iterable[View], *, most_rows: int = MOST_ROWS) -> str:
    """Views below each other."""
    return "".join(_one(view, most_rows) for view in views)


def _one(view: View, most_rows: int) -> str:
    first, *others = (_lines(line) for line in view.header)
    parts = [f"<p>{'<br>'.join([f'<b>{first}</b>', *others])}</p>"]
    if view.columns:
        parts.append(_table(view, most_rows))
    parts += [f"<p>{_lines(note)}</p>" for note in view.notes]
    return f"<div>{''.join(parts)}</div>"


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _table(view: View, most_rows: int) -> str:
    rows = view.rows if len(view.rows) <= most_rows else view.rows[: most_rows - 1]
    head = _row("th", [(escape(name), _style(view, at)) for at, name in enumerate(view.columns)])
    body = [_row("td", [(_cell(cell), _style(view, at)) for at, cell in enumerate(row)])
            for row in rows]  # fmt: skip
    if len(rows) < len(view.rows):
        body.append(_row("td", [(f"... ({len(view.rows):,} rows)", _TEXT)]))
    head = f"<thead>{head}</thead>" if any(view.columns) else ""
    return f"<table>{head}<tbody>{''.join(body)}</tbody></table>"


def _style(view: View, place: int) -> str:
    return _TEXT if place < view.left else _NUMBER


def _row(tag: str, cells: Sequence[tuple[str, str]]) -> str:
    inside = "".join(f'<{tag} style="{style}">{text}</{tag}>' for text, style in cells)
    return f"<tr>{inside}</tr>"


def _cell(cell: Cell) -> str:
    text = escape(cell.value)
    if cell.margin is not None:
        text += f" ± {escape(cell.margin)}"
    return text if cell.bar is None else text + _bar(*cell.bar)


def _bar(low: float, value: float, high: float) -> str:
    """A line from end to end of an interval, and a mark at the value; places from 0 to 1."""
    line = f"{_LINE};left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"
    dot = f"{_DOT};left:{100 * value:.1f}%"
    return f'<span style="{_BAR}"><span style="{line}"></span><span style="{dot}"></span></span>'
