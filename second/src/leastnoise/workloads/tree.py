r"""`TreeNoise`: running totals under pure epsilon, by Laplace noise on blocks of steps.

Level 0 has the steps, and b_l blocks of level l-1 make one of level l. Each complete block is
measured with fresh discrete Laplace noise of rate r_l. A running total is the sum of the largest
complete blocks so far, each estimated from its own measurement and those inside, by least squares.
So nothing that was published is ever revised. Few wide levels with unequal rates are best.

Theorem. Let a unit be in at most m steps and move the totals of each by at most D in l1 norm over
all groups. All measurements together are epsilon-DP with epsilon = m*D*(sum of r_l), even if the
totals of a step are chosen in view of all earlier measurements.

Proof page: docs/proofs/running_totals.md, section 6.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, chain, product
from operator import mul

import numpy as np

from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.source import Source
from leastnoise.privacy.guarantee import PureDP
from leastnoise.workloads.factor import Floats, Integers, Participation
from leastnoise.workloads.stream_noise import Measured, StepNoise, exact_sum

_PARTS = 64  # of which rates are whole multiples


@dataclass(frozen=True, eq=False, repr=False)
class TreeNoise(StepNoise):
    """The law and the price of this module's docstring.

    Attributes:
        steps: how many steps the schedule has.
        branching: b_1, b_2, ...; none for noise in each step alone.
        rates: r_0, r_1, ...; one more.
        allowed: in which steps one unit may be.
        sensitivity: D.

    >>> TreeNoise(365, (21,), (Fraction(1, 2),) * 2, Participation(), Fraction(1)).guarantee
    PureDP(epsilon=1)
    """

    steps: int
    branching: tuple[int, ...]
    rates: tuple[Fraction, ...]
    allowed: Participation
    sensitivity: Fraction

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many steps a block of each level has."""
        return tuple(accumulate(self.branching, mul, initial=1))

    @property
    def guarantee(self) -> PureDP:
        """Epsilon, for the whole schedule."""
        times = self.allowed.times(self.steps)
        return PureDP(epsilon=times * self.sensitivity * sum(self.rates))

    def width(self, step: int) -> int:
        """How many numbers of each group a step measures: the blocks that end with it."""
        return sum(step % size == 0 for size in self.sizes)

    def measure(self, totals: Integers, source: Source) -> Measured:
        """The blocks that end with the last of these steps, the smallest first."""
        found = []
        for size, rate in zip(self.sizes, self.rates, strict=True):
            if len(totals) % size == 0:
                block = exact_sum(np.ones(size, np.int64), totals[-size:])
                noise = DiscreteLaplace(rate).sample(totals.shape[1], source)
                found.append(block + noise.astype(np.object_))
        return np.array(found)

    def weights(self, count: int) -> Floats:
        """What each block counts for: in full what is outside of larger complete blocks."""
        first = np.cumsum([0, *map(self.width, range(1, count + 1))])  # number of each step
        found, end = np.zeros(int(first[-1])), 0

        def add(level: int, end: int, weight: float) -> None:
            own = self._own[level]
            found[first[end - 1] + level] = weight * own
            for inside in range(self.branching[level - 1] if level else 0):
                add(level - 1, end - inside * self.sizes[level - 1], weight * (1 - own))

        for level in reversed(range(len(self.sizes))):
            while end + self.sizes[level] <= count:
                end += self.sizes[level]
                add(level, end, 1.0)
        return found

    def variances(self, count: int) -> Floats:
        """Those of the laws of the blocks, in the order of measurement."""
        known = _variances_of(np.array(self.rates, float))
        return np.concatenate([known[: self.width(step)] for step in range(1, count + 1)])

    @cached_property
    def _own(self) -> Floats:
        """How much a block's own measurement counts beside the blocks inside it."""
        known = _variances_of(np.array(self.rates, float))
        return np.asarray(_combined(known, self.branching) / known)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.sizes))
        return f"{self.steps} running totals with Laplace noise on blocks of {sizes}, {self.shown}"


def _variances_of(rates: Floats) -> Floats:
    """The variance 2*e^-r/(1 - e^-r)^2 of discrete Laplace noise, about."""
    return np.asarray(0.5 / np.sinh(np.clip(rates, 1e-60, 300) / 2) ** 2)


def _combined(variances: Floats, branching: tuple[int, ...]) -> Floats:
    """The variance of the estimate of a block of each level, from all that is inside it."""
    found = [variances[0]]
    for times, own in zip(branching, variances[1:], strict=True):
        inside = times * found[-1]
        found.append(own * inside / (own + inside))
    return np.array(found)


def best_tree(steps: int, allowed: Participation, size: Fraction, epsilon: Fraction) -> TreeNoise:
    """The tree with the least mean variance of all running totals, rates in parts of 1/64: a search."""
    rate, totals = epsilon / (allowed.times(steps) * size), np.arange(steps + 1)
    best, least = TreeNoise(steps, (), (rate,), allowed, size), math.inf
    widths = sorted({*range(2, 25), *np.geomspace(2, 2 + steps, 20).astype(int).tolist()})
    for branching in chain.from_iterable(product(widths, repeat=n) for n in range(3)):
        if math.prod(branching) > steps:
            continue
        sizes, times = accumulate(branching, mul, initial=1), (*branching, steps + 1)
        digits = [totals // size % most for size, most in zip(sizes, times, strict=True)]
        parts = _parts(len(times))
        variances = _combined(_variances_of(parts * float(rate) / _PARTS), branching)
        costs = np.mean(digits, axis=1) @ variances
        at = int(costs.argmin())
        if costs[at] < least:
            rates = tuple(Fraction(int(each), _PARTS) * rate for each in parts[:, at])
            best, least = TreeNoise(steps, branching, rates, allowed, size), costs[at]
    return best


@cache
def _parts(levels: int) -> Floats:
    """All ways to divide 64 parts: a row for each level."""
    some = product(range(1, _PARTS), repeat=levels - 1)
    return np.array([(_PARTS - sum(each), *each) for each in some if sum(each) < _PARTS], float).T
