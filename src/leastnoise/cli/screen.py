"""Tables and sentences: as wide as the screen, and 80 columns where nobody looks."""

import json
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from leastnoise._display import visible, visible_json

_PLAIN_WIDTH = 80  # of a page, a mail, a pipe
_WIDTHS = 50, 100  # narrower cannot be read, and wider neither
_LEAST = 14  # columns of words are not made narrower than this
_GAP = "  "
_NUMERIC = "0123456789-−±<>"


def show_json(value: Any) -> None:
    """One line of JSON."""
    print(visible_json(json.dumps(value, ensure_ascii=False)))


def width() -> int:
    """How many letters fit on a line."""
    if not sys.stdout.isatty():
        return _PLAIN_WIDTH
    return min(max(shutil.get_terminal_size().columns, _WIDTHS[0]), _WIDTHS[1])


def bold(text: str, stream: TextIO | None = None) -> str:
    """A text that stands out on a terminal with colours."""
    return _styled(text, "1", stream)


def warned(text: str, stream: TextIO | None = None) -> str:
    """A text that warns, on a terminal with colours."""
    return _styled(text, "1;33", stream)


def _styled(text: str, code: str, stream: TextIO | None) -> str:
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain or not (stream or sys.stdout).isatty() else f"\x1b[{code}m{text}\x1b[0m"


def show_text(text: str, *, indent: str = "", hanging: str = "") -> None:
    """Lines, wrapped at words, in which nothing steers the terminal: names may be of the data."""
    for line in visible(text, keep="\n").split("\n"):
        print(wrapped(line, indent=indent, hanging=hanging))


def wrapped(line: str, *, indent: str = "", hanging: str = "", wide: int | None = None) -> str:
    """One line as several, if it is too long; words that no line can hold stay whole."""
    return (
        textwrap.fill(
            line,
            wide or width(),
            initial_indent=indent,
            subsequent_indent=" " * len(indent) + hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        or indent.rstrip()
    )


def show_warning(text: str) -> None:
    """What must be known, with a mark in front; the first words, up to a colon, stand out."""
    lines = wrapped(visible(text), hanging="  ", indent="! ").split("\n")
    first, colon, rest = lines[0].partition(":")
    print("\n".join([f"{warned(first)}{colon}{rest}" if colon else warned(lines[0]), *lines[1:]]))


def show_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: what looks like a number stands right, and columns without any cell are left out."""
    if title:
        print(bold(wrapped(visible(title))))
    for line in table_lines(head, rows, width()):
        print(line)
    print()


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]], wide: int) -> list[str]:
    """The lines of a table; in blocks below each other if it cannot be made narrow enough."""
    names = [visible(name) for name in head]
    body = [[visible(cell) for cell in row] for row in rows]
    kept = [i for i in range(len(names)) if not body or any(row[i] for row in body)]
    columns = [[names[i], *(row[i] for row in body)] for i in kept]
    found: list[str] = []
    for block in _blocks(columns, wide - len(_GAP)):
        if found:
            found.append("")
        found += _block_lines(block, wide - len(_GAP))
    return found


def _blocks(columns: list[list[str]], wide: int) -> Iterator[list[list[str]]]:
    """As many columns as fit, beside the first one."""
    if len(columns) <= 1:
        yield columns
        return
    first, *others = columns
    block = [first]
    for column in others:
        least = sum(_least(each) for each in [*block, column]) + len(_GAP) * len(block)
        if least > wide and len(block) > 1:
            yield block
            block = [first]
        block.append(column)
    yield block


def _least(column: list[str]) -> int:
    """How narrow a column may be: numbers are not broken, words may be."""
    natural = max(map(_cells, column))
    if _is_numeric(column[1:]):
        return natural
    longest = max((_cells(word) for cell in column for word in cell.split()), default=0)
    return min(natural, max(longest, _LEAST))


def _block_lines(columns: list[list[str]], wide: int) -> list[str]:
    widths = [max(map(_cells, column)) for column in columns]
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - wide
    while over > 0:
        room = [w - _least(column) for w, column in zip(widths, columns, strict=True)]
        if max(room) <= 0:
            break
        # The widest one that can give way does.
        place = max((i for i in range(len(widths)) if room[i] > 0), key=lambda i: widths[i])
        widths[place] -= 1
        over -= 1
    right = [_is_numeric(column[1:]) for column in columns]
    lines: list[str] = []
    for number, row in enumerate(zip(*columns, strict=True)):
        for line in _row_lines(row, widths, right):
            lines.append(_GAP + (bold(line) if not number else line))
    return lines


def _row_lines(row: Sequence[str], widths: list[int], right: list[bool]) -> Iterator[str]:
    parts = [_folded(cell, size) for cell, size in zip(row, widths, strict=True)]
    for number in range(max(map(len, parts))):
        cells = [part[number] if number < len(part) else "" for part in parts]
        line = _GAP.join(
            " " * (size - _cells(cell)) + cell if side else cell + " " * (size - _cells(cell))
            for cell, size, side in zip(cells, widths, right, strict=True)
        )
        yield line.rstrip()


def _folded(cell: str, size: int) -> list[str]:
    if _cells(cell) <= size:
        return [cell]
    return textwrap.wrap(cell, size, break_long_words=False, break_on_hyphens=False) or [""]


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes: some letters take two, marks take none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def _is_numeric(cells: Sequence[str]) -> bool:
    told = [cell for cell in cells if cell]
    return bool(told) and all(cell[:1] in _NUMERIC or cell == "not known" for cell in told)
