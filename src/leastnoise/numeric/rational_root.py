"""Roots of rational numbers, where they are rational."""

from fractions import Fraction

from flint import fmpz


def rational_root(value: Fraction, degree: int) -> Fraction | None:
    """The number ≥ 0 whose power of this degree is the value, if it is rational.

    Args:
        value: a rational ≥ 0.
        degree: an integer ≥ 1.

    Example:
        >>> rational_root(Fraction(8, 27), 3), rational_root(Fraction(2), 2)
        (Fraction(2, 3), None)
    """
    over, under = _root(value.numerator, degree), _root(value.denominator, degree)
    return None if over is None or under is None else Fraction(over, under)


def _root(value: int, degree: int) -> int | None:
    found = int(fmpz(value).root(degree))
    return found if found**degree == value else None
