r"""CSV files: a record is a line, and what a line means depends on that line alone.

Lines end in LF or CRLF. A line is left out if it has another number of fields than the header, is
longer than `LONGEST` bytes, is no UTF-8, has a carriage return inside, or has quotes that do not
open at the beginning of a field and close at the end of a field on the same line. So no row can
swallow, move or stop another one, which a quote that is never closed does wherever fields may go on
over several lines. An engine is shown good lines alone: at the seams of what it reads in parallel,
DuckDB was seen to count a row twice beside a bad line.
"""

import csv
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.engine.column_type import ColumnType
from leastnoise.engine.schema import refuse_ambiguous

LONGEST = 2**20  # bytes
_BLOCK = 2**24
_MARK = b"\xef\xbb\xbf"  # some programs begin UTF-8 with it
_LF, _CR, _QUOTE = b'\n\r"'


@dataclass(frozen=True)
class Form:
    """What a record looks like: what is between its fields, and how many it has."""

    delimiter: str
    fields: int


def header(path: str, delimiter: str) -> list[str]:
    """The names in a file's first line.

    Raises:
        InvalidParameter: it has none that can be read, or they differ only by case.
    """
    try:
        with _opened(path) as file:
            first = file.readline(LONGEST).removeprefix(_MARK)
        line = _plain(first).removesuffix(b"\n") + b"\n"
        names = next(csv.reader([line.decode()], delimiter=delimiter), [])
        is_record = not _left_out(line, Form(delimiter, len(names))).any()
    except (OSError, EOFError, UnicodeError, zlib.error, csv.Error):
        is_record = False
    if is_record:
        refuse_ambiguous(names)
        return names
    raise _check.refuse(
        "a CSV file must begin with a line of column names in UTF-8, each quoted or without quotes",
        "none",
        "Add one; lines end in LF or CRLF.",
    )


def refuse_other_headers(
    paths: tuple[str, ...], delimiter: str, columns: tuple[tuple[str, ColumnType], ...]
) -> None:
    """Checks that all files have the columns said, in that order.

    Raises:
        InvalidParameter: one has others.
    """
    names = [name for name, _ in columns]
    if any(header(path, delimiter) != names for path in paths):
        raise _check.refuse(
            "all files must have the same header, now as when they were read first",
            "another one",
            "Name fewer files, or read them again.",
        )


def records_of(path: str, form: Form, copy: Path) -> str:
    """The file, if all of its lines are records and end alike; else a copy of those that are."""
    if _is_clean(path, form):
        return path
    with open(copy, "wb") as kept:
        for lines in _pieces(path):
            plain = _plain(lines)
            kept.write(_without(plain, _left_out(plain, form)))
    return str(copy)


def _is_clean(path: str, form: Form) -> bool:
    with _opened(path) as file:
        end = b"\r\n" if file.readline(LONGEST).endswith(b"\r\n") else b"\n"
    return all(
        _ends_alike(lines, end) and not _left_out(_plain(lines), form).any()
        for lines in _pieces(path, end)
    )


def _pieces(path: str, end: bytes = b"\n") -> Iterator[bytes]:
    """A file in pieces of whole lines; of a line that is too long, enough to see that it is."""
    with _opened(path) as file:
        rest = file.read(len(_MARK)).removeprefix(_MARK)
        while block := file.read(_BLOCK):
            whole, found, tail = block.rpartition(b"\n")
            if found:
                yield rest + whole + found
                rest = b""
            rest = (rest + tail)[: LONGEST + 2]
    if rest:
        yield rest + end


def _opened(path: str) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb"))


def _plain(lines: bytes) -> bytes:
    return lines.replace(b"\r\n", b"\n")


def _ends_alike(lines: bytes, end: bytes) -> bool:
    returns = lines.count(b"\r")
    return returns == (lines.count(b"\n") if end == b"\r\n" else 0) == lines.count(b"\r\n")


def _left_out(lines: bytes, form: Form) -> NDArray[np.bool_]:
    """Of lines that end in LF: which ones are no records."""
    text = np.frombuffer(lines, np.uint8)
    ends = np.flatnonzero(text == _LF)
    starts = np.append(0, ends[:-1] + 1)
    quotes = _places(lines, text, _QUOTE)
    bad: NDArray[np.bool_] = ends - starts > LONGEST
    bad |= _badly_quoted(text, quotes, ends, ord(form.delimiter))
    bad[np.searchsorted(ends, _places(lines, text, _CR))] = True
    between = _places(lines, text, ord(form.delimiter))
    between = between[~_inside(between, quotes, ends)]
    bad |= np.diff(np.searchsorted(between, ends), prepend=0) != form.fields - 1
    if not _is_unicode(lines):
        bad |= [not _is_unicode(lines[a:b]) for a, b in zip(starts, ends, strict=True)]
    return bad


def _places(lines: bytes, text: NDArray[np.uint8], letter: int) -> NDArray[np.intp]:
    """Where a letter is; most files have no quotes, and that is seen much sooner."""
    return np.flatnonzero(text == letter) if letter in lines else np.empty(0, np.intp)


def _turns(
    places: NDArray[np.intp], quotes: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.intp]:
    """How many quotes are before each place, on the same line."""
    before = np.searchsorted(quotes, np.append(0, ends[:-1] + 1))
    turns: NDArray[np.intp] = np.searchsorted(quotes, places)
    return turns - before[np.searchsorted(ends, places)]


def _inside(
    places: NDArray[np.intp], quotes: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.bool_]:
    if not len(quotes):
        return np.zeros(len(places), np.bool_)
    return _turns(places, quotes, ends) % 2 == 1


def _badly_quoted(
    text: NDArray[np.uint8], quotes: NDArray[np.intp], ends: NDArray[np.intp], delimiter: int
) -> NDArray[np.bool_]:
    """A line's first, third, … quote opens, its second, fourth, … closes; "" is a quote inside."""
    opens = ~_inside(quotes, quotes, ends)
    beside = np.where(opens, quotes - 1, quotes + 1)
    neighbour = np.where(beside < 0, _LF, text[beside])  # a quote is never last: lines have ends
    bad: NDArray[np.bool_] = np.diff(np.searchsorted(quotes, ends), prepend=0) % 2 == 1
    strange = quotes[~np.isin(neighbour, (delimiter, _LF, _QUOTE))]
    bad[np.searchsorted(ends, strange)] = True
    return bad


def _is_unicode(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _without(lines: bytes, bad: NDArray[np.bool_]) -> bytes:
    if not bad.any():
        return lines
    text = np.frombuffer(lines, np.uint8)
    lengths = np.diff(np.flatnonzero(text == _LF), prepend=-1)
    return text[np.repeat(~bad, lengths)].tobytes()
