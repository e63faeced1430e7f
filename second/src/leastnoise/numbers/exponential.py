r"""Exact arithmetic with sums of c * e^x, for rational c and x.

Theorem (Lindemann and Weierstrass): for different rational x_1 ... x_n the numbers e^x_1 ... e^x_n
are linearly independent over the rationals. So such a sum is 0 only if every coefficient is 0:
equality is decided by bookkeeping, and the sign of anything else by balls.

Weights, tails and divergences of noise that falls by a factor e^-rate are quotients of such sums, so
every claim about them is decided, also those that hold with equality.

Reference: Baker 1975, Transcendental Number Theory, Theorem 1.4.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from leastnoise.numbers import ball as balls
from leastnoise.numbers.interval import Interval

Scalar = Fraction | int


class ExponentialSum:
    """A finite sum of c * e^x, kept as a mapping from x to c.

    >>> half = ExponentialSum.exp(Fraction(1, 2))
    >>> (half * half - ExponentialSum.exp(1)).sign()
    0
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Fraction, Fraction]) -> None:
        self.terms = {x: c for x, c in terms.items() if c}

    @classmethod
    def of(cls, value: Scalar) -> "ExponentialSum":
        """A rational number."""
        return cls({Fraction(0): Fraction(value)})

    @classmethod
    def exp(cls, exponent: Scalar) -> "ExponentialSum":
        """e^exponent."""
        return cls({Fraction(exponent): Fraction(1)})

    def __add__(self, other: "ExponentialSum | Scalar") -> "ExponentialSum":
        total = dict(self.terms)
        for x, c in _lifted(other).terms.items():
            total[x] = total.get(x, Fraction(0)) + c
        return ExponentialSum(total)

    def __neg__(self) -> "ExponentialSum":
        return self * -1

    def __sub__(self, other: "ExponentialSum | Scalar") -> "ExponentialSum":
        return self + -_lifted(other)

    def __rsub__(self, other: Scalar) -> "ExponentialSum":
        return -self + other

    def __mul__(self, other: "ExponentialSum | Scalar") -> "ExponentialSum":
        product: dict[Fraction, Fraction] = {}
        for x, c in self.terms.items():
            for y, d in _lifted(other).terms.items():
                product[x + y] = product.get(x + y, Fraction(0)) + c * d
        return ExponentialSum(product)

    __radd__ = __add__
    __rmul__ = __mul__

    def ball(self) -> arb:
        """The sum as a ball at the working precision."""
        parts = (balls.ball(c) * balls.ball(x).exp() for x, c in self.terms.items())
        return sum(parts, arb(0))

    def sign(self) -> int:
        """-1, 0 or 1, always decided."""
        if len(self.terms) <= 1:
            return next(((c > 0) - (c < 0) for c in self.terms.values()), 0)
        return balls.sign(self.ball)

    def __repr__(self) -> str:
        return " + ".join(f"{c}*e^({x})" for x, c in self.terms.items()) or "0"


def _lifted(value: ExponentialSum | Scalar) -> ExponentialSum:
    return value if isinstance(value, ExponentialSum) else ExponentialSum.of(value)


@dataclass(frozen=True)
class ExponentialRatio:
    """A quotient of two sums, the lower one positive."""

    over: ExponentialSum
    under: ExponentialSum

    @classmethod
    def of(cls, value: Scalar) -> "ExponentialRatio":
        """A rational number."""
        return cls(ExponentialSum.of(value), ExponentialSum.of(1))

    def ball(self) -> arb:
        """The quotient as a ball at the working precision."""
        return self.over.ball() / self.under.ball()

    def compare(self, value: Scalar) -> int:
        """The sign of this number minus `value`, always decided."""
        return (self.over - self.under * value).sign()

    def interval(self) -> Interval:
        """A tight bracket; exact where the number is rational."""
        rational = self._rational()
        return balls.enclosure(self.ball) if rational is None else Interval.exactly(rational)

    def _rational(self) -> Fraction | None:
        """The number, if the two sums are proportional: else it is irrational."""
        over, under = self.over.terms, self.under.terms
        if not over:
            return Fraction(0)
        if over.keys() != under.keys():
            return None
        ratios = {over[x] / under[x] for x in over}
        return ratios.pop() if len(ratios) == 1 else None

    def floor(self, scale: int) -> int:
        """The integer part of scale times this number, also where that is an integer."""

        def decided(scaled: arb) -> int | None:
            whole = scaled.floor().unique_fmpz()
            if whole is not None:
                return int(whole)
            if not scaled.is_finite() or not scaled.rad() < arb(0.25):
                return None
            near = round(balls.exact_value(scaled.mid()))  # the only integer that the ball can hold
            return near if self.compare(Fraction(near, scale)) >= 0 else near - 1

        return balls.settle(lambda: self.ball() * scale, decided)
