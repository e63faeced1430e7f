"""One-sided bounds for a probability from independent trials, rigorous and quick."""

from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.clopper_pearson import clopper_pearson

_FIRST_ROOM = Fraction(1, 2**30)
_TRIES = 3


def lower_end(successes: int, trials: int, risk: Fraction) -> Fraction:
    r"""A number that exceeds the probability of success with probability at most `risk`.

    Theorem: if P(X ≥ x) ≤ risk at success probability λ(x) for every x ≥ 1, λ(0) = 0 and λ does
    not decrease with x, then for every true p, P(λ(X) > p) ≤ risk.
    Proof: docs/proofs/auditing.md, section 1.

    The end is found in floating point and then proved by one ball.

    References: ClopperPearson1934.

    Example:
        >>> round(float(lower_end(10, 10, Fraction(1, 40))), 4)
        0.6915
    """
    if not successes:
        return Fraction(0)
    guess, room = _guess(successes, trials, risk), _FIRST_ROOM
    for _ in range(_TRIES):
        end = guess * (1 - room)
        if _tail_at_most(successes, trials, end, risk):
            return end
        room *= 1 << 8
    return clopper_pearson(successes, trials, 2 * risk)[0]


def upper_end(successes: int, trials: int, risk: Fraction) -> Fraction:
    """A number that falls short of the probability of success with probability at most `risk`.

    Example:
        >>> round(float(upper_end(0, 10, Fraction(1, 40))), 4)
        0.3085
    """
    return 1 - lower_end(trials - successes, trials, risk)


def _guess(successes: int, trials: int, risk: Fraction) -> Fraction:
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    return Fraction(float(betaincinv(successes, trials - successes + 1, float(risk))))


def _tail_at_most(successes: int, trials: int, chance: Fraction, risk: Fraction) -> bool:
    """Whether P(X ≥ successes) ≤ risk, proved."""
    if not 0 < chance < 1:
        return chance <= 0
    with balls.precision(balls.FIRST_PRECISION):
        tail: arb = balls.ball(chance).beta_lower(successes, trials - successes + 1, 1)
        return bool(tail <= balls.ball(risk))
