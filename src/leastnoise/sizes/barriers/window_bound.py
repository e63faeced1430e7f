"""The window bound: one column whose answer must be near the truth with a given confidence."""

import math
from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.sizes.barriers.barrier import Barrier

_MARGINS = (0, 0.5, 1, 1.5, 2, 3, 4, 6, 9, 14, 20)  # e·ε that are tried
_MOST_EPSILON = 30  # beyond, a chance of e^−30 to fail is nobody's wish
_MOST_EXPONENT = 600.0  # e^600 is still a float


def window_barrier(epsilon: Fraction, failure: Fraction, records: int) -> Barrier | None:
    r"""The least error of a column that a row of 2h + 1 tables excludes, 2h ≤ `records`, for δ = 0.

    Theorem: let M be ε-DP on n records in {±1}^d, replace-one, and let some column's sum be off by
    less than an integer m ≥ 1 with probability at least 1 − β, for every table. Let b = e^−ε,
    K = ⌈m/2⌉, e ≥ 0, g = K + e, and 2g ≤ h ≤ n/2. With t = 1 − b^(e+1), and with u = b^−K − 1 if m
    is even and u = b^(1−K) − 1 + b^−K·(1 − b)/2 if it is odd,

        β ≥ t/(t + u)·(2(h − g) + 1)/(2h + 1).

    Proof: docs/proofs/sample_size.md, section 12.

    For many records this is b^K or 2b^K/(1 + b), and geometric noise has just that chance to be off
    by K. So for one column nothing is left to gain but what integers take.
    """
    half = records // 2
    if half < 2 or epsilon > _MOST_EPSILON:
        return None

    def possible(error: int) -> bool:
        margin = _best_margin(epsilon, error, half)
        if margin is None:
            return True
        return balls.sign(lambda: _chance(epsilon, error, half, margin) - balls.ball(failure)) <= 0

    logs = math.log(failure.denominator) - math.log(failure.numerator)
    guess = math.floor(Fraction(2 * logs + 1) / epsilon)
    most = least_integer(possible, 1, min(guess, half)) - 1
    return Barrier(2 * half, Fraction(most), "one column") if most else None


def _best_margin(epsilon: Fraction, error: int, half: int) -> int | None:
    """An e of a good bound, by floats; None if none leaves room."""
    near, loss = -(-error // 2), float(epsilon)
    margins = [math.ceil(Fraction(c) / epsilon) for c in _MARGINS]
    margins = [margin for margin in margins if 2 * (near + margin) <= half]

    def rough(margin: int) -> float:
        seen = -math.expm1(-loss * (margin + 1))
        hidden = _rough_odds(loss, near, odd=bool(error % 2))
        return seen / (seen + hidden) * (2 * (half - near - margin) + 1)

    return max(margins, key=rough, default=None)


def _rough_odds(loss: float, near: int, *, odd: bool) -> float:
    """The theorem's u."""
    far = min(loss * near, _MOST_EXPONENT)
    if odd:
        return math.expm1(far - loss) - math.exp(far) * math.expm1(-loss) / 2
    return math.expm1(far)


def _chance(epsilon: Fraction, error: int, half: int, margin: int) -> arb:
    """The theorem's bound on β, as a ball."""
    near, loss = -(-error // 2), balls.ball(epsilon)
    seen = -(-loss * (margin + 1)).expm1()
    if error % 2:
        hidden = (loss * (near - 1)).expm1() - (loss * near).exp() * (-loss).expm1() / 2
    else:
        hidden = (loss * near).expm1()
    return seen / (seen + hidden) * (2 * (half - near - margin) + 1) / (2 * half + 1)
