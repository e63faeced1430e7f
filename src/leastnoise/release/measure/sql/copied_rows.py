r"""A table in SQL as it is copied for many releases: columns typed, rows of a unit side by side.

Each unit has a number, by which its rows are found together again. Units are told apart by their
whole identifiers, never by a hash; numbers go by how many rows a unit has, then by identifiers.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Callable

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.unparsed import flag_of
from leastnoise.release.measure.prepared_folder import NUMBER, ROWS
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_term import reading

_COPIED = frozenset(
    {
        ColumnType.TRUTH,
        ColumnType.INTEGER,
        ColumnType.WIDE_INTEGER,
        ColumnType.NUMBER,
        ColumnType.TEXT,
        ColumnType.DATE,
        ColumnType.MOMENT,
    }
)
# Such names are nobody's columns.
_UNIT, _NUMBER, _ROWS = map(DUCKDB.identifier, ("\x1funit", NUMBER, ROWS))
# Arrow's texts may be any bytes, with which Parquet files are written and not read again.
_DECODED = "decode(encode({}))"
_WIDE = "DECIMAL(38, 0)"  # Parquet would make doubles of DuckDB's widest integers


def copied_columns(schema: Schema) -> Schema:
    """The columns that something can be asked about."""
    found = ((name, kind) for name, kind in schema.columns if kind in _COPIED)
    return Schema((name, kind) for name, kind in found if name.isprintable())


@dataclass(frozen=True)
class CopiedRows:
    """What is copied of a table on DuckDB.

    Attributes:
        schema: its columns.
        flagged: those with a flag for fields that could not be read.
        unit: the one that says whose row it is, if the copy goes by units.
    """

    schema: Schema
    flagged: tuple[str, ...]
    unit: str | None

    def query(self, scan: Callable[[], Fragment]) -> Fragment:
        """The rows; with a unit, by its number, with this and how many rows the unit has.

        Args:
            scan: what stands for the table after FROM, anew at each call.
        """
        return self._typed(scan()) if self.unit is None else self._clustered(scan, self.unit)

    def _typed(self, scan: Fragment) -> Fragment:
        names = self.schema.names
        values = [fill("{} AS {}", self._stored(n), DUCKDB.identifier(n)) for n in names]
        flags = [DUCKDB.identifier(flag_of(name)) for name in self.flagged]
        return fill("SELECT {} FROM {}", joined(", ", [*values, *flags]), scan)

    def _stored(self, name: str) -> Fragment:
        column = Column(name)
        read = reading(column, self.schema, DUCKDB)
        kind = self.schema.type_of(column)
        if kind is ColumnType.TEXT:
            return fill(_DECODED, read)
        return DUCKDB.cast(read, _WIDE) if kind is ColumnType.WIDE_INTEGER else read

    def _clustered(self, scan: Callable[[], Fragment], unit: str) -> Fragment:
        read = reading(Column(unit), self.schema, DUCKDB)
        units = fill(
            "SELECT u AS {}, ROW_NUMBER() OVER (ORDER BY n, u) - 1 AS {}, n AS {} FROM (SELECT u, "
            "COUNT(*) AS n FROM (SELECT {} AS u FROM {}) AS known WHERE u IS NOT NULL GROUP BY u) "
            "AS counted",
            _UNIT,
            _NUMBER,
            _ROWS,
            read,
            scan(),
        )
        return fill(
            "SELECT typed.*, {}, {} FROM ({}) AS typed LEFT JOIN ({}) AS units ON {} = {} "
            "ORDER BY {}",
            _NUMBER,
            _ROWS,
            self._typed(scan()),
            units,
            read,  # of typed rows: reading twice changes nothing
            _UNIT,
            _NUMBER,
        )
