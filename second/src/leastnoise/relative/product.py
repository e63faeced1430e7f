r"""Algorithm 1 of the note on larger groups: a noisy count times a noisy 1, and what it really promises.

Y is N(X, (r*X)^2) for X of N(x, s^2), s^2 = 1/(2*rho): so Y = X*Z, Z of N(1, r^2) independent of X.

Theorem. For all counts Y is rho-zCDP, by post-processing. Nothing much better holds at all orders:
D_a(x+1 || x)/a tends to rho/2 as a grows, for every x and r, so no group-wise v below rho/2 is valid,
however large the group (errata E7). Nor is the error r*x kept by small groups: that needs x above about
1.32*s/r (E8).

Density. With a = x/s, b = 1/r and y = +-s*r*w^2 it is the sum over e = +-1 of
exp(-((w*e^t - e*a)^2 + (w*e^-t -+ e*b)^2)/2), integrated over t, over 2*pi*s*r. Expanded in Bessel
functions it is a series (Cui, Yu, Iommelli and Kong 2016, Theorem 2.1). It is infinite at 0.

Proof page: docs/proofs/relative_algorithms.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, hypot, inf, isqrt, log, pi
from typing import Any, Literal

import numpy as np
from flint import acb, arb, ctx
from numpy.typing import NDArray

from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.noise.laws import RoundedGaussian
from leastnoise.noise.line import Normal
from leastnoise.noise.source import Source, system_source
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, positive, whole
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.relative.counts import Table, relative_counts, secret_counts
from leastnoise.relative.proportional import ProportionalNoise, order_from, share

Floats = NDArray[np.float64]

_LARGEST = 1 << 50
_MOST_POINTS = 2 * 10**7  # of a grid; a second or two
_FINE = 256  # the variance of the two draws, in steps, is at least this


@dataclass(frozen=True)
class ProductLaw:
    """The law of Y for one size.

    Attributes:
        mean: the size x.
        noise: the variance s^2 of X.
        factor: the variance r^2 of Z.
    """

    mean: int
    noise: Fraction
    factor: Fraction

    @property
    def variance(self) -> Fraction:
        """r^2*x^2 + s^2*(1 + r^2)."""
        return self.factor * self.mean**2 + self.noise * (1 + self.factor)

    def density(self, y: Exact, by: Literal["quadrature", "series"] = "quadrature") -> Interval:
        """The density at y, other than 0; the series takes long where x/s or 1/r is large.

        >>> law = ProductLaw(5, Fraction(1), Fraction(1, 4))
        >>> law.density(4), law.density(4, by="series")
        (0.149069736058222..., 0.149069736058222...)
        """
        place = exact(y, "y")
        if not place:
            raise InvalidInput("y is 0, where the density is infinite. Give another place.")
        if by not in ("quadrature", "series"):
            raise InvalidInput(f'by is {by!r:.20}. Give "quadrature" or "series".')
        formula, sign = _quadrature if by == "quadrature" else _series, 1 if place > 0 else -1

        def density() -> arb:
            unit = ball(self.noise * self.factor).sqrt()
            a, b = ball(self.mean) / ball(self.noise).sqrt(), 1 / ball(self.factor).sqrt()
            return formula(a, sign * b, ball(abs(place)) / unit) / (2 * arb.pi() * unit)

        return balls.enclosure(density)

    def mean_error(self) -> arb:
        """E|Y - x| at the working precision.

        Given Z = z, Y - x is normal with mean x*(z - 1) and deviation s*|z|.
        """
        x, s, r = ball(self.mean), ball(self.noise).sqrt(), ball(self.factor).sqrt()
        reach, hole = r * arb(2 * ctx.prec).sqrt(), arb(2) ** -ctx.prec

        def folded(side: int, low: arb, high: arb) -> arb:
            def weighted(z: acb, _: bool) -> acb:
                shift, scale = x * (z - 1), s * side * z
                ratio = shift / (scale * arb(2).sqrt())
                mean = scale * (2 / arb.pi()).sqrt() * (-ratio * ratio).exp() + shift * ratio.erf()
                return mean * (-(((z - 1) / r) ** 2) / 2).exp()

            return acb.integral(weighted, low, high).real

        height = 1 / (r * (2 * arb.pi()).sqrt())
        inside = (folded(1, hole, 1 + reach) + folded(-1, -1 - reach, -hole)) * height
        # |z| <= hole has chance 2*hole*height at most, |z - 1| > reach of 2^-prec.
        most, outside = 2 * x + s, (x * r + s * (r + 1)) * 2 * hole
        return inside + arb(0).union(most * 2 * hole * height + outside)


def _quadrature(a: arb, b: arb, kappa: arb) -> arb:
    """Where p = w*e^t >= 4*|a| the integrand is at most e^(-9p^2/32); b has the sign of y."""
    return _branch(a, b, kappa.sqrt()) + _branch(-a, -b, kappa.sqrt())


def _branch(a: arb, b: arb, w: arb) -> arb:
    far = 2 * arb(ctx.prec).sqrt() + 4
    right, left = (((5 * abs(mean) + far) / w).log().upper() for mean in (a, b))

    def integrand(t: acb, _: bool) -> acb:
        return (-((w * t.exp() - a) ** 2 + (w * (-t).exp() - b) ** 2) / 2).exp()

    total = acb.integral(integrand, -left, right).real
    for end in (left, right):
        decay = 9 * (w * end.exp()).lower() ** 2 / 32
        total += arb(0).union((-decay).exp() / (2 * decay))
    return total


def _series(a: arb, b: arb, kappa: arb) -> arb:
    """2*e^(-(a^2+b^2)/2) times K_0*F_0 plus the sum of ((a^2*k)^j + (b^2*k)^j)/(2j)! * F_j*K_j.

    F_j = 0F1(; 2j+1; k*a*b). From j >= m = max(a^2, b^2) on the terms are at most
    (2m)^j*(j-1)!/(2j)! * e^(k*|a*b|/(2j+1)), each at most half of the one before.
    """
    most, product = (a**2).max(b**2), kappa * a * b
    total = product.hypgeom_0f1(arb(1)) * kappa.bessel_k(arb(0))
    powers, bound, j = (arb(1), arb(1)), arb(1), 0
    while total.is_finite():
        j += 1
        pairs = (2 * j - 1) * 2 * j
        powers = powers[0] * a**2 * kappa / pairs, powers[1] * b**2 * kappa / pairs
        total += sum(powers) * product.hypgeom_0f1(arb(2 * j + 1)) * kappa.bessel_k(arb(j))
        bound *= 2 * most * max(j - 1, 1) / pairs
        rest = bound * (abs(product) / (2 * j + 1)).exp()
        if j > most and rest < abs(total) * arb(2) ** -ctx.prec:
            return 2 * (-(a**2 + b**2) / 2).exp() * (total + arb(0, rest.upper()))
    return total


def _log_masses(one: ProductLaw, other: ProductLaw, reach: float) -> Floats:
    """The logarithms of the masses that two laws give to cells of w, for y > 0 and for y < 0.

    Sums over t and steps of ln(w), fine enough for the narrowest places; in floats.
    """
    scale, b = float(one.noise) ** 0.5, float(one.factor) ** -0.5
    means = one.mean / scale, other.mean / scale
    ends = max(means) + reach, b + reach
    most = log(ends[0] * ends[1]) / 2
    if (10 + most) ** 2 * 2 * min(ends) * hypot(*ends) > _MOST_POINTS:
        raise InvalidInput(
            "Sums over so many places take too long. Give a smaller size or order, or a larger "
            "relative_error; `renyi_at_least` answers in any case."
        )
    step, found = 0.5 / min(ends), []
    rows = np.arange(-10, most, step)
    for u in np.array_split(rows, 1 + rows.size // 64):
        length = 2 * (most - u)
        points = int(length[0] * hypot(*ends)) + 2
        t = (u - log(ends[1]))[:, None] + length[:, None] * np.linspace(0, 1, points)
        p, q = np.exp(u[:, None] + t), np.exp(u[:, None] - t)
        width = np.log(step * length / (pi * (points - 1))) + 2 * u
        for sign in (1, -1):
            pairs = [
                [-((p - e * a) ** 2 + (q - e * sign * b) ** 2) / 2 for e in (1, -1)] for a in means
            ]
            tops = np.max(pairs, axis=(1, 3))
            sums = np.exp(np.array(pairs) - tops[:, None, :, None]).sum(axis=(1, 3))
            found.append(tops + np.log(sums) + width)
    return np.concatenate(found, axis=1)


@dataclass(frozen=True)
class Attempt:
    """The note's second attempt at a bound: with expectations that do not exist. It bounds nothing.

    E|X'/X| and E[X^2/X'^2] are infinite, for X is near 0 with positive density: the right side of the
    note's inequality is infinite, and finite parts do not bound it.

    Attributes:
        principal_value: of E[1/X'], for X' of N(neighbour, s^2).
        finite_part: of E[1/X'^2] (the note prints half of one of its terms' factor, errata E6).
        printed: the number that the note's formula gives.
        divergence: the Kullback-Leibler divergence of Y from Y', an estimate.
    """

    principal_value: Interval
    finite_part: Interval
    printed: Interval
    divergence: float

    def __repr__(self) -> str:
        return f"not a bound: printed {self.printed:.4g}, divergence {self.divergence:.4g}"


@dataclass(frozen=True, kw_only=True)
class ProductNoise(Mechanism[Any, Any]):
    """Y = X*Z, rounded to whole numbers. Both factors are drawn as rounded Gaussians on fine lattices.

    The rounding matters: who factors an unrounded product of two integers learns X.

    Attributes:
        rho: of the noisy count.
        relative_error: r, the standard deviation of Z.

    >>> noise = ProductNoise(rho="0.5", relative_error="0.1")
    >>> noise.floor, noise.expected_error(13), noise.keeps_error(13), noise.keeps_error(14)
    (Fraction(1, 4), 1.31032514075808..., False, True)
    """

    rho: Checked[Exact, Fraction] = Checked(positive)
    relative_error: Checked[Exact, Fraction] = Checked(share)

    @property
    def guarantee(self) -> ZCDP:
        """That of the noisy count; for groups of all sizes."""
        return ZCDP(rho=self.rho)

    @property
    def floor(self) -> Fraction:
        """rho/2: for no size is a smaller group-wise v valid."""
        return self.rho / 2

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """That of the noisy count, which bounds that of Y."""
        far = whole(distance, "distance")
        return PrivacyLoss.of_laws(*(Normal(each, 1 / (2 * self.rho)) for each in (0, far)))

    def _answer(self, value: Any, source: Source) -> Any:
        counts = secret_counts(value, _LARGEST)
        (g, noise), (h, factor) = map(_lattice, (1 / (2 * self.rho), self.relative_error**2))
        first = g * counts.astype(np.object_) + _drawn(noise, counts, source)
        product = first * (h + _drawn(factor, counts, source))
        rounded = (2 * product + g * h) // (2 * g * h)
        return rounded if np.ndim(value) else int(rounded)

    def sample(self, size: int, count: int, source: Source | None = None) -> NDArray[Any]:
        """Draws for a public or made-up size."""
        sizes = np.full(whole(count, "count"), whole(size, "size", least=0), dtype=np.object_)
        return np.asarray(self._answer(sizes, source or system_source()))

    # The law on the real line, as the note has it

    def law(self, size: int) -> ProductLaw:
        """The law of Y for a group of this size."""
        x = whole(size, "size", least=0)
        return ProductLaw(x, 1 / (2 * self.rho), self.relative_error**2)

    def expected_error(self, size: int) -> Interval:
        """E|Y - x|."""
        return balls.enclosure(self.law(size).mean_error)

    def keeps_error(self, size: int) -> bool:
        """Whether E|Y - x| < r*x, as the note asks."""
        law, wanted = self.law(size), self.relative_error * size
        return balls.sign(lambda: law.mean_error() - ball(wanted)) < 0

    def renyi_at_least(self, size: int, *, order: Exact) -> Interval:
        """D_a(x+1 || x) between a bound in closed form, the reason for the floor, and a*rho.

        >>> noise = ProductNoise(rho="0.5", relative_error="0.1")
        >>> noise.renyi_at_least(100, order=10**8).lower / 10**8 > Fraction("0.2499")
        True
        """
        x, at = whole(size, "size", least=0), order_from(order, "order")

        def bound() -> arb:
            s, b, o = (1 / ball(2 * self.rho)).sqrt(), 1 / ball(self.relative_error), ball(at)
            a, other = (x + 1) / s, x / s
            c = (o * a + (1 - o) * other + b) / 2
            if not c >= 1:
                return arb(0)
            total = (
                c**2 - (o * a**2 + (1 - o) * other**2 + b**2) / 2 - (o - 1) * (other - b) ** 2 / 4
            )
            return (total - o * (2 * arb.pi().sqrt()).log()) / (o - 1)

        least = balls.enclosure(bound).lower if at > 1 else Fraction(0)
        return Interval(max(Fraction(0), least), at * self.rho)

    def renyi(self, size: int, neighbour: int, *, order: Exact) -> float:
        """D_a of the law for one size from that for another, by sums over a grid: no bound.

        About seven digits. Order 1 is the Kullback-Leibler divergence.

        >>> noise = ProductNoise(rho="0.5", relative_error="0.1")
        >>> [round(noise.renyi(101, 100, order=a) / a, 5) for a in (2, 10)]
        [0.00514, 0.0057]
        """
        one, other, a = self.law(size), self.law(neighbour), float(order_from(order, "order"))
        # The integrand of order a has its mean so far out, or nearer.
        reach = a * abs(one.mean - other.mean) * float(2 * self.rho) ** 0.5 + 12
        f, g = _log_masses(one, other, reach)
        if a == 1:
            return float(np.exp(f) @ (f - g))
        return float(np.logaddexp.reduce(a * f + (1 - a) * g)) / (a - 1)

    def attempt(self, size: int, neighbour: int) -> Attempt:
        """What the note's attempt at the Kullback-Leibler divergence gives.

        >>> ProductNoise(rho="0.5", relative_error="0.5").attempt(5, 6)
        not a bound: printed -0.4887, divergence 0.06471
        """
        x, y = (whole(each, "size", least=0) for each in (size, neighbour))
        square, r = 1 / (2 * self.rho), self.relative_error

        def principal(mean: int) -> arb:
            place = ball(mean) / ball(2 * square).sqrt()  # times Dawson's integral
            dawson = arb.pi().sqrt() / 2 * (-place * place).exp() * place.erfi()
            return (2 / ball(square)).sqrt() * dawson

        def finite() -> arb:
            return (y * principal(y) - 1) / ball(square)

        def printed() -> arb:
            ratio = ball((square + x * x) * (1 + 1 / r**2) / 2) * finite() / 2
            inverse = x * principal(y) / ball(r**2)
            return 2 * (y * principal(x)).log() + ratio - inverse + ball((1 / r**2 - 1) / 2)

        return Attempt(
            balls.enclosure(lambda: principal(y)) if y else Interval.exactly(0),
            balls.enclosure(finite),
            balls.enclosure(printed) if x and y else Interval.exactly(-inf),
            self.renyi(x, y, order=1),
        )

    def compare(self, sizes: Sequence[int]) -> Table:
        """This beside three others with the same relative error: v and the mean error by size.

        The constant noise is sized for the least of the sizes. The v of Algorithm 2 holds up to the
        order shown, halfway to where its divergence is infinite; the others hold at all orders.
        """
        least, r = min(sizes, default=1), self.relative_error
        counts = relative_counts(relative_error=r, smallest=least)
        constant = balls.upper_end(lambda: 1 / (arb.pi() * ball((r * least) ** 2)))
        rows: list[tuple[Any, ...]] = []
        for x in sizes:
            below = max(x - 1, 1)
            order = 1 + Fraction(below**2, 2 * (2 * below + 1))
            other = ProportionalNoise(relative_error=r, smallest=below, order=order)
            rows += [
                ("constant Gaussian", x, constant, r * least, "all"),
                ("Algorithm 1", x, self.rho, self.expected_error(x).upper, "all"),
                ("Algorithm 2", x, other.promise(x).rho, other.expected_error(x).upper,
                 f"up to {float(order):.3g}"),
                ("relative counts", x, counts.privacy(x), counts.expected_error(x).upper, "all"),
            ]  # fmt: skip
        return Table(("mechanism", "people", "v", "error", "orders"), tuple(rows), (0, 0, 4, 2, 0))


def _lattice(variance: Fraction) -> tuple[int, RoundedGaussian]:
    """An odd number of steps per unit, so that rounding has no ties, and the noise in steps."""
    steps = (isqrt(ceil(_FINE / variance) - 1) + 1) | 1
    return steps, RoundedGaussian(steps**2 * variance)


def _drawn(noise: RoundedGaussian, counts: NDArray[Any], source: Source) -> NDArray[Any]:
    return noise.sample(counts.size, source).astype(np.object_).reshape(counts.shape)
