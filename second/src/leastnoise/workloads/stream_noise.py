r"""Running totals that are published step by step: what each step measures, and the estimates.

Step t has totals x_t, whole numbers, one for each group. When it is over it measures sums of the
totals so far with fresh noise, and the running total is computed from all measurements and rounded.
So the measurements are the whole state, and they are public; the noise is forgotten, later steps
revise nothing, and sums over days, weeks and months are differences of running totals.

Let a unit be in at most m steps, any two of them at least g apart (`Participation`), and move the
totals of each by at most D over all groups: in l2 norm under Gaussian noise, in l1 norm in trees.

`StreamNoise`: y_t = c_t1*x_1 + ... + c_tt*x_t + z_t, with integers that are fixed before the first
step (`Factor`) and rounded Gaussian noise of one variance V. Theorem: with the S of
`squared_sensitivity` all measurements together are mu-GDP with mu^2 = D^2*S/V.

`TreeNoise`: level 0 has the steps, and b_l blocks of level l-1 make one of level l. Each complete
block is measured with discrete Laplace noise of rate r_l. A running total is the sum of the largest
complete blocks, each estimated from its own measurement and those inside, by least squares.
Theorem: all measurements together are epsilon-DP with epsilon = m*D*(sum of r_l).

Both hold even if the totals of a step are chosen in view of all earlier measurements. Proof pages:
docs/proofs/running_totals.md, docs/proofs/rounded_gaussian.md.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from operator import mul
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.additive import promise_text
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.source import Source, system_source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import whole
from leastnoise.privacy.guarantee import GDP, Guarantee, PureDP
from leastnoise.workloads import stream_certificate as proof
from leastnoise.workloads.factor import LARGEST, SCALE, Factor, Floats, Integers, Participation

PARTS = 1 << 48  # of which claimed numbers and chances are whole multiples

Measured = NDArray[np.object_]
"""What one step measured: Python's integers, a row for each number and a column for each group."""

Objective = Literal["worst", "mean square"]


