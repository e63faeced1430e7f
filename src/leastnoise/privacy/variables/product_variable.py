"""`ProductVariable`: independent losses added up on a grid, with a bracket."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.common_step import common_step
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.proved_floats import UNIT, above, below
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.grid_sum import GridSum
from leastnoise.privacy.variables.lattice_variable import within_unit
from leastnoise.privacy.variables.loss_variable import USUAL, LossVariable, Order, merged
from leastnoise.privacy.variables.upper_end import Asked, fine_enough

_COARSEST, _FINEST = 128, 8192  # cells to a deviation
_GAIN = 0.7  # a finer grid has to make a bracket narrower than this part
_LONGEST = 1 << 21  # points of a window: transforms of more take much of a second
_LONG = 1 << 20  # windows grow beyond this by one doubling at a time
_MOST_POINTS = 1 << 17  # of the sum: a transform takes some milliseconds
_MOST_CELLS = 1 << 19  # of one part: 4 MB of floats
_LEAST_STEP = 1e-100  # squares of steps stay within the range of floats
_MOST_EXACT_TRIALS = 64  # longer products of rationals are replaced by balls
_CERTAIN = Interval.exactly(1)  # what is known where nothing is hidden
_ENOUGH = 5e-5  # relative width of a bracket of epsilon
_DEEP = Fraction(1, 10**12)  # who asks for a smaller delta wants more digits
_ENOUGH_DEEP = 9e-7
_LEAST_DELTA = 1e-40  # cells are not chosen for smaller ones
_RARITIES = 4.0  # deltas whose logarithms differ by less share their cells
_NEARLY = 3.7  # a little less than halving the step brings


@dataclass(frozen=True)
class ProductVariable(LossVariable):
    """The sum of independent losses of any kinds; each part comes with its count."""

    parts: tuple[tuple[LossVariable, int], ...]

    @property
    def count(self) -> int:
        """How many losses are added up."""
        return sum(count for _, count in self.parts)

    def _step(self, density: int, rarity: float) -> float:
        """About 1/density of a typical part's spread; it divides the parts' lattice if any.

        Not so fine that a part, or the sum, would have more than a million cells.
        """
        squares = (count * part.spread_in_sum(count, rarity) ** 2 for part, count in self.parts)
        spread = math.sqrt(sum(squares))
        typical = max(
            spread / math.sqrt(self.count) / density,
            spread / _MOST_POINTS,
            max(part.span for part, _ in self.parts) / _MOST_CELLS,
        )
        if not _LEAST_STEP < typical < 1 / _LEAST_STEP:
            raise UnsupportedQuery(
                f"losses to be added up must be of a size between {_LEAST_STEP} and "
                f"{1 / _LEAST_STEP}; got {typical:.3g}. Leave out releases that are next to "
                "nothing, and those that hide nothing."
            )
        steps = {step for part, _ in self.parts if (step := part.lattice_step) is not None}
        lattice = _shared_lattice(steps, typical / 2)
        return lattice / math.ceil(lattice / typical) if lattice else typical

    @cached_property
    def _made(self) -> dict[tuple[int, float], tuple[GridSum, GridSum]]:
        """The twins already made, by density and rarity."""
        return {}

    def _twins(self, density: int, rarity: float) -> tuple[GridSum, GridSum]:
        """The optimistic and the pessimistic sum."""
        asked = density, rarity
        if asked not in self._made:
            step = self._step(density, rarity)
            cells = [(part.cells_for_sum(step, count, rarity), count) for part, count in self.parts]
            lower = GridSum([(c.optimistic(), count) for c, count in cells])
            upper = GridSum([(c.pessimistic(), count) for c, count in cells])
            self._made[asked] = (lower, upper)
        return self._made[asked]

    def _above(self, rarity: float, asked: Asked) -> GridSum | None:
        """The pessimistic sum alone, on a grid just fine enough; None if floats are too small."""

        def make(density: int) -> GridSum:
            step = self._step(density, rarity)
            cells = [(part.cells_for_sum(step, count, rarity), count) for part, count in self.parts]
            return GridSum([(twins.pessimistic(), count) for twins, count in cells])

        try:
            return fine_enough(make, asked)
        except (OverflowError, ValueError):  # sums that are too large, or a logarithm of 0
            return None

    def epsilon_at_most(self, delta: Fraction, within: float) -> Endpoint:
        """An upper end of the least epsilon, about so close to it as a part of itself."""

        def asked(grid: GridSum) -> tuple[float, float]:
            tilt = grid.saddle_point(delta)
            return tilt, within * tilt * max(grid.mean(tilt), grid.step)

        grid = self._above(_rarity(delta), asked)
        found = math.inf if grid is None else grid.epsilon_at_most(delta)
        if found == math.inf:  # what a coarse grid leaves out counts as infinite
            return self.epsilon(delta).upper
        return min(Fraction(found), self.renyi(math.inf).upper)  # no loss is greater

    def delta_at_most(self, epsilon: Fraction, within: float) -> Endpoint:
        """An upper end of delta, about so close to it as a part of itself."""

        def asked(grid: GridSum) -> tuple[float, float]:
            if epsilon >= grid.greatest:  # what is infinite is left, on every grid
                return 0.0, math.inf
            # Below the mean it is 0, where all grids look alike.
            return max(grid.tilt_for(float(epsilon)), 1 / grid.deviation), within

        grid = self._above(USUAL, asked)
        found = 1.0 if grid is None else grid.delta_at_most(epsilon)
        return Fraction(found) if found < 1 else self.delta(epsilon).upper

    def _refined(
        self,
        ask: Callable[[GridSum, GridSum], Interval],
        enough: float,
        nothing_hidden: Interval = _CERTAIN,
        rarity: float = USUAL,
    ) -> Interval:
        """Ask on finer grids until the bracket is narrow or the grid as fine as is sensible."""
        if self.infinite_mass.lower == 1:
            return nothing_hidden
        low: Endpoint = Fraction(0)
        high: Endpoint = math.inf
        density = _COARSEST
        while True:
            width, answer = high - low, self._asked(ask, density, rarity)
            low, high = max(low, answer.lower), min(high, answer.upper)
            # Rounding grows with the number of points: a finer grid may bring no more.
            if low == math.inf or high - low <= enough * high or high - low > _GAIN * width:
                break
            longest = max(1, *(grid.longest for grid in self._twins(density, rarity)))
            finer = _finer(float((high - low) / high) / enough if high < math.inf else math.inf)
            finer = min(finer, max(2, _LONG // longest), _LONGEST // longest, _FINEST // density)
            if finer < 2:
                break
            density *= finer
        return Interval(low, max(low, high))

    def _asked(
        self, ask: Callable[[GridSum, GridSum], Interval], density: int, rarity: float
    ) -> Interval:
        try:
            return ask(*self._twins(density, rarity))
        except OverflowError:
            raise UnsupportedQuery(
                "losses to be added up must not be vastly larger than 1; these are too large for "
                "floats. Nothing is hidden by such releases: leave them out."
            ) from None

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""

        def ask(low: GridSum, high: GridSum) -> Interval:
            return _bracket(low.delta_at_least(epsilon), high.delta_at_most(epsilon))

        return self._of_any_size(ask, 1e-3)

    def _of_any_size(self, ask: Callable[[GridSum, GridSum], Interval], enough: float) -> Interval:
        """A chance that may be far from the usual ones: then cells for it are made too."""
        usual = self._refined(ask, enough)
        if usual.width <= enough * usual.upper:
            return usual
        rarity = -math.log(max(float(usual.lower), _LEAST_DELTA))
        own = self._refined(ask, enough, rarity=rarity)
        low = max(usual.lower, own.lower)
        return Interval(low, max(low, min(usual.upper, own.upper)))

    def epsilon(self, delta: Fraction) -> Interval:
        """The least epsilon for a delta."""

        def ask(low: GridSum, high: GridSum) -> Interval:
            most = high.epsilon_at_most(delta)
            return Interval(_exact(min(low.epsilon_at_least(delta), most)), _exact(most))

        enough = _ENOUGH if delta > _DEEP else _ENOUGH_DEEP
        return self._refined(ask, enough, Interval(math.inf, math.inf), _rarity(delta))

    def tail(self, epsilon: Fraction) -> Interval:
        r"""P(L > epsilon) = δ(ε) + e^ε·Q(L > ε), from the slopes of δ.

        As a function of y = e^ε, δ is convex with right slope −Q(L > ε): chords to the left of y
        are steeper and chords to the right flatter.
        """
        return self._of_any_size(lambda low, high: _tail(low, high, epsilon, self.spread), 1e-2)

    def renyi(self, order: Order) -> Interval:
        """Rényi divergences of independent parts add up."""
        total = Interval.exactly(0)
        for part, count in self.parts:
            single = part.renyi(order)
            total += Interval(count * single.lower, count * single.upper)
        return total

    @cached_property
    def infinite_mass(self) -> Interval:
        """P(L = ∞)."""
        chances = [(part.infinite_mass, count) for part, count in self.parts]
        least = _some_happens([(Fraction(chance.lower), count) for chance, count in chances])
        most = _some_happens([(Fraction(chance.upper), count) for chance, count in chances])
        return within_unit(Interval(least.lower, most.upper))

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the finite part, roughly."""
        return math.sqrt(sum(count * part.spread**2 for part, count in self.parts))

    @property
    def span(self) -> float:
        """The largest of the parts'."""
        return max(part.span for part, _ in self.parts)

    def cells(self, step: float) -> Cells:
        """Not needed: products join flat."""
        del step
        raise AssertionError("a product is composed part by part")

    def joined(self, other: LossVariable, count: int) -> "ProductVariable":
        """One flat product."""
        added = other.parts if isinstance(other, ProductVariable) else ((other, 1),)
        parts = merged(self.parts + tuple((part, n * count) for part, n in added))
        return ProductVariable(_closed(parts))

    def repeated(self, count: int) -> "ProductVariable":
        """Every part that much more often."""
        return ProductVariable(tuple((part, n * count) for part, n in self.parts))


