r"""`BallStairs`: weights that fall by one factor per period of the norm, on Z^d.

Weight of x: exp(−rate·level(‖x‖)), level(m) = #{drops at or below m}, with one drop at width,
width + period, width + 2·period, …

Theorem (mixture of balls): draw J with P(J = j) ∝ exp(−rate·j)·|Ball(r_j)|, where
r_j = width − 1 + j·period, then a uniform lattice point of Ball(r_j): it has this law.
Proof: a point of norm m lies in Ball(r_j) iff j ≥ level(m), and Σ b**j over those j is
b**level(m)/(1 − b), b = exp(−rate).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from flint import arb, ctx

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.vectors.ball_moment import ball_stairs_moment
from leastnoise.noise.vectors.laplace_sum import laplace_sum_tail
from leastnoise.noise.vectors.norm_ball import NormBall
from leastnoise.noise.vectors.vector_loss import vector_loss
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import Computable, Real, rational_real
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.block_sampler import BlockSampler
from leastnoise.randomness.source import Source

MOST_RATE = 4096
"""Beyond this rate all draws are 0, and their probabilities have thousands of digits."""

_GREATEST_SPREAD = 1 << 62  # layers shall fit into 64 bits
_LARGEST = (1 << 63) - 1  # the greatest integer of 64 bits


@dataclass(frozen=True)
class BallStairs:
    """See the module's docstring for the weights.

    Args:
        ball: the balls of the norm.
        period: distance from drop to drop, ≥ 1.
        width: norm of the first drop, in 1..period.
        rate: each drop divides the weight by e**rate, rate > 0.
    """

    ball: NormBall
    period: int
    width: int
    rate: Fraction

    radius: ClassVar[None] = None

    def level(self, norm: int) -> int:
        """How many drops lie at or below a norm."""
        return max(0, (norm - self.width) // self.period + 1)

    def layer_radius(self, layer: int) -> int:
        """The radius of the ball whose points have at most `layer` drops."""
        return self.width - 1 + layer * self.period

    @cached_property
    def _coordinate(self) -> Stairs | None:
        """The law of each coordinate, if they are independent."""
        if self.ball.dimension == 1 or (self.period == 1 and self.ball.adds_coordinates):
            return Stairs(period=self.period, width=self.width, rate=self.rate)
        return None

    def _power(self, level: int) -> arb:
        return (-balls.ball(self.rate * level)).exp()

    @cached_property
    def _totals(self) -> dict[int, arb]:
        return {}

    def _total(self) -> arb:
        """Σ exp(−rate·level(‖x‖)) over Z^d, kept for each working precision."""
        if ctx.prec not in self._totals:
            self._totals[ctx.prec] = (1 - self._power(1)) * self._layers(0)
        return self._totals[ctx.prec]

    def _layers(self, first: int) -> arb:
        """Σ b**j·|Ball(r_j)| over j ≥ first."""
        return self.ball.layers(self.rate, self.width - 1, self.period, first)

    def _share(self, weight: Callable[[], arb]) -> Computable:
        return Computable(lambda: weight() / self._total())

    def chance(self, x: list[int]) -> Real:
        """P(X = x)."""
        return self._share(lambda: self._power(self.level(self.ball.norm(x))))

    def norm_pmf(self, m: int) -> Interval:
        """P(‖X‖ = m)."""
        if m < 0:
            return Interval.exactly(0)
        ball = self.ball
        return self._share(
            lambda: (ball.points(m) - ball.points(m - 1)) * self._power(self.level(m))
        ).interval()

    def tail(self, m: int) -> Interval:
        """P(‖X‖ ≥ m)."""
        return self._tail(m).interval()

    def tail_is_within(self, m: int, chance: Fraction) -> bool:
        """Whether P(‖X‖ ≥ m) ≤ chance."""
        return self._tail(m).compare(chance) <= 0

    def _tail(self, m: int) -> Real:
        if m <= 0:
            return rational_real(1)
        if self._coordinate is not None and self.period == 1:
            return Computable(lambda: laplace_sum_tail(self.ball.dimension, self.rate, m))
        level, fall = self.level(m), self._power
        return self._share(
            lambda: (1 - fall(1)) * self._layers(level) - fall(level) * self.ball.points(m - 1)
        )

    def moment(self, order: int) -> Real:
        """E‖X‖**order for order ≥ 1."""
        if self.period == 1:
            return Computable(lambda: self.ball.laplace_moment(self.rate, order))
        return ball_stairs_moment(self.ball, self.period, self.width, self.rate, order)

    # Privacy

    @property
    def worst_shift(self) -> str:
        """The shift that leaves all pairs of balls the fewest common points."""
        way = "along an axis" if self.ball.adds_coordinates else "along a diagonal"
        return f"a shift {way} leaves all balls the least overlap"

    def pure_epsilon(self, distance: int) -> Fraction:
        """The least ε for which shifts of norm ≤ distance are (ε, 0)-indistinguishable."""
        return self.rate * -(-distance // self.period)

    def divergence(self, epsilon: Fraction, distance: int) -> Real:
        """The largest hockey-stick divergence over those shifts: docs/proofs/norm_laws.md, 5."""
        if epsilon >= self.pure_epsilon(distance):
            return rational_real(0)
        if self._coordinate is not None:
            return self._coordinate.hockey_stick(epsilon, distance)
        return Computable(lambda: self._leak(epsilon, distance))

    def loss(self, distance: int) -> PrivacyLoss:
        """The privacy loss at the worst shift, which is worst for every ε at once."""
        return vector_loss(self, distance)

    def _leak(self, epsilon: Fraction, distance: int) -> arb:
        """1 − Σ min(P(X = x), e^epsilon·P(X + v = x)) at the worst shift v."""
        drops, rest = divmod(epsilon, self.rate)
        lift, fall = balls.ball(rest).exp(), self._power(1)
        near = self._overlaps(distance - drops * self.period)
        far = self._overlaps(max(0, distance - (drops + 1) * self.period))
        return 1 - ((1 - lift * fall) * near + (lift - 1) * fall * far) / self._total()

    def _overlaps(self, narrower: int) -> arb:
        return self.ball.overlaps(self.rate, self.width - 1, self.period, narrower)

    # Drawing

    def _weight(self, layer: int) -> arb:
        return self._power(layer) * self.ball.points(self.layer_radius(layer))

    def _falls_after(self, layer: int) -> bool:
        return balls.sign(lambda: self._weight(layer) - self._weight(layer + 1)) > 0

    @cached_property
    def _layer_sampler(self) -> BlockSampler:
        spread = self.ball.typical(self.rate / self.period)[1] // self.period
        if spread > _GREATEST_SPREAD:
            raise UnsupportedQuery(
                "a norm law must spread over at most 2**62 layers to be drawn; got "
                f"{_check.shown(spread)}. Choose a smaller scale, or count in coarser units."
            )
        mode = least_integer(self._falls_after, 0)
        return BlockSampler(self._weight, mode=mode, spread=spread, least=0)

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws, as the rows of an array."""
        if self._coordinate is not None:
            drawn = self._coordinate.sample(count * self.ball.dimension, source)
            return drawn.reshape(count, self.ball.dimension)
        layers = self._layer_sampler.sample(count, source)
        if self.layer_radius(int(layers.max(initial=0))) > _LARGEST:
            layers = layers.astype(np.object_)
        return self.ball.uniform(layers * self.period + (self.width - 1), source)
