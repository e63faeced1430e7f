"""Rays: laws of one shape at every scale, in floats for a search and exactly for a proof.

A scale is measured in units of the sensitivity and grows with the noise. Sketches live on the
search's own lattice, with `points` to the sensitivity; laws on the problem's, with `steps` to it.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil, expm1, gamma, log, log1p, sqrt
from typing import Protocol

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.sketch import Curve, Sketch
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.generalized_gaussian import GeneralizedGaussian
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.median_of_uniforms import MedianOfUniforms
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.laws.truncated_laplace import TruncatedLaplace
from leastnoise.noise.laws.truncated_staircase import TruncatedStaircase
from leastnoise.privacy.variables.pooling import Floats

_DIGITS = 9  # of a parameter, few enough to be read
_WIDE = 1 << 14
_LEAST_SHARE = 1e-9
_LARGE = 300.0  # e^300 is well within floats


class Ray(Protocol):
    """Laws of one shape at every scale."""

    @property
    def start(self) -> float:
        """A guess at the scale."""
        ...

    def sketch(self, scale: float) -> Sketch:
        """The law in floats."""
        ...

    def law(self, scale: Fraction) -> LatticeLaw:
        """The law itself."""
        ...


@dataclass(frozen=True)
class PowerRay:
    """exp(−(|x|/scale)**power): Laplace's law at power 1, Gauss's at 2."""

    problem: ComposedProblem
    power: Fraction

    @property
    def start(self) -> float:
        """The scale whose variance is that of the Gaussian noise that would do."""
        power = float(self.power)
        return self.problem.gaussian * sqrt(gamma(1 / power) / gamma(3 / power))

    def sketch(self, scale: float) -> Sketch:
        """Weights until they are negligible."""
        width, power = scale * self.problem.points, float(self.power)
        radius = 1 + width * self.problem.reach ** (1 / power)
        return Sketch(lambda place: (place / width) ** power, radius, bounded=False)

    def law(self, scale: Fraction) -> LatticeLaw:
        """The law under the name it is best known by."""
        exact = scale * self.problem.steps
        if self.power == 1:
            return DiscreteLaplace(_short(exact, ROUND_CEILING))
        if self.power == 2:
            return DiscreteGaussian(_short(exact**2 / 2, ROUND_CEILING))
        return GeneralizedGaussian(_short(exact, ROUND_CEILING), self.power)


@dataclass(frozen=True)
class StaircaseRay:
    """Stairs with one drop per sensitivity, each worth 1/scale; the first at a share of it."""

    problem: ComposedProblem
    width: float

    @property
    def start(self) -> float:
        """As for Laplace's law."""
        return PowerRay(self.problem, Fraction(1)).start

    def sketch(self, scale: float) -> Sketch:
        """Whole drops, as many as matter."""
        points = self.problem.points
        drops = _drops(max(self.width, 1 / points), points)
        radius = points * (2 + self.problem.reach * scale)
        return Sketch(lambda place: drops(place) / scale, radius, bounded=False)

    def law(self, scale: Fraction) -> LatticeLaw:
        """The staircase law."""
        steps = self.problem.steps
        epsilon, width = _short(1 / scale, ROUND_FLOOR), _width(self.width, steps)
        return Staircase(sensitivity=steps, epsilon=epsilon, width=width)


@dataclass(frozen=True)
class CutRay:
    """Stairs cut off where one query leaks `leak` at ε = 1/scale; Laplace's law if width is 0."""

    problem: ComposedProblem
    leak: Fraction
    width: float

    @property
    def start(self) -> float:
        """As for Laplace's law."""
        return PowerRay(self.problem, Fraction(1)).start

    def sketch(self, scale: float) -> Sketch:
        """Weights up to the cut, the last one made lighter."""
        points, leak = self.problem.points, float(self.leak)
        drops = _drops(self.width, points)
        radius = points * scale * _end(1 / scale, leak)
        if radius > _WIDE:
            return Sketch(lambda place: drops(place) / scale, radius, bounded=True)
        exponents = drops(np.arange(int(radius) + 3 * points, dtype=np.float64)) / scale
        last, gap = _cut_off(exponents, points, 1 / scale, leak)
        return Sketch(
            lambda place: drops(place) / scale + gap * (place == last), last, bounded=True
        )

    def law(self, scale: Fraction) -> LatticeLaw:
        """The cut-off law under the name it is best known by."""
        steps, epsilon = self.problem.steps, _short(1 / scale, ROUND_FLOOR)
        if steps == 1:
            return Canonical(epsilon=epsilon, delta=self.leak)
        if not self.width:
            return TruncatedLaplace(sensitivity=steps, epsilon=epsilon, delta=self.leak)
        return TruncatedStaircase(
            sensitivity=steps, epsilon=epsilon, delta=self.leak, width=_width(self.width, steps)
        )


@dataclass(frozen=True)
class MedianRay:
    """The median of 2·order + 1 uniform draws; the scale is the radius."""

    problem: ComposedProblem
    order: int

    @property
    def start(self) -> float:
        """The radius whose variance is that of the Gaussian noise that would do."""
        return self.problem.gaussian * sqrt(2 * self.order + 3)

    def sketch(self, scale: float) -> Sketch:
        """Its density on the real line."""
        end = scale * self.problem.points + 0.5
        return Sketch(
            lambda place: -self.order * np.log1p(-((place / end) ** 2)),
            end - 0.5,
            bounded=True,
        )

    def law(self, scale: Fraction) -> LatticeLaw:
        """The law with the radius rounded up."""
        return MedianOfUniforms(self.order, max(1, ceil(scale * self.problem.steps)))


def _short(value: Fraction, rounding: str) -> Fraction:
    """Few enough digits to be read."""
    context = Context(prec=_DIGITS, rounding=rounding)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _width(share: float, steps: int) -> int:
    return min(steps, max(1, round(share * steps)))


def _end(epsilon: float, leak: float) -> float:
    """Where the truncated Laplace density on the real line ends, in units of the scale."""
    if epsilon > _LARGE:
        return epsilon - log(2 * leak)
    return log1p(expm1(epsilon) / (2 * leak))


def _drops(width: float, period: int) -> Curve:
    """How many drops lie at or below a magnitude; a width of 0 spreads them evenly."""
    if not width:
        return lambda place: place / period
    first = max(1, round(width * period))
    return lambda place: np.maximum(0.0, np.floor((place - first) / period) + 1)


def _cut_off(exponents: Floats, distance: int, epsilon: float, leak: float) -> tuple[int, float]:
    """The least radius that leaks so little, and by how much its exponent may be raised.

    The theorem of docs/proofs/truncation.md in floats.
    """
    weights = np.exp(-exponents)
    upto = np.concatenate([[0.0], np.cumsum(weights)])
    radii = np.arange((distance + 1) // 2, len(weights))
    inside = 2 * upto[radii] - weights[0]
    beside = np.where(
        radii >= distance,
        upto[radii] - upto[np.abs(radii - distance) + 1],
        upto[radii] + upto[np.maximum(distance - radii, 0)] - weights[0],
    )
    enough = beside + weights[radii] <= leak * (inside + 2 * weights[radii])
    place = int(np.argmax(enough)) if enough.any() else len(radii) - 1
    radius = int(radii[place])
    partner = 0.0 if 2 * radius == distance else float(weights[abs(radius - distance)])
    over = float(beside[place]) + partner - leak * float(inside[place])
    under = float(weights[radius]) * (expm1(min(epsilon, _LARGE)) + 2 * leak)
    share = min(1.0, max(_LEAST_SHARE, over / under)) if under > 0 else 1.0
    return radius, -log(share)
