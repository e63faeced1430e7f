"""Confidence limits of a probability, from how often something happened."""

from fractions import Fraction

from leastnoise.numbers import ball as balls
from leastnoise.numbers.interval import Interval

_CLOSEST = 40  # bits of a guess that are kept if they are proved


def clopper_pearson(successes: int, trials: int, risk: Fraction) -> Interval:
    """Holds the probability of success with a chance of at least 1 - risk, whatever it is.

    The lower end is the p with P(X >= successes) = risk/2 for X binomial, rounded down; the upper end
    the same for failures (Clopper and Pearson 1934).

    >>> found = clopper_pearson(0, 10, Fraction(1, 20))
    >>> float(found.lower), round(float(found.upper), 4)
    (0.0, 0.3085)
    """
    lower = _lower_end(successes, trials, risk / 2)
    return Interval(lower, 1 - _lower_end(trials - successes, trials, risk / 2))


def _lower_end(successes: int, trials: int, risk: Fraction) -> Fraction:
    """A p with P(X >= successes) <= risk, proved: near the greatest, which floats guess."""
    from scipy.special import betaincinv

    if not successes:
        return Fraction(0)

    def is_rare(p: Fraction) -> bool:
        return balls.sign(lambda: balls.ball(p).beta_lower(*powers, 1) - balls.ball(risk)) <= 0

    powers = successes, trials - successes + 1
    guess = Fraction(float(betaincinv(*powers, float(risk))))
    tried = (guess * (1 - Fraction(1, 1 << bits)) for bits in range(_CLOSEST, 0, -1))
    return next(filter(is_rare, tried), Fraction(0))
