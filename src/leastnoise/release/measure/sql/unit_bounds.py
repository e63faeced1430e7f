r"""Bounding in SQL: how much of one unit counts, from the unit's own rows and a secret salt alone.

Names: u the unit, n its rows in a group, or in all; w the weight of each of its rows; turn the
place of a group in the unit's order of its groups.

Proof: docs/proofs/sensitivity.md, sections 2, 3 and 5.
"""

from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip, Norm
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.step.histograms import WEIGHT

_SLACK = 2**40  # a root of a double is surely right to one part in this


def few_groups(
    pairs: Fragment, keys: list[Fragment], most: int, salt: int, dialect: Dialect
) -> Fragment:
    """Of one row per unit and group: those of at most so many groups of each unit."""
    return fill(
        "SELECT * FROM ({}) AS ordered WHERE turn <= {}",
        groups_in_turn(pairs, keys, salt, dialect),
        dialect.value(most, dialect.integer),
    )


def groups_in_turn(pairs: Fragment, keys: list[Fragment], salt: int, dialect: Dialect) -> Fragment:
    """Of one row per unit and group: all of them, and the turn of each among its unit's groups."""
    return fill(
        "SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {}) AS turn FROM ({}) AS pairs",
        # Two groups may share a hash; the keys make the order total, hence the same each time.
        joined(", ", [dialect.hash(salt, [Fragment("u"), *keys]), *keys]),
        pairs,
    )


def weighed_sum(value: Fragment, rows: Fragment, most: int, dialect: Dialect) -> Fragment:
    """All rows with the weight most/rows if they are too many: no row is chosen."""
    limit = dialect.value(most, dialect.integer)
    product = fill("({} * {})", dialect.cast(value, dialect.wide), limit)
    weighed = dialect.quotient(product, dialect.cast(rows, dialect.wide))
    return fill("CASE WHEN {} <= {} THEN {} ELSE {} END", rows, limit, value, weighed)


def clipped(pairs: Fragment, clip: Clip, dialect: Dialect) -> Fragment:
    """Of one row per unit and group: all of them, and the weight w of each unit's rows."""
    rows = dialect.cast(Fragment("n0"), dialect.wide)
    size = rows if clip.norm is Norm.TOTAL else fill("{} * {}", rows, rows)
    sized = fill("SELECT *, SUM({}) OVER (PARTITION BY u) AS size FROM ({}) AS pairs", size, pairs)
    if clip.norm is Norm.TOTAL:
        return _light(sized, Fragment("size"), clip.rows, clip, dialect)
    # The weight is that of a rounded-up root, which the engine takes of doubles.
    root = fill("CEIL(SQRT({}))", dialect.cast(Fragment("size"), dialect.number))
    guessed = fill(
        "SELECT *, {} AS guess FROM ({}) AS sized", dialect.cast(root, dialect.wide), sized
    )
    above = fill(
        "CASE WHEN guess * guess < size THEN guess + {} + {} ELSE guess END",
        dialect.value(1, dialect.wide),
        dialect.quotient(Fragment("guess"), dialect.value(_SLACK, dialect.wide)),
    )
    return _light(guessed, above, clip.rows**2, clip, dialect)


def _light(sized: Fragment, norm: Fragment, limit: int, clip: Clip, dialect: Dialect) -> Fragment:
    return fill(
        "SELECT *, CASE WHEN size <= {} THEN {} ELSE {} END AS w FROM ({}) AS rooted",
        dialect.value(limit, dialect.wide),
        dialect.value(CLIP_WEIGHT, dialect.wide),
        dialect.quotient(dialect.value(clip.reach, dialect.wide), norm),
        sized,
    )


def weighed_rows(
    rows: Fragment, columns: list[Fragment], units: Fragment | None, most: int, dialect: Dialect
) -> Fragment:
    """Rows with the weight w: of units with more than may count, all of them weigh less.

    Args:
        rows: with u and the columns.
        columns: what is carried along.
        units: the unit of each of the very same rows, looked up a second time; None if a second
            look might show others.
        most: how many rows of a unit count.
        dialect: the engine's spelling.
    """
    limit, full = (dialect.value(each, dialect.integer) for each in (most, WEIGHT))
    whole = dialect.value(WEIGHT * most, dialect.integer)
    if units is None:
        lighter = dialect.short_quotient(whole, Fragment("n"))
        weight = fill("CASE WHEN n <= {} THEN {} ELSE {} END AS w", limit, full, lighter)
        return fill(
            "SELECT {} FROM "
            "(SELECT *, COUNT(*) OVER (PARTITION BY u) AS n FROM ({}) AS kept) AS numbered",
            joined(", ", [*columns, weight]),
            rows,
        )
    # Few units have more rows than may count: only these are looked up.
    heavy = fill(
        "SELECT u AS v, {} AS w FROM ({}) AS units GROUP BY u HAVING COUNT(*) > {}",
        dialect.short_quotient(whole, Fragment("COUNT(*)")),
        units,
        limit,
    )
    return fill(
        "SELECT {} FROM ({}) AS kept LEFT JOIN ({}) AS heavy ON u = v",
        joined(", ", [*columns, fill("COALESCE(w, {}) AS w", full)]),
        rows,
        heavy,
    )
