r"""Hats in SQL: which knots are around a number, and how much of its weight the upper one gets.

Names: h the weight of a part, v0, v1, … its numbers; c0, … both answers in one integer, j0, … the
knot below, m0, … what goes to the knot above it.

Proof: docs/proofs/spread.md, section 3.
"""

from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill

_ROOM = 2**21  # more than any weight, so that the knot and the weight share an integer


def clamped(number: Fragment, ends: tuple[int, int], dialect: Dialect) -> Fragment:
    """A number of any size, moved to the nearer of two ends if it is not between them."""
    low, high = (dialect.value(end, dialect.wide) for end in ends)
    inside = fill("GREATEST({}, LEAST({}, {}))", low, high, dialect.cast(number, dialect.wide))
    return dialect.cast(inside, dialect.integer)


def hat(name: str, knots: tuple[int, ...], scale: int, dialect: Dialect) -> Fragment:
    r"""The knot j below a number and what goes to the next one, as j·2^21 + ⌊h·(v − x_j)/gap⌋.

    Args:
        name: of the number, which is between the first knot and the last.
        knots: in the number's own units.
        scale: 1, or the number's weight, if the number is in units of 1/h.
        dialect: the engine's spelling.
    """
    ends = [knot * scale for knot in knots]

    def among(first: int, last: int) -> Fragment:
        """For a number from knot `first` up to knot `last`; there are few comparisons for each."""
        middle = (first + last) // 2
        if middle == first:
            over = Fragment(f"({name} - ({ends[first]}))")
            share = over if scale > 1 else fill("(h * {})", over)
            gap = dialect.value(knots[last] - knots[first], dialect.integer)
            return fill(f"{first * _ROOM} + {{}}", dialect.short_quotient(share, gap))
        return fill(
            f"CASE WHEN {name} < {ends[middle]} THEN {{}} ELSE {{}} END",
            among(first, middle),
            among(middle, last),
        )

    return among(0, len(knots) - 1)


def knot_below(code: Fragment, dialect: Dialect) -> Fragment:
    """j, of what `hat` made."""
    return dialect.short_quotient(code, dialect.value(_ROOM, dialect.integer))


def moved_up(code: Fragment, knot: Fragment) -> Fragment:
    """What goes to the knot above, of what `hat` made."""
    return fill(f"({{}} - {_ROOM} * {{}})", code, knot)
