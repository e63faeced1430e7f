r"""Running totals that are published step by step, from integers that each step measures with noise.

Step t has totals x_t, one for each group, known when the step is over. It measures

    y_t = c_t1*x_1 + ... + c_tt*x_t + z_t

with integers c_ts that are fixed before the first step (`Factor`), and fresh rounded Gaussian noise
z_t of one variance V for every group. The running total after step t is computed from y_1, ..., y_t
and rounded. So the measurements are the whole state, and they are public; the noise is forgotten,
later steps revise nothing, and sums over days, weeks and months are differences of running totals.

Theorem. Let a unit be in at most m steps, any two of them at least g apart (`Participation`), and
move the totals of each of them by at most D in l2 norm over all groups. With the S of
`squared_sensitivity` all measurements together are mu-GDP with mu^2 = D^2*S/V, even if the totals
of a step are chosen in view of all earlier measurements.

Proof pages: docs/proofs/running_totals.md, docs/proofs/rounded_gaussian.md.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.additive import promise_text
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.source import Source, system_source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, positive, whole
from leastnoise.privacy.guarantee import ZCDP, Guarantee
from leastnoise.workloads.factor import (
    LARGEST,
    SCALE,
    Factor,
    Floats,
    Integers,
    Participation,
    squared_sensitivity,
)

Measured = NDArray[np.object_]
"""What one step measured: Python's integers, a row for each number and a column for each group."""


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

    @property
    def shown(self) -> str:
        """The guarantee and the error of the last total, to be printed."""
        last = self.deviation(1, self.steps)
        return (
            f"{promise_text(self.guarantee)}: the last one has a standard deviation of {last:.4g}"
        )

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
        return Stream(self, source or system_source(), measured)


@dataclass(frozen=True, eq=False)
class StreamNoise(StepNoise):
    """Gaussian noise on the integers of a factor: the law and the price of this module's docstring.

    Attributes:
        factor: the integers c_ts.
        allowed: in which steps one unit may be.
        variance: V.
        sensitivity: D, the greatest l2 norm by which one unit moves the totals of a step.

    >>> two = Factor(column=[2 << 26, 1 << 26], scale=[1 << 28, 1 << 28])
    >>> StreamNoise(two, Participation(), 1 << 50, 1).guarantee
    ZCDP(rho=0.0390625)
    """

    factor: Factor
    allowed: Participation
    variance: Checked[int, int] = Checked(whole)
    sensitivity: Checked[Exact, Fraction] = Checked(positive)

    @property
    def steps(self) -> int:  # type: ignore[override]
        """The length of the schedule."""
        return self.factor.steps

    @cached_property
    def squared_mu(self) -> Fraction:
        """mu^2 of the whole schedule."""
        return self.sensitivity**2 * self._squared / self.variance

    @cached_property
    def _squared(self) -> int:
        return squared_sensitivity(self.factor.matrix, self.allowed)

    @property
    def guarantee(self) -> Guarantee:
        """mu-GDP is also mu^2/2-zCDP."""
        return ZCDP(rho=self.squared_mu / 2)

    def width(self, step: int) -> int:  # noqa: ARG002
        """One number."""
        return 1

    def measure(self, totals: Integers, source: Source) -> Measured:
        """What the last of these steps measures: a row of exact totals for each step so far."""
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
        self._noise, self._source, self._measured = noise, source, known

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
        rows, step = _whole_rows(totals), len(self._measured) + 1
        if step > self._noise.steps:
            raise InvalidInput(f"All {self._noise.steps} steps of the schedule were measured.")
        if len(rows) != step:
            raise InvalidInput(
                f"This is step {step}, and there are totals of {len(rows)}. Give those of all steps "
                "so far, the new one last."
            )
        if step > 1 and rows.shape[1] != self._measured[0].shape[1]:
            raise InvalidInput("Every step has the same groups. Give a number for each of them.")
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
