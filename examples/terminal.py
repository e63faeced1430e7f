"""What a command prints, as a picture of a terminal of 80 columns."""

import contextlib
import html
import io
import sys
from unittest import mock

from leastnoise.cli.main import main as command

_LINE, _WIDE, _EDGE = 18, 7.83, 16
_MONO = 'ui-monospace, "SF Mono", Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace'


def printed(*arguments: str) -> str:
    """What `leastnoise` prints to a pipe."""
    caught = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["leastnoise", *arguments]),
        contextlib.redirect_stdout(caught),
        contextlib.suppress(SystemExit),
    ):
        command(to_the_end=False)
    return caught.getvalue()


def terminal(typed: str, shown: str) -> str:
    """SVG: one line of text for each line; the colours suit light and dark pages."""
    lines = [f"$ {typed}", *shown.rstrip("\n").split("\n")]
    high = _LINE * len(lines) + 2 * _EDGE
    wide = round(80 * _WIDE + 2 * _EDGE)
    rows = "".join(_row(place, line) for place, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" role="img" aria-label="{html.escape(typed)} in a terminal">'
        f'<rect width="{wide}" height="{high}" rx="8" fill="#18212b"/>'
        f'<g font-family=\'{_MONO}\' font-size="13" fill="#e8edf2">{rows}</g></svg>\n'
    )


def _row(place: int, line: str) -> str:
    weight = "700" if place == 0 else "400"
    return (
        f'<text x="{_EDGE}" y="{_EDGE + _LINE * place + 13}" font-weight="{weight}" '
        f'xml:space="preserve">{html.escape(line)}</text>'
    )
