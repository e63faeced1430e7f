"""A tail from a curve of δ, where nothing else is known of a loss."""

from collections.abc import Callable
from fractions import Fraction

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_WIDTHS = tuple(Fraction(1, 2**power) for power in (12, 10, 8, 6, 4, 2, 0))


def tail_between_chords(delta: Callable[[Fraction], Interval], epsilon: Fraction) -> Interval:
    r"""P(L > epsilon) = δ(ε) + e^ε·Q(L > ε): between chords, as δ is convex in e^ε."""
    here = delta(epsilon)
    flattest, steepest = Fraction(0), Fraction(1)
    for width in _WIDTHS:
        step = balls.enclosure(balls.ball(width).exp)
        right = here.lower - delta(epsilon + width).upper
        left = delta(epsilon - width).upper - here.lower
        flattest = max(flattest, Fraction(right / (step.upper - 1)))
        steepest = min(steepest, Fraction(left / (1 - 1 / step.lower)))
    return Interval(
        min(here.lower + flattest, Fraction(1)), min(here.upper + steepest, Fraction(1))
    )
