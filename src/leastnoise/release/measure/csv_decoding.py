"""Text files in other encodings, written anew in UTF-8.

What has no meaning in an encoding becomes bytes that are no UTF-8, so that the record it stands in
is left out, as such records are in files of UTF-8, and no other one.
"""

import codecs
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

_BLOCK = 2**19
_NO_TEXT = b"\xff"


def opened_bytes(path: str) -> BinaryIO:
    """A file, unpacked if its name ends in .gz."""
    return cast(BinaryIO, gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb"))


def in_utf8(path: str, encoding: str) -> Iterator[bytes]:
    """The bytes of a file, as they would be in UTF-8."""
    with opened_bytes(path) as file:
        decoder = _decoder(file, encoding)
        while block := file.read(_BLOCK):
            yield decoder.decode(block).encode("utf-8", "surrogatepass")
    try:
        yield decoder.decode(b"", True).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # half a letter
        yield _NO_TEXT


def _decoder(file: BinaryIO, encoding: str) -> codecs.IncrementalDecoder:
    """What reads the rest of a file; a mark at its beginning tells which byte of two is first."""
    if encoding == "latin-1":  # in which every byte has a meaning
        return codecs.getincrementaldecoder("latin-1")()
    if encoding == "windows-1252":
        return codecs.getincrementaldecoder("cp1252")("surrogateescape")
    mark = file.read(2)
    name = "utf-16-be" if mark == codecs.BOM_UTF16_BE else "utf-16-le"
    if mark not in (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE):
        file.seek(0)
    return codecs.getincrementaldecoder(name)("surrogatepass")


def copied_in_utf8(path: str, encoding: str, copy: Path) -> None:
    """Writes a file anew."""
    with open(copy, "wb") as file:
        file.writelines(in_utf8(path, encoding))