class StepNoise(ABC):
    """How the steps of a schedule are measured, and what the measurements say of running totals."""

    steps: int

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What all steps together promise about one privacy unit."""

    @abstractmethod
    def width(self, step: int) -> int:
        """How many numbers of each group a step measures; steps are numbered from 1."""

    @abstractmethod
    def measure(self, totals: Integers, source: Source) -> Measured:
        """What the last of these steps measures: a row of exact totals for each step so far."""

    @abstractmethod
    def weights(self, count: int) -> Floats:
        """The running total after `count` steps is the sum of all measured with these weights."""

    @abstractmethod
    def variances(self, count: int) -> Floats:
        """The variance of the noise of each of these numbers."""

    def estimate(self, measured: Sequence[Measured]) -> list[int]:
        """The running total of each group after the last of these steps: post-processing."""
        found = self.weights(len(measured)) @ np.concatenate(measured).astype(np.float64)
        return [math.floor(each + 0.5) for each in found.tolist()]

    def deviation(self, first: int, last: int) -> float:
        """About the standard deviation of the sum of steps `first` to `last`, before rounding."""
        begin, end = whole(first, "first"), whole(last, "last")
        if not begin <= end <= self.steps:
            raise InvalidInput(f"Give 1 <= first <= last <= {self.steps}, the number of steps.")
        weights = self.weights(end)
        if begin > 1:
            before = self.weights(begin - 1)
            weights[: len(before)] -= before
        return float(np.sqrt(weights**2 @ self.variances(end)))

    def certificate(self) -> Certificate | None:
        """A proof of how small the errors are, if one is known."""
        return None

    def start(
        self, source: Source | None = None, *, measured: Sequence[Sequence[Sequence[int]]] = ()
    ) -> "Stream":
        """Begins the schedule, or goes on with it.

        Args:
            source: of the noise; that of the system if None.
            measured: the `measured` of a stream of this schedule that was interrupted.
        """
        return Stream(self, system_source(source), measured)

    def _text(self, noise: str) -> str:
        last = self.deviation(1, self.steps)
        return (
            f"{self.steps} running totals with {noise}, {promise_text(self.guarantee)}: the last one "
            f"has a standard deviation of {last:.4g}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class StreamNoise(StepNoise):
    """Gaussian noise on the integers of a factor; a certificate says how near to the least it is.

    Attributes:
        factor: the integers c_ts.
        allowed: in which steps one unit may be.
        variance: V.
        sensitivity: D.
        objective: which error was made small: "worst", or "mean square".
        law: how likely a unit begins at each step in the least favourable case; the proof.
        promise: of all steps together. None if no budget was given: errors are then those at mu = 1.
    """

    factor: Factor
    allowed: Participation
    variance: int
    sensitivity: Fraction
    objective: Objective = "worst"
    law: tuple[int, ...] = ()
    promise: Guarantee | None = None

    @property
    def steps(self) -> int:  # type: ignore[override]
        """The length of the schedule."""
        return self.factor.steps

    @property
    def guarantee(self) -> Guarantee:
        """What all steps together promise about one privacy unit."""
        if self.promise is None:
            raise InvalidInput(
                "These running totals have no budget. Give running_totals mu=, rho=, or epsilon= and "
                "delta=."
            )
        return self.promise

    def width(self, step: int) -> int:  # noqa: ARG002
        """One number."""
        return 1

    def measure(self, totals: Integers, source: Source) -> Measured:
        """What the last of these steps measures."""
        exact = exact_sum(self.factor.matrix[len(totals) - 1, : len(totals)], totals)
        noise = rounded_gaussian(Fraction(self.variance), totals.shape[1], source)
        found: Measured = exact + noise.astype(np.object_)
        return found[None, :]

    def weights(self, count: int) -> Floats:
        """The last row of the inverse matrix, added up: solved for from the last step back."""
        matrix, found = np.ldexp(self.factor.matrix.astype(np.float64), -SCALE), np.ones(count)
        for s in range(count - 1, -1, -1):
            found[s] = (1 - found[s + 1 :] @ matrix[s + 1 : count, s]) / matrix[s, s]
        return np.asarray(np.ldexp(found, -SCALE))

    def variances(self, count: int) -> Floats:
        """V for each step."""
        return np.full(count, float(self.variance))

    def certificate(self) -> Certificate:
        """How near to the least the errors are, with the proof; print it, then `check()` it."""
        # Machines add up floats in different orders: some room lets each of them agree.
        about, room = (self.allowed, self.objective), 1 + Fraction(1, 1 << 36)
        found = proof.achieved_error(self.factor, *about) * room
        least = proof.proved_bound(self.law, *about) / room
        ends = (
            Fraction(math.ceil(found * PARTS), PARTS),
            Fraction(math.floor(least * PARTS), PARTS),
        )
        claim = proof.claim_of(self.factor, *about, *ends)
        return Certificate(proof.KIND, claim, {"law": [*self.law]})

    def __repr__(self) -> str:
        if self.promise is None:
            return f"{replace(self, promise=GDP(mu=1))} (no budget was given)"
        return self._text("Gaussian noise")


@dataclass(frozen=True, eq=False, repr=False)
class TreeNoise(StepNoise):
    """Laplace noise on blocks of steps.

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
        """The blocks that end with a step."""
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
        known = laplace_variances(np.array(self.rates, float))
        shares = combined(known, self.branching) / known  # of its own measurement, in a block

        def add(level: int, end: int, weight: float) -> None:
            found[first[end - 1] + level] = weight * shares[level]
            for inside in range(self.branching[level - 1] if level else 0):
                add(level - 1, end - inside * self.sizes[level - 1], weight * (1 - shares[level]))

        for level in reversed(range(len(self.sizes))):
            while end + self.sizes[level] <= count:
                end += self.sizes[level]
                add(level, end, 1.0)
        return found

    def variances(self, count: int) -> Floats:
        """Those of the laws of the blocks, in the order of measurement."""
        known = laplace_variances(np.array(self.rates, float))
        return np.concatenate([known[: self.width(step)] for step in range(1, count + 1)])

    def __repr__(self) -> str:
        return self._text(f"Laplace noise on blocks of {', '.join(map(str, self.sizes))}")


