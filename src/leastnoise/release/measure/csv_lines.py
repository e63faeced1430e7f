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

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.csv_form import CsvForm
from leastnoise.release.ask.location import CsvFiles
from leastnoise.release.ask.schema import refuse_ambiguous
from leastnoise.release.measure.csv_clean import LONGEST, Form, is_clean
from leastnoise.release.measure.csv_decoding import copied_in_utf8, in_utf8, opened_bytes
from leastnoise.release.measure.csv_records import FARTHEST, Judged, judged

_BLOCK = 2**19
_MOST = 2**24
_MARK = b"\xef\xbb\xbf"  # some programs begin UTF-8 with it
_ENCODING = (
    "Say the encoding: csv={'encoding': 'windows-1252'}, or 'latin-1', 'utf-16' or 'utf-8', in a "
    'plan csv = {encoding = "windows-1252"}; or save the file as UTF-8.'
)


def header(path: str, form: CsvForm) -> list[str]:
    """The names of a file's columns: those declared, or those in its first line.

    Raises:
        InvalidParameter: it has none that can be read, or they differ only by case.
    """
    if form.header:
        refuse_ambiguous(form.header)
        return list(form.header)
    why: Exception | None = None
    try:
        line = _plain(_first_line(path, form.encoding)).removesuffix(b"\n") + b"\n"
        names = _names(line.decode(), form)
        is_record = is_clean(line, Form(form.delimiter, len(names), form.quote))
    except (OSError, EOFError, UnicodeError, zlib.error, csv.Error) as error:
        is_record, why = False, error
    if is_record:
        refuse_ambiguous(names)
        return names
    found, remedy = _what_is_wrong(why)
    raise _check.refuse(
        f"a CSV file must begin with a line of column names in {form.encoding.upper()}, each "
        "quoted or without quotes",
        f"{found} {Path(path).name!r}",
        remedy,
    )


def _what_is_wrong(why: Exception | None) -> tuple[str, str]:
    """What is the matter with a file, and what to do; nothing of what it holds."""
    if isinstance(why, UnicodeError):
        return "bytes of another encoding in", _ENCODING
    if isinstance(why, gzip.BadGzipFile | EOFError | zlib.error):
        return "bytes that cannot be unpacked in", "Pack it anew; plain text ends in .csv."
    if isinstance(why, PermissionError):
        return "no right to read", "Ask whoever owns it for that right."
    return (
        "none in",
        "Add one, or name the columns in csv={'header': [...]}; lines end in LF or CRLF.",
    )


def _names(line: str, form: CsvForm) -> list[str]:
    if not form.quote:
        return line.removesuffix("\n").split(form.delimiter)
    return next(csv.reader([line], delimiter=form.delimiter, quotechar=form.quote), [])


def _first_line(path: str, encoding: str) -> bytes:
    if encoding == "utf-8":
        with opened_bytes(path) as file:
            return file.readline(LONGEST).removeprefix(_MARK)
    found = b""
    for block in in_utf8(path, encoding):
        found += block
        if b"\n" in block or len(found) > LONGEST:
            break
    return b"".join(found.partition(b"\n")[:2])


def refuse_other_headers(files: CsvFiles) -> None:
    """Checks that all files have the columns said, in that order.

    Raises:
        InvalidParameter: one has others.
    """
    names = [name for name, _ in files.columns]
    for path in files.paths:
        if header(path, files.form) != names:
            # What stands in the first line may be a row, if the header was forgotten.
            raise _check.refuse(
                "all files must have the same header, now as when they were read first",
                f"another one in {Path(path).name!r}",
                "Name fewer files, or read them again.",
            )


@dataclass(frozen=True, repr=False)
class Records:
    """A file of nothing but records, each on a line of its own.

    Attributes:
        path: the given file, or a copy of what is good in it.
        left_out: how many lines of the given one are in no record; secret.
    """

    path: str
    left_out: int


def records_of(path: str, form: Form, copy: Path, encoding: str = "utf-8") -> Records:
    """The file, if all of its lines are records and end alike; else a copy of its records."""
    if encoding != "utf-8":
        whole = copy.with_suffix(".utf8")
        copied_in_utf8(path, encoding, whole)
        found = records_of(str(whole), form, copy)
        if found.path != str(whole):
            whole.unlink()
        return found
    with opened_bytes(path) as file:
        end = b"\r\n" if file.readline(LONGEST).endswith(b"\r\n") else b"\n"
    if all(is_clean(each, form, end) for each in _pieces(path, end)):
        return Records(path, 0)
    left_out = 0
    with open(copy, "wb") as kept:
        for each in _records(_pieces(path, end), form):
            kept.write(each.records)
            left_out += each.left_out
    return Records(str(copy), left_out)


def _records(pieces: Iterator[bytes], form: Form) -> Iterator[Judged]:
    """The records in pieces of a file; what has to wait for more is judged when there is enough."""
    waiting, enough = bytearray(), 0
    for each in pieces:
        waiting += _plain(each)
        if len(waiting) >= enough:
            found = judged(bytes(waiting), form, is_end=False)
            yield found
            waiting = bytearray(found.rest)
            enough = len(waiting) + min(len(waiting), _MOST)
    if waiting:
        yield judged(bytes(waiting), form, is_end=True)


def _pieces(path: str, end: bytes) -> Iterator[bytes]:
    """A file in pieces of whole lines; of an endless one, enough to see that it is too long."""
    with opened_bytes(path) as file:
        rest = bytearray(file.read(len(_MARK)).removeprefix(_MARK))
        while block := file.read(_BLOCK):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield b"".join((rest, memoryview(block)[:cut]))
                rest.clear()
            rest += block[cut : cut + FARTHEST - len(rest)]
    if rest:
        yield bytes(rest) if rest.endswith(b"\n") else bytes(rest) + end


def _plain(lines: bytes) -> bytes:
    return lines.replace(b"\r\n", b"\n")
