"""`LatticeLaw`: what every law of noise on the integers can be asked."""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import TYPE_CHECKING, SupportsIndex, overload

from leastnoise import _check
from leastnoise._check import Exact, Size
from leastnoise._show import Shown
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.shape import Draws, Shape
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import Real, rational_real
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source, checked_source

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

_MOST_SHIFTS = 1 << 16  # each shift is a sum of its own: some seconds


class LatticeLaw(Rebuilt, Shown, ABC):
    """A probability law on the integers that is drawn exactly as stated.

    Every numeric answer is an `Interval` around the true value. Subclasses name the law, check its
    parameters, state its theorem and give its `shape`; all answers come from there.
    """

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """The mathematics behind the answers."""

    @cached_property
    def _drawn_from(self) -> Shape:
        """The shape of the first of equal laws: making its tables takes longer than most draws."""
        return _first_shape(self)

    @property
    def support(self) -> tuple[int, int] | None:
        """The least and greatest value that can be drawn; None if there is no limit."""
        return self.shape.support

    def pmf(self, k: SupportsIndex) -> Interval:
        """P(X = k)."""
        return self.shape.pmf(_check.integer(k, "k")).interval()

    def tail(self, k: SupportsIndex) -> Interval:
        """P(X ≥ k)."""
        return self.shape.tail(_check.integer(k, "k")).interval()

    def cdf(self, k: SupportsIndex) -> Interval:
        """P(X ≤ k)."""
        above = self.shape.tail(_check.integer(k, "k") + 1).interval()
        return Interval(1 - above.upper, 1 - above.lower)

    def moment(self, order: SupportsIndex) -> Interval:
        """E|X|**order, for a whole number order ≥ 0."""
        order = _check.integer_between(order, "order", 0, 64)
        return _moment(self, order) if order else Interval.exactly(1)

    @property
    def variance(self) -> Interval:
        """E[X²] − E[X]², the mean being 0 by symmetry."""
        return self.moment(2)

    def quantile(self, probability: Exact) -> int:
        """The least m with P(|X| ≤ m) ≥ probability: the error not exceeded that often."""
        level = _check.probability(probability, "probability")
        if level == 1 and self.support is None:
            raise UnsupportedQuery(
                "`probability` must be below 1 for a law without bound; got probability=1. "
                "Ask for a probability such as 0.999, or use a truncated law."
            )
        return _quantile(self, level)

    def about_quantile(self, risk: float) -> float:
        """Near where P(|X| > m) falls to a risk, for the search of `quantile`."""
        del risk
        return 0.0

    def hockey_stick(self, epsilon: Exact, shift: SupportsIndex) -> Interval:
        """Σₖ max(0, P(X = k) − e**epsilon · P(X + shift = k)): one direction of the pair."""
        return self._divergence(
            _check.non_negative(epsilon, "epsilon"), _check.integer(shift, "shift")
        ).interval()

    def delta(self, epsilon: Exact, distance: SupportsIndex) -> Interval:
        """The least delta for which X and X ± distance are (epsilon, delta)-indistinguishable."""
        exact_epsilon = _check.non_negative(epsilon, "epsilon")
        distance = _check.integer_between(distance, "distance", 0)
        forth = self._divergence(exact_epsilon, distance).interval()
        if self.shape.symmetric_unimodal:
            return forth
        back = self._divergence(exact_epsilon, -distance).interval()
        return Interval(max(forth.lower, back.lower), max(forth.upper, back.upper))

    def privacy(self, distance: SupportsIndex) -> "PrivacyLoss":
        """The privacy loss of adding this law to a query whose value moves by up to `distance`."""
        from leastnoise.noise.shapes.shift_loss import shift_loss  # noqa: PLC0415 - loads much

        return shift_loss(self.shape, _check.integer_between(distance, "distance", 1))

    def loss_at(self, output: SupportsIndex, distance: SupportsIndex = 1) -> Interval:
        """The loss ln(P(X = k)/P(X + distance = k)) at one output k; −∞ or ∞ where one is 0.

        A negative distance shifts the copy to the left.
        """
        here, shift = _check.integer(output, "output"), _check.integer(distance, "distance")
        mine, theirs = self.shape.pmf(here), self.shape.pmf(here - shift)
        possible = [self._is_possible(place) for place in (here, here - shift)]
        if not any(possible):
            raise _check.refuse(
                "`output` must be possible under one of the laws",
                f"output={here}, distance={shift}",
                f"Choose one that the law or its copy can yield; its support is {self.support}.",
            )
        if not all(possible):
            end = math.inf if possible[0] else -math.inf
            return Interval(end, end)
        if self._equally_likely(here, here - shift):
            return Interval.exactly(0)
        return balls.enclosure(lambda: mine.ball().log() - theirs.ball().log())

    def _is_possible(self, place: int) -> bool:
        return self.support is None or self.shape.pmf(place).compare(0) > 0

    def _equally_likely(self, one: int, other: int) -> bool:
        """Known to be: by symmetry, or because they are the same."""
        return one == other or (self.shape.symmetric_unimodal and one == -other)

    def _divergence(self, epsilon: Fraction, shift: int) -> Real:
        return self.shape.hockey_stick(epsilon, shift) if shift else rational_real(0)

    def verify(
        self, *, sensitivity: SupportsIndex, epsilon: Exact, delta: Exact = 0
    ) -> Verification:
        r"""Prove or refute that adding this law to an integer query is (epsilon, delta)-DP.

        Theorem: for a law symmetric about 0 whose pmf p does not increase with |k|, and
        epsilon ≥ 0, the divergence Σₖ max(0, p(k) − e^epsilon·p(k−d)) does not decrease with
        d ≥ 1. So among the shifts 1..sensitivity the largest is the worst, and by symmetry the
        direction does not matter.
        Proof: fix k. If k ≤ 0 then |k−d| = |k|+d grows with d, so p(k−d) falls and the term grows.
        If k > 0 and d ≤ k then |k−d| < |k| and the term is 0; if d > k then |k−d| = d−k grows with
        d and the term grows. Each term is non-decreasing in d, hence so is the sum.

        A law of another form is checked at every shift ±1..±sensitivity. The claim is decided in
        exact arithmetic, or by balls whose precision is raised until they decide.
        """
        sensitivity = _check.integer_between(sensitivity, "sensitivity", 1)
        exact_epsilon = _check.non_negative(epsilon, "epsilon")
        exact_delta = _check.delta(delta)
        shifts, argument = self._shifts_to_check(sensitivity)
        worst = _worst(
            [(shift, self._divergence(exact_epsilon, shift)) for shift in shifts], exact_delta
        )
        return Verification(
            holds=worst[1].compare(exact_delta) <= 0,
            epsilon=exact_epsilon,
            delta=exact_delta,
            sensitivity=sensitivity,
            attained=worst[1].interval(),
            shift=worst[0],
            argument=argument,
        )

    def _shifts_to_check(self, sensitivity: int) -> tuple[list[int], str]:
        if self.shape.symmetric_unimodal:
            return [sensitivity], "symmetric and unimodal: the largest shift is the worst"
        support = self.support
        assert support is not None  # only finite laws may lack symmetry
        # Once the shifted copy lies clear of the law itself, a larger shift changes nothing.
        farthest = min(sensitivity, support[1] - support[0] + 1)
        if farthest > _MOST_SHIFTS:
            raise UnsupportedQuery(
                f"`sensitivity` must be at most {_MOST_SHIFTS} for a law that is not symmetric and "
                f"unimodal, where every shift is checked; got {farthest} shifts. "
                "Use a symmetric, unimodal law."
            )
        both = [sign * shift for shift in range(1, farthest + 1) for sign in (1, -1)]
        return both, "every shift in both directions"

    @overload
    def sample(self, size: None = None, source: Source | None = None) -> int: ...
    @overload
    def sample(self, size: Size, source: Source | None = None) -> Draws: ...
    def sample(self, size: Size | None = None, source: Source | None = None) -> int | Draws:
        """Independent exact draws: an int64 array of the given size, or one int.

        Where a drawn value does not fit into 64 bits the array holds Python integers (dtype
        object) instead.
        """
        shape = _check.size(size)
        drawn = self._drawn_from.sample(prod(shape), checked_source(source))
        return int(drawn[0]) if size is None else drawn.reshape(shape)


@lru_cache(maxsize=64)  # each with some megabytes of tables
def _first_shape(law: LatticeLaw) -> Shape:
    return law.shape


@lru_cache(maxsize=4096)
def _moment(law: LatticeLaw, order: int) -> Interval:
    """Computed once, as `_quantile` is."""
    return law.shape.moment(order).interval()


@lru_cache(maxsize=4096)
def _quantile(law: LatticeLaw, level: Fraction) -> int:
    """Searched for once: a preview, a release and its report all ask for the same."""
    risk = 1 - level
    near = law.about_quantile(float(risk)) if 0 < float(risk) < 1 else 0.0
    guess = int(near) if math.isfinite(near) else 0
    return least_integer(lambda m: law.shape.outside(m).compare(risk) <= 0, 0, guess)


def _worst(divergences: list[tuple[int, Real]], delta: Fraction) -> tuple[int, Real]:
    """The largest divergence; one that breaks the claim beats a close one that may not."""
    broken = [pair for pair in divergences if pair[1].compare(delta) > 0]
    return max(broken or divergences, key=lambda pair: pair[1].interval().upper)
