r"""Whether rows of one unit in one group are rare enough that summing them first saves nothing.

Engines that move rows between machines sum the rows of a unit in a group where they lie, and move
the sums: once to where each pair of unit and group is, and once more to where the unit is. If
hardly any two rows are of one pair, nearly as many sums as rows are moved twice; then it is less
work to move rows once, to where their unit is. Only work is saved: totals are the same either way.
Rows that may be computed anew are not looked at, and are moved twice.
"""

from leastnoise.release.measure.backends.session import Session
from leastnoise.release.measure.backends.spark import SparkSessionBeside
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined, names

_LEAST_BYTES = 2**24  # what is smaller takes no longer than a look at it
_SAMPLE = 100_000
_RARE = 64
r"""Of s rows, with pairs spread evenly over P, s/2P repeat one: if less than s/64 do, 32 times as
many rows, as one task may read, are still of more than half as many pairs."""


def rarely_repeat(query: BoundedQuery, session: Session) -> bool:
    """Whether the first rows of a large table, stored in files, are of nearly as many pairs."""
    asked = query.asked
    if not isinstance(session, SparkSessionBeside) or not query.is_bounded or not query.cells.one:
        return False
    if asked.valued is not None or asked.turns is not None or not query.chooses:
        return False
    if not session.rereads or session.stored_bytes < _LEAST_BYTES:
        return False
    keys = names("k", len(query.cells.keys))
    beginning = fill(f"(SELECT * FROM {{}} LIMIT {_SAMPLE}) AS beginning", query.scan)
    rows = query.cells.numbered(query.rows.query(beginning), [Fragment("u")])
    pairs = fill(
        "SELECT COUNT(*) AS n FROM ({}) AS kept GROUP BY {}",
        rows,
        joined(", ", [Fragment("u"), *keys]),
    )
    both = fill("SELECT COALESCE(SUM(n), 0) AS t0, COUNT(*) AS t1 FROM ({}) AS pairs", pairs)
    found, different = (int(total[0]) for total in session.fetch(both, 0, 2).totals)
    return (found - different) * _RARE <= found
