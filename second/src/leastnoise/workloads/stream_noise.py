r"""Running totals that are published step by step, from integers that each step measures with noise.

Step t has totals x_t, one for each group, known when the step is over. It measures

    y_t = c_t1*x_1 + ... + c_tt*x_t + z_t

with integers c_ts that are fixed before the first step (`Factor`), and fresh rounded Gaussian noise
z_t of one variance V for every group. The running total after step t is computed from y_1, ..., y_t
and rounded. So measurements are the whole state, and they are public; the noise is forgotten, later
steps revise nothing, and sums over days, weeks and months are differences of running totals.

Theorem. Let a unit be in at most m steps, any two of them at least g apart (`Participation`), and
move the totals of each of them by at most sqrt(R) in l2 norm over all groups. With the S of
`squared_reach` all measurements together are mu-GDP with mu^2 = R*S/V, even if the totals of a step
are chosen in view of all earlier measurements.

Proof pages: docs/proofs/running_totals.md, docs/proofs/rounded_gaussian.md.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.source import Source, system_source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, whole

MOST_STEPS = 4096
MOST_STEPS_OF_SEVERAL = 1024  # for units in several steps
SCALE, POINT = 24, 28  # bits after the point: of the matrix, and of what it is made from
_HALF = (
    12  # bits: products of such halves of two entries, 4096 of them added up, are exact in floats
)
_ENTRY, _PART_BITS = 1 << (2 * _HALF + 1), 34
_MOST_SUM = 1 << 62

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Measured = NDArray[np.object_]
"""What one step measured: Python's integers, a row for each number and a column for each group."""


# Which integers


class Factor:
    """A lower triangular matrix of integers c_ts in units of 2^-24, given by fewer integers.

    Floats chose the few; from then on everything is whole, so the matrix is the same for ever. They
    are in units of 2^-28, products are rounded down, and there are two kinds:

    - `decay`, `intake`, `outlet` with a row for each step and a column for each buffer, and `direct`
      with a number for each step: c_tt = direct_t, and c_ts for t > s is the sum over buffers of
      outlet_t * v, where v is intake_s at first and is multiplied by decay at every later step.
    - `column` and `scale` with a number for each step: c_ts = column_(t-s) * scale_s.

    Attributes:
        parts: these integers by name; `values()` are the same as lists, to be kept as text.
    """

    def __init__(self, **parts: Any) -> None:
        self.parts = {name: np.array(each) for name, each in parts.items()}
        known = set(parts) in ({"decay", "intake", "outlet", "direct"}, {"column", "scale"})
        arrays = list(self.parts.values())
        if not known or any(each.dtype.kind != "i" or not each.size for each in arrays):
            raise InvalidInput("A factor is made of whole numbers: see the kinds of `Factor`.")
        same = {each.shape for name, each in self.parts.items() if name != "direct"}
        fits = len(same) == 1 and {len(each) for each in arrays} == {self.steps}
        most = max(int(np.abs(each).max()) for each in arrays)
        if not fits or self.steps > MOST_STEPS or most >= 1 << _PART_BITS:
            raise InvalidInput("A factor is for 1 to 4096 steps, with whole numbers below 2^34.")

    @property
    def steps(self) -> int:
        """The length of the schedule."""
        return len(next(iter(self.parts.values())))

    def values(self) -> dict[str, Any]:
        """The integers as lists: Factor(**values) is the factor again."""
        return {name: each.tolist() for name, each in self.parts.items()}

    @cached_property
    def matrix(self) -> Integers:
        """All c_ts."""
        if "column" in self.parts:
            apart = np.subtract.outer(np.arange(self.steps), np.arange(self.steps))
            products = self.parts["column"][np.abs(apart)] * self.parts["scale"]
            return np.where(apart >= 0, products >> 2 * POINT - SCALE, 0)
        decay, intake, outlet, direct = (
            self.parts[name] for name in ("decay", "intake", "outlet", "direct")
        )
        found = np.zeros((self.steps, self.steps), np.int64)
        state = np.zeros((decay.shape[1], self.steps), np.int64)
        for t in range(self.steps):
            past = state[:, :t]
            past *= decay[t][:, None]
            past >>= POINT
            found[t, :t] = (past * outlet[t][:, None] >> POINT).sum(axis=0)
            found[t, t], state[:, t] = direct[t], intake[t]
        return found >> POINT - SCALE


