r"""Rigorous sums Σ j**power · exp(−rate·j²) over the integers, at any precision.

A narrow Gaussian is summed term by term, with a geometric bound on the rest. A wide one has too
many terms; there the whole sum is turned into a short one by Poisson's formula, and a one-sided
sum by Euler and Maclaurin's, with remainders bounded by Cauchy's estimate of the derivatives.
Proofs: docs/proofs/discrete_gaussian.md.

References: CohenBook2007, chapter 9 (Bernoulli polynomials).
"""

from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from leastnoise.numeric import ball as balls

# Below this variance few terms matter and are simply added up.
_WIDE = 1 << 12


@lru_cache(maxsize=256)
def _rate(variance: Fraction, bits: int) -> arb:
    with balls.precision(bits):
        return balls.ball(1 / (2 * variance))


def gaussian_weight(variance: Fraction, k: int) -> arb:
    """exp(−k²/(2·variance))."""
    return (-(k * k) * _rate(variance, ctx.prec)).exp()


def gaussian_weights(variance: Fraction, most: int) -> list[arb]:
    """exp(−k²/(2·variance)) for 0 ≤ k ≤ most."""
    rate = _rate(variance, ctx.prec)
    return [(-(k * k) * rate).exp() for k in range(most + 1)]


def total_weight(variance: Fraction) -> arb:
    """Σ over all integers k of exp(−k²/(2·variance))."""
    return _total_weight(variance, ctx.prec)


@lru_cache(maxsize=256)
def _total_weight(variance: Fraction, bits: int) -> arb:
    rate = _rate(variance, bits)
    if rate > 3:
        return 1 + 2 * _direct_sum(rate, 1, 0, bits)
    # Poisson: the same series with rate π²/rate, which converges the faster the wider the law.
    dual = arb.pi() ** 2 / rate
    return (arb.pi() / rate).sqrt() * (1 + 2 * _direct_sum(dual, 1, 0, bits))


@lru_cache(maxsize=1024)
def _weight_from(variance: Fraction, start: int, power: int, bits: int) -> arb:
    rate = _rate(variance, bits)
    if variance < _WIDE or start > variance or bits > variance:
        return _direct_sum(rate, start, power, bits)
    return _euler_maclaurin(rate, start, power)


def weight_from(variance: Fraction, start: int) -> arb:
    """Σ over k ≥ start of exp(−k²/(2·variance)), for start ≥ 0."""
    return _weight_from(variance, start, 0, ctx.prec)


def powers_sum(variance: Fraction, power: int) -> arb:
    """Σ over k ≥ 0 of k**power·exp(−k²/(2·variance)), for power ≥ 1."""
    return _weight_from(variance, 0, power, ctx.prec)


def _direct_sum(rate: arb, start: int, power: int, bits: int) -> arb:
    """Σ over j ≥ start of j**power·exp(−rate·j²), term by term, down to 2**−bits of the whole.

    The terms are log-concave, so once they fall they fall at least geometrically.
    """
    weight, factor = (-(start * start) * rate).exp(), (-(2 * start + 1) * rate).exp()
    if not weight > 0:  # so far out that Arb gives [0, tiny] at this precision
        return weight.union(weight / (1 - factor))
    change, small = (-2 * rate).exp(), arb(2) ** -bits
    last, j = arb(0), start
    term = total = weight * arb(start) ** power
    while not (term < total * small and term < last):
        weight, factor, j = weight * factor, factor * change, j + 1
        last, term = term, weight * arb(j) ** power
        total += term
    return total + arb(0).union(term * term / (last - term))


def _euler_maclaurin(rate: arb, start: int, power: int) -> arb:
    """Σ over j ≥ start of f(j) for f(x) = x**power·exp(−rate·x²); power > 0 only with start 0."""
    main = _integral(rate, start, power)
    order, remainder = _order_and_remainder(rate, start, power, main)
    return main + _corrections(rate, start, power, order) + remainder * arb(0, 1)


def _integral(rate: arb, start: int | arb, power: int) -> arb:
    """The integral of f from start on."""
    if power == 0:
        return (arb.pi() / rate).sqrt() / 2 * _erfc(rate.sqrt() * start)
    half = arb(power + 1) / 2
    return half.gamma() / rate**half / 2


def _erfc(x: arb) -> arb:
    """The complementary error function; Arb's own loses all digits where x² is large."""
    if not x > 1 << 10:
        return x.erfc()
    half = arb(1) / 2
    return (-x * x).exp() * (x * x).hypgeom_u(half, half) / arb.pi().sqrt()


def _corrections(rate: arb, start: int, power: int, order: int) -> arb:
    """What the formula of this even order adds to the integral."""
    taylor = _taylor(rate, start, order)
    total = taylor[0] / 2 if power == 0 else arb(0)
    for n in range(power | 1, order, 2):
        total -= arb.bernoulli(n + 1) / (n + 1) * taylor[n - power]
    return total


def _taylor(rate: arb, start: int, order: int) -> list[arb]:
    """The Taylor coefficients of exp(−rate·x²) at start, below the order."""
    before, here = arb(0), (-(start * start) * rate).exp()
    coefficients = [here]
    for n in range(1, order):
        before, here = here, -2 * rate * (start * here + before) / n
        coefficients.append(here)
    return coefficients


def _order_and_remainder(rate: arb, start: int, power: int, main: arb) -> tuple[int, arb]:
    """An even order of the formula whose remainder is negligible, and a bound on the remainder."""
    order = 16 + 2 * power
    while True:
        remainder = _remainder(rate, start, power, order)
        if remainder < main * arb(2) ** -ctx.prec or order > 8 * ctx.prec:
            return order, remainder
        order = order * 3 // 2 & ~1


def _remainder(rate: arb, start: int, power: int, order: int) -> arb:
    """A bound on |B_order|/order! times the integral of |f^(order)| from start on.

    By Cauchy's estimate on circles of any one radius; this radius is close to the best.
    """
    radius = order / rate / (start + (start * start + 2 * order / rate).sqrt())
    if power == 0:
        around = _integral(rate, start - radius, 0)
    else:
        around = 2 ** (power + 1) * _integral(rate, 0, power)
        around += (4 * radius) ** power * (arb.pi() / rate).sqrt()
    scale = (2 * rate * radius * radius).exp() / radius**order
    return abs(arb.bernoulli(order)) * scale * around
