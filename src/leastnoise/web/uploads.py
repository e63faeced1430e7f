"""`Uploads`: files that were dropped on the page, as a browser does not tell where they lie.

A copy of private data is made only for this: in a folder that nobody else can look into, as a file
that nobody else can read, piece by piece, and it is removed when the page ends.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from leastnoise._check import refuse
from leastnoise._display import visible
from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.people import many
from leastnoise.web.data_files import ENDINGS

MOST_BYTES = 2 << 30  # of all files of one run together
_LONGEST = 200  # bytes of a name
_PATTERNS = frozenset("*?[")  # an engine would read other files, too
_IN_PLACE = "Type its path instead: then it is read where it lies."


class Uploads:
    """The copies of one run.

    Args:
        most: bytes that may be stored in all.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._left = self._most = most
        self._numbers = count(1)
        self._home: TemporaryDirectory[str] | None = None

    @property
    def most(self) -> int:
        """The bytes that may be stored in all."""
        return self._most

    async def store(self, name: str, size: int | None, parts: AsyncIterator[bytes]) -> Path:
        """Write a file as it comes; of one that does not come to its end nothing stays.

        Args:
            name: what it is called; its ending says what it holds.
            size: how many bytes are announced; None if none are.
            parts: its content.

        Raises:
            InvalidParameter: no data file's name, or too large.
            BackendError: it cannot be stored.
        """
        place = self._place(checked_name(name))
        if size is not None and size > self._left:
            raise self._too_large()
        written = 0
        try:
            # Opened anew, never followed or shared: 0600, whatever the umask says.
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                async for part in parts:
                    written += len(part)
                    self._left -= len(part)
                    if self._left < 0:
                        raise self._too_large()
                    await asyncio.to_thread(file.write, part)
        except BaseException as failure:
            place.unlink(missing_ok=True)
            self._left += written
            if isinstance(failure, OSError):  # its text would name the path
                raise BackendError(
                    "a dropped file must fit on the disk; it could not be stored. " + _IN_PLACE
                ) from None
            raise
        return place

    def _place(self, name: str) -> Path:
        if self._home is None:
            self._home = TemporaryDirectory(prefix="leastnoise-dropped-")  # for its owner alone
        folder = Path(self._home.name) / str(next(self._numbers))
        folder.mkdir(mode=0o700)
        return folder / name

    def _too_large(self) -> InvalidParameter:
        return refuse(
            f"dropped files may have at most {said_size(self._most)} together",
            "more than that",
            _IN_PLACE,
        )

    def close(self) -> None:
        """Remove all copies."""
        if self._home is not None:
            self._home.cleanup()
            self._home = None


def said_size(count_: int) -> str:
    """A number of bytes for people.

    Example:
        >>> said_size(2 << 30), said_size(512)
        ('2 GB', '512 bytes')
    """
    for power, unit in ((30, "GB"), (20, "MB")):
        if count_ >= 1 << power:
            return f"{count_ >> power} {unit}"
    return many(count_, "byte")


def checked_name(name: str) -> str:
    """The name of a file, if it is one of a data file and leads nowhere else.

    Raises:
        InvalidParameter: it is not.
    """
    plain = name == Path(name).name and not name.startswith(".") and visible(name) == name
    plain = plain and "\\" not in name and _PATTERNS.isdisjoint(name)
    if plain and len(name.encode()) <= _LONGEST and name.lower().endswith(ENDINGS):
        return name
    raise refuse(
        f"a dropped file's name must be plain, not long, and end in {', '.join(ENDINGS)}",
        "another name",
        "Rename it, or type its path. A dataset's .toml names other files: type its path.",
    )
