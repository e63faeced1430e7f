"""A described table, read: of its data the names and types of columns alone."""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.location import Frame, ParquetFiles, Zoned
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.dataset.described_table import DescribedTable
from leastnoise.release.dataset.fitting import refuse_misfit, refuse_other_type
from leastnoise.release.measure.backends.spark_master import spark_session
from leastnoise.release.read import holds_text, read

_READ_AS_DECLARED = {ColumnType.TEXT, ColumnType.UNDECLARED}


def read_as_declared(said: DescribedTable, zone: str | None) -> Table:
    """A table as it is stored; whose rows they are is not said.

    Args:
        said: what is declared of it.
        zone: in which time stamps with a zone are read.

    Raises:
        InvalidParameter: there is no such table, or its columns are not as described.
        BackendError: its columns could not be read.
    """
    found = _read(said, zone)
    _refuse_others(said, found.schema)
    return found


def _read(said: DescribedTable, zone: str | None) -> Table:
    """Text files, and text or Python objects elsewhere, are read as what is declared."""
    options = {**dict(said.options), "zone": zone}
    if "spark" in options:
        options["session"] = spark_session(options.pop("spark"))
    if holds_text(said.data):
        return read(said.data, unit=None, types=dict(said.types), **options)
    found = read(said.data, unit=None, **options)
    kinds = dict(found.schema.columns)
    unlike = {name: kind for name, kind in said.types if kinds.get(name, kind) is not kind}
    types = {name: kind for name, kind in unlike.items() if kinds[name] in _READ_AS_DECLARED}
    place = found.location.place if isinstance(found.location, Zoned) else found.location
    if types and isinstance(place, Frame | ParquetFiles):
        return read(said.data, unit=None, types=types, **options)
    return found


def _refuse_others(said: DescribedTable, schema: Schema) -> None:
    """What is declared of columns must be of columns that are there, and fit what they hold."""
    for name, kind in said.types:
        refuse_other_type(f"{said.name}.{name}", kind, schema.type_of(Column(name)))
    for name, facts in said.facts:
        refuse_misfit(f"{said.name}.{name}", facts, schema.type_of(Column(name)))
    for name in [*(column for column, _ in said.refers), *said.unique]:
        schema.type_of(Column(name))
