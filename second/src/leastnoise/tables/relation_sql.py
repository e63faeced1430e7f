"""A relation as SQL: a SELECT with the hidden unit column and the columns that are used.

Trusted.
"""

from collections.abc import Callable, Iterable

from leastnoise.tables.dialect import Dialect, Fragment, fill, joined
from leastnoise.tables.expressions import columns_of
from leastnoise.tables.relations import Filtered, OfUnit, Relation
from leastnoise.tables.schema import Table

UNIT = " u"
"""The hidden column that holds the privacy unit. No table may have a column of this name."""

Scan = Callable[[Table, list[str]], Fragment]
"""The engine's part: what stands in FROM for a table, with the named columns cleaned, and `UNIT`
if the table has one."""


def relation_sql(
    relation: Relation, names: Iterable[str], scan: Scan, dialect: Dialect
) -> Fragment:
    """What stands in FROM for a relation, with these columns, and `UNIT` if it has one."""
    wanted = list(dict.fromkeys(names))
    match relation:
        case OfUnit(table):
            return scan(table, wanted)
        case Filtered(source, condition):
            read = [column.name for column in columns_of(condition)]
            inside = relation_sql(source, [*wanted, *read], scan, dialect)
            shown = [*wanted] if relation.rows_are_units else [UNIT, *wanted]
            columns = joined(", ", map(dialect.name, shown)) if shown else Fragment("1 AS one")
            test = condition.sql(dialect)
            return fill("(SELECT {} FROM {} WHERE {}) AS filtered", columns, inside, test)
        case _:
            raise TypeError(f"no relation: {type(relation).__name__}")
