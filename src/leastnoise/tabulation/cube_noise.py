"""`CubeNoise`: one radius for all columns, and every column uniform within it."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

from flint import arb

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source
from leastnoise.tabulation.chance import chance
from leastnoise.tabulation.column_noise import Offset
from leastnoise.tabulation.radius_sum import RadiusSum, fall

_PRECISION = 160  # bits; sums over columns need some more
_MOST_PRECISION = 1 << 13  # beyond it what is known is told
_ERROR = Fraction(1, 2**100)  # what a chance may be off by
_NEGLIGIBLE = Fraction(1, 2**150)  # share that sums leave out


@frozen(repr=False)
class CubeNoise(Rebuilt):
    r"""Noise with P(Y = y) ∝ exp(−max|yⱼ|/scale): the law of Steinke and Ullman on the lattice.

    Theorem: if every coordinate of a query moves by at most m, adding Y is (m/scale)-DP, exactly:
    no smaller ε will do. Y is a uniform point of the cube of a random radius K with
    P(K = k) ∝ b**k·(2k+1)**d, d = columns, b = exp(−1/scale). With Wₙ = Σ b**k·(2k+1)ⁿ,
    E max|Yⱼ| = (W_{d+1}/W_d − 1)/2 − b/(1−b), E|Yⱼ| = (W_{d+1} − W_{d−1})/(4·W_d) and
    E Yⱼ² = (W_{d+2}/W_d − 1)/12.
    Proof: docs/proofs/norm_laws.md, section 4, and docs/proofs/marginals.md, section 4.

    Args:
        columns: the number of coordinates, at least 1.
        scale: at least 1/4096; grows with the noise.

    References: SteinkeUllman2016, Theorem 4.1.

    Example:
        >>> noise = CubeNoise(columns=1000, scale=1)
        >>> print(f"{float(noise.worst_mean(None)):.2f} {float(noise.absolute_mean):.2f}")
        999.92 500.50
    """

    columns: Whole = checked(_check.whole(1))
    scale: Number = checked(lambda scale, _: NormLaplace(1, scale, "linf").scale)

    bound = None
    rho = None

    @cached_property
    def law(self) -> NormLaplace:
        """The law on the lattice."""
        return NormLaplace(self.columns, self.scale, "linf")

    @property
    def pure_epsilon(self) -> Fraction:
        """1/scale."""
        return 1 / self.scale

    def privacy(self, distance: int) -> PrivacyLoss:
        """The loss at the worst shift, along a diagonal."""
        return self.law.privacy(distance)

    def sample(self, source: Source | None = None) -> Draws:
        """One exact draw, an integer for each column."""
        return self.law.sample(source=source)

    # Probabilities and moments are sums over the radius k of the cube, shares of W_d.

    def _odds(self, power: int, rate: Fraction | None = None) -> RadiusSum:
        return RadiusSum(power, rate or self.pure_epsilon, 1)

    def _evens(self, rate: Fraction) -> RadiusSum:
        return RadiusSum(self.columns, rate, 0)

    def _tiny(self) -> arb:
        return self._odds(self.columns).whole() * balls.ball(_NEGLIGIBLE)

    def _chance(self, weight: Callable[[], arb]) -> Interval:
        """A sum as a share of W_d, at a precision at which it is known well."""
        bits = _PRECISION + 2 * self.columns.bit_length()
        while True:
            with balls.precision(bits):
                share = weight() / self._odds(self.columns).whole()
                if share.rad() < balls.ball(_ERROR) or bits > _MOST_PRECISION:
                    return chance(share)
            bits *= 2

    def worst_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t for all columns j), in closed form."""
        rate, other = self.pure_epsilon, self._offset_rate(offset)

        def weight() -> arb:
            inside = self._odds(self.columns).up_to(t, self._tiny())
            outside = arb(2 * t + 1) ** self.columns * fall(rate, t + 1) / (1 - fall(rate, 1))
            return inside + outside - (0 if other is None else self._worst_lost(t, other))

        return self._chance(weight)

    def _worst_lost(self, t: int, other: Fraction) -> arb:
        """What X takes from the sum of `worst_within`: docs/proofs/marginals.md, section 5."""
        rate, gap = self.pure_epsilon, self.pure_epsilon - other
        b, q, rest = fall(rate, 1), fall(other, 1), 1 - fall(rate + other, 1)
        tiny = self._tiny() / fall(other, t)
        odds, evens = (
            part.up_to(t, tiny) for part in (self._odds(self.columns, gap), self._evens(gap))
        )
        last = arb(2 * t + 1) ** self.columns * fall(gap, t)
        direct = fall(other, t) * odds + last * fall(other, t + 1) * b / rest
        slanted = fall(other, t + 1) / rest * (evens + b * (odds - last))
        return 2 / (1 + q) * (q * direct - (1 - q) * slanted)

    def one_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t) for one column j, in closed form."""
        other = self._offset_rate(offset)

        def weight() -> arb:
            inside = self._odds(self.columns).up_to(t, self._tiny())
            outside = (2 * t + 1) * self._odds(self.columns - 1).start_at(t + 1)
            return inside + outside - (0 if other is None else self._one_lost(t, other))

        return self._chance(weight)

    def _one_lost(self, t: int, other: Fraction) -> arb:
        """What X takes from the sum of `one_within`: docs/proofs/marginals.md, section 5."""
        power, rate, q = self.columns - 1, self.pure_epsilon, fall(other, 1)
        inner = self._odds(power, rate - other).up_to(t, self._tiny() / fall(other, t))
        steep = self._odds(power, rate + other)
        outer = steep.start_at(t + 1) / fall(other, t) - fall(other, t + 1) * steep.whole()
        return 2 * q / (1 - q**2) * (fall(other, t) * inner + outer)

    def _offset_rate(self, offset: Offset) -> Fraction | None:
        """The rate at which the chances of X fall."""
        if offset is None:
            return None
        if isinstance(offset, DiscreteLaplace) and offset.scale > self.scale:
            return 1 / offset.scale
        raise UnsupportedQuery(
            "the errors of cube noise are known beside discrete Laplace noise of a greater scale; "
            f"got {offset!r}. Choose such noise for the number of rows."
        )

    def worst_mean(self, offset: Offset) -> Interval:
        r"""E max |Yⱼ|, or E max |Yⱼ + X| for independent discrete Laplace X.

        Theorem: E max |Yⱼ + X| = E max |Yⱼ| + E|X| − (1 − E b**|X|)·V/((1−b)·W_d) with
        V = Σ b**k·(2k)**d, for every symmetric X on the integers.
        Proof: docs/proofs/marginals.md, section 5.
        """
        other = self._offset_rate(offset)
        return self.law.moment(1) if other is None else balls.enclosure(lambda: self._mean(other))

    def _mean(self, other: Fraction) -> arb:
        b, q = fall(self.pure_epsilon, 1), fall(other, 1)
        kept = (1 - q) * (1 + b * q) / ((1 + q) * (1 - b * q))
        share = self._evens(self.pure_epsilon).whole() / self._odds(self.columns).whole()
        alone = self.law.shape.moment(1).ball() + 2 * q / (1 - q**2)
        return alone - (1 - kept) * share / (1 - b)

    @cached_property
    def absolute_mean(self) -> Interval:
        """E|Yⱼ|."""

        def mean() -> arb:
            low, here, high = (self._odds(self.columns + step).whole() for step in (-1, 0, 1))
            return (high - low) / (4 * here)

        return balls.enclosure(mean)

    @cached_property
    def variance(self) -> Interval:
        """E Yⱼ²."""

        def variance() -> arb:
            here, high = (self._odds(self.columns + step).whole() for step in (0, 2))
            return (high / here - 1) / 12

        return balls.enclosure(variance)
