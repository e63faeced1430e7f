"""`values_in_public`: the different values of a column of a public table, which cost nothing."""

from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.keys import Key
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.rows.leaves import Public
from leastnoise.release.measure.sql.fragment import fill
from leastnoise.release.measure.sql.sql_term import has_value, kind_of, reading


def values_in_public(rows: Public, column: str, most: int) -> tuple[Key, ...] | None:
    """The different values of a public table's column, sorted; None if it has more than `most`.

    Only a table that was declared public can be given, so nobody's rows are read.

    Raises:
        BackendError: the engine failed.
    """
    leaf = rows.leaf
    kind = kind_of(Column(column), leaf.schema)
    if not kind.can_be_key:
        return None
    with opened(leaf.location) as session:
        read = reading(Column(column), leaf.schema, session.dialect)
        query = fill(
            "SELECT {} AS k0, CAST(COUNT(*) AS " + session.dialect.integer + ") AS t0 FROM {} "
            f"WHERE {{}} GROUP BY 1 ORDER BY 1 LIMIT {most + 1}",
            read,
            session.scan((column,)),
            has_value(read, kind, session.dialect),
        )
        found = session.fetch(query, 1, 1).keys[0]
    return tuple(sorted(found)) if len(found) <= most else None