def _rarity(delta: Fraction) -> float:
    """−log delta, roughly: cells serve all deltas of about this size."""
    rarity = -math.log(max(float(delta), _LEAST_DELTA))
    return _RARITIES * max(1, math.ceil(rarity / _RARITIES)) if delta > _DEEP else rarity


def _finer(too_wide: float) -> int:
    """By which power of two to refine a grid whose bracket is so many times too wide.

    Brackets close like the square of the step, or more slowly.
    """
    return 2 if too_wide < _NEARLY else 4 if too_wide < _NEARLY**2 else 8


def _closed(parts: tuple[tuple[LossVariable, int], ...]) -> tuple[tuple[LossVariable, int], ...]:
    """Parts whose sum has a closed form added up: fewer parts, and nothing lost between them."""
    kept: list[tuple[LossVariable, int]] = []
    for part, count in parts:
        for place, (known, times) in enumerate(kept):
            whole = known.repeated(times)
            both = None if whole is None else whole.joined(part, count)
            if both is not None:
                kept[place] = (both, 1)
                break
        else:
            kept.append((part, count))
    return tuple(kept)


def joined(one: LossVariable, other: LossVariable) -> LossVariable:
    """The sum of two independent losses, in closed form if there is one."""
    closed = one.joined(other, 1)
    if closed is not None:
        return closed
    return ProductVariable(()).joined(one, 1).joined(other, 1)


