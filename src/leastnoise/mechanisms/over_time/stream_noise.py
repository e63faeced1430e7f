"""`StreamNoise`: totals that are measured step by step, with noise that is drawn and forgotten."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from leastnoise import _check
from leastnoise._frozen import Checked, Number, Whole, checked, frozen
from leastnoise.certificates.over_time.integer_stream import SCALE, IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.stream_error import total_errors
from leastnoise.mechanisms.over_time.step_totals import totals_so_far
from leastnoise.mechanisms.over_time.stream_price import (
    StreamPrice,
    checked_parameter,
)
from leastnoise.mechanisms.release import Release
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source, checked_source

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_SUM = 1 << 62
_MOST_TOLD = 2.0**62


def _stream(value: IntegerStream, name: str) -> IntegerStream:
    if isinstance(value, IntegerStream):
        return value
    raise _check.refuse(
        f"`{name}` must be an IntegerStream", f"a {type(value).__name__}", "Use running_totals."
    )


def _allowed(value: Participation, name: str) -> Participation:
    if isinstance(value, Participation):
        return value
    raise _check.refuse(
        f"`{name}` must be a Participation",
        f"a {type(value).__name__}",
        "Write Participation(most=1).",
    )


@frozen(kw_only=True, repr=False)
class StreamNoise(StreamPrice):
    r"""Running totals of a schedule, step by step; no published number is ever revised.

    Law: at step t the numbers y_t = Σ_{s≤t} c_ts·x_s + z_t are measured, one for each group, with
    x_s the exact totals of step s and z_t fresh discrete Gaussians of parameter V. What is told of
    the steps up to t is computed from y_1, …, y_t. The z_t are forgotten.
    Theorem: let a unit be in steps as `allowed` says and move the totals of each of its steps by at
    most √`reach` in length over all groups, and let S = reach·`allowed.squared_reach(C)`. All
    measurements together are S/(2V)-zCDP, and δ(ε) ≤ (1−κ)·G(S/(V−s), ε) + κ with s = 64 and
    κ = T·groups·2^(3−14s); even if the totals of each step were chosen after seeing all that was
    published before.
    Proof: docs/proofs/over_time.md, section 4.

    Args:
        stream: the integers c_ts.
        allowed: in which steps one unit may be.
        reach: the square of how far one unit moves the totals of one step.
        parameter: V.
        groups: how many totals each step has.

    References: DenisovEtAl2022.

    Example:
        >>> tiny = IntegerStream.of_matrix(np.array([[2, 0], [1, 2]]))
        >>> noise = StreamNoise(stream=tiny, parameter=2**24)
        >>> noise.squared_reach, noise.guarantee
        (5, ZCDP(rho=1.490116119384765625E-7))
    """

    stream: Checked[IntegerStream, IntegerStream] = checked(_stream)
    parameter: Number = checked(checked_parameter)
    allowed: Checked[Participation, Participation] = checked(_allowed, default=Participation())
    reach: Whole = checked(_check.whole(1), default=1)
    groups: Whole = checked(_check.whole(1), default=1)

    @property
    def steps(self) -> int:
        """T."""
        return self.stream.steps

    @cached_property
    def squared_reach(self) -> int:
        """S."""
        return self.reach * self.allowed.squared_reach(self.stream.matrix)

    @property
    def _terms(self) -> tuple[int, Fraction, int]:
        return self.squared_reach, self.parameter, self.steps * self.groups

    def measure(self, totals: ArrayLike, source: Source | None = None) -> NDArray[np.object_]:
        """y_t, from the totals of all steps up to t: a row for each step, a column for each group.

        Raises:
            InvalidParameter: not such totals; what was found is not said.
        """
        exact = totals_so_far(totals, self.steps, self.groups)
        row = self.stream.matrix[len(exact) - 1, : len(exact)]
        return np.asarray(self._sum(row, exact) + self._noise(1, source)[0])

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Integers]:
        """The running totals of the first steps, all at once: a row for each of them."""
        exact = totals_so_far(value, self.steps, self.groups)
        rows = self.stream.matrix[: len(exact), : len(exact)]
        sums = np.array([self._sum(row[: t + 1], exact[: t + 1]) for t, row in enumerate(rows)])
        measured = sums + self._noise(len(exact), source)
        return Release(self.running(measured), self.guarantee, repr(self))

    def running(self, measured: NDArray[np.object_]) -> Integers:
        """The running totals that measurements tell: for step t by those up to t alone."""
        count = len(measured)
        matrix = np.ldexp(self.stream.matrix[:count, :count].astype(np.float64), -SCALE)
        told = np.ldexp(measured.astype(np.float64), -SCALE)
        found = np.cumsum(solve_triangular(matrix, told, lower=True), axis=0)
        return np.asarray(np.rint(found).astype(np.int64))

    def width(self, step: int) -> int:
        """How many numbers of each group are measured at a step."""
        del step
        return 1

    def told(self, measured: Sequence[NDArray[np.object_]] | NDArray[np.object_]) -> Integers:
        """The last running total alone, from the measurements of all steps so far.

        Any way to compute it is private: it looks at nothing but measurements. Where 10^5 groups
        are told, this takes a thousandth of the time of `running`.
        """
        weights = self.weights(len(measured))
        found = weights @ np.ldexp(np.asarray(measured).astype(np.float64), -SCALE)
        return np.asarray(np.rint(np.clip(found, -_MOST_TOLD, _MOST_TOLD)).astype(np.int64))

    def weights(self, count: int) -> Floats:
        """What the measurements up to a step are multiplied with to tell its running total."""
        matrix = np.ldexp(self.stream.matrix[:count, :count].astype(np.float64), -SCALE)
        return np.asarray(solve_triangular(matrix.T, np.ones(count), lower=False))

    def spread(self, first: int, last: int) -> float:
        """The standard deviation of the sum of steps `first` to `last`, rounding aside."""
        weights = self.weights(last)
        if first > 1:
            weights[: first - 1] -= self.weights(first - 1)
        return float(np.sqrt((weights**2).sum()) * float(self.parameter) ** 0.5 / 2**SCALE)

    def error_rows(self) -> Floats:
        """For each step what noise of variance 1 in each measurement adds to its running total."""
        matrix = np.ldexp(self.stream.matrix.astype(np.float64), -SCALE)
        inverse = solve_triangular(matrix, np.eye(self.steps), lower=True)
        return np.asarray(np.cumsum(inverse, axis=0) * float(self.parameter) ** 0.5 / 2**SCALE)

    def _sum(self, row: Integers, exact: Integers) -> NDArray[np.object_]:
        """Σ c_ts·x_s, in integers that cannot overflow."""
        largest = int(np.abs(exact).max(initial=0)) * int(np.abs(row).sum())
        if largest < _MOST_SUM:
            return np.asarray((row @ exact).astype(object))
        return np.asarray(row.astype(object) @ exact.astype(object))

    def _noise(self, count: int, source: Source | None) -> NDArray[np.object_]:
        drawn = self.gaussians.law.sample(count * self.groups, checked_source(source))
        return np.asarray(drawn.astype(object)).reshape(count, self.groups)

    def certificate(self) -> None:
        """None; `running_totals` makes one, where it designs the stream."""

    @cached_property
    def errors(self) -> Floats:
        """The standard deviation of each running total, rounding aside: a bound for each step."""
        return np.asarray(
            total_errors(self.stream.matrix) * float(self.parameter) ** 0.5 / 2**SCALE
        )

    def expected_cost(self) -> Interval:
        """The greatest mean square of a running total's error; an upper bound and 0."""
        return Interval(Fraction(0), Fraction(float(self.errors.max()) ** 2 + 1))

    def __repr__(self) -> str:
        return (
            f"StreamNoise({self.steps} steps, {self.groups} groups, {self.allowed!r}, "
            f"reach={self.reach}, parameter={self.parameter})"
        )
