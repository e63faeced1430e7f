r"""`CutBallStairs`: stairs of a norm on Z^d that end at a radius.

Weight of x: exp(−rate·level(‖x‖)) for ‖x‖ < radius, the share `edge` of it for ‖x‖ = radius, and 0
beyond, where level(m) counts the drops at width, width + period, width + 2·period, … up to m.

Every set {weight > t} is a ball, so a shift along an axis (ℓ1) or a diagonal (ℓ∞) is told apart
most easily, for every ε at once, and the divergence there is a finite sum: exact, not a bound.
Proof: docs/proofs/optimal_vectors.md, section 6.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property

from flint import arb, ctx

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.ball_moment import power_sum_over_ball
from leastnoise.noise.vectors.norm_ball import NormBall
from leastnoise.noise.vectors.vector_loss import cut_vector_loss
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable, rational_real
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source
from leastnoise.randomness.table import LookUpTable

MOST_LAYERS = 4096  # each is a row of the table that is drawn from


@dataclass(frozen=True)
class Height:
    """The number share·e**exponent."""

    exponent: Fraction
    share: Fraction

    def __lt__(self, other: "Height") -> bool:
        if self.share == other.share or not self.share or not other.share:
            return (self.share, self.exponent) < (other.share, other.exponent)
        mine = ExponentialSum({self.exponent: self.share})
        return (mine - ExponentialSum({other.exponent: other.share})).sign() < 0

    def raised(self, epsilon: Fraction) -> "Height":
        """e**epsilon times as high."""
        return Height(self.exponent + epsilon, self.share)


_GROUND = Height(Fraction(0), Fraction(0))


@dataclass(frozen=True)
class StairStep:
    """The points of norm up to a radius, beyond those of the step before, have one weight."""

    radius: int
    height: Height


@dataclass(frozen=True)
class CutBallStairs:
    """See the module's docstring for the weights.

    Args:
        ball: the balls of the norm.
        period: distance from drop to drop, ≥ 1.
        width: norm of the first drop, in 1..period.
        rate: each drop divides the weight by e**rate, rate ≥ 0.
        radius: the greatest norm with positive weight, ≥ 0.
        edge: the share of their weight that points of that norm keep, in (0, 1].
    """

    ball: NormBall
    period: int
    width: int
    rate: Fraction
    radius: int
    edge: Fraction

    @cached_property
    def steps(self) -> tuple[StairStep, ...]:
        """From the highest to the lowest."""
        radii = [*self._drops(), self.radius]
        if self.edge < 1 and self.radius - 1 not in (*radii, -1):
            radii.insert(-1, self.radius - 1)
        if len(radii) > MOST_LAYERS:
            raise UnsupportedQuery(
                f"a cut-off norm law must have at most {MOST_LAYERS} steps; got {len(radii)}. "
                "Use NormLaplace: for so small an epsilon cutting it off gains nothing."
            )
        return tuple(StairStep(radius, self._height(radius)) for radius in radii)

    def _drops(self) -> range:
        """The norms just before a drop, short of the radius."""
        return range(self.width - 1, self.radius, self.period) if self.rate else range(0)

    def _height(self, norm: int) -> Height:
        level = max(0, (norm - self.width) // self.period + 1) if self.rate else 0
        return Height(-self.rate * level, self.edge if norm == self.radius else Fraction(1))

    # Sums

    def _sum(self, inside: Callable[[int], int]) -> ExponentialSum:
        """Σ weight over points, each counted as `inside` counts the points up to a radius."""
        terms: dict[Fraction, Fraction] = {}
        before = 0
        for step in self.steps:
            here = inside(step.radius)
            exponent = step.height.exponent
            more = step.height.share * (here - before)
            terms[exponent] = terms.get(exponent, Fraction(0)) + more
            before = here
        return ExponentialSum(terms)

    @cached_property
    def _total(self) -> ExponentialSum:
        return self._sum(self.ball.count)

    def _weight(self, norm: int) -> ExponentialSum:
        if norm > self.radius:
            return ExponentialSum.of(0)
        height = self._height(norm)
        return ExponentialSum({height.exponent: height.share})

    def chance(self, x: list[int]) -> ExponentialRatio:
        """P(X = x)."""
        return ExponentialRatio(self._weight(self.ball.norm(x)), self._total)

    def norm_pmf(self, m: int) -> Interval:
        """P(‖X‖ = m)."""
        if not 0 <= m <= self.radius:
            return Interval.exactly(0)
        points = self.ball.count(m) - (self.ball.count(m - 1) if m else 0)
        return ExponentialRatio(self._weight(m) * points, self._total).interval()

    def tail(self, m: int) -> Interval:
        """P(‖X‖ ≥ m)."""
        return self._tail(m).interval()

    def tail_is_within(self, m: int, chance: Fraction) -> bool:
        """Whether P(‖X‖ ≥ m) ≤ chance."""
        return self._tail(m).compare(chance) <= 0

    def _tail(self, m: int) -> ExponentialRatio:
        if m <= 0:
            return rational_real(1)
        inside = self.ball.count(m - 1)
        above = self._sum(lambda radius: max(0, self.ball.count(radius) - inside))
        return ExponentialRatio(above, self._total)

    def moment(self, order: int) -> ExponentialRatio:
        """E‖X‖**order for order ≥ 1."""
        powers = power_sum_over_ball(self.ball, order)
        return ExponentialRatio(self._sum(lambda radius: int(powers(radius).p)), self._total)

    # Privacy

    @property
    def worst_shift(self) -> str:
        """The shift that leaves all pairs of balls the fewest common points."""
        way = "along an axis" if self.ball.adds_coordinates else "along a diagonal"
        return f"a shift {way} leaves all balls the least overlap"

    def pure_epsilon(self, distance: int) -> None:
        """No ε will do: some points can be reached from one side only."""
        del distance

    def divergence(self, epsilon: Fraction, distance: int) -> ExponentialRatio:
        """The largest hockey-stick divergence over all shifts of norm ≤ distance."""
        return ExponentialRatio(self._leak(epsilon, distance), self._total)

    def _leak(self, epsilon: Fraction, distance: int) -> ExponentialSum:
        """Σ max(0, weight(x) − e^epsilon·weight(x − v)) at the worst shift v, level by level."""
        terms: dict[Fraction, Fraction] = {}
        for top, bottom, near, far in self._levels(epsilon):
            if far - near >= distance:
                continue
            lost = self.ball.count(near) - self.ball.overlap(near, distance - (far - near))
            for height, sign in ((top, 1), (bottom, -1)):
                more = sign * height.share * lost
                terms[height.exponent] = terms.get(height.exponent, Fraction(0)) + more
        return ExponentialSum(terms)

    def _levels(self, epsilon: Fraction) -> Iterator[tuple[Height, Height, int, int]]:
        """(top, bottom, r, R): for bottom < t ≤ top the sets above t are balls of radii r and R.

        The first set is {weight ≥ t}, the second {e^epsilon·weight ≥ t}.
        """
        raised = [step.height.raised(epsilon) for step in self.steps]
        i = k = 0
        top = self.steps[0].height
        while True:
            while k + 1 < len(raised) and not raised[k + 1] < top:
                k += 1
            below = self.steps[i + 1].height if i + 1 < len(self.steps) else _GROUND
            other = raised[k + 1] if k + 1 < len(raised) else _GROUND
            bottom = max(below, other)
            yield top, bottom, self.steps[i].radius, self.steps[k].radius
            if bottom == _GROUND:
                return
            i += not below < bottom
            top = bottom

    def loss(self, distance: int) -> PrivacyLoss:
        """The privacy loss at the worst shift: whole drops, or infinite."""
        if self.edge < 1 or not self.rate:
            raise UnsupportedQuery(
                "a cut-off norm law must have edge=1 and epsilon > 0 to be priced as a loss. Find "
                "its delta with law.delta, then use PrivacyLoss.worst_case."
            )
        return cut_vector_loss(self, distance)

    @property
    def drops(self) -> int:
        """How many drops lie within the radius."""
        return len(self._drops())

    def escape(self, distance: int) -> ExponentialRatio:
        """The chance that X is a point the law cannot reach from a distance."""
        return ExponentialRatio(
            self._sum(lambda radius: self._escaped(radius, distance)), self._total
        )

    def _escaped(self, radius: int, distance: int) -> int:
        """How many points of a ball the whole support, shifted, does not cover."""
        narrower = max(0, distance - (self.radius - radius))
        return self.ball.count(radius) - self.ball.overlap(radius, narrower)

    # Drawing

    @cached_property
    def _layers(self) -> "_Layers":
        return _Layers(self)

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws, as the rows of an array."""
        return self.ball.uniform(self._layers.table.sample(count, source), source)


