r"""Conditions in SQL: two-valued, total, and of matching types, so that they never fail on data."""

from leastnoise.release.ask.conditions import Condition
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.measure.sql.sql_reader import SqlReader


def condition_sql(condition: Condition, schema: Schema, dialect: Dialect) -> Fragment:
    """A condition as SQL that is true or false for every row, never unknown, and never fails.

    Raises:
        InvalidParameter: an unknown column, a value of another type, or conditions too deep.
    """
    return SqlReader(schema, dialect).holds(condition)
