"""`CountsLaw`: noise for many counts at once, all of which one unit moves in one direction."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact, Size
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.laws.staircase import MOST_SENSITIVITY
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.ball_stairs import MOST_RATE
from leastnoise.noise.vectors.counts_cell import CountsCell
from leastnoise.noise.vectors.counts_layers import CountsLayers
from leastnoise.noise.vectors.counts_leak import leaks
from leastnoise.noise.vectors.counts_sampler import CountsSampler
from leastnoise.noise.vectors.counts_within import within
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import Computable, Real, rational_real
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source, checked_source

MOST_COUNTS_CUT = 256
"""A law that is cut adds up what each number of moved counts betrays."""

MOST_RADIUS = 1 << 12
"""A law that is cut is summed layer by layer."""

_rate = _check.limited(
    _check.positive,
    lambda rate: rate <= MOST_RATE,
    f"be at most {MOST_RATE}",
    "So large an epsilon promises nothing.",
)
_share = _check.limited(
    _check.positive,
    lambda share: share <= 1,
    "lie in (0, 1]",
    "It is a share of a weight: 1 keeps all.",
)


def _radius(radius: SupportsIndex | None, name: str) -> int | None:
    return None if radius is None else _check.integer_between(radius, name, 1, MOST_RADIUS)


@frozen(kw_only=True, repr=False)
class CountsLaw(Rebuilt):
    r"""Noise for k counts that one unit moves by 0..Δ each, all in one direction.

    Law: P(X = x) ∝ exp(−epsilon·(p + q)) for x in Z^k, where
    p = ⌈max(0, max xᵢ − ⌈start/2⌉)/Δ⌉ and q = ⌈max(0, max(−xᵢ) − ⌊start/2⌋)/Δ⌉. With a radius it is
    `edge` times that where p + q = radius, and 0 where p + q > radius.

    Theorem: for every query with values in Z^k to which one unit adds some v in {0, …, Δ}^k, adding
    X is ε-DP if there is no radius. With a radius, for Δ = 1, it is (ε, δ)-DP with
    δ = `law.delta(epsilon)`, exactly: no smaller δ will do.
    Proof: docs/proofs/many_counts.md, sections 1 and 2.

    It is drawn as follows: r with weight b**r·(r+1)·(r·Δ + start + 1)**k, then q uniform on 0..r,
    then every coordinate uniform on r·Δ + start + 1 neighbouring integers; again if the radius
    says so. The mean of each coordinate is 0, or 1/2 for an odd start.

    Args:
        dimension: the number k ≥ 1 of counts; up to 256 with a radius.
        sensitivity: Δ, an integer ≥ 1; 1 with a radius.
        epsilon: ε in (0, 4096].
        start: by how much wider than a point the noise is before it falls; ≥ 0.
        radius: the greatest p + q, in 1..4096; None for a law without end.
        edge: the share of their weight that points with p + q = radius keep, in (0, 1].

    Raises:
        InvalidParameter: a parameter outside its range.

    Example:
        >>> law = CountsLaw(dimension=10, epsilon=1, start=6)
        >>> print(f"{float(law.variance):.3f}", bool(law.verify(epsilon=1)))
        20.317 True
        >>> cut = CountsLaw(dimension=10, epsilon=1, start=6, radius=20)
        >>> print(f"{float(cut.variance):.3f} {float(cut.delta(1)):.2g}")
        20.299 4.1e-05
    """

    dimension: Whole = checked(_check.whole(1))
    sensitivity: Whole = checked(_check.whole(1, MOST_SENSITIVITY), default=1)
    epsilon: Number = checked(_rate)
    start: Whole = checked(_check.whole(0, MOST_SENSITIVITY), default=0)
    radius: int | None = checked(_radius, default=None)
    edge: Number = checked(_share, default=1)

    def __post_init__(self) -> None:
        cut = self.radius is not None
        if cut and (self.sensitivity > 1 or self.dimension > MOST_COUNTS_CUT):
            raise _check.refuse(
                f"with a `radius` `dimension` must be at most {MOST_COUNTS_CUT}, `sensitivity` 1",
                f"sensitivity={self.sensitivity}, dimension={self.dimension}",
                "Leave out the radius: the law without end needs no delta.",
            )
        if not cut and self.edge != 1:
            raise _check.refuse(
                "`edge` must be 1 without a `radius`",
                f"edge={_check.shown(self.edge)}",
                "Give the radius at whose points it applies.",
            )

    @cached_property
    def layers(self) -> CountsLayers:
        """The mathematics behind the answers."""
        return CountsLayers(
            self.dimension, self.sensitivity, self.start, self.epsilon, self.radius, self.edge
        )

    @cached_property
    def cell(self) -> CountsCell:
        """The error of one answer, in half steps."""
        return CountsCell(self.layers)

    @property
    def centre(self) -> Fraction:
        """The mean of each coordinate."""
        return Fraction(self.start % 2, 2)

    @property
    def variance(self) -> Interval:
        """Of one coordinate."""
        square = self.cell.moment(2)
        return Interval(Fraction(square.lower) / 4, Fraction(square.upper) / 4)

    def pmf(self, x: Sequence[int]) -> Interval:
        """P(X = x) for an integer vector x."""
        layer = self._layer(x)
        return Computable(lambda: self.layers.weight(layer) / self.layers.total()).interval()

    def _layer(self, x: Sequence[int]) -> int:
        above, below = max(x) - (self.start + 1) // 2, -min(x) - self.start // 2
        return sum(max(0, -(-beyond // self.sensitivity)) for beyond in (above, below))

    def within(self, magnitude: int) -> Computable:
        """P(every |2·Xᵢ − 2·centre| ≤ magnitude), in half steps; for a cut law a lower bound."""
        return Computable(lambda: within(self.layers, magnitude))

    def quantile(self, probability: Exact) -> int:
        """A number of half steps that all errors keep with at least this probability."""
        level = _check.probability(probability, "probability")
        guess = self.cell.quantile(level)
        return least_integer(lambda m: self.within(m).compare(level) >= 0, 0, guess)

    def delta(self, epsilon: Exact) -> Interval:
        """The least delta at which one unit more or less is (epsilon, delta)-indistinguishable.

        Raises:
            InvalidParameter: epsilon is below that of a law without a radius.
        """
        wanted = _check.non_negative(epsilon, "epsilon")
        if self._knows(wanted):
            return self._leak(wanted).interval()
        raise _check.refuse(
            "`epsilon` must be at least that of a law without a radius",
            f"epsilon={_check.shown(wanted)}",
            f"Ask for {_check.shown(self.epsilon)} or more.",
        )

    def _knows(self, epsilon: Fraction) -> bool:
        return self.radius is not None or epsilon >= self.epsilon

    def _leak(self, epsilon: Fraction) -> Real:
        if self.radius is None:
            return rational_real(0)
        return Computable(lambda: self._greatest_leak(epsilon))

    def _greatest_leak(self, epsilon: Fraction) -> arb:
        """What the worst unit betrays; at ε or more only the last two layers fall by too much."""
        assert self.radius is not None
        layers, last = self.layers, self.radius
        kept = (-balls.ball(self.epsilon - epsilon)).exp()
        within = range(last - 1) if epsilon < self.epsilon else ()
        falls = {layer: layers.power(layer) * (1 - kept) for layer in within}
        falls[last - 1] = layers.power(last - 1) * (1 - balls.ball(self.edge) * kept).max(arb(0))
        falls[last] = layers.weight(last)
        greatest = arb(0)
        for leak in leaks(falls, self.dimension, self.start):
            greatest = greatest.max(leak)
        return greatest / layers.total()

    def verify(
        self, *, epsilon: Exact, delta: Exact = 0, sensitivity: SupportsIndex | None = None
    ) -> Verification:
        """Prove that adding this law is (epsilon, delta)-DP if a unit adds {0..Δ}^k, or say no.

        Δ is the law's own sensitivity unless another is given. For a greater one, or an epsilon
        below that of a law without a radius, nothing is proved, and `attained` is [0, 1].
        """
        wanted = _check.non_negative(epsilon, "epsilon")
        reach = self.sensitivity if sensitivity is None else _check.integer(sensitivity, "reach")
        known = reach <= self.sensitivity and self._knows(wanted)
        leak = self._leak(wanted) if known else rational_real(1)
        promised = _check.delta(delta)
        pure = self.radius is None and known
        return Verification(
            holds=pure or (known and promised > 0 and leak.compare(promised) <= 0),
            epsilon=wanted,
            delta=promised,
            sensitivity=reach,
            attained=leak.interval() if known else Interval(Fraction(0), Fraction(1)),
            shift=reach,
            argument="some of the counts move by as much as one unit can move them",
        )

    def privacy(self, distance: SupportsIndex) -> PrivacyLoss:
        """The loss that dominates adding this law where each number moves by up to `distance`."""
        moved = _check.integer_between(distance, "distance", 1)
        leak = Fraction(self.delta(self.epsilon).upper)
        worst = PrivacyLoss.worst_case(epsilon=self.epsilon, delta=leak)
        units = -(-moved // self.sensitivity)
        return worst if units == 1 else worst.for_group(units)

    @cached_property
    def _sampler(self) -> CountsSampler:
        return CountsSampler(self.layers)

    def sample(self, size: Size | None = None, source: Source | None = None) -> Draws:
        """Independent exact draws: an array of shape size + (dimension,)."""
        shape = _check.size(size)
        drawn = self._sampler.sample(prod(shape), checked_source(source))
        return drawn.reshape((*shape, self.dimension))
