"""`GroupwiseCounts`: what every mechanism for counts with group-wise privacy can be asked."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NoReturn, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.groupwise.group_curve import GroupCurve, usual_sizes
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.groupwise.secret_counts import LARGEST_COUNT, Counts, Zeros, secret_counts
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.curves.budget_curve import BudgetCurve
from leastnoise.privacy.groupwise import GroupwiseZCDP, PublishablePromise
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source


class GroupwiseCounts(Rebuilt, ABC):
    r"""Releases the counts of disjoint groups; the larger a group, the less its records lose.

    Neighbours: data sets of which one has a single record more, in one group. All questions about
    privacy take a public size, never the count of a real group: see `promise_at_release`.
    """

    # What a mechanism says of itself.

    least: int

    @property
    def smallest(self) -> int:
        """Counts below this are raised to it before anything else happens."""
        return self.least

    @property
    @abstractmethod
    def channel(self) -> LogChannel | None:
        """What large counts go through, if it is noise on their logarithms; all of it is public."""

    @abstractmethod
    def privacy(self, size: SupportsIndex) -> Fraction:
        """v(x): the group-wise ρ of a record in a group of x, exact or rounded up."""

    @abstractmethod
    def _pair_loss(self, size: int) -> PrivacyLoss:
        """The loss between sizes − 1 and size, for a size above `smallest`."""

    @abstractmethod
    def expected_error(self, size: SupportsIndex) -> Interval:
        """E|x̂ − x| for a group of x."""

    @abstractmethod
    def _drawn(self, counts: NDArray[np.int64], source: Source) -> NDArray[Any]:
        """Exact draws, one for each count."""

    @abstractmethod
    def _chance_above(self, size: int, released: Fraction) -> arb:
        """An upper bound on P(x̂ ≥ released) for a group of this size, at least `smallest`."""

    # What follows from it.

    @property
    def guarantee(self) -> GroupwiseZCDP:
        """v-group-wise zCDP, for groups of every size, 0 included."""
        return GroupwiseZCDP(v=BudgetOf(self))

    def release(
        self, counts: Counts, source: Source | None = None, *, zeros: Zeros | None = None
    ) -> Release[Any]:
        """Noisy counts in the arrangement of the true ones, each group with noise of its own.

        Args:
            counts: an integer, an array of integers, or a dict from group to count. Which groups
                there are is public.
            source: where the randomness comes from; leave it out.
            zeros: the groups that everybody knows to be empty, as a mask or as names. They are
                released as 0 without noise, and their counts are not looked at.

        Raises:
            InvalidParameter: anything else; nothing was drawn, and the message shows no data.
        """
        secret = secret_counts(counts)
        empty = secret.public_zeros(zeros)
        drawn = self._drawn(secret.values, checked_source(source))
        drawn[empty] = 0
        return Release(secret.arranged(drawn), self.guarantee, repr(self))

    def loss(self, size: SupportsIndex) -> PrivacyLoss:
        """The whole privacy loss between groups of size − 1 and of size, for one more record."""
        x = _size(size)
        if x > self.smallest:
            loss = self._pair_loss(x)
            return PrivacyLoss(loss.forward, loss.backward, _no_larger_changes)
        raise UnsupportedQuery(
            f"`size` must be above smallest={self.smallest}; got size={x}. "
            "There is no loss to speak of: counts up to the smallest are released alike."
        )

    def epsilon(self, size: SupportsIndex, *, delta: Exact) -> Interval:
        """The least ε of a group of this size at δ, compared with one record less and one more."""
        x = max(_size(size), self.smallest)
        pairs = [place for place in (x, x + 1) if place > self.smallest]
        answers = [self._pair_loss(place).epsilon(delta) for place in pairs]
        return Interval(max(a.lower for a in answers), max(a.upper for a in answers))

    def curve(
        self, sizes: Sequence[SupportsIndex] | None = None, *, delta: Exact | None = None
    ) -> GroupCurve:
        """v(x) and the expected error as functions of the size, and ε(x) if a δ is given."""
        chosen = usual_sizes(self.smallest) if sizes is None else tuple(map(_size, sizes))
        return GroupCurve(
            sizes=chosen,
            budgets=tuple(self.privacy(x) for x in chosen),
            errors=tuple(self.expected_error(x) for x in chosen),
            delta=None if delta is None else _check.delta(delta),
            epsilons=() if delta is None else tuple(self.epsilon(x, delta=delta) for x in chosen),
        )

    def lower_limit(self, released: Exact, *, confidence: Exact) -> int:
        r"""L with P(L ≤ x) ≥ confidence for every size x, from a released count.

        Theorem: L is the least size x with P(x̂ ≥ released | x) > 1 − confidence, or 0 if that is
        the smallest one.
        Proof: P(x̂ ≥ y | x) does not fall as x grows. If L > x then P(x̂ ≥ released | x) ≤
        1 − confidence, which happens with at most this probability. Counts below the smallest are
        released like it.
        """
        value = _check.rational(released, "released")
        doubt = 1 - _check.probability(confidence, "confidence")

        def possible(x: int) -> bool:
            if x > LARGEST_COUNT:
                return True
            with balls.precision(balls.FIRST_PRECISION):
                return not self._chance_above(x, value) <= balls.ball(doubt)

        least = least_integer(possible, self.smallest)
        return 0 if least == self.smallest else min(least, LARGEST_COUNT)

    def promise_at_release(self, released: Exact, *, confidence: Exact) -> PublishablePromise:
        """What may be said in public of one group's loss: v at a lower limit of its size."""
        limit = self.lower_limit(released, confidence=confidence)
        return self.guarantee.at_lower_limit(limit, confidence=confidence)


@dataclass(frozen=True, repr=False)
class BudgetOf(BudgetCurve):
    """The curve x ↦ v(x) of a mechanism."""

    mechanism: GroupwiseCounts

    def __call__(self, size: int) -> Fraction:
        """v(size)."""
        return self.mechanism.privacy(size)

    def upper_bounds(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The curve at many sizes, as floats rounded up; large sizes all at once."""
        channel = self.mechanism.channel
        if channel is None:
            return super().upper_bounds(sizes)
        large = sizes > channel.map.bend
        bounds = np.empty(sizes.shape)
        bounds[large] = channel.budgets_above(sizes[large])
        bounds[~large] = super().upper_bounds(sizes[~large])
        return bounds

    def __repr__(self) -> str:
        return f"budget of {self.mechanism!r}"


def _size(size: SupportsIndex) -> int:
    return _check.integer_between(size, "size", 0)


def _no_larger_changes(size: int) -> NoReturn:
    raise UnsupportedQuery(
        f"a loss at one size speaks of one record more or less; got a group of {size} records. "
        "Further from that size the loss is another one."
    )
