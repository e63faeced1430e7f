"""What part of a budget chooses the bounds; it follows from public facts alone."""

from fractions import Fraction

_PURE = ((30, Fraction(1, 5)), (1000, Fraction(1, 10)))
_NORMAL = ((100, Fraction(1, 10)),)
_MANY = Fraction(1, 20)


def choosing_share(answers: float, normal: bool) -> Fraction:
    """Of ε; of ρ, where the noise is Gaussian.

    The best bound is exceeded by about as many units as there are answers to share what is cut
    off. Where these are few, a small part of the budget does not see them.

    Args:
        answers: how many answers share the bounds and the budget.
        normal: whether the noise is Gaussian.
    """
    steps = _NORMAL if normal else _PURE
    return next((share for below, share in steps if answers < below), _MANY)