class _Layers:
    """The law as a mixture of uniform balls: ball n has weight (its height − the next)·size."""

    def __init__(self, stairs: CutBallStairs) -> None:
        self._steps = stairs.steps
        self._sizes = [stairs.ball.count(step.radius) for step in stairs.steps]
        self._known: dict[int, list[arb]] = {}
        radii = [step.radius for step in stairs.steps]
        self.table = LookUpTable(self._floor, lambda n: radii[n], len(radii))

    def _floor(self, n: int, bits: int) -> int:
        """⌊2**bits·P(ball n or a larger one)⌋."""
        if self._is_rational:
            return int(self._rational(n) * (1 << bits))
        return Computable(lambda: self._above()[n]).floor(1 << bits)

    @property
    def _is_rational(self) -> bool:
        """All heights share one power of e; otherwise no such probability is rational."""
        return self._steps[0].height.exponent == self._steps[-1].height.exponent

    def _rational(self, n: int) -> Fraction:
        shares = [step.height.share for step in self._steps]
        weights = [
            (share - after) * size
            for share, after, size in zip(
                shares, [*shares[1:], Fraction(0)], self._sizes, strict=True
            )
        ]
        return sum(weights[n:], Fraction(0)) / sum(weights, Fraction(0))

    def _above(self) -> list[arb]:
        if ctx.prec not in self._known:
            self._known[ctx.prec] = self._chances()
        return self._known[ctx.prec]

    def _chances(self) -> list[arb]:
        above, sums, lower = arb(0), [], arb(0)
        for step, size in zip(reversed(self._steps), reversed(self._sizes), strict=True):
            height = ExponentialSum({step.height.exponent: step.height.share}).ball()
            above += (height - lower) * size
            sums.append(above)
            lower = height
        return [value / above for value in reversed(sums)]
