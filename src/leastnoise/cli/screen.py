"""Tables and progress on a terminal; plain text where the output is read by a program."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from leastnoise._display import visible, visible_json
from leastnoise.release.result.shown_row import text_table


def show_json(value: Any) -> None:
    """One line of JSON."""
    print(visible_json(json.dumps(value, ensure_ascii=False)))


def show_text(text: str) -> None:
    """Lines in which nothing steers the terminal: names may come from the data."""
    print(visible(text, keep="\n"))


def show_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: in colour on a terminal, else aligned; what looks like a number stands right."""
    names = [visible(name) for name in head]
    body = [[visible(cell) for cell in row] for row in rows]
    right = [_is_numeric([row[i] for row in body]) for i in range(len(head))]
    if sys.stdout.isatty():
        _coloured(visible(title), names, body, right)
    else:
        lines = text_table([names, *body], right).split("\n")
        print("\n".join([visible(title), *(f"  {line}" for line in lines), ""]))


def _is_numeric(cells: list[str]) -> bool:
    return bool(cells) and all(cell[:1] in "0123456789-±" for cell in cells)


def _coloured(
    title: str, head: Sequence[str], body: Sequence[Sequence[str]], right: Sequence[bool]
) -> None:
    # Loaded here: a tenth of a second that a program which reads plain text need not wait.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=Text(title, style="bold"), title_justify="left", header_style="cyan")
    for name, is_right in zip(head, right, strict=True):
        table.add_column(Text(name), justify="right" if is_right else "left")
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
    bar = Progress(*parts, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    with suppress(Exception):  # a terminal that is gone must not stop what it shows
        bar.start()
    try:
        yield lambda done, of: bar.update(task, completed=done, total=of)
    finally:
        with suppress(Exception):
            bar.stop()
