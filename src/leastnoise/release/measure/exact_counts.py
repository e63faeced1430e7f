"""Exact counts for whoever owns the data: not private, and part of no release."""

from collections.abc import Sequence
from dataclasses import field

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Condition, columns_of
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.backends.zoned import ZonedSession
from leastnoise.release.measure.sql.fragment import fill, joined, named
from leastnoise.release.measure.sql.sql_condition import condition_sql

_AT_ONCE = 100  # counts in one query


@dataclass(frozen=True)
class ExactCounts:
    """What is in the data.

    Attributes:
        rows: how many rows there are.
        left_out: how many lines of text files are no rows.
        met: for each condition, how many rows meet it.
    """

    rows: int = field(repr=False)
    left_out: int = field(repr=False)
    met: tuple[int, ...] = field(repr=False)


def exact_counts(table: Table, conditions: Sequence[Condition]) -> ExactCounts:
    """How many rows there are, and how many meet each condition.

    Raises:
        BackendError: the engine failed.
    """
    with opened(table.location) as session:
        found: list[int] = []
        for start in range(0, max(1, len(conditions)), _AT_ONCE):
            asked = conditions[start : start + _AT_ONCE]
            columns = [column.name for each in asked for column in columns_of(each)]
            tests = [condition_sql(each, table.schema, session.dialect) for each in asked]
            counted = [
                fill("COUNT(*)"),
                *(fill("COUNT(CASE WHEN {} THEN 1 END)", t) for t in tests),
            ]
            used = tuple(dict.fromkeys(columns)) or table.schema.names[:1]
            text = "SELECT {} FROM {}"
            query = fill(text, joined(", ", named("t", counted)), session.scan(used))
            rows, *met = (int(t[0]) for t in session.fetch(query, 0, len(counted)).totals)
            found += met
        session.refuse_changed()
        plain = session.plain if isinstance(session, ZonedSession) else session
        left_out = plain.left_out if isinstance(plain, DuckDBSession) else 0
        return ExactCounts(rows, left_out, tuple(found))
