"""`TreeNoise`: running totals under pure ε, by noise on blocks of steps that are complete."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._frozen import Checked, Whole, checked, frozen
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.mechanisms.over_time.step_totals import totals_so_far
from leastnoise.mechanisms.over_time.stream_noise import Floats, Integers, _allowed
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source, checked_source

_MOST_LEVELS = 12
_MOST_TOLD = 2.0**62
Measured = NDArray[np.object_]


def _branching(value: Sequence[int], name: str) -> tuple[int, ...]:
    found = tuple(_check.integer_between(each, name, 2, 1 << 20) for each in value)
    if len(found) < _MOST_LEVELS:
        return found
    raise _check.refuse(f"`{name}` must have fewer than 12 numbers", str(len(found)), "Use wide.")


def _scales(value: Sequence[Fraction], name: str) -> tuple[Fraction, ...]:
    return tuple(_check.positive(each, name) for each in value)


@frozen(kw_only=True, repr=False)
class TreeNoise:
    r"""Running totals of a schedule, step by step, from blocks of steps; nothing is ever revised.

    Law: blocks of level 0 are the steps, and b_l blocks of level l − 1 are one of level l. When a
    block is complete its total is measured, with fresh discrete Laplace noise of scale a_l. What is
    told at step t is made of the largest complete blocks up to t, each by least squares from its
    own measurement and those of the blocks inside.
    Theorem: let a unit be in at most m steps and move the totals of each by at most r in all. All
    measurements together are ε-DP with ε = m·r·Σ 1/a_l, even if the totals of each step were chosen
    after seeing all that was published before.
    Proof: in every level a unit's steps lie in at most m blocks, whose totals it moves by at most
    m·r together; a number that moves by w costs w/a_l, whatever was seen before.

    Args:
        steps: T.
        branching: b_1, b_2, …; none for noise in each step alone.
        scales: a_0, a_1, …; one more.
        allowed: in which steps one unit may be.
        reach: r.
        groups: how many totals each step has.

    References: ChanShiSong2011, DworkEtAl2010.

    Example:
        >>> year = TreeNoise(steps=365, branching=(21,), scales=(2, 2))
        >>> year.guarantee, year.sizes
        (PureDP(epsilon=1), (1, 21))
    """

    steps: Whole = checked(_check.whole(1))
    branching: Checked[Sequence[int], tuple[int, ...]] = checked(_branching)
    scales: Checked[Sequence[Any], tuple[Fraction, ...]] = checked(_scales)
    allowed: Checked[Participation, Participation] = checked(_allowed, default=Participation())
    reach: Whole = checked(_check.whole(1), default=1)
    groups: Whole = checked(_check.whole(1), default=1)

    def __post_init__(self) -> None:
        if len(self.scales) != len(self.branching) + 1:
            raise _check.refuse(
                "`scales` must be one more than `branching`",
                f"{len(self.scales)} and {len(self.branching)}",
                "Give one for steps alone and one for each size of blocks.",
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many steps a block of each level has."""
        return tuple(accumulate((1, *self.branching), mul))

    @property
    def guarantee(self) -> PureDP:
        """ε, for the whole schedule."""
        rate = sum((1 / each for each in self.scales), Fraction(0))
        return PureDP(epsilon=self.allowed.times(self.steps) * self.reach * rate)

    def width(self, step: int) -> int:
        """How many numbers of each group are measured at a step: 1, 2, … by its number."""
        return sum(step % size == 0 for size in self.sizes)

    def measure(self, totals: ArrayLike, source: Source | None = None) -> Measured:
        """The blocks that end with the last of these steps, the smallest first, group by group.

        Raises:
            InvalidParameter: not such totals; what was found is not said.
        """
        exact, secret = totals_so_far(totals, self.steps, self.groups), checked_source(source)
        found = []
        for size, law in zip(self.sizes, self._laws, strict=True):
            if len(exact) % size == 0:
                block = exact[-size:].astype(np.object_).sum(axis=0)
                found.append(block + law.sample(self.groups, secret).astype(np.object_))
        return np.asarray(np.concatenate(found))

    def told(self, measured: Sequence[Measured]) -> Integers:
        """The last running total, from the measurements of all steps so far."""
        found = self.weights(len(measured)) @ self._listed(measured)
        return np.asarray(np.rint(np.clip(found, -_MOST_TOLD, _MOST_TOLD)).astype(np.int64))

    def weights(self, count: int) -> Floats:
        """What all measurements, level by level, are multiplied with to tell a running total."""
        own = self._own_weights
        found: list[Floats] = []
        outer = np.zeros(0)
        for level in range(len(self.sizes) - 1, -1, -1):
            blocks = self.steps // self.sizes[level]
            place = np.arange(blocks)
            is_whole = (place + 1) * self.sizes[level] <= count
            passed = is_whole.astype(np.float64)
            if level < len(self.branching):
                parent = place // self.branching[level]
                inside = (parent + 1) * self.sizes[level + 1] <= count
                passed[inside] = outer[parent[inside]] * (1 - own[level + 1])
            found.insert(0, passed * own[level])
            outer = passed
        return np.concatenate(found)

    def spread(self, first: int, last: int) -> float:
        """The standard deviation of the sum of steps `first` to `last`, rounding aside."""
        weights = self.weights(last)
        if first > 1:
            weights = weights - self.weights(first - 1)
        return float(np.sqrt(weights**2 @ self._variances))

    def error_rows(self) -> Floats:
        """For each step what noise of variance 1 in each measurement adds to its running total."""
        roots = np.sqrt(self._variances)
        return np.stack([self.weights(step) * roots for step in range(1, self.steps + 1)])

    @cached_property
    def _laws(self) -> tuple[DiscreteLaplace, ...]:
        return tuple(DiscreteLaplace(scale=each) for each in self.scales)

    @cached_property
    def _level_variances(self) -> Floats:
        return np.array([float(law.moment(2)) for law in self._laws])

    @cached_property
    def _variances(self) -> Floats:
        blocks = [self.steps // size for size in self.sizes]
        return np.repeat(self._level_variances, blocks)

    @cached_property
    def _own_weights(self) -> list[float]:
        """How much a block's own measurement counts beside the blocks inside it."""
        found, inner = [1.0], float(self._level_variances[0])
        for times, own in zip(self.branching, self._level_variances[1:], strict=True):
            apart = times * inner
            both = apart + float(own) or 1.0  # next to no noise: a block's own number is as good
            found.append(apart / both if apart else 0.0)
            inner = apart * float(own) / both
        return found

    def _listed(self, measured: Sequence[Measured]) -> Floats:
        """The measurements level by level, 0 for those to come; a column for each group."""
        found = [np.zeros((self.steps // size, self.groups)) for size in self.sizes]
        for step, numbers in enumerate(measured, 1):
            parts = np.asarray(numbers, np.float64).reshape(self.width(step), self.groups)
            for level, part in enumerate(parts):
                found[level][step // self.sizes[level] - 1] = part
        return np.concatenate(found)

    def __repr__(self) -> str:
        wide = " × ".join(map(str, self.branching)) or "none"
        return (
            f"TreeNoise({self.steps} steps, {self.groups} groups, branching {wide}, "
            f"{self.allowed!r}, reach={self.reach}, scales="
            f"{', '.join(f'{float(each):.4g}' for each in self.scales)})"
        )
