r"""The error of known noise on d numbers at once: the law of its norm, and a published bound on it.

- Independent noise, greatest magnitude: P(max <= m) = P(|X| <= m)^d.
- Cube noise, weight e^(-rate*max|x|) on Z^d: a ball of radius j with weight b^j*(2j + 1)^d, b = e^-rate,
  then a uniform point of it. With T_n(k) = sum over j >= k of b^j*(2j + 1)^n and T_n = T_n(0):
  P(max >= k) = (T_d(k) - (2k - 1)^d*b^k/(1 - b))/T_d, one number has the mean magnitude
  (T_(d+1) - T_(d-1))/(4*T_d) and the mean square (T_(d+2)/T_d - 1)/12.
- On the real line: the l2 norm of independent normal numbers and the l1 norm of independent Laplace
  numbers have gamma laws.

Proof page: docs/proofs/sample_sizes.md.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil

from flint import acb, arb, ctx

from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.distribution import MOST_POINTS, Distribution, integer
from leastnoise.noise.line import Laplace, Normal
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import Checked, Exact, inside, non_negative, positive, whole
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer

_CLOSE = Fraction(1, 2**40)
_HALVINGS = 60


class ErrorNorm(ABC):
    """The law of the norm of the noise on d numbers."""

    @abstractmethod
    def moment(self, order: int) -> Interval:
        """E norm^order."""

    @abstractmethod
    def tail(self, size: Exact) -> Interval:
        """P(norm >= size)."""

    @abstractmethod
    def quantile(self, level: Exact) -> Interval:
        """The least m with P(norm <= m) >= level."""


class _OnIntegers(ErrorNorm):
    """A norm with whole values; needs the chance that it is at least k."""

    @abstractmethod
    def _reaches(self, k: int) -> Interval:
        """P(norm >= k), for k >= 1."""

    def tail(self, size: Exact) -> Interval:
        """P(norm >= size)."""
        least = ceil(non_negative(size, "size"))
        return self._reaches(least) if least else Interval.exactly(1)

    def quantile(self, level: Exact) -> Interval:
        """The least m with P(norm <= m) >= level."""
        risk = 1 - inside(level, "level")
        return Interval.exactly(least_integer(lambda m: self._reaches(m + 1).upper <= risk, 0))


@dataclass(frozen=True)
class _Largest(_OnIntegers):
    """The greatest magnitude of `dimension` independent draws."""

    law: Distribution
    dimension: int

    def _reaches(self, k: int) -> Interval:
        one = _magnitude_tail(self.law, k)

        def chance(end: Fraction) -> Interval:
            if end >= 1:
                return Interval.exactly(1)
            return balls.enclosure(lambda: -(self.dimension * (-ball(end)).log1p()).expm1())

        low, high = (Fraction(each) for each in (one.lower, one.upper))
        return Interval(chance(max(low, Fraction(0))).lower, chance(max(high, Fraction(0))).upper)

    def moment(self, order: int) -> Interval:
        """The sum of (k^order - (k - 1)^order)*P(norm >= k); what is left is at most d times one's."""
        power, least, most = whole(order, "order"), Fraction(0), Fraction(0)
        left = self.law.moment(power)
        low, rest = Fraction(left.lower), Fraction(left.upper)
        for k in range(1, MOST_POINTS):
            step = k**power - (k - 1) ** power
            chance, one = self._reaches(k), _magnitude_tail(self.law, k)
            least, most = least + step * chance.lower, most + step * chance.upper
            rest = _short(rest - step * Fraction(one.lower))
            if self.dimension * rest <= _CLOSE * least or rest <= _CLOSE * low:
                return Interval(least, most + self.dimension * max(rest, Fraction(0)))
        raise Undecided("The noise is too wide to add up this moment. Ask for a quantile.")


def _short(value: Fraction) -> Fraction:
    """Rounded up to 200 bits after the point."""
    return Fraction(ceil(value * 2**200), 2**200)


def _magnitude_tail(law: Distribution, k: int) -> Interval:
    above = law.tail(k)
    if law.is_peaked:
        return Interval(2 * above.lower, 2 * above.upper)
    below = law.tail(1 - k)
    return Interval(above.lower + 1 - below.upper, above.upper + 1 - below.lower)


