"""`Precision`: with which integers a part of a plan is measured."""

from leastnoise import _check
from leastnoise._frozen import Whole, checked, frozen


@frozen
class Precision:
    r"""Integers with which one part's numbers are measured.

    With n′ the number that all parts are centred by, a number x of a box is measured as
    own·(scale·x − centre·n′). Of a simplex of d numbers with total T, own·(scale·T − centre·n′) and
    the d numbers residual·(d·x − T) are measured. Everyone has no precision of its own.

    Args:
        own: at least 1.
        centre: any integer; centre/scale is where the part is centred, for each step of n′.
        scale: at least 1.
        residual: at least 1 for a simplex of 2 numbers or more, else 0.

    Raises:
        InvalidParameter: an integer is too small.
    """

    own: Whole = checked(_check.whole(1))
    centre: Whole = checked(_check.integer)
    scale: Whole = checked(_check.whole(1))
    residual: Whole = checked(_check.whole(0), default=0)
