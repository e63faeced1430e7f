"""Tables and progress on a terminal; plain text where the output is read by a program."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def show_json(value: Any) -> None:
    """One line of JSON."""
    print(json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    """A text without characters that would steer the terminal: keys may come from the data."""
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)


def show_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: in colour on a terminal, else aligned; what looks like a number stands right."""
    body = [[printable(cell) for cell in row] for row in rows]
    right = [_is_numeric([row[i] for row in body]) for i in range(len(head))]
    if sys.stdout.isatty():
        _coloured(printable(title), head, body, right)
    else:
        print(_plain(printable(title), head, body, right))


def _is_numeric(cells: list[str]) -> bool:
    return bool(cells) and all(cell[:1] in "0123456789-±" for cell in cells)


def _plain(
    title: str, head: Sequence[str], body: Sequence[Sequence[str]], right: Sequence[bool]
) -> str:
    lines = [head, *body]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = [
        "  ".join(
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join([title, *(f"  {line}" for line in text), ""])


def _coloured(
    title: str, head: Sequence[str], body: Sequence[Sequence[str]], right: Sequence[bool]
) -> None:
    # Loaded here: a tenth of a second that a program which reads plain text need not wait.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=Text(title, style="bold"), title_justify="left", header_style="cyan")
    for name, is_right in zip(head, right, strict=True):
        table.add_column(name, justify="right" if is_right else "left")
    for row in body:
        table.add_row(*map(Text, row))
    Console().print(table)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on the terminal, moved by (done, of); None, hence silence, where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    parts = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
