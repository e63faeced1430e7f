r"""Places of numbers on grids, and parts of ranges, in SQL."""

from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Readable
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.terms import Arithmetic
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.reader import Reader
from leastnoise.release.measure.sql.sql_types import as_number, has_value


def place_of(column: Readable, grid: Grid, reader: Reader) -> Fragment:
    r"""The place of a column's value on a grid; NULL where it has none.

    Theorem: for every double v, infinite ones included, the place is an integer in least..most and
    monotone in v. It is `grid.place(v)`, save for v·2^bits = 1/2 − 2^−54, which goes to 1, not 0.
    Proof: docs/proofs/sensitivity.md, section 4.
    """
    read, kind, dialect = reader.read(column), reader.kind(column), reader.dialect
    number = as_number(read, kind, dialect)
    computed = isinstance(column, Arithmetic) and kind is ColumnType.NUMBER  # and so never NaN
    near = fill("{} + {}", dialect.scale(number, grid.bits), dialect.value(0.5, dialect.number))
    return fill(
        # Compared first, because FLOOR of a number beyond 64 bits can be an error.
        "CASE WHEN {} THEN CASE WHEN {} < {} THEN {} WHEN {} <= {} THEN CAST(FLOOR({}) AS "
        + dialect.integer
        + ") ELSE {} END END",
        has_value(read, ColumnType.INTEGER if computed else kind, dialect),
        near,
        dialect.value(float(grid.least), dialect.number),
        dialect.value(grid.least, dialect.integer),
        near,
        dialect.value(float(grid.most), dialect.number),
        near,
        dialect.value(grid.most, dialect.integer),
    )


def part_of(key: Bin, reader: Reader) -> Fragment:
    """The upper end is in the last part; (place − least)·cells is below 2^53."""
    dialect = reader.dialect
    place = place_of(key.column, key.grid, reader)
    least, most, cells, last, steps = (
        dialect.value(number, dialect.integer)
        for number in (
            key.grid.least,
            key.grid.most,
            key.cells,
            key.cells - 1,
            key.grid.most - key.grid.least,
        )
    )
    scaled = fill("(({} - {}) * {})", place, least, cells)
    inside = dialect.short_quotient(scaled, steps)
    return fill("CASE WHEN {} = {} THEN {} ELSE {} END", place, most, last, inside)
