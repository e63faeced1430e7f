"""Moments of a sum of independent copies."""

from collections.abc import Sequence
from math import factorial

from flint import arb, arb_poly

from leastnoise.numeric.real import Real
from leastnoise.numeric.truncated_power import truncated_power


def sum_moment(moments: Sequence[Real], copies: int) -> arb:
    r"""E(Y₁ + … + Y_n)^p from E Y, …, E Y^p, as a ball at the working precision.

    The moments divided by i! are the coefficients of E e^(tY), whose n-th power belongs to the sum.

    Example:
        >>> from leastnoise.numeric.real import rational_real
        >>> dice = [rational_real(1), rational_real(2)]
        >>> int(sum_moment(dice, 3).unique_fmpz())  # three of variance 1 and mean 1
        12
    """
    balls = [arb(1), *(moment.ball() for moment in moments)]
    series = arb_poly([ball / factorial(i) for i, ball in enumerate(balls)])
    order = len(moments)
    return truncated_power(series, copies, order + 1)[order] * factorial(order)
