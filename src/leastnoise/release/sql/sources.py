"""The rows that a query is about."""

from typing import Any

from leastnoise.release.ask.expression import Column
from leastnoise.release.sql.prepared import Prepared
from leastnoise.release.sql.rows.scope import Known, Scope
from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.tree import Named, Select


def rows_asked(select: Select, dataset: Any) -> tuple[Prepared, Select]:
    """The rows of a query, and the query that is left to be asked of them."""
    source = select.source
    if source is None:
        raise refused(
            select.at, "a query must be about a table", "none", "Write FROM and its name."
        )
    if not isinstance(source, Named) or select.joins or select.queries:
        raise refused(source.at, "joins", "one", "later")
    name = source.name
    table = dataset.table(name)
    known = tuple(
        Known(source.alias, each, Column(each), each == table.unit) for each in table.schema.names
    )
    return Prepared(table, Scope(known, table.schema)), select
