r"""The law of the norm of noise on d numbers at once, and a published bound on it.

- Independent noise, greatest magnitude: P(max <= m) = P(|X| <= m)^d.
- Cube noise, weight e^(-rate*max|x|) on Z^d. A ball of radius j has weight b^j*(2j + 1)^d, b = e^-rate,
  and the noise is a uniform point of it. With T_n(k) the sum over j >= k of b^j*(2j + 1)^n and
  T_n = T_n(0): P(max >= k) = (T_d(k) - (2k - 1)^d*b^k/(1 - b))/T_d, one number has the mean magnitude
  (T_(d+1) - T_(d-1))/(4*T_d) and the mean square (T_(d+2)/T_d - 1)/12.
- On the real line: the l2 norm of independent normal numbers and the l1 norm of independent Laplace
  numbers have gamma laws.

Proof page: docs/proofs/sample_sizes.md, section 2.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, comb

from flint import arb, ctx

from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.line import Laplace, Normal
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import Exact, inside, non_negative, positive, whole
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer

_CLOSE = Fraction(1, 2**40)
_MOST_TERMS = 1 << 12  # of a moment: some seconds
_MOST_NUMBERS = 1 << 40
_HALF = Fraction(1, 2)
_SMOOTH = Fraction(3, 2)  # at larger rates the terms are few, and the formula does not converge


class ErrorNorm(ABC):
    """The law of the norm of the noise on d numbers."""

    @abstractmethod
    def moment(self, order: int) -> Interval:
        """E norm^order, for an order from 1 on."""

    @abstractmethod
    def tail(self, size: Exact) -> Interval:
        """P(norm >= size)."""

    @abstractmethod
    def quantile(self, level: Exact) -> Interval:
        """The least m with P(norm <= m) >= level."""


class _OnIntegers(ErrorNorm):
    """A norm with whole values."""

    @abstractmethod
    def _reaches(self, k: int) -> Interval:
        """P(norm >= k), for k >= 1."""

    @abstractmethod
    def _about(self, level: Fraction) -> int:
        """Near the quantile: where its search begins."""

    def tail(self, size: Exact) -> Interval:
        """P(norm >= size)."""
        least = ceil(non_negative(size, "size"))
        return self._reaches(least) if least else Interval.exactly(1)

    def quantile(self, level: Exact) -> Interval:
        """The least m with P(norm <= m) >= level; the next one if that is too close to tell."""
        chance = inside(level, "level")

        def is_rare(m: int) -> bool:
            return self._reaches(m + 1).upper <= 1 - chance

        return Interval.exactly(least_integer(is_rare, 0, self._about(chance)))


@dataclass(frozen=True)
class _Largest(_OnIntegers):
    """The greatest magnitude of `dimension` independent draws."""

    law: Distribution
    dimension: int

    def _one(self, k: int) -> Interval:
        """P(|X| >= k)."""
        above = self.law.tail(k)
        if self.law.is_peaked:
            return Interval(2 * above.lower, min(2 * above.upper, 1))
        below = self.law.tail(1 - k)
        return Interval(
            max(above.lower + 1 - below.upper, Fraction(0)), min(above.upper + 1 - below.lower, 1)
        )

    def _reaches(self, k: int) -> Interval:
        """1 - (1 - p)^d, which rises with p."""
        ends = [self._any(Fraction(p)) for p in (self._one(k).lower, self._one(k).upper)]
        return Interval(ends[0].lower, ends[1].upper)

    def _any(self, p: Fraction) -> Interval:
        if p == 1:
            return Interval.exactly(1)
        return balls.enclosure(lambda: -(self.dimension * (-ball(p)).log1p()).expm1())

    def _about(self, level: Fraction) -> int:
        return self.law.quantile(1 - (1 - level) / self.dimension)

    def moment(self, order: int) -> Interval:
        """The sum of (k^n - (k - 1)^n)*P(norm >= k); the rest is at most d times that of one draw."""
        power, least, most = whole(order, "order"), Fraction(0), Fraction(0)
        rest = Fraction(self.law.moment(power).upper)
        is_wide = self._reaches(_MOST_TERMS).lower > _CLOSE * self.dimension * rest
        for k in () if is_wide else range(1, _MOST_TERMS):
            step = k**power - (k - 1) ** power
            found = self._reaches(k)
            least, most = least + step * found.lower, most + step * found.upper
            rest -= step * Fraction(self._one(k).lower)
            rest = Fraction(ceil(rest * 2**200), 2**200)
            if self.dimension * rest <= _CLOSE * least:
                return Interval(least, most + self.dimension * max(rest, Fraction(0)))
        raise Undecided("The noise is too wide to add up this moment. Ask for a quantile.")


@dataclass(frozen=True)
class CubeNorm(_OnIntegers):
    """The greatest magnitude in cube noise, for every dimension and rate."""

    dimension: int
    rate: Fraction

    def _about(self, level: Fraction) -> int:  # noqa: ARG002
        return int(self.dimension / self.rate)

    def _whole(self, power: int) -> arb:
        return falling_powers(power, self.rate, _HALF, ctx.prec)

    def _reaches(self, k: int) -> Interval:
        inner = k - _HALF

        def chance() -> arb:
            edge = ball(inner) ** self.dimension * (-ball(self.rate * (k + _HALF))).exp()
            beyond = falling_powers(self.dimension, self.rate, k + _HALF, ctx.prec)
            return (beyond + edge / (-ball(self.rate)).expm1()) / self._whole(self.dimension)

        return balls.enclosure(chance)

    def moment(self, order: int) -> Interval:
        """E norm^order, for an order from 1 on, summed by parts.

        With u = j + 1/2 the terms collect to b^j*u^d*((u - 1/2)^m - b*(u + 1/2)^m).
        """

        def mean() -> arb:
            fall, total = (-ball(self.rate)).exp(), arb(0)
            for i in range(whole(order, "order") + 1):
                power = _HALF ** (order - i)
                factor = ball((-1) ** (order - i) * power) - fall * ball(power)
                total += comb(order, i) * factor * self._whole(self.dimension + i)
            return total / (self._whole(self.dimension) * (1 - fall))

        return balls.enclosure(mean)

    def part(self, order: int) -> Interval:
        """E|x|^order of one number, for order 1 or 2."""
        d, of = self.dimension, self._whole
        if order == 2:
            return balls.enclosure(lambda: (4 * of(d + 2) / of(d) - 1) / 12)
        return balls.enclosure(lambda: (2 * of(d + 1) - of(d - 1) / 2) / (4 * of(d)))


@dataclass(frozen=True)
class _Gamma(ErrorNorm):
    """A norm R with (R/scale)^power of the gamma law of some shape."""

    shape: Fraction
    scale: Fraction  # to the power
    power: int

    def moment(self, order: int) -> Interval:
        """E norm^order, for an order from 1 on."""
        share = Fraction(whole(order, "order"), self.power)

        def mean() -> arb:
            growth = (ball(self.shape + share).lgamma() - ball(self.shape).lgamma()).exp()
            return growth * ball(self.scale) ** ball(share)

        return balls.enclosure(mean)

    def _above(self, size: Fraction) -> arb:
        return ball(size**self.power / self.scale).gamma_upper(ball(self.shape), 1)

    def tail(self, size: Exact) -> Interval:
        """P(norm >= size)."""
        least = non_negative(size, "size")
        return balls.enclosure(lambda: self._above(least)) if least else Interval.exactly(1)

    def quantile(self, level: Exact) -> Interval:
        """The m with P(norm <= m) = level."""
        risk = 1 - inside(level, "level")

        def is_below(m: Fraction) -> bool:
            return balls.sign(lambda: self._above(m) - ball(risk)) > 0

        return Interval(*balls.border(is_below, Fraction(1), 60))


@lru_cache(maxsize=256)
def falling_powers(power: int, rate: Fraction, start: Fraction, bits: int) -> arb:  # noqa: ARG001
    """The sum of y^power * e^(-rate*y) over y = start, start + 1, ... > 0, at the precision `bits`."""

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


def norm_of(law: object, dimension: int = 1, *, norm: str = "linf") -> ErrorNorm:
    """The law of the norm of independent noise on `dimension` numbers, or of a law of vectors.

    Args:
        law: of whole numbers, or a `NormStaircase` of norm "linf" and period 1, for "linf"; `Normal`,
            for "l2"; `Laplace`, for "l1"; both centred at 0.
        dimension: how many numbers.
        norm: "linf", the greatest magnitude; "l1", the sum of magnitudes; "l2", the length.

    >>> from leastnoise.noise import DiscreteLaplace, Normal
    >>> norm_of(DiscreteLaplace("0.01"), 100).quantile("0.95")
    758
    >>> norm_of(Normal(0, 1), 3, norm="l2").moment(1)
    1.59576912160573...
    """
    count = whole(dimension, "dimension", most=_MOST_NUMBERS)
    match law, str(norm):
        case NormStaircase(norm="linf", period=1), "linf" if count in (1, law.dimension):
            return CubeNorm(law.dimension, law.rate)
        case Distribution(dimension=1), "linf":
            return _Largest(law, count)
        case Normal(mean=0), "l2":
            return _Gamma(Fraction(count, 2), 2 * law.variance, 2)
        case Laplace(centre=0), "l1":
            return _Gamma(Fraction(count), law.scale, 1)
    raise InvalidInput(
        f"The law of this norm is not known here ({norm!r:.20} of {type(law).__name__}). Give noise of "
        'whole numbers or of a cube with "linf", a centred Normal with "l2" or a centred Laplace with '
        '"l1"; ask a NormStaircase itself for its own norm.'
    )


def cube_tail(*, columns: int, epsilon: Exact, error: Exact) -> Interval:
    r"""Steinke and Ullman's bound on the chance that cube noise on the line reaches an error.

    Theorem (Steinke and Ullman 2016, Theorem 4.1): for density in proportion to e^(-epsilon*max|y|)
    and every a >= d/epsilon, P(max >= a) <= (a*epsilon/d)^d * e^(d - a*epsilon). Below d/epsilon this
    is no bound, and is refused.

    >>> round(float(cube_tail(columns=2, epsilon=1, error=4)), 4)  # (2/e)^2; the truth is 0.0916
    0.5413
    """
    count = whole(columns, "columns")
    ratio = positive(error, "error") * positive(epsilon, "epsilon") / count
    if ratio < 1:
        raise InvalidInput(
            f"error is {float(ratio):.3g} of columns/epsilon, where the formula is no bound. Give a "
            "larger error, or ask norm_of for the exact chance."
        )
    return balls.enclosure(lambda: (ball(ratio) * (1 - ball(ratio)).exp()) ** count)
