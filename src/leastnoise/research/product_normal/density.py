r"""The density of pq for independent p ∼ N(a, 1) and q ∼ N(b, 1), computed in two ways.

At y = s·κ with s = ±1 and κ = w² > 0 it is
(1/2π)·∫ Σ exp(−((w·e^t − ε·a)² + (w·e^−t − ε·s·b)²)/2) dt, the sum over ε = ±1.

Proof: docs/proofs/document_algorithms.md, section 4.
"""

import math
from itertools import count

from flint import acb, arb, ctx

from leastnoise.research.product_normal.peaks import active_range, exponent


def density_by_quadrature(a: arb, b: arb, kappa: arb, sign: int) -> arb:
    r"""By Arb's integrator; what lies beyond its window is added to the error.

    Theorem: where p = w·e^t ≥ P ≥ 4|A| the integrand is at most e^(−9p²/32), so that the integral
    from there on is at most e^(−x)/(2x) with x = 9P²/32; likewise for q.
    """
    total = arb(0)
    for mean, other in ((a, sign * b), (-a, -sign * b)):
        total += _branch(mean, other, kappa.sqrt())
    return total / (2 * arb.pi())


def _branch(mean: arb, other: arb, w: arb) -> arb:
    place, branch = float(w), (float(mean), float(other))
    low, high = active_range(place, branch, 1.0)
    top = max(exponent(low, place, branch), exponent(high, place, branch))
    far = 2 * math.sqrt(ctx.prec + max(0.0, -top)) + 4
    ends = [math.log((4.1 * abs(edge) + far) / place) for edge in branch]

    def integrand(t: acb, _: bool) -> acb:
        first, second = w * t.exp() - mean, w * (-t).exp() - other
        return (-(first * first + second * second) / 2 - arb(top)).exp()

    inside = acb.integral(integrand, -arb(ends[1]), arb(ends[0])).real * arb(top).exp()
    return inside + _beyond(w * arb(ends[0]).exp(), mean) + _beyond(w * arb(ends[1]).exp(), other)


def _beyond(start: arb, mean: arb) -> arb:
    if not start > 4 * abs(mean):
        return arb.pos_inf()
    decay = 9 * start**2 / 32
    return arb(0).union((-decay).exp() / (2 * decay))


def density_by_series(a: arb, b: arb, kappa: arb, sign: int) -> arb:
    r"""By Bessel functions.

    Theorem: it is e^(−(a²+b²)/2)/π times K₀(κ)·F₀ + Σ ((a²κ)^k + (b²κ)^k)/(2k)!·F_k·K_k(κ), the
    sum over k ≥ 1, with F_k = ₀F₁(; 2k+1; s·κ·a·b). From k ≥ m = max(a², b²) on the terms are at
    most u_k = (2m)^k·(k−1)!/(2k)!·e^(κ|ab|/(2k+1)), and u_(k+1) ≤ u_k/2.

    This is the double series of CuiYuIommelliKong2016, Theorem 2.1, with one of its sums carried
    out. For s = −1 the F_k alternate, and digits are lost.
    """
    coefficients, rest = _bessel_terms(a, b, kappa)
    factors = _confluent(len(coefficients), sign * kappa * a * b)
    total = sum((c * f for c, f in zip(coefficients, factors, strict=True)), arb(0))
    return (-(a**2 + b**2) / 2).exp() / arb.pi() * (total + arb(0, rest.upper()))


def _bessel_terms(a: arb, b: arb, kappa: arb) -> tuple[list[arb], arb]:
    """K₀ and ((a²κ)^k + (b²κ)^k)/(2k)!·K_k for k = 1, 2, …, and a bound on what comes later."""
    square, product = (a**2).max(b**2), kappa * abs(a * b)
    before, bessel = bessel_k(0, kappa), bessel_k(1, kappa)
    terms, largest = [before], before
    powers, bound = [arb(1), arb(1)], arb(1)
    for k in count(1):
        pairs = (2 * k - 1) * 2 * k
        powers = [power * x**2 * kappa / pairs for power, x in zip(powers, (a, b), strict=True)]
        bound *= 2 * square * max(k - 1, 1) / pairs
        terms.append((powers[0] + powers[1]) * bessel)
        largest = largest.max(terms[-1])
        before, bessel = bessel, before + 2 * k / kappa * bessel
        rest = 2 * bound * (product / (2 * k + 1)).exp()
        if k > square and rest < largest * arb(2) ** -ctx.prec:
            return terms, rest
    raise AssertionError("unreachable")


def bessel_k(order: int, x: arb) -> arb:
    """K_n(x) = √π·(2x)^n·e^−x·U(n + 1/2, 2n + 1, 2x).

    Arb's own function loses all digits at some precisions where x is large.
    """
    tricomi = (2 * x).hypgeom_u(order + arb(1) / 2, 2 * order + 1)
    return arb.pi().sqrt() * (2 * x) ** order * (-x).exp() * tricomi


def _confluent(length: int, z: arb) -> list[arb]:
    """F_0, F_1, …: downwards by ₀F₁(; n−1) = ₀F₁(; n) + z/(n(n−1))·₀F₁(; n+1)."""
    last = 2 * length + 1
    after, here = _hypergeometric(last + 1, z), _hypergeometric(last, z)
    found = []
    for n in range(last, 1, -1):
        after, here = here, here + z / (n * (n - 1)) * after
        if n % 2 == 0:
            found.append(here)
    return found[::-1]


def _hypergeometric(n: int, z: arb) -> arb:
    """₀F₁(; n; z) = Σ z^j/((n)_j·j!), the rest bounded by a geometric series.

    Arb's own function loses all digits where n and z are both large.
    """
    term = total = arb(1)
    for j in count(1):
        ratio = abs(z) / ((n + j - 1) * j)
        term = term * z / ((n + j - 1) * j)
        total += term
        if ratio < 0.5 and abs(term) < arb(2) ** -ctx.prec:
            return total + arb(0, abs(term).upper())
    raise AssertionError("unreachable")
