r"""Σₖ exp(−rate·(k − x)²) over all integers k: Jacobi's theta function, rigorous at every rate."""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from flint import arb, ctx

from leastnoise.numeric.ball import ball


def theta(rate: arb, place: Fraction) -> arb:
    r"""Σ exp(−rate·(k − place)²) over all integers k, as a ball at the working precision.

    Theorem (Poisson): it equals √(π/rate)·Σ exp(−π²j²/rate)·cos(2πj·place) over all integers j.
    Proof: docs/proofs/discrete_gaussian.md, Lemma 2.

    Of the two series the one that falls faster is summed.

    Args:
        rate: above 0.
        place: any rational.

    Example:
        >>> theta(arb(1), Fraction(0)).str(10, radius=False)
        '1.772637205'
    """
    if rate > 3:
        near = ball(place - round(place))
        return _series(rate, lambda k: (-rate * (k - near) ** 2).exp())
    dual, turn = arb.pi() ** 2 / rate, 2 * arb.pi() * ball(place)
    series = _series(dual, lambda j: (-dual * j * j).exp() * (turn * j).cos())
    return (arb.pi() / rate).sqrt() * series


def _series(rate: arb, term: Callable[[int], arb]) -> arb:
    """Σ term(k) over all integers k, where |term(±k)| ≤ exp(−rate·(k − 1/2)²) and rate ≥ 3.

    Beyond ±n the bounds fall at least by e^−6 per step: they add up to at most
    2·exp(−rate·(n + 1/2)²)/(1 − e^−6).
    """
    last = isqrt(ctx.prec // 3) + 1
    total = term(0)
    for k in range(1, last + 1):
        total += term(k) + term(-k)
    rest = 3 * (-rate * (arb(last) + 0.5) ** 2).exp()
    return total + arb(0, rest.upper())
