r"""Exact arithmetic with numbers of the form Σ cⱼ·exp(xⱼ), rational cⱼ and xⱼ.

Theorem (Lindemann–Weierstrass, in Baker's form): for distinct algebraic x₁ … xₙ the numbers
exp(x₁) … exp(xₙ) are linearly independent over the algebraic numbers.

So such a sum is 0 only if every coefficient is 0: equality is decided by bookkeeping, and the sign
of anything else by Arb at sufficient precision. Weights, tails and hockey-stick divergences of
staircase-like laws are quotients of such sums, so every privacy claim about them is decided, the
claims that hold with equality included.

References: Baker1975, Theorem 1.4.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from flint import arb, ctx

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

Scalar = Fraction | int

_ZERO, _ONE = Fraction(0), Fraction(1)
QUARTER = arb(0.25)  # so sharp a ball holds at most one integer boundary


@lru_cache(maxsize=4096)
def _exp(exponent: Fraction, bits: int) -> arb:
    del bits  # only the cache needs it: balls of one precision are not those of another
    return balls.ball(exponent).exp()


class ExponentialSum:
    """An immutable finite sum of rational multiples of exponentials of rationals.

    Example:
        >>> root = ExponentialSum.exp(Fraction(1, 2))
        >>> (root * root - ExponentialSum.exp(1)).sign()
        0
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Fraction, Fraction]) -> None:
        kept = {exponent: factor for exponent, factor in terms.items() if factor}
        self.terms: MappingProxyType[Fraction, Fraction] = MappingProxyType(kept)

    @classmethod
    def _owning(cls, terms: dict[Fraction, Fraction]) -> "ExponentialSum":
        """Of a dictionary that nobody else has: it is not copied, as hashing fractions is slow."""
        if not all(terms.values()):
            return cls(terms)
        made = cls.__new__(cls)
        made.terms = MappingProxyType(terms)
        return made

    @classmethod
    def of(cls, value: Scalar) -> "ExponentialSum":
        """A rational number."""
        return cls._owning({_ZERO: Fraction(value)})

    @classmethod
    def exp(cls, exponent: Scalar) -> "ExponentialSum":
        """The number e**exponent."""
        return cls._owning({Fraction(exponent): _ONE})

    def __add__(self, other: "ExponentialSum | Scalar") -> "ExponentialSum":
        total = self.terms.copy()
        for exponent, factor in _lift(other).terms.items():
            had = total.get(exponent)
            total[exponent] = factor if had is None else had + factor
        return self._owning(total)

    def __neg__(self) -> "ExponentialSum":
        return self._owning({exponent: -factor for exponent, factor in self.terms.items()})

    def __sub__(self, other: "ExponentialSum | Scalar") -> "ExponentialSum":
        total = self.terms.copy()
        for exponent, factor in _lift(other).terms.items():
            had = total.get(exponent)
            total[exponent] = -factor if had is None else had - factor
        return self._owning(total)

    def __rsub__(self, other: Scalar) -> "ExponentialSum":
        return _lift(other) - self

    def __mul__(self, other: "ExponentialSum | Scalar") -> "ExponentialSum":
        lifted = _lift(other)
        if lifted.is_one:
            return self
        if self.is_one:
            return lifted
        product: dict[Fraction, Fraction] = {}
        for exponent, factor in self.terms.items():
            for other_exponent, other_factor in lifted.terms.items():
                together, both = exponent + other_exponent, factor * other_factor
                had = product.get(together)
                product[together] = both if had is None else had + both
        return self._owning(product)

    __radd__ = __add__
    __rmul__ = __mul__

    @property
    def is_one(self) -> bool:
        """Whether it is 1: the total of most laws."""
        if len(self.terms) != 1:
            return False
        ((exponent, factor),) = self.terms.items()
        return not exponent and factor == 1

    def ball(self) -> arb:
        """The sum as a ball at the working precision."""
        total = arb(0)
        for exponent, factor in self.terms.items():
            total += balls.ball(factor) * _exp(exponent, ctx.prec)
        return total

    def sign(self) -> int:
        """-1, 0 or 1, always decided."""
        if not self.terms:
            return 0
        if len(self.terms) == 1:
            return 1 if next(iter(self.terms.values())) > 0 else -1
        return balls.sign(self.ball)

    def __repr__(self) -> str:
        shown = " + ".join(f"{factor}*exp({exponent})" for exponent, factor in self.terms.items())
        return f"ExponentialSum({shown or 0})"


def _lift(value: ExponentialSum | Scalar) -> ExponentialSum:
    return value if isinstance(value, ExponentialSum) else ExponentialSum.of(value)


@dataclass(frozen=True)
class ExponentialRatio:
    """A quotient of two exponential sums, the lower one positive."""

    over: ExponentialSum
    under: ExponentialSum

    def ball(self) -> arb:
        """The quotient as a ball at the working precision."""
        return self.over.ball() / self.under.ball()

    def compare(self, value: Scalar) -> int:
        """The sign of this number minus `value`, always decided."""
        return (self.over - self.under * value).sign()

    def _as_rational(self) -> Fraction | None:
        """The number if it is rational: by independence, if the two sums are proportional."""
        over, under = self.over.terms, self.under.terms
        if set(over) != set(under):
            return None
        ratios = {over[exponent] / under[exponent] for exponent in over}
        return ratios.pop() if len(ratios) == 1 else None

    def interval(self) -> Interval:
        """A tight bracket; exact where the number is rational."""
        if not self.over.terms:
            return Interval.exactly(0)
        rational = self._as_rational()
        if rational is not None:
            return Interval.exactly(rational)
        return balls.enclosure(self.ball)

    def floor(self, scale: int) -> int:
        """The integer part of scale times this number, decided even where that is an integer."""
        answer = balls.settle(lambda: self.ball() * scale, self._floor_of(scale))
        assert answer is not None  # the ball shrinks below any width, and then it is decided
        return answer

    def _floor_of(self, scale: int) -> Callable[[arb], int | None]:
        def decide(scaled: arb) -> int | None:
            whole = scaled.floor().unique_fmpz()
            if whole is not None:
                return int(whole)
            if not scaled.is_finite() or not scaled.rad() < QUARTER:
                return None
            # The ball holds one integer and is too narrow for a second: compare with that one.
            near = round(balls.exact(scaled.mid()))
            return near if self.compare(Fraction(near, scale)) >= 0 else near - 1

        return decide
