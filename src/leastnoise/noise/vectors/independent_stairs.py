r"""`IndependentStairs`: d independent copies of a bounded law whose weight falls at every step.

Each coordinate has weights w(i) = e^(−rate·i) for i < M, t·w(M) at the radius M, 0 beyond. Errors
and shifts are measured in ℓ1, where such noise leaks no more for a vector than for one number.
"""

from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil, isqrt

from flint import arb, arb_poly

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.shapes.shift_loss import shift_loss
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.vectors.sum_moment import sum_moment
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.real import Computable, Real, rational_real
from leastnoise.numeric.truncated_power import truncated_power
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.lattice_variable import within_unit
from leastnoise.randomness.source import Source

_MOST_CELLS = 1 << 14  # a power of so long a polynomial takes a second
_PRECISION = 192  # sums of 2**14 cells lose few of these bits
_DEVIATIONS = 12  # of the sum that the grid covers
_FEWEST_CELLS = 8  # to a coordinate; a coarser grid says too little
_THIRDS = 60  # each leaves two thirds: beyond the digits of a float


@dataclass(frozen=True)
class IndependentStairs:
    """See the module's docstring.

    Args:
        coordinate: the law of each coordinate: period 1, with a radius.
        dimension: the number d of coordinates.
    """

    coordinate: Stairs
    dimension: int

    @cached_property
    def _reach(self) -> int:
        """The radius of each coordinate."""
        assert self.coordinate.radius is not None  # checked by the law
        return self.coordinate.radius

    @property
    def radius(self) -> int:
        """The greatest sum of magnitudes."""
        return self.dimension * self._reach

    def chance(self, x: list[int]) -> Real:
        """P(X = x)."""
        if max(map(abs, x)) > self._reach:
            return rational_real(0)
        parts = [self.coordinate.pmf(part) for part in x]
        return Computable(lambda: _product([part.ball() for part in parts]))

    def moment(self, order: int) -> Computable:
        """That of a sum of d independent magnitudes."""
        moments = [self.coordinate.moment(i) for i in range(1, order + 1)]
        return Computable(lambda: sum_moment(moments, self.dimension))

    # The law of the norm, on a grid that is as fine as 2^14 cells allow

    @cached_property
    def grain(self) -> int:
        """Magnitudes are rounded to multiples of this before they are added up; 1 loses nothing."""
        mean, square = (self.coordinate.moment(order).interval().upper for order in (1, 2))
        spread = isqrt(ceil(self.dimension * square))
        likely = ceil(self.dimension * mean) + _DEVIATIONS * spread + self._reach
        return min(self.radius, likely) // _MOST_CELLS + 1

    def tail(self, m: int) -> Interval:
        """P(‖X‖ ≥ m): magnitudes rounded down for the lower end and up for the upper one."""
        if not 0 < m <= self.radius:
            return Interval.exactly(int(m <= 0))
        least = self._chance(self._above_down, m).lower if self._grid_helps else Fraction(0)
        return Interval(least, self._most(m))

    def tail_is_within(self, m: int, chance: Fraction) -> bool:
        """Whether P(‖X‖ ≥ m) ≤ chance is proved."""
        if not 0 < m <= self.radius:
            return self.tail(m).upper <= chance
        return self._most(m) <= chance

    def _most(self, m: int) -> Endpoint:
        """An upper bound on P(‖X‖ ≥ m): from the grid, or Chernoff's where that is too coarse."""
        if not self._grid_helps:
            return self._chernoff(m)
        above = self._above_down if self.grain == 1 else self._above_up
        return self._chance(above, m).upper

    @property
    def _grid_helps(self) -> bool:
        """Whether there are several cells per coordinate."""
        return self.grain == 1 or self._reach >= _FEWEST_CELLS * self.grain

    def _chance(self, above: list[arb], m: int) -> Interval:
        """P(sum of cells ≥ m); beyond the last cell known, between its chance and 0."""
        cells = -(-m // self.grain)
        with balls.precision(_PRECISION):
            last = within_unit(balls.interval(above[min(cells, _MOST_CELLS)]))
        return last if cells <= _MOST_CELLS else Interval(Fraction(0), last.upper)

    def _chernoff(self, m: int) -> Fraction:
        """The bound E e^(θ‖X‖)·e^(−θm), at nearly the best θ > 0."""
        with balls.precision(balls.FIRST_PRECISION):
            low, high = Fraction(0), Fraction(1, 1 << 80)
            while self._exponent(2 * high, m) < self._exponent(high, m):
                high *= 2
            high *= 2
            for _ in range(_THIRDS):
                third = (high - low) / 3
                left, right = self._exponent(low + third, m), self._exponent(high - third, m)
                low, high = (low, high - third) if left < right else (low + third, high)
            found = balls.interval(self._exponent((low + high) / 2, m).exp())
        return min(Fraction(1), Fraction(found.upper))

    def _exponent(self, theta: Fraction, m: int) -> arb:
        """Log E e^(θ‖X‖) − θm, a convex function of θ."""
        rate, reach = self.coordinate.rate - theta, self._reach
        inner = arb(2 * reach - 1)
        if rate:
            inner = 1 + 2 * (-balls.ball(rate * (reach - 1))).expm1() / -balls.ball(rate).expm1()
        edge = 2 * self.coordinate.edge.ball() * (-balls.ball(rate * reach)).exp()
        average = (inner + edge) * self.coordinate.pmf(0).ball()
        return self.dimension * average.log() - balls.ball(theta * m)

    def norm_pmf(self, m: int) -> Interval:
        """P(‖X‖ = m)."""
        here, after = self.tail(m), self.tail(m + 1)
        return Interval(
            max(Fraction(0), Fraction(here.lower - after.upper)), here.upper - after.lower
        )

    @cached_property
    def _above_down(self) -> list[arb]:
        """P(sum of cells ≥ n) for each n, magnitudes rounded down."""
        return self._above([(q + 1) * self.grain - 1 for q in range(self._last_cell + 1)])

    @cached_property
    def _above_up(self) -> list[arb]:
        """P(sum of cells ≥ n) for each n, magnitudes rounded up."""
        return self._above([q * self.grain for q in range(self._last_cell + 2)])

    @property
    def _last_cell(self) -> int:
        return min(self._reach // self.grain, _MOST_CELLS)

    def _above(self, ends: list[int]) -> list[arb]:
        """The same, cell q holding the magnitudes up to ends[q]."""
        with balls.precision(_PRECISION):
            inside = [arb(0), *map(self._inside, ends)]
            cells = arb_poly([after - before for before, after in pairwise(inside)])
            sums = truncated_power(cells, self.dimension, _MOST_CELLS).coeffs()
            sums += [arb(0)] * (_MOST_CELLS - len(sums))
            return list(accumulate(sums, lambda left, more: left - more, initial=arb(1)))

    def _inside(self, magnitude: int) -> arb:
        """P(|Y| ≤ magnitude) for one coordinate, the balls added up in closed form."""
        if magnitude >= self._reach:
            return arb(1)
        chance = self.coordinate.pmf(0).ball()
        if not self.coordinate.rate:
            return (2 * magnitude + 1) * chance
        rate = balls.ball(self.coordinate.rate)
        return (1 + 2 * (-magnitude * rate).expm1() / -rate.expm1()) * chance

    # Privacy

    worst_shift = "a shift along an axis leaks the most: the leak is convex in the shift"

    def pure_epsilon(self, distance: int) -> None:
        """No ε will do: some points can be reached from one side only."""
        del distance

    def settled_epsilon(self, distance: int) -> Fraction | None:
        """The ε at which a shift along an axis is known to be the worst one; None if none is."""
        return self.coordinate.rate * distance if distance <= self._reach else None

    def divergence(self, epsilon: Fraction, distance: int) -> ExponentialRatio:
        """The hockey-stick divergence of a shift along an axis."""
        if not distance:
            return rational_real(0)
        return self.coordinate.hockey_stick(epsilon, distance)

    def loss(self, distance: int) -> PrivacyLoss:
        """At distance 1 one coordinate moves, and its loss is the loss."""
        if distance > 1:
            raise UnsupportedQuery(
                f"`distance` must be 1 for the whole loss of independent noise; got {distance}. "
                "Find its delta with law.delta, then use PrivacyLoss.worst_case."
            )
        single = shift_loss(self.coordinate, 1)
        return PrivacyLoss(single.forward, single.backward)

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws, as the rows of an array."""
        drawn = self.coordinate.sample(count * self.dimension, source)
        return drawn.reshape(count, self.dimension)


def _product(factors: list[arb]) -> arb:
    product = arb(1)
    for factor in factors:
        product *= factor
    return product
