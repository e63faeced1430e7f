"""Local files by path, pattern or folder."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import glob
from pathlib import Path
from urllib.parse import unquote, urlsplit

from leastnoise import _check

_PATTERN = frozenset("*?[")


def local_files(path: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
    """The absolute paths of the files meant, in order of their names.

    Args:
        path: a file, a folder (all files under it that end so), or a pattern such as *.parquet.
        suffixes: how files in a folder must end to count.

    Raises:
        InvalidParameter: there are none, or the path is not local.
    """
    if "://" in path:
        raise _check.refuse(
            "files must be on this machine",
            f"an address of {path.partition('://')[0]}://",
            "Copy them here, or mount the store.",
        )
    where = Path(path)
    if where.is_file():
        found = [where]
    elif path and where.is_dir():  # an empty path would be the folder one happens to be in
        found = [file for suffix in suffixes for file in where.rglob(f"*{suffix}")]
    elif _PATTERN & set(path):
        found = [file for file in map(Path, glob(path, recursive=True)) if file.is_file()]
    else:
        found = []
    if not found:
        raise _check.refuse(
            "the data must be where they are said to be",
            f"no file there: {where.name!r}" if path else "an empty path",
            _REMEDY,
        )
    paths = tuple(sorted(str(file.resolve()) for file in found))
    strange = next((each for each in paths if _PATTERN & set(each)), None)
    if strange is not None:
        raise _check.refuse(
            "the names of files and of their folders must not contain *, ? or [",
            _check.shown(strange),
            "Rename it: an engine would take it for a pattern.",
        )
    return paths


def files_of_data(place: str | Path) -> set[tuple[int, int]]:
    """Every file on this machine that may hold rows, as the system numbers them.

    Args:
        place: what a plan says: a file, a folder with all that is in it, a pattern, or an address.
    """
    address = urlsplit(os.fspath(place))
    if address.scheme in {"postgresql", "postgres"}:
        return set()
    path = unquote(address.path) if address.scheme == "file" else os.fspath(place)
    found = set()
    for each in {path, *glob(path, recursive=True)}:
        for file in _files_below(each):
            with suppress(OSError):  # it is gone again
                facts = os.stat(file)
                found.add((facts.st_dev, facts.st_ino))
    return found


def same_files(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two lists of paths have a file in common, whatever it is called: links lead to one.

    A path without a file is itself.
    """
    return not set(map(_known_as, one)).isdisjoint(map(_known_as, other))


def _known_as(path: str) -> tuple[int, int] | str:
    try:
        facts = os.stat(path)
    except OSError:
        return path
    return facts.st_dev, facts.st_ino


def _files_below(path: str) -> Iterator[str]:
    yield path
    yield f"{path}.wal"  # what a database has not yet moved to its file
    for folder, _, names in os.walk(path, followlinks=True):
        yield from (os.path.join(folder, name) for name in names)


_REMEDY = "Check the path; a folder must hold files, a pattern must match some."