def repeated(variable: LossVariable, count: int) -> LossVariable:
    """The sum of so many independent copies, in closed form if there is one."""
    closed = variable.repeated(count)
    return ProductVariable(((variable, count),)) if closed is None else closed


def _some_happens(events: list[tuple[Fraction, int]]) -> Interval:
    """The chance that one of independent events happens, each tried so many times.

    Exactly for few trials; by balls for many, as the exact number has more digits than trials.
    """
    if sum(count for _, count in events) <= _MOST_EXACT_TRIALS:
        return Interval.exactly(1 - math.prod((1 - single) ** count for single, count in events))

    def chance() -> arb:
        none = arb(1)
        for single, count in events:
            none *= balls.ball(1 - single) ** count
        return 1 - none

    return balls.enclosure(chance)


def _shared_lattice(steps: Iterable[Fraction], least: float) -> float:
    """A step that as many lattices as possible share without becoming finer than the least."""
    shared: Fraction | None = None
    for step in sorted(steps, reverse=True):
        both = step if shared is None else common_step([shared, step])
        if both > least:
            shared = both
    return 0.0 if shared is None else float(shared)


def _tail(lower: GridSum, upper: GridSum, epsilon: Fraction, spread: float) -> Interval:
    low, high = lower.delta_at_least(epsilon), upper.delta_at_most(epsilon)
    flattest, steepest = 0.0, 1.0
    for power in range(-12, 2):
        width = Fraction(min(30.0, spread * 2.0**power))
        right, left = upper.delta_at_most(epsilon + width), upper.delta_at_most(epsilon - width)
        with balls.precision(128):
            ahead, behind = balls.ball(width).expm1(), -balls.ball(-width).expm1()
            flattest = max(flattest, below((arb(low) - arb(right)) / ahead))
            steepest = min(steepest, above((arb(left) - arb(low)) / behind))
    # Sums of two floats.
    return _bracket((low + flattest) * (1 - UNIT), (high + steepest) * (1 + 2 * UNIT))


def _exact(value: float) -> Fraction | float:
    return value if math.isinf(value) else Fraction(value)


def _bracket(lower: float, upper: float) -> Interval:
    high = min(max(upper, 0.0), 1.0)
    return Interval(Fraction(min(max(lower, 0.0), high)), Fraction(high))
