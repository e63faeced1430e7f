"""What public tables hold: the values of a column, and whether rows repeat; it costs nothing."""

from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.keys import Key
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.rows.leaves import Public
from leastnoise.release.measure.sql.fragment import fill, joined
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


def repeats_in_public(rows: Public, columns: tuple[str, ...]) -> bool:
    """Whether two rows of a public table have the same values in these columns.

    Rows without one of the values meet no other row, and do not count.

    Raises:
        BackendError: the engine failed.
    """
    leaf = rows.leaf
    with opened(leaf.location) as session:
        kinds = [kind_of(Column(each), leaf.schema) for each in columns]
        read = [reading(Column(each), leaf.schema, session.dialect) for each in columns]
        there = (has_value(e, kind, session.dialect) for e, kind in zip(read, kinds, strict=True))
        query = fill(
            "SELECT CAST(COUNT(*) AS " + session.dialect.integer + ") AS t0 FROM (SELECT 1 AS one "
            "FROM {} WHERE {} GROUP BY {} HAVING COUNT(*) > 1) AS repeated",
            session.scan(columns),
            joined(" AND ", there),
            joined(", ", read),
        )
        return bool(session.fetch(query, 0, 1).totals[0][0])
