r"""CSV files: what they are made of is settled before an engine sees them.

Lines end in LF or CRLF. An engine is shown files of good lines alone, each one record: where a line
is bad, DuckDB leaves out the lines that follow as well, or fails, and at the seams of what it reads
in parallel it was seen to count a row twice.
"""

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from leastnoise import _check
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import refuse_ambiguous
from leastnoise.release.measure.csv_clean import LONGEST, Form, is_clean
from leastnoise.release.measure.csv_records import FARTHEST, judged

_BLOCK = 2**19
_MOST = 2**24
_MARK = b"\xef\xbb\xbf"  # some programs begin UTF-8 with it


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
        is_record = is_clean(line, Form(delimiter, len(names)))
    except (OSError, EOFError, UnicodeError, zlib.error, csv.Error):
        is_record = False
    if is_record:
        refuse_ambiguous(names)
        return names
    raise _check.refuse(
        "a CSV file must begin with a line of column names in UTF-8, each quoted or without quotes",
        f"none in {Path(path).name!r}",
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
    for path in paths:
        if header(path, delimiter) != names:
            # What stands in the first line may be a row, if the header was forgotten.
            raise _check.refuse(
                "all files must have the same header, now as when they were read first",
                f"another one in {Path(path).name!r}",
                "Name fewer files, or read them again.",
            )


def records_of(path: str, form: Form, copy: Path) -> str:
    """The file, if all of its lines are records and end alike; else a copy of its records."""
    with _opened(path) as file:
        end = b"\r\n" if file.readline(LONGEST).endswith(b"\r\n") else b"\n"
    if all(is_clean(each, form, end) for each in _pieces(path, end)):
        return path
    with open(copy, "wb") as kept:
        kept.writelines(_records(_pieces(path, end), form))
    return str(copy)


def _records(pieces: Iterator[bytes], form: Form) -> Iterator[bytes]:
    """The records in pieces of a file; what has to wait for more is judged when there is enough."""
    waiting, enough = bytearray(), 0
    for each in pieces:
        waiting += _plain(each)
        if len(waiting) >= enough:
            found = judged(bytes(waiting), form, is_end=False)
            yield found.records
            waiting = bytearray(found.rest)
            enough = len(waiting) + min(len(waiting), _MOST)
    if waiting:
        yield judged(bytes(waiting), form, is_end=True).records


def _pieces(path: str, end: bytes) -> Iterator[bytes]:
    """A file in pieces of whole lines; of an endless one, enough to see that it is too long."""
    with _opened(path) as file:
        rest = bytearray(file.read(len(_MARK)).removeprefix(_MARK))
        while block := file.read(_BLOCK):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield b"".join((rest, memoryview(block)[:cut]))
                rest.clear()
            rest += block[cut : cut + FARTHEST - len(rest)]
    if rest:
        yield bytes(rest) + end


def _opened(path: str) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb"))


def _plain(lines: bytes) -> bytes:
    return lines.replace(b"\r\n", b"\n")
