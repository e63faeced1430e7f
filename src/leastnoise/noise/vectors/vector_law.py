"""`VectorLaw`: what every law of noise on Z^d can be asked."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Protocol, SupportsIndex

from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact, Size
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.norm import Norm
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import Real
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source, checked_source

Vector = Sequence[SupportsIndex] | NDArray[Any]


class VectorShape(Protocol):
    """Everything `VectorLaw` needs to answer its questions; the norm is the law's own."""

    @property
    def radius(self) -> int | None:
        """The greatest norm with positive probability; None if there is none."""

    @property
    def worst_shift(self) -> str:
        """Which shift of a given norm is told apart most easily, and why."""

    def chance(self, x: list[int]) -> Real:
        """P(X = x)."""

    def norm_pmf(self, m: int) -> Interval:
        """P(‖X‖ = m)."""

    def tail(self, m: int) -> Interval:
        """P(‖X‖ ≥ m)."""

    def tail_is_within(self, m: int, chance: Fraction) -> bool:
        """Whether P(‖X‖ ≥ m) ≤ chance."""

    def moment(self, order: int) -> Real:
        """E‖X‖**order for order ≥ 1."""

    def pure_epsilon(self, distance: int) -> Fraction | None:
        """The least ε that makes all shifts of norm ≤ distance (ε, 0)-indistinguishable, if any."""

    def divergence(self, epsilon: Fraction, distance: int) -> Real:
        """The largest hockey-stick divergence over those shifts."""

    def loss(self, distance: int) -> PrivacyLoss:
        """The privacy loss at the worst of those shifts."""

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws, as the rows of an array."""


class VectorLaw(Rebuilt, ABC):
    """A probability law on integer vectors, whose errors and shifts are measured in one norm.

    Every numeric answer is an `Interval` around the true value, and every draw is exact.
    Subclasses name the law, check its parameters, state its theorem and give its `shape`.
    """

    dimension: int
    norm: Norm

    @property
    @abstractmethod
    def shape(self) -> VectorShape:
        """The mathematics behind the answers."""

    @property
    def radius(self) -> int | None:
        """The greatest norm that can be drawn; None if there is no limit."""
        return self.shape.radius

    def pmf(self, x: Vector) -> Interval:
        """P(X = x) for an integer vector x."""
        return self.shape.chance(self._vector(x)).interval()

    def _vector(self, x: Vector) -> list[int]:
        parts = _parts(x)
        if len(parts) == self.dimension:
            return [_check.integer(part, "x") for part in parts]
        raise _check.refuse(
            f"`x` must be a vector of {self.dimension} integers",
            f"{len(parts)} of them",
            "Give one integer per coordinate.",
        )

    def norm_pmf(self, m: SupportsIndex) -> Interval:
        """P(‖X‖ = m)."""
        return self.shape.norm_pmf(_check.integer(m, "m"))

    def tail(self, m: SupportsIndex) -> Interval:
        """P(‖X‖ ≥ m)."""
        return self.shape.tail(_check.integer(m, "m"))

    def cdf(self, m: SupportsIndex) -> Interval:
        """P(‖X‖ ≤ m)."""
        above = self.shape.tail(_check.integer(m, "m") + 1)
        return Interval(1 - above.upper, 1 - above.lower)

    def moment(self, order: SupportsIndex) -> Interval:
        """E‖X‖**order, for a whole number order ≥ 0."""
        order = _check.integer_between(order, "order", 0, 64)
        return self.shape.moment(order).interval() if order else Interval.exactly(1)

    def quantile(self, probability: Exact) -> int:
        """The least m with P(‖X‖ ≤ m) ≥ probability: the error not exceeded that often."""
        level = _check.probability(probability, "probability")
        if level == 1 and self.radius is None:
            raise UnsupportedQuery(
                "`probability` must be below 1 for a law without bound; got probability=1. "
                "Ask for a probability such as 0.999, or use a truncated law."
            )
        return least_integer(lambda m: self.shape.tail_is_within(m + 1, 1 - level), 0)

    def privacy(self, distance: SupportsIndex) -> PrivacyLoss:
        """The privacy loss of adding this law to a query that moves by up to `distance`."""
        return self.shape.loss(_check.integer_between(distance, "distance", 1))

    def delta(self, epsilon: Exact, distance: SupportsIndex) -> Interval:
        """The least delta for which X and X + v are (epsilon, delta)-indistinguishable.

        For every v of norm ≤ distance; some v needs all of it.
        """
        exact_epsilon = _check.non_negative(epsilon, "epsilon")
        distance = _check.integer_between(distance, "distance", 0)
        return self.shape.divergence(exact_epsilon, distance).interval()

    def verify(
        self, *, sensitivity: SupportsIndex, epsilon: Exact, delta: Exact = 0
    ) -> Verification:
        """Prove or refute that adding this law to a query is (epsilon, delta)-DP.

        The query is integer-valued on every coordinate, and between neighbours it moves by at most
        `sensitivity` in the law's own norm. Claims with delta = 0 are decided by comparing exact
        rationals, others by balls whose precision is raised until they decide.

        Raises:
            Undecided: delta agrees with the least one to 2**17 bits.
        """
        sensitivity = _check.integer_between(sensitivity, "sensitivity", 1)
        exact_epsilon = _check.non_negative(epsilon, "epsilon")
        exact_delta = _check.delta(delta)
        worst = self.shape.divergence(exact_epsilon, sensitivity)
        least = self.shape.pure_epsilon(sensitivity)
        pure = least is not None and exact_epsilon >= least
        return Verification(
            holds=pure or (exact_delta > 0 and worst.compare(exact_delta) <= 0),
            epsilon=exact_epsilon,
            delta=exact_delta,
            sensitivity=sensitivity,
            attained=worst.interval(),
            shift=sensitivity,
            argument=self.shape.worst_shift,
        )

    def sample(self, size: Size | None = None, source: Source | None = None) -> Draws:
        """Independent exact draws: an int64 array of shape size + (dimension,).

        Where a drawn value does not fit into 64 bits the array holds Python integers (dtype
        object) instead.
        """
        shape = _check.size(size)
        drawn = self.shape.sample(prod(shape), checked_source(source))
        return drawn.reshape((*shape, self.dimension))


def _parts(x: object) -> list[Any]:
    return list(x) if isinstance(x, Iterable) else [x]
