"""The folder of a prepared table: what its manifest says, and whether it is still as it was made.

It holds the data themselves: the folder and its files are for their owner alone.
"""

import hashlib
import json
import os
from dataclasses import astuple
from pathlib import Path
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.errors import BackendError
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.location import Declared, PreparedFiles
from leastnoise.release.measure.unit_ranges import UnitRange

NUMBER, ROWS = "\x1fnumber of the unit", "\x1frows of the unit"
"""Hidden columns: which unit, by a number that nothing is chosen by; and how many rows it has.

No column that can be asked about has such a letter in its name.
"""
HIDDEN = frozenset({NUMBER, ROWS})

MANIFEST, DATA = "leastnoise-prepared.json", "rows.parquet"
_FORMAT = 1
_BLOCK = 2**20


@dataclass(frozen=True, repr=False)
class Prepared:
    """What a manifest says; as secret as the data.

    Attributes:
        unit: the column whose values were numbered; None if each row is a unit.
        flagged: the columns that have a flag for fields that could not be read.
        most_rows: how many rows the unit with most of them has.
        ranges: all units, by ranges that are looked at together.
    """

    unit: str | None
    flagged: Declared
    most_rows: int
    ranges: tuple[UnitRange, ...]


def is_prepared(folder: str) -> bool:
    """Whether a path is a folder that `prepare` made."""
    return (Path(folder) / MANIFEST).is_file()


def prepared_location(folder: str) -> PreparedFiles:
    """Where the data of a prepared folder are.

    Raises:
        BackendError: the folder was changed, or another version made it.
    """
    where = Path(folder).resolve()
    found = checked_manifest(str(where))
    return PreparedFiles(
        (str(where / DATA),),
        partitioned=False,
        folder=str(where),
        unit=found.unit,
        flagged=found.flagged,
    )


def write_manifest(folder: Path, found: Prepared) -> None:
    """The manifest of a folder whose data are complete; written last, for its owner alone."""
    data = folder / DATA
    facts = os.stat(data)
    body = {
        "format": _FORMAT,
        "unit": found.unit,
        "flagged": [[name, kind.value] for name, kind in found.flagged],
        "most_rows": found.most_rows,
        "ranges": [list(astuple(each)) for each in found.ranges],
        "size": facts.st_size,
        "modified": facts.st_mtime_ns,
        "sha256": _file_digest(data),
    }
    text = json.dumps({**body, "manifest": _digest(body)}, indent=1)
    with os.fdopen(os.open(folder / MANIFEST, _NEW, 0o600), "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def new_file(path: Path) -> None:
    """An empty file that nobody but its owner can read, from its first moment."""
    os.close(os.open(path, _NEW, 0o600))


def checked_manifest(folder: str) -> Prepared:
    """The manifest of a folder whose data are those that it was written for.

    A file of the same size and time is taken for the same; one of another time is read, and must
    be the same to the last bit.

    Raises:
        BackendError: the manifest or the data are gone or were changed, or the format is another.
    """
    try:
        body: dict[str, Any] = json.loads((Path(folder) / MANIFEST).read_text("utf-8"))
        said = body.pop("manifest")
        if body["format"] != _FORMAT:
            raise BackendError(
                "a prepared folder must be of this version's format; it is of another. "
                "Prepare the table again."
            )
        if said != _digest(body) or not _is_same(Path(folder) / DATA, body):
            raise _changed()
        return Prepared(
            body["unit"],
            tuple((name, ColumnType(kind)) for name, kind in body["flagged"]),
            body["most_rows"],
            tuple(UnitRange(*each) for each in body["ranges"]),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise _changed() from None


def _changed() -> BackendError:
    return BackendError(
        "a prepared folder must be as it was made; this one was changed, and nothing was charged. "
        "Prepare the table again."
    )


def _is_same(data: Path, said: dict[str, Any]) -> bool:
    facts = os.stat(data)
    if facts.st_size != said["size"]:
        return False
    return bool(said["modified"] == facts.st_mtime_ns) or bool(said["sha256"] == _file_digest(data))


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()
