r"""Bounding in SQL: how much of one unit counts, from the unit's own rows and a secret salt alone.

Names: u the unit, n its rows in a group, or in all; w the weight of each of its rows; turn the
place of a group in the unit's order of its groups.

Proof: docs/proofs/sensitivity.md, sections 2, 3 and 5.
"""

from leastnoise.release.ask.clip import CLIP_WEIGHT, UNIT_STEPS, Clip, Norm
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.step.histograms import WEIGHT

_SLACK = 2**40  # a root of a double is surely right to one part in this


def few_groups(turned: Fragment, most: int, dialect: Dialect) -> Fragment:
    """Of one row per unit and group, with its turn: those of at most so many groups of each."""
    return fill(
        "SELECT * FROM ({}) AS ordered WHERE turn <= {}",
        turned,
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


def listed_groups(
    pairs: Fragment, columns: tuple[list[Fragment], list[Fragment]], salt: int, dialect: Dialect
) -> Fragment:
    """Of one row per unit and group: one row per unit, with its groups in order of their turns.

    Args:
        pairs: with u, and with the rows of one unit in one place.
        columns: the keys of the group; and what else is carried along.
        salt: secret, for the order.
        dialect: the engine's spelling.
    """
    keys, others = columns
    order = fill("{} AS h", dialect.hash(salt, [Fragment("u"), *keys]))
    return fill(dialect.listed, joined(", ", [order, *keys, *others]), pairs)


def groups_in_lists(lists: Fragment, columns: list[Fragment], dialect: Dialect) -> Fragment:
    """Of what `listed_groups` made: what `groups_in_turn` makes of the same pairs."""
    shown = (Fragment(f"pair.{each.text} AS {each.text}") for each in columns)
    return fill(dialect.unlisted, joined(", ", shown), lists)


def few_values(
    rows: Fragment,
    keys: list[Fragment],
    most: tuple[int | None, int],
    salt: int,
    dialect: Dialect,
) -> Fragment:
    """Of rows with a unit, a group and a value v: few values per group, in few groups of each unit.

    Args:
        rows: u, the keys and v.
        keys: of the group.
        most: how many groups of a unit count, None for all; and how many values in each.
        salt: secret, for the order of both.
        dialect: the engine's spelling.
    """
    unit, value = Fragment("u"), Fragment("v")
    pair = joined(", ", [unit, *keys])
    found = fill(
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS turn "
        "FROM (SELECT DISTINCT {}, v FROM ({}) AS valued WHERE v IS NOT NULL) AS different) "
        "AS ordered WHERE turn <= {}",
        pair,
        joined(", ", [dialect.hash(salt, [unit, *keys, value]), value]),
        pair,
        rows,
        dialect.value(most[1], dialect.integer),
    )
    if most[0] is None:
        return found
    return fill(
        "SELECT * FROM (SELECT *, DENSE_RANK() OVER (PARTITION BY u ORDER BY {}) AS place "
        "FROM ({}) AS pairs) AS ranked WHERE place <= {}",
        joined(", ", [dialect.hash(salt, [unit, *keys]), *keys]),
        found,
        dialect.value(most[0], dialect.integer),
    )


def weighed_sum(value: Fragment, rows: Fragment, most: int, dialect: Dialect) -> Fragment:
    """All rows with the weight most/rows if they are too many: no row is chosen."""
    limit = dialect.value(most, dialect.integer)
    product = fill("({} * {})", dialect.cast(value, dialect.wide), limit)
    weighed = dialect.quotient(product, dialect.cast(rows, dialect.wide))
    return fill("CASE WHEN {} <= {} THEN {} ELSE {} END", rows, limit, value, weighed)


def clipped(pairs: Fragment, clip: Clip, dialect: Dialect, *, units: bool = False) -> Fragment:
    """Of one row per unit and group: all of them, and a weight for all that one unit has.

    Args:
        pairs: with u, and n0, the unit's rows in the group.
        clip: the bound.
        dialect: the engine's spelling.
        units: whether the weight is v, of the unit in each of its groups; else w, of its rows.
    """
    weight = "v" if units else "w"
    size, guess = f"{weight}_size", f"{weight}_guess"
    sized = fill(
        f"SELECT *, SUM({{}}) OVER (PARTITION BY u) AS {size} FROM ({{}}) AS pairs",
        _size_in_group(clip, dialect, units=units),
        pairs,
    )
    if clip.norm is Norm.TOTAL:
        return _light(sized, weight, Fragment(size), (clip.rows, clip.reach), dialect)
    # The weight is that of a rounded-up root, which the engine takes of doubles.
    root = fill("CEIL(SQRT({}))", dialect.cast(Fragment(size), dialect.number))
    guessed = fill(
        f"SELECT *, {{}} AS {guess} FROM ({{}}) AS sized", dialect.cast(root, dialect.wide), sized
    )
    above = fill(
        f"CASE WHEN {guess} * {guess} < {size} THEN {guess} + {{}} + {{}} ELSE {guess} END",
        dialect.value(1, dialect.wide),
        dialect.quotient(Fragment(guess), dialect.value(_SLACK, dialect.wide)),
    )
    fine = UNIT_STEPS if units else 1
    limits = (clip.rows * fine) ** 2, clip.reach * fine
    return _light(guessed, weight, above, limits, dialect)


def _size_in_group(clip: Clip, dialect: Dialect, *, units: bool) -> Fragment:
    """What one group adds to the size of all that a unit has."""
    if units:
        one = 1 if clip.norm is Norm.TOTAL else UNIT_STEPS**2
        return dialect.value(one, dialect.wide)
    rows = dialect.cast(Fragment("n0"), dialect.wide)
    return rows if clip.norm is Norm.TOTAL else fill("{} * {}", rows, rows)


def _light(
    sized: Fragment, weight: str, norm: Fragment, limits: tuple[int, int], dialect: Dialect
) -> Fragment:
    """The weight W up to a size, and beyond a number over the norm."""
    most, reach = (dialect.value(each, dialect.wide) for each in limits)
    return fill(
        f"SELECT *, CASE WHEN {weight}_size <= {{}} THEN {{}} ELSE {{}} END AS {weight} "
        "FROM ({}) AS rooted",
        most,
        dialect.value(CLIP_WEIGHT, dialect.wide),
        dialect.quotient(reach, norm),
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
        numbered = fill("SELECT *, COUNT(*) OVER (PARTITION BY u) AS n FROM ({}) AS kept", rows)
        return weighed_by_number(numbered, columns, most, dialect)
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


def weighed_by_number(
    rows: Fragment, columns: list[Fragment], most: int, dialect: Dialect
) -> Fragment:
    """Rows with the weight w, of rows that say in n how many their unit has.

    Args:
        rows: with n and the columns.
        columns: what is carried along.
        most: how many rows of a unit count.
        dialect: the engine's spelling.
    """
    limit, full, whole = (
        dialect.value(each, dialect.integer) for each in (most, WEIGHT, WEIGHT * most)
    )
    lighter = dialect.short_quotient(whole, Fragment("n"))
    weight = fill("CASE WHEN n <= {} THEN {} ELSE {} END AS w", limit, full, lighter)
    return fill("SELECT {} FROM ({}) AS numbered", joined(", ", [*columns, weight]), rows)