def laplace_variances(rates: Floats) -> Floats:
    """The variance 2*e^-r/(1 - e^-r)^2 of discrete Laplace noise, about."""
    return np.asarray(0.5 / np.sinh(np.clip(rates, 1e-60, 300) / 2) ** 2)


def combined(variances: Floats, branching: tuple[int, ...]) -> Floats:
    """The variance of the estimate of a block of each level, from all that is inside it."""
    found = [variances[0]]
    for times, own in zip(branching, variances[1:], strict=True):
        inside = times * found[-1]
        found.append(own * inside / (own + inside))
    return np.array(found)


class Stream:
    """A schedule under way. Each step is measured once; two measurements of a step cost twice.

    Attributes:
        guarantee: what all steps together promise about one privacy unit.
    """

    def __init__(
        self, noise: StepNoise, source: Source, measured: Sequence[Sequence[Sequence[int]]]
    ) -> None:
        self.guarantee = noise.guarantee
        known = [np.array(each, dtype=np.object_) for each in measured]
        groups = known[0].shape[-1] if known and known[0].ndim == 2 else 0
        fits = len(known) <= noise.steps and all(
            each.shape == (noise.width(step), groups) and {type(n) for n in each.flat} <= {int}
            for step, each in enumerate(known, 1)
        )
        if not fits:
            raise InvalidInput(
                "measured does not fit this schedule. Give `measured` of its stream."
            )
        self._noise, self._source, self._measured, self._lock = noise, source, known, Lock()

    @property
    def measured(self) -> list[list[list[int]]]:
        """What was measured so far. It is public, and all that has to be kept to go on later."""
        return [each.tolist() for each in self._measured]

    def release(self, totals: Any) -> Any:
        """Measures the next step: the running totals after it.

        Args:
            totals: the exact totals of all steps so far, the new one last. A number for each step,
                or a row of numbers, one for each group.
        """
        rows = _whole_rows(totals)
        with self._lock:
            step = len(self._measured) + 1
            if step > self._noise.steps:
                raise InvalidInput(f"All {self._noise.steps} steps of the schedule were measured.")
            if len(rows) != step:
                raise InvalidInput(
                    f"This is step {step}, and there are totals of {len(rows)}. Give those of all "
                    "steps so far, the new one last."
                )
            if step > 1 and rows.shape[1] != self._measured[0].shape[1]:
                raise InvalidInput("Every step has the same groups. Give a number for each.")
            self._measured.append(self._noise.measure(rows, self._source))
            found = self._noise.estimate(self._measured)
        return found if np.ndim(totals) == 2 else found[0]


def exact_sum(numbers: Integers, totals: Integers) -> Measured:
    """The sum of whole numbers times rows of totals, as Python's integers."""
    if int(np.abs(numbers).sum()) * int(np.abs(totals).max()) < LARGEST:
        return (numbers @ totals).astype(np.object_)
    return np.asarray(numbers.astype(np.object_) @ totals.astype(np.object_))


def _whole_rows(totals: Any) -> Integers:
    """Secret totals: a row for each step, a column for each group."""
    try:
        array = np.asarray(totals)
    except ValueError:  # rows of different lengths
        array = np.zeros(0)
    whole_ones = array.dtype.kind in "iu" or all(type(each) is int for each in array.flat)
    if not whole_ones or array.ndim not in (1, 2) or not array.size:
        raise InvalidInput("Totals are whole numbers, one or a row of them for each step.")
    if not -LARGEST < int(array.min()) <= int(array.max()) < LARGEST:
        raise InvalidInput("A total is beyond 2^62. Count in larger units.")
    return array.astype(np.int64).reshape(len(array), -1)
