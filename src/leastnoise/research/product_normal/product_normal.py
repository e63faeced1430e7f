"""`ProductNormal`: the law of a product of two independent normal variables."""

import math
from fractions import Fraction

from flint import acb, arb, ctx

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.laws.normal import Normal
from leastnoise.research.product_normal.density import density_by_quadrature, density_by_series
from leastnoise.research.product_normal.divergence import power_integral

_DIGITS = 110  # bits that are asked for
_BITS = 128  # of the working precision


def _normal(law: Normal, name: str) -> Normal:
    return _check.kind(law, Normal, f"`{name}` must be a Normal", "Write Normal(1, 4).")


@frozen
class ProductNormal:
    r"""Y = X·Z for independent X ∼ N(m, v) and Z ∼ N(n, u), not identically distributed.

    Law: with a = m/√v, b = n/√u and s = ±1 the density at y = s·√(vu)·w² is
    (1/2π√(vu))·∫ Σ exp(−((w·e^t − ε·a)² + (w·e^−t − ε·s·b)²)/2) dt, the sum over ε = ±1. It is
    infinite at y = 0.

    Theorem: E Y = mn and Var Y = m²u + n²v + vu. For two such laws that differ in m only, with
    means d apart, every divergence is at most that of the two X; D_α ≤ α·d²/(2v).
    Proof: docs/proofs/document_algorithms.md, sections 1 and 4.

    Args:
        first: the law of X.
        second: the law of Z.

    References: CuiYuIommelliKong2016, Theorem 2.1, for the density as a series.

    Example:
        >>> law = ProductNormal(Normal(5, 1), Normal(1, "0.25"))
        >>> law.mean, law.variance
        (Fraction(5, 1), Fraction(15, 2))
        >>> law.density(4)
        Interval(0.149069736058222, 0.149069736058223)
        >>> large, larger = (ProductNormal(Normal(x, 1), Normal(1, "0.01")) for x in (100, 101))
        >>> round(float(large.renyi(larger, 1)), 5)
        0.00495
    """

    first: Normal = checked(_normal)
    second: Normal = checked(_normal)

    @property
    def mean(self) -> Fraction:
        """E Y."""
        return self.first.mean * self.second.mean

    @property
    def variance(self) -> Fraction:
        """E (Y − E Y)²."""
        first, second = self.first, self.second
        product = first.variance * second.variance
        return first.mean**2 * second.variance + second.mean**2 * first.variance + product

    def density(self, y: Exact) -> Interval:
        """The density at y ≠ 0 by rigorous quadrature, to more than 30 digits."""
        return self._density(y, series=False)

    def density_by_series(self, y: Exact) -> Interval:
        """The same number by Bessel functions; slow where a² or b² is large."""
        return self._density(y, series=True)

    def _density(self, y: Exact, *, series: bool) -> Interval:
        place = _check.rational(y, "y")
        if not place:
            raise _check.refuse("`y` must not be 0", "y=0", "The density is infinite there.")
        sign = 1 if place > 0 else -1
        formula = density_by_series if series else density_by_quadrature

        def density() -> arb:
            scale = balls.ball(self.first.variance * self.second.variance).sqrt()
            kappa = balls.ball(abs(place)) / scale
            return (
                formula(standard_mean(self.first), standard_mean(self.second), kappa, sign) / scale
            )

        return balls.enclosure(density, relative_bits=_DIGITS)

    def mean_absolute_deviation(self) -> Interval:
        r"""E|Y − E Y|.

        Given Z = z the deviation is normal with mean m(z − n) and standard deviation √v·|z|, so
        its absolute mean is known; the mean over z is computed by rigorous quadrature.
        """
        return balls.enclosure(self._absolute_deviation, relative_bits=_DIGITS // 2)

    def _absolute_deviation(self) -> arb:
        mean, other = balls.ball(self.first.mean), balls.ball(self.second.mean)
        spread, width = (balls.ball(law.variance).sqrt() for law in (self.first, self.second))
        reach, hole = width * arb(2 * ctx.prec).sqrt(), arb(2) ** -ctx.prec

        def integrand(side: int) -> arb:
            def weighted(z: acb, _: bool) -> acb:
                shift, scale = mean * (z - other), spread * side * z
                ratio = shift / (scale * arb(2).sqrt())
                folded = scale * (2 / arb.pi()).sqrt() * (-ratio * ratio).exp()
                weight = (-(((z - other) / width) ** 2) / 2).exp()
                return (folded + shift * ratio.erf()) * weight

            low, high = (hole, abs(other) + reach) if side > 0 else (-abs(other) - reach, -hole)
            return acb.integral(weighted, low, high).real

        density = 1 / (width * (2 * arb.pi()).sqrt())
        inside = (integrand(1) + integrand(-1)) * density
        # |z| ≤ hole has a probability of at most 2·hole·density, |z − n| > reach of 2^−prec; the
        # deviation there is at most |m|·|z − n| + √v·|z|.
        most = abs(mean) * (abs(other) + 1) + spread
        outside = (abs(mean) * width + spread * (width + abs(other))) * 2 * arb(2) ** -ctx.prec
        return inside + arb(0).union(most * 2 * hole * density + outside)

    def renyi(self, other: "ProductNormal", order: Exact) -> Interval:
        r"""D_α of this law from another that differs in the mean of X only; 1 gives KL.

        Below it is bounded by what quadrature finds on panels, above by that and bounds on the
        rest. At order ∞ it is infinite: the ratio of the densities grows like e^√y.

        Raises:
            InvalidParameter: an order below 1.
            UnsupportedQuery: the two laws differ in more than that.
            Undecided: too extreme for quadrature, say an order of a million.
        """
        self._refuse_other_kinds(other)
        if self == other:
            return Interval.exactly(0)
        if order == math.inf:
            return Interval(math.inf, math.inf)
        alpha = _check.rational(order, "order")
        if not alpha >= 1:
            raise _check.refuse("`order` must be at least 1", f"order={alpha}", "1 gives KL.")
        found = power_integral(
            lambda: standard_mean(self.first),
            lambda: standard_mean(other.first),
            lambda: standard_mean(self.second),
            alpha,
        )
        with balls.precision(_BITS):
            value = found if alpha == 1 else found.log() / balls.ball(alpha - 1)
            bracket = balls.interval(value)
        crude = alpha * (self.first.mean - other.first.mean) ** 2 / (2 * self.first.variance)
        return Interval(max(Fraction(0), bracket.lower), min(crude, bracket.upper))

    def _refuse_other_kinds(self, other: "ProductNormal") -> None:
        rule = "`other` must be a ProductNormal"
        _check.kind(other, ProductNormal, rule, "Only two products can be compared.")
        if self.second != other.second or self.first.variance != other.first.variance:
            raise UnsupportedQuery(
                "two products must have the same second factor and the same variance of the first "
                f"to be compared; got {self} and {other}. For other pairs bound the divergence by "
                "that of the factors."
            )


def standard_mean(law: Normal) -> arb:
    """The mean in standard deviations."""
    return balls.ball(law.mean) / balls.ball(law.variance).sqrt()
