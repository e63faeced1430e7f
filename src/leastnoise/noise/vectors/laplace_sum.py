"""The sum of the magnitudes of independent discrete-Laplace variables."""

from fractions import Fraction

from flint import arb

from leastnoise.numeric.ball import ball
from leastnoise.numeric.binomial_race import Binomial, exceeds

_MANY = 1 << 11  # from here on a race of binomials is faster than every term


def laplace_sum_tail(copies: int, rate: Fraction, m: int) -> arb:
    r"""P(|X₁| + … + |X_d| ≥ m) for P(Xᵢ = k) ∝ exp(−rate·|k|), as a ball.

    Theorem: it is P(T > S), T binomial(d, 2b/(1+b)) and S binomial(m−1, 1−b) independent,
    b = exp(−rate).
    Proof: T variables are not 0; their magnitudes are waiting times of a coin with chance 1 − b,
    whose sum is m or more if fewer than T of the first m − 1 throws succeed.

    Example:
        >>> laplace_sum_tail(2, Fraction(1), 1).str(4, radius=False)  # 1 − tanh(1/2)²
        '0.7864'
    """
    if m <= 0:
        return arb(1)
    fall = (-ball(rate)).exp()
    if copies > _MANY:
        nonzero = Binomial(copies, 2 * fall / (1 + fall), (1 - fall) / (1 + fall))
        return exceeds(nonzero, Binomial(m - 1, 1 - fall, fall))
    return _every_term(copies, fall, (-ball(rate * (m - 1))).exp(), m)


def _every_term(copies: int, fall: arb, success: arb, m: int) -> arb:
    """The sum over T; `success` starts as the chance b**(m−1) of no success at all."""
    odds, throws = (2 * fall) / (1 - fall), (1 - fall) / fall
    support = ((1 - fall) / (1 + fall)) ** copies
    total, fewer = arb(0), arb(0)
    for t in range(copies):
        fewer += success
        support = support * (copies - t) / (t + 1) * odds
        success = success * (m - 1 - t) / (t + 1) * throws if t < m - 1 else arb(0)
        total += support * fewer
    return total