@dataclass(frozen=True)
class CubeNorm(_OnIntegers):
    """The greatest magnitude of cube noise, and the errors of one number."""

    dimension: int
    rate: Fraction

    def _sum(self, power: int, first: int = 0) -> arb:
        """T_power(first) / b^first / 2^power: Lerch's transcendent at a negative order."""
        return _lerch(power, first, self.rate, ctx.prec)

    def _reaches(self, k: int) -> Interval:
        def chance() -> arb:
            fall = (-ball(self.rate)).exp()
            inner = (ball(Fraction(2 * k - 1, 2))) ** self.dimension / (1 - fall)
            return fall**k * (self._sum(self.dimension, k) - inner) / self._sum(self.dimension)

        return balls.enclosure(chance)

    def moment(self, order: int) -> Interval:
        """The sum of (k^order - (k - 1)^order)*P(norm >= k): in ball j of j^order less a sum."""
        law = NormStaircase(self.dimension, 1, self.rate, 1, "linf")
        return law.moment(order)

    @property
    def mean_magnitude(self) -> Interval:
        """E|X| of one number."""
        d = self.dimension
        return balls.enclosure(
            lambda: (2 * self._sum(d + 1) - self._sum(d - 1) / 2) / (4 * self._sum(d))
        )

    @property
    def mean_square(self) -> Interval:
        """E X^2 of one number."""
        d = self.dimension
        return balls.enclosure(lambda: (4 * self._sum(d + 2) / self._sum(d) - 1) / 12)


@cache
def _lerch(power: int, first: int, rate: Fraction, bits: int) -> arb:  # noqa: ARG001 - a key
    """The sum over j >= 0 of e^(-rate*j) * (j + first + 1/2)^power."""
    fall, start = acb((-ball(rate)).exp()), acb(ball(first + Fraction(1, 2)))
    if not power:
        return (1 / (1 - fall)).real
    return fall.lerch_phi(-power, start).real


@dataclass(frozen=True)
class _Radial(_OnIntegers):
    """The norm of a law of vectors that depends on that norm alone."""

    law: NormStaircase

    def _reaches(self, k: int) -> Interval:
        return self.law.tail(k)

    def moment(self, order: int) -> Interval:
        """E norm^order."""
        return self.law.moment(order)


@dataclass(frozen=True)
class _Gamma(ErrorNorm):
    """A norm R with (R/scale)^power of the gamma law of some shape."""

    shape: Fraction
    scale: Fraction  # to the power
    power: int

    def moment(self, order: int) -> Interval:
        """E norm^order."""
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

        return Interval(*balls.border(is_below, Fraction(1), _HALVINGS))


def norm_of(law: object, dimension: int = 1, *, norm: str = "linf") -> ErrorNorm:
    """The law of the norm of independent noise on `dimension` numbers, or of a law of vectors.

    Args:
        law: of whole numbers, for "linf"; `Normal`, for "l2"; `Laplace`, for "l1"; both centred at 0;
            or a `NormStaircase` with its own norm.
        dimension: how many numbers.
        norm: "linf", the greatest magnitude; "l1", the sum of magnitudes; "l2", the length.

    >>> from leastnoise.noise import DiscreteLaplace, Normal
    >>> norm_of(DiscreteLaplace("0.01"), 100).quantile("0.95")
    757
    >>> norm_of(Normal(0, 1), 3, norm="l2").moment(1)
    1.595769121605...
    """
    count = whole(dimension, "dimension")
    match law, norm:
        case NormStaircase(), _ if count in (1, law.dimension) and norm == law.norm:
            return _Radial(law)
        case Distribution(), "linf" if law.dimension == 1:
            return _Largest(law, integer(count, "dimension"))
        case Normal(mean=0), "l2":
            return _Gamma(Fraction(count, 2), 2 * law.variance, 2)
        case Laplace(centre=0), "l1":
            return _Gamma(Fraction(count), law.scale, 1)
    raise InvalidInput(
        f'The law of this norm is not known here ({norm!r:.20} of {type(law).__name__}). Give a law '
        'of whole numbers with "linf", a centred Normal with "l2", a centred Laplace with "l1", or '
        "a NormStaircase with its own norm."
    )


@dataclass(frozen=True, kw_only=True)
class _Cube:
    columns: Checked[int, int] = Checked(whole)
    epsilon: Checked[Exact, Fraction] = Checked(positive)
    error: Checked[Exact, Fraction] = Checked(positive)


def cube_tail(*, columns: int, epsilon: Exact, error: Exact) -> Interval:
    r"""Steinke and Ullman's bound on the chance that cube noise on the line reaches an error.

    Theorem (Steinke and Ullman 2016, Theorem 4.1): for density in proportion to e^(-epsilon*max|y|)
    and every a >= d/epsilon, P(max >= a) <= (a*epsilon/d)^d * e^(d - a*epsilon). Below d/epsilon this
    is no bound, and is refused.

    >>> round(float(cube_tail(columns=2, epsilon=1, error=4)), 4)  # (2/e)^2; the truth is 0.0916
    0.5413
    """
    asked = _Cube(columns=columns, epsilon=epsilon, error=error)
    ratio = asked.error * asked.epsilon / asked.columns
    if ratio < 1:
        raise InvalidInput(
            f"error is {float(ratio):.3g} of columns/epsilon, where the formula is no bound. Give a "
            "larger error, or ask norm_of for the exact chance."
        )
    return balls.enclosure(lambda: (ball(ratio) * (1 - ball(ratio)).exp()) ** asked.columns)
