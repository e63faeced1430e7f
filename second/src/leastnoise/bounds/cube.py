r"""The errors of cube noise, weight e^(-rate*max|x|) on Z^d, for every dimension and rate.

A ball of radius j has weight b^j*(2j + 1)^d, b = e^-rate, and the noise is a uniform point of it. With
T_n(k) the sum over j >= k of b^j*(2j + 1)^n and T_n = T_n(0):
P(max >= k) = (T_d(k) - (2k - 1)^d*b^k/(1 - b))/T_d, one number has the mean magnitude
(T_(d+1) - T_(d-1))/(4*T_d) and the mean square (T_(d+2)/T_d - 1)/12.

These are sums of b^y*y^n over y, y + 1, y + 2, ... They are taken term by term where terms are few, and
from a place on by the Euler-Maclaurin formula, which costs the same for wide noise as for narrow.

Proof page: docs/proofs/sample_sizes.md, section 2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, comb

from flint import arb, ctx

from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.interval import Interval

_HALF = Fraction(1, 2)
_SMOOTH = Fraction(3, 2)  # at larger rates the terms are few, and the formula does not converge


@dataclass(frozen=True)
class CubeSums:
    """Chances and moments of cube noise."""

    dimension: int
    rate: Fraction

    def _whole(self, power: int) -> arb:
        return falling_powers(power, self.rate, _HALF)

    def tail(self, k: int) -> Interval:
        """P(max >= k), for k >= 1."""
        inner = k - _HALF

        def chance() -> arb:
            edge = ball(inner) ** self.dimension * (-ball(self.rate * (k + _HALF))).exp()
            beyond = falling_powers(self.dimension, self.rate, k + _HALF)
            return (beyond + edge / (-ball(self.rate)).expm1()) / self._whole(self.dimension)

        return balls.enclosure(chance)

    def moment(self, order: int) -> Interval:
        """E max^order, summed by parts.

        With u = j + 1/2 the terms collect to b^j*u^d*((u - 1/2)^m - b*(u + 1/2)^m).
        """

        def mean() -> arb:
            fall, total = (-ball(self.rate)).exp(), arb(0)
            for i in range(order + 1):
                power = _HALF ** (order - i)
                factor = ball((-1) ** (order - i) * power) - fall * ball(power)
                total += comb(order, i) * factor * self._whole(self.dimension + i)
            return total / (self._whole(self.dimension) * (1 - fall))

        return balls.enclosure(mean)

    def mean_magnitude(self) -> Interval:
        """E|x| of one number."""
        d = self.dimension
        return balls.enclosure(
            lambda: (2 * self._whole(d + 1) - self._whole(d - 1) / 2) / (4 * self._whole(d))
        )

    def mean_square(self) -> Interval:
        """E x^2 of one number."""
        d = self.dimension
        return balls.enclosure(lambda: (4 * self._whole(d + 2) / self._whole(d) - 1) / 12)


def falling_powers(power: int, rate: Fraction, start: Fraction) -> arb:
    """The sum of y^power * e^(-rate*y) over y = start, start + 1, ..., for a start above 0.

    >>> print(falling_powers(1, Fraction(1), Fraction(1)).str(6, radius=False))
    0.920674
    """
    return _falling_powers(power, rate, start, ctx.prec)


@lru_cache(maxsize=256)
def _falling_powers(power: int, rate: Fraction, start: Fraction, bits: int) -> arb:  # noqa: ARG001
    def term(k: int) -> arb:
        return _term(power, rate, start + k)

    if not power:
        return term(0) / -(-ball(rate)).expm1()
    if rate > _SMOOTH:
        peak = max(0, ceil(power / rate - start))
        return _sum(term, count(peak)) + _sum(term, range(peak - 1, -1, -1))
    skipped = max(0, ceil(power / (3 - rate) - start))
    head = _sum(term, range(skipped - 1, -1, -1))
    return head + _euler_maclaurin(power, rate, start + skipped)


def _term(power: int, rate: Fraction, place: Fraction) -> arb:
    return ball(place) ** power * (-ball(rate * place)).exp()


def _sum(term: Callable[[int], arb], places: "count[int] | range") -> arb:
    """Terms along the places; what is left once it cannot matter is bounded.

    The terms are log-concave, so their ratios fall along the places: with a ratio r < 1 to the term
    before, all further ones are below term*r/(1 - r).
    """
    total, before = arb(0), arb(0)
    for k in places:
        here = term(k)
        total += here
        if here < before:
            rest = here**2 / (before - here)
            if rest < total * arb(2) ** -ctx.prec:
                return total + arb(0).union(rest)
        before = here
    return total


def _euler_maclaurin(power: int, rate: Fraction, start: Fraction) -> arb:
    """The sum from a start with rate + power/start <= 3, which is below 2*pi.

    With g(y) = y^n*e^(-a*y) it is the integral of g, plus g(y)/2, less B_2j/(2j)! times the derivative
    of order 2j - 1 for j = 1 ... p, up to 4*((a + n/y)/(2*pi))^(2p) times the integral.
    """
    a, y = ball(rate), ball(start)
    integral = (a * y).gamma_upper(power + 1) / a ** (power + 1)
    shrink, error, terms = ((a + power / y) / (2 * arb.pi())) ** 2, arb(4), 0
    while not error < arb(2) ** -ctx.prec:
        terms, error = terms + 1, error * shrink
    binomial, exponential = [arb(1)], [arb(1)]  # of (1 + t/y)^n and e^(-a*t)
    for m in range(2 * terms):
        binomial.append(binomial[-1] * (power - m) / ((m + 1) * y))
        exponential.append(exponential[-1] * -a / (m + 1))
    series = arb("0.5")
    for j in range(1, terms + 1):
        degree = 2 * j - 1
        slope = sum((binomial[i] * exponential[degree - i] for i in range(degree + 1)), arb(0))
        series -= arb.bernoulli(2 * j) / (2 * j) * slope
    return integral * (1 + arb(0, error.upper())) + _term(power, rate, start) * series
