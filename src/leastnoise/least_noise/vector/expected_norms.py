r"""How long a vector of independent noise is on average, and how large its largest entry.

The lecture notes compare Gaussian and Laplace noise by these means and give their orders; here are
the numbers.
"""

from fractions import Fraction
from itertools import pairwise
from typing import SupportsIndex

from flint import acb, arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_MOST_DIMENSION = 10**6
_FAR = 12  # beyond, the series of erfc is good to e^−144
_TERMS = 100  # of it; the smallest has number 144
_CUTS = [Fraction(k, 4) for k in (1, 2, 3, 4, 6, *range(8, 48, 4))]  # where pieces meet
_NOTHING = 2.0**-140  # added to a number above 1 that is wanted to 2^−80
_HALVINGS = 20
_WIDE = 1 / 256  # above this radius a formula says less than a bound
_HALVES = 256  # entries up to which a mean is a fraction; beyond, 2^−256 is left out


def gaussian_norm(*, dimension: SupportsIndex, sigma: Exact = 1) -> Interval:
    r"""E‖N‖₂ for d independent N(0, σ²): σ·√2·Γ((d+1)/2)/Γ(d/2).

    Proof: ‖N‖²/2σ² has the gamma law of order d/2.

    Example:
        >>> gaussian_norm(dimension=3)  # 2·√(2/π)
        Interval(1.59576912160573, 1.59576912160574)
    """
    count, scale = _dimension(dimension), _check.positive(sigma, "sigma")

    def compute() -> arb:
        half = balls.ball(Fraction(count, 2))
        ratio = ((half + balls.ball(Fraction(1, 2))).lgamma() - half.lgamma()).exp()
        return balls.ball(scale) * arb(2).sqrt() * ratio

    return balls.enclosure(compute)


def laplace_max(*, dimension: SupportsIndex, scale: Exact = 1, absolute: bool = True) -> Interval:
    r"""E max |Xᵢ| for d independent Laplace variables of scale b, or E max Xᵢ.

    Theorem: E max |Xᵢ| = b·H(d) with H(d) = Σ 1/k over k ≤ d; E max Xᵢ is b times
    H(d) − Σ 2^(−k)/k − 2^(−d)/d.
    Proof: docs/proofs/expected_norms.md.

    Example:
        >>> laplace_max(dimension=4), laplace_max(dimension=2, absolute=False)
        (Interval(2.08333333333333, 2.08333333333334), Interval(0.75))
    """
    count, unit = _dimension(dimension), _check.positive(scale, "scale")
    if _check.flag(absolute, "absolute"):
        return balls.enclosure(lambda: balls.ball(unit) * _harmonic(count))
    if count <= _HALVES:
        halves = sum(
            (Fraction(1, k << k) for k in range(1, count + 1)), Fraction(1, count << count)
        )
        exact = sum((Fraction(1, k) for k in range(1, count + 1)), -halves)
        return Interval.exactly(unit * exact)
    left_out = arb(0, arb(2) ** -_HALVES)  # Σ_(k>d) 2^−k/k − 2^−d/d, of either sign
    return balls.enclosure(lambda: balls.ball(unit) * (_harmonic(count) - arb(2).log() + left_out))


def laplace_norm(*, dimension: SupportsIndex, scale: Exact = 1) -> Interval:
    r"""E‖N‖₂ for d independent Laplace variables of scale b.

    Theorem: it is (2b/√π)·∫₀^∞ (1 − φ(x)^d) dx, φ(x) = √π·x·e^(x²)·erfc(x).
    Proof: docs/proofs/expected_norms.md, with how the integral is enclosed.

    Example:
        >>> laplace_norm(dimension=1), laplace_norm(dimension=100)
        (Interval(1), Interval(14.0559180507805, 14.0559180507806))
    """
    count, unit = _dimension(dimension), _check.positive(scale, "scale")
    if count == 1:
        return Interval.exactly(unit)
    return balls.enclosure(lambda: balls.ball(2 * unit) / arb.pi().sqrt() * _area(count))


def _dimension(value: SupportsIndex) -> int:
    return _check.integer_between(value, "dimension", 1, _MOST_DIMENSION)


def _harmonic(count: int) -> arb:
    return arb(count + 1).digamma() + arb.const_euler()


def _area(power: int) -> arb:
    """∫ (1 − φ^power) over [0, ∞): as it is up to 12, then between two polynomials in 1/x²."""
    inner = _FAR - _powers_up_to_far(power)
    return inner + _beyond(_series(_TERMS), power).union(_beyond(_series(_TERMS + 1), power))


def _powers_up_to_far(power: int) -> arb:
    """∫ φ^power over [0, 12]: nearly nothing up to some place, as φ rises; then piece by piece."""
    start = _negligible_up_to(power)
    cuts = [start, *(cut for cut in _CUTS if cut > start), Fraction(_FAR)]
    first = balls.ball(start) * _phi(acb(balls.ball(start))).real ** power
    total = arb(0).union(first)
    for low, high in pairwise(cuts):
        piece = acb.integral(
            lambda x, _: _phi_power(x, power),
            acb(balls.ball(low)),
            acb(balls.ball(high)),
            abs_tol=arb(_NOTHING),
        )
        total += piece.real
    return total


def _negligible_up_to(power: int) -> Fraction:
    """A place up to which φ^power is below 2^−140, by halving."""
    low, high = Fraction(0), Fraction(_FAR)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _phi(acb(balls.ball(middle))).real ** power < _NOTHING:
            low = middle
        else:
            high = middle
    return low


def _phi(x: acb) -> acb:
    return arb.pi().sqrt() * x * (x * x).exp() * x.erfc()


def _phi_power(x: acb, power: int) -> acb:
    """φ^power on a complex ball; on a wide one by |φ(z)| ≤ |z|·φ(Re z)/Re z."""
    left = x.real.lower()
    if max(float(x.real.rad()), float(x.imag.rad())) > _WIDE and left > 0:
        bound = x.abs_upper() * _phi(acb(left)).real / left
        around = arb(0, (bound**power).upper())
        return acb(around, around)
    return _phi(x) ** power


def _series(terms: int) -> list[arb]:
    """The coefficients (−1)^k·(2k−1)!!/2^k of φ in powers of 1/x², which bracket it in turn."""
    found = [arb(1)]
    for k in range(1, terms):
        found.append(-found[-1] * (2 * k - 1) / 2)
    return found


def _beyond(series: list[arb], power: int) -> arb:
    """∫ (1 − g^power) over [12, ∞) for a polynomial g in 1/x²; by parts, in y = 1/x."""
    slopes = [k * coefficient for k, coefficient in enumerate(series)][1:]
    edge = arb(1) / (_FAR * _FAR)

    def inner(y: acb, _: bool) -> acb:
        square = y * y
        return _at(series, square) ** (power - 1) * _at(slopes, square)

    whole = acb.integral(inner, 0, acb(1) / _FAR).real
    return -_FAR * (1 - _at(series, acb(edge)).real ** power) - 2 * power * whole


def _at(coefficients: list[arb], place: acb) -> acb:
    total = acb(0)
    for coefficient in reversed(coefficients):
        total = total * place + coefficient
    return total
