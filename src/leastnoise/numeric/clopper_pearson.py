"""Clopper and Pearson's interval for a probability, with its ends rounded outward."""

from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import monotone_inverse

_RELATIVE = Fraction(1, 2**40)  # far below what a confidence limit is read to


def clopper_pearson(successes: int, trials: int, risk: Fraction) -> tuple[Fraction, Fraction]:
    r"""Covers the probability of success with probability at least 1 − risk, whatever it is.

    Theorem: for X binomial with parameters n and λ, [lower(X), upper(X)] misses λ with probability
    at most `risk`, where lower(x) is the λ with P(X ≥ x) = risk/2, or 0 for x = 0, and
    upper(x) = 1 − lower(n − x) with the roles of success and failure exchanged.
    Proof: P(X ≥ x) grows with λ, so λ < lower(X) means P(Y ≥ X) < risk/2 for an independent copy
    Y at the true λ; that holds for the X above some point whose own tail is below risk/2.

    References: ClopperPearson1934.

    Example:
        >>> low, high = clopper_pearson(0, 10, Fraction(1, 20))
        >>> float(low), round(float(high), 4)
        (0.0, 0.3085)
    """
    lower = _lower_end(successes, trials, risk / 2)
    return lower, 1 - _lower_end(trials - successes, trials, risk / 2)


def _lower_end(successes: int, trials: int, risk: Fraction) -> Fraction:
    """A λ with P(X ≥ successes) ≤ risk, within a hair of the greatest."""
    if not successes:
        return Fraction(0)

    def compare(chance: Fraction) -> int:
        return balls.sign(lambda: _tail(successes, trials, chance) - balls.ball(risk))

    end = monotone_inverse(compare, Fraction(0), Fraction(1), relative=_RELATIVE).lower
    return Fraction(end)


def _tail(successes: int, trials: int, chance: Fraction) -> arb:
    """P(X ≥ successes) as an incomplete beta function; at the ends Arb would not say 0 and 1."""
    if chance in (0, 1):
        return arb(int(chance))
    return balls.ball(chance).beta_lower(successes, trials - successes + 1, 1)