# What they cost


@dataclass(frozen=True)
class Participation:
    """In which steps one unit may be.

    Attributes:
        most: at most so many steps.
        apart: each at least so many steps after the one before.
    """

    most: Checked[int, int] = Checked(whole, default=1)
    apart: Checked[int, int] = Checked(whole, default=1)

    def times(self, steps: int) -> int:
        """In how many of so many steps a unit can be."""
        return min(self.most, -(-steps // self.apart))


def squared_reach(matrix: Integers, allowed: Participation) -> int:
    """S: a unit that moves each of its steps by at most 1 moves all measurements by sqrt(S) at most.

    The greatest square of a column, if a unit is in one step. Else, with K = |C^T C|, the greatest
    sum over a <= k of phi_a(p_a) over all k <= m and p_(a+1) >= p_a + g, where

        phi_a(i) = K_ii + the sum over d = 1 .. k-a of the greatest K_ij with j >= i + d*g
                        + the sum over d = 1 .. a-1 of the greatest K_ij with j <= i - d*g.

    >>> squared_reach(np.array([[2, 0], [1, 2]]), Participation(most=2))
    13
    """
    steps = len(matrix)
    if not 1 <= steps <= MOST_STEPS or np.abs(matrix).max() >= _ENTRY:
        raise InvalidInput("A factor has 1 to 4096 steps and integers below 2^25.")
    times, apart = allowed.times(steps), allowed.apart
    if times == 1:
        return int((matrix * matrix).sum(axis=0).max())
    gram = np.abs(_gram(matrix))
    if int(gram.max()) * times**2 >= _MOST_SUM:
        raise InvalidInput(
            "A unit moves these measurements by 2^31 or more. Give smaller integers."
        )
    right = _beyond(gram, times, apart)
    left = _beyond(gram[::-1, ::-1], times, apart)[:, ::-1]
    # With no gap, fewer steps are part of m steps. Else a short set may not be part of a longer one.
    counts = range(1 if apart > 1 else times, times + 1)
    return max(_greatest_path(np.diagonal(gram), right, left, k, apart) for k in counts)


def _gram(matrix: Integers) -> Integers:
    """C^T C, by exact products of floats: integers are multiplied forty times as slowly."""
    high = matrix >> _HALF
    one, other = high.astype(np.float64), (matrix - (high << _HALF)).astype(np.float64)
    mixed = one.T @ other
    top, middle, low = (
        part.astype(np.int64) for part in (one.T @ one, mixed + mixed.T, other.T @ other)
    )
    return np.asarray((top << 2 * _HALF) + (middle << _HALF) + low)


def _beyond(gram: Integers, times: int, apart: int) -> Integers:
    """Row n: for each i the sum over d = 1 .. n of the greatest K_ij with j >= i + d*apart."""
    steps = len(gram)
    found = np.zeros((times, steps), np.int64)
    greatest = np.maximum.accumulate(gram[:, ::-1], axis=1)[:, ::-1]
    for d in range(1, times):
        inside = np.arange(max(steps - d * apart, 0))
        found[d] = found[d - 1]
        found[d, inside] += greatest[inside, inside + d * apart]
    return found


def _greatest_path(
    diagonal: Integers, right: Integers, left: Integers, count: int, apart: int
) -> int:
    """The greatest sum of phi over `count` steps that are far enough apart."""
    best = diagonal + right[count - 1]
    for a in range(2, count + 1):
        own = diagonal + right[count - a] + left[a - 1]
        before = np.maximum.accumulate(best)[:-apart]
        best = np.concatenate((np.full(apart, -1), np.where(before < 0, -1, before + own[apart:])))
    return int(best.max())


# What a step does


class StepNoise(ABC):
    """How the steps of a schedule are measured, and what their measurements say of running totals."""

    steps: int

    @abstractmethod
    def measure(self, totals: Measured, source: Source) -> Measured:
        """What the last of these steps measures: a row of exact totals for each step so far."""

    @abstractmethod
    def weights(self, count: int) -> Floats:
        """The running total after `count` steps is the sum of measured numbers with these weights."""

    @abstractmethod
    def variances(self, count: int) -> Floats:
        """The variance of the noise of each of these numbers."""

    def estimate(self, measured: Sequence[Measured]) -> list[int]:
        """The running total of each group after the last of these steps: post-processing."""
        found = self.weights(len(measured)) @ np.concatenate(measured).astype(np.float64)
        return [math.floor(each + 0.5) for each in found.tolist()]

    def deviation(self, first: int, last: int) -> float:
        """About the standard deviation of the sum of steps `first` to `last`, before rounding."""
        weights = self.weights(last)
        if first > 1:
            before = self.weights(first - 1)
            weights[: len(before)] -= before
        return float(np.sqrt(weights**2 @ self.variances(last)))


@dataclass(frozen=True, eq=False)
class StreamNoise(StepNoise):
    """Gaussian noise on the integers of a factor: the law and the price of this module's docstring.

    Attributes:
        factor: the integers c_ts.
        variance: V.
        allowed: in which steps one unit may be.
        square: R, the greatest squared l2 norm by which one unit moves the totals of a step.

    >>> two = StreamNoise(Factor(column=[2 << 26, 1 << 26], scale=[1 << 28, 1 << 28]), 1 << 50)
    >>> two.squared_mu
    Fraction(5, 64)
    """

    factor: Factor
    variance: int
    allowed: Participation = field(default_factory=Participation)
    square: int = 1

    def __post_init__(self) -> None:
        if any(type(each) is not int or each < 1 for each in (self.variance, self.square)):
            raise InvalidInput("variance and square are whole numbers from 1 on.")

    @property
    def steps(self) -> int:  # type: ignore[override]
        """The length of the schedule."""
        return self.factor.steps

    @cached_property
    def squared_mu(self) -> Fraction:
        """mu^2 of the whole schedule; it is also mu^2/2-zCDP."""
        return Fraction(
            self.square * squared_reach(self.factor.matrix, self.allowed), self.variance
        )

    def measure(self, totals: Measured, source: Source) -> Measured:
        """What the last of these steps measures: a row of exact totals for each step so far."""
        row = self.factor.matrix[len(totals) - 1, : len(totals)]
        noise = rounded_gaussian(Fraction(self.variance), totals.shape[1], source)
        found: Measured = row.astype(np.object_) @ totals + noise.astype(np.object_)
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
        noise: how steps are measured.
        measured: what was measured so far. It is public, and all that has to be kept.
    """

    def __init__(
        self,
        noise: StepNoise,
        source: Source | None = None,
        measured: Sequence[Sequence[Sequence[int]]] = (),
    ) -> None:
        if len(measured) > noise.steps:
            raise InvalidInput(f"The schedule has {noise.steps} steps, and more were measured.")
        self.noise, self._source = noise, source or system_source()
        self.measured = [np.array(each, dtype=np.object_) for each in measured]

    def release(self, totals: Any) -> Any:
        """Measures the next step: the running totals after it.

        Args:
            totals: the exact totals of all steps so far, the new one last. A number for each step,
                or a row of numbers, one for each group.
        """
        rows, step = whole_rows(totals), len(self.measured) + 1
        if step > self.noise.steps:
            raise InvalidInput(f"All {self.noise.steps} steps of the schedule were measured.")
        if len(rows) != step:
            raise InvalidInput(
                f"Give the totals of {step} steps: of those before, and of the new one."
            )
        if step > 1 and rows.shape[1] != self.measured[0].shape[1]:
            raise InvalidInput("Every step has the same groups. Give a number for each of them.")
        self.measured.append(self.noise.measure(rows, self._source))
        found = self.noise.estimate(self.measured)
        return found if np.ndim(totals) == 2 else found[0]


def whole_rows(totals: Any) -> Measured:
    """Secret totals as Python's integers: a row for each step, a column for each group."""
    array = np.asarray(totals)
    given = array.astype(np.object_)
    exact = array.dtype.kind in "iu" or all(type(each) is int for each in given.ravel())
    if not exact or array.ndim not in (1, 2) or not array.size:
        raise InvalidInput("Totals are whole numbers, one or a row of them for each step.")
    return given.reshape(len(array), -1)
