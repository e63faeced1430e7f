r"""Pairs of rows in SQL: the four kinds of joins, and when two keys are equal.

Proof: docs/proofs/joins.md.
"""

from collections.abc import Iterable

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.row_names import KEEPING_BOTH, Pairs
from leastnoise.release.measure.rows.stored import OWNER
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_term import sql_type

LEFT, RIGHT, INNER = f"{OWNER}, left", f"{OWNER}, right", f"{OWNER}, inner"
"""Names of parts of a query; no column is called so."""


@dataclass(frozen=True)
class Side:
    """One side of a join.

    Attributes:
        query: a SELECT.
        schema: the columns that may be compared.
        shown: the columns to keep.
    """

    query: Fragment
    schema: Schema
    shown: Iterable[str]


def pairs_sql(left: Side, right: Side, on: Pairs, how: str, dialect: Dialect) -> Fragment:
    """A SELECT of what is shown of both sides; of the left alone, if the right only decides."""
    test = joined(" AND ", (_equal(pair, left.schema, right.schema, dialect) for pair in on))
    columns = [dialect.identifier(LEFT, name) for name in left.shown]
    if how in KEEPING_BOTH:
        columns += [dialect.identifier(RIGHT, name) for name in right.shown]
    shown = joined(", ", columns) if columns else Fragment("1 AS one")
    parts = shown, left.query, dialect.identifier(LEFT), right.query, dialect.identifier(RIGHT)
    if how in KEEPING_BOTH or dialect.half is not None:
        word = how.upper() if how in KEEPING_BOTH else f"{dialect.half}{how.upper()}"
        return fill("SELECT {} FROM ({}) AS {} " + word + " JOIN ({}) AS {} ON {}", *parts, test)
    word = "EXISTS" if how == "semi" else "NOT EXISTS"
    return fill(
        "SELECT {} FROM ({}) AS {} WHERE " + word + " (SELECT 1 FROM ({}) AS {} WHERE {})",
        *parts,
        test,
    )


def _equal(pair: tuple[str, str], left: Schema, right: Schema, dialect: Dialect) -> Fragment:
    """As values of one type, text by its bytes; never true where one is missing."""
    kinds = left.type_of(Column(pair[0])), right.type_of(Column(pair[1]))
    wide = ColumnType.WIDE_INTEGER
    word = sql_type(wide if wide in kinds else kinds[1], dialect)
    assert word is not None
    return fill(
        "{} = {}",
        dialect.cast(dialect.identifier(LEFT, pair[0]), word),
        dialect.cast(dialect.identifier(RIGHT, pair[1]), word),
    )
