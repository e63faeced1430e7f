"""`prepare`: a copy of a table for many releases, in which the rows of a unit lie together."""

import os
from dataclasses import replace
from pathlib import Path

from leastnoise import _check
from leastnoise.release.ask.location import (
    Joined,
    ParquetFiles,
    PostgresTable,
    PreparedFiles,
    SparkFrame,
    StoredLocation,
    Zoned,
    declared_in,
)
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.copying import write_copy
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.backends.prepared import units_by_rows
from leastnoise.release.measure.own_folder import OwnFolder
from leastnoise.release.measure.prepared_folder import (
    DATA,
    MANIFEST,
    Prepared,
    is_prepared,
    prepared_location,
    write_manifest,
)
from leastnoise.release.measure.sql.copied_rows import CopiedRows, copied_columns
from leastnoise.release.measure.unit_ranges import unit_ranges

_STAGE, _UNFINISHED = "stage.unfinished", "rows.unfinished"


def prepare(
    table: Table, folder: str | os.PathLike[str], *, replace_existing: bool = False
) -> Table:
    """A copy of a table for many releases; plans on the copy give the same totals, sooner.

    The copy holds the data themselves, every row of them. Its folder and files can be read by
    their owner alone; keep and delete them as you keep and delete the data. It does not follow the
    table: prepare again when that has changed.

    Args:
        table: from `read` or a dataset: files, a table in memory or a DuckDB file.
        folder: where to put the copy; a new folder.
        replace_existing: whether an earlier copy in that place is replaced.

    Returns:
        The same table, read from the copy, with everything that was said of it.

    Raises:
        InvalidParameter: the folder exists, or the table is none, is on another engine or joined.
        BackendError: the engine failed, and its message is withheld; or the data were changed
            while they were copied.

    Example:
        >>> import tempfile
        >>> import leastnoise as ln
        >>> import pandas as pd
        >>> folder = f"{tempfile.mkdtemp()}/prepared"
        >>> table = prepare(ln.read(pd.DataFrame({"patient": [1, 1, 2]}), unit="patient"), folder)
        >>> table == ln.read(folder, unit="patient")
        True
    """
    place = _copyable(table)
    target = Path(os.path.abspath(folder))
    _refuse_existing(target, replace_existing=replace_existing)
    # Beside the target, so that it can get its name at once; gone afterwards, whatever happens.
    with OwnFolder(target.parent, f".{target.name}-unfinished-") as made:
        _copy(table, place, made)
        _put(made, target)
    return _read_again(table, target)


def _copyable(table: object) -> StoredLocation:
    if not isinstance(table, Table):
        raise _check.refuse(
            "what is prepared must be a table",
            f"a {type(table).__name__}",
            "Write prepare(read('visits.parquet', unit='patient_id'), 'copy').",
        )
    location = table.location
    place = location.place if isinstance(location, Zoned) else location
    if isinstance(location, Joined) or isinstance(
        place, Joined | PostgresTable | SparkFrame | PreparedFiles
    ):
        raise _check.refuse(
            "a table that is prepared must be of files, in memory or in a DuckDB file",
            f"a place of kind {type(place).__name__}",
            "Store its rows as Parquet files with a column for the unit, and prepare those.",
        )
    return location


def _refuse_existing(target: Path, *, replace_existing: bool) -> None:
    if not target.parent.is_dir():
        raise _check.refuse(
            "a prepared table must be put into a folder that exists",
            _check.shown(str(target.parent)),
            "Make it first.",
        )
    earlier = is_prepared(str(target)) and not target.is_symlink()
    if not os.path.lexists(target):
        return
    others = _others(target) if replace_existing and earlier else []
    if others:  # they would go with the copy
        raise _check.refuse(
            "a copy that is replaced must be all that its folder holds",
            f"{_check.shown(target.name)}, which holds {_check.shown(others[0])} beside a copy",
            "Move it away, or name a new folder.",
        )
    if replace_existing and earlier:
        return
    another = "; --replace, or replace_existing=True, replaces an earlier copy" if earlier else ""
    raise _check.refuse(
        "a prepared table must not take the place of something else",
        f"{_check.shown(target.name)}, which exists",
        f"Name a new folder{another}.",
    )


def _others(folder: Path) -> list[str]:
    """What somebody put beside a copy, but for what systems hide."""
    found = set(os.listdir(folder)) - {DATA, MANIFEST}
    return sorted(name for name in found if not name.startswith("."))


def _copy(table: Table, place: StoredLocation, made: Path) -> None:
    """The data, then their name, then the manifest: none is there before it is complete."""
    flagged = declared_in(place)
    rows = CopiedRows(copied_columns(table.schema), tuple(name for name, _ in flagged), table.unit)
    schema = table.schema
    with opened(place) as session:
        rereads = session.rereads
    if not rereads:
        # A computation may show other rows at each look: all that follows is about one look.
        write_copy(place, made / _STAGE, schema, replace(rows, unit=None))
        place, schema = ParquetFiles((str(made / _STAGE),), partitioned=False), rows.schema
    write_copy(place, made / _UNFINISHED, schema, rows)
    copy = made / "copy"
    copy.mkdir(mode=0o700)
    os.rename(made / _UNFINISHED, copy / DATA)
    units = {} if table.unit is None else units_by_rows(str(copy / DATA))
    write_manifest(copy, Prepared(table.unit, flagged, max(units, default=0), unit_ranges(units)))


def _put(made: Path, target: Path) -> None:
    """The finished folder under its name; an earlier one is moved away, and goes with the rest."""
    if os.path.lexists(target):
        os.rename(target, made / "earlier")
    os.rename(made / "copy", target)


def _read_again(table: Table, target: Path) -> Table:
    """The table as it is read from the copy; of columns that nothing can be asked about, none."""
    location = prepared_location(str(target))
    with opened(location) as session:
        schema = session.schema()
    facts = tuple(each for each in table.facts if each[0] in schema.names)
    return replace(table, schema=schema, location=location, facts=facts)
