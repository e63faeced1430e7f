"""What DuckDB reads of a location: its files, its records, and how they stand after FROM."""

from pathlib import Path
from typing import Any, TypeAlias

from leastnoise.release.ask.csv_form import USUAL
from leastnoise.release.ask.location import (
    CsvFiles,
    Declared,
    DuckDBFile,
    DuckDBRelation,
    Frame,
    ParquetFiles,
    declared_in,
)
from leastnoise.release.measure.csv_clean import Form
from leastnoise.release.measure.csv_lines import Records, records_of
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.measure.sql.sql_field import declared_scan

Readable: TypeAlias = ParquetFiles | CsvFiles | Frame | DuckDBRelation | DuckDBFile


def files_of(location: Readable) -> tuple[str, ...]:
    """Everything whose change would change the data; a database has a log beside it."""
    if isinstance(location, DuckDBFile):
        return location.path, f"{location.path}.wal"
    return location.paths if isinstance(location, ParquetFiles | CsvFiles) else ()


def records_in(location: Readable, folder: Path) -> tuple[Records, ...]:
    """CSV files of nothing but records: the given ones, or copies of what is good in them."""
    if not isinstance(location, CsvFiles):
        return ()
    form = Form(location.form.delimiter, len(location.columns), location.form.quote)
    return tuple(
        records_of(path, form, folder / f"{number}.csv", location.form.encoding)
        for number, path in enumerate(location.paths)
    )


def parquet_scan(location: ParquetFiles, columns: tuple[str, ...]) -> Fragment:
    """The files, with these of their columns as they were declared; all if none is named."""
    files = Fragment(
        # Writers leave NaN out of the ends of a column that they note down, and where these are
        # believed, the values of some rows decide whether others have one.
        "read_parquet(?, hive_partitioning=?, hive_types_autocast=false, can_have_nan=true)",
        (list(location.paths), location.partitioned),
    )
    return declared_scan(files, used(location.declared, columns), USUAL)


def csv_scan(location: CsvFiles, paths: list[str], columns: tuple[str, ...]) -> Fragment:
    """All columns are read as text, then tried: text that is no number is a missing one."""
    form = location.form
    text = (
        "read_csv(?, columns=?, delim=?, header=?, auto_detect=false, quote=?, escape=?, "
        "nullstr='', strict_mode=true, ignore_errors=true, hive_partitioning=false)"
    )
    types = {name: DUCKDB.text for name, _ in location.columns}
    parameters = (paths, types, form.delimiter, not form.header, form.quote, form.quote)
    # Without words for nothing, an empty field is all that needs no look.
    tried = location.columns if form.null else declared_in(location)
    return declared_scan(Fragment(text, parameters), used(tried, columns), form)


def used(declared: Declared, columns: tuple[str, ...]) -> Declared:
    """The declarations of some columns; all if none is named."""
    return tuple(each for each in declared if not columns or each[0] in columns)


def stream_of(relation: Any, columns: tuple[str, ...]) -> Any:
    """A relation as batches of Arrow, which can be read once."""
    import duckdb  # noqa: PLC0415

    if columns:
        relation = relation.select(*map(duckdb.ColumnExpression, columns))
    return relation.to_arrow_reader(1 << 17)


def top_names(nodes: list[tuple[str, int | None]]) -> list[str]:
    """The children of the root of a Parquet schema, which lists every node before its children."""
    names, skip = [], 0
    for name, children in nodes[1:]:
        if skip == 0:
            names.append(name)
        else:
            skip -= 1
        skip += children or 0
    return names
