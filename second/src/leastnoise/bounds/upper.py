r"""The law of the norm of noise on d numbers at once, and a published bound on it.

- Independent noise, greatest magnitude: P(max <= m) = P(|X| <= m)^d.
- `NormStaircase`, its own norm: a mixture of balls. With period 1 in the norm "linf" this is cube noise
  (`cube`), for every dimension.
- On the real line: the l2 norm of independent normal numbers and the l1 norm of independent Laplace
  numbers have gamma laws.

Proof page: docs/proofs/sample_sizes.md, section 2.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from flint import arb

from leastnoise.bounds.cube import CubeSums
from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.distribution import MOST_POINTS, Distribution, integer
from leastnoise.noise.line import Laplace, Normal
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import Exact, inside, non_negative, positive, whole
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer

_CLOSE = Fraction(1, 2**40)
_HALVINGS = 60


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
        for k in range(1, MOST_POINTS):
            step = k**power - (k - 1) ** power
            found = self._reaches(k)
            least, most = least + step * found.lower, most + step * found.upper
            rest = _short(rest - step * Fraction(self._one(k).lower))
            if self.dimension * rest <= _CLOSE * least:
                return Interval(least, most + self.dimension * max(rest, Fraction(0)))
        raise Undecided("The noise is too wide to add up this moment. Ask for a quantile.")


def _short(value: Fraction) -> Fraction:
    """Rounded up to 200 bits after the point."""
    return Fraction(ceil(value * 2**200), 2**200)


@dataclass(frozen=True)
class BallNorm(_OnIntegers):
    """The norm of a law of vectors that depends on that norm alone."""

    law: NormStaircase | CubeSums
    about: int

    def _reaches(self, k: int) -> Interval:
        return self.law.tail(k)

    def _about(self, level: Fraction) -> int:  # noqa: ARG002
        return self.about

    def moment(self, order: int) -> Interval:
        """E norm^order, for an order from 1 on."""
        return self.law.moment(whole(order, "order"))


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
    758
    >>> norm_of(Normal(0, 1), 3, norm="l2").moment(1)
    1.59576912160573...
    """
    count = whole(dimension, "dimension")
    match law, norm:
        case NormStaircase(), _ if count in (1, law.dimension) and norm == law.norm:
            about = int(law.dimension * law.period / law.rate)
            is_cube = norm == "linf" and law.period == 1
            return BallNorm(CubeSums(law.dimension, law.rate) if is_cube else law, about)
        case Distribution(), "linf" if law.dimension == 1:
            return _Largest(law, integer(count, "dimension"))
        case Normal(mean=0), "l2":
            return _Gamma(Fraction(count, 2), 2 * law.variance, 2)
        case Laplace(centre=0), "l1":
            return _Gamma(Fraction(count), law.scale, 1)
    raise InvalidInput(
        f"The law of this norm is not known here ({norm!r:.20} of {type(law).__name__}). Give a law "
        'of whole numbers with "linf", a centred Normal with "l2", a centred Laplace with "l1", or '
        "a NormStaircase with its own norm."
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
