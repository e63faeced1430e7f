"""`BufferedNoise`: running totals of very many steps, from a handful of numbers of state."""

from dataclasses import field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Checked, Number, Whole, checked, frozen
from leastnoise.certificates.over_time.buffered_stream import POINT, BufferedStream, State
from leastnoise.mechanisms.over_time.step_totals import totals_of_step
from leastnoise.mechanisms.over_time.stream_noise import Floats, Integers
from leastnoise.mechanisms.over_time.stream_price import (
    StreamPrice,
    checked_parameter,
)
from leastnoise.randomness.source import Source, checked_source

Measured = NDArray[np.object_]


def _stream(value: BufferedStream, name: str) -> BufferedStream:
    if isinstance(value, BufferedStream):
        return value
    raise _check.refuse(
        f"`{name}` must be a BufferedStream",
        f"a {type(value).__name__}",
        "Use long_running_totals.",
    )


@dataclass(frozen=True)
class Buffered:
    """What has to be kept of all steps so far. As secret as the data.

    Attributes:
        step: how many steps were measured.
        state: the buffers of each group; never printed.
    """

    step: int
    state: State = field(repr=False)


@dataclass(frozen=True)
class Told:
    """What measurements told so far: public.

    Attributes:
        step: how many of them there were.
        totals: the last running totals, a whole number for each group.
        exact: the same before they were rounded.
        state: the buffers as measurements tell them.
    """

    step: int
    totals: Integers
    exact: Floats = field(repr=False)
    state: Floats = field(repr=False)


@frozen(kw_only=True, repr=False)
class BufferedNoise(StreamPrice):
    r"""Running totals of a unit that is in one step, for schedules too long for a matrix.

    Law: step t measures y_t, `stream`'s map of the totals so far, plus fresh discrete Gaussians of
    parameter V, one for each group; these are forgotten. What is told of the steps up to t is
    computed from y_1, …, y_t.
    Theorem: let a unit be in one step and move its totals by whole numbers, of at most √`reach` in
    length over all groups, and let S = reach·`stream.squared_reach`. All measurements together are
    S/(2V)-zCDP, and δ(ε) is bounded as for `StreamNoise`; even if the totals of each step were
    chosen after seeing all that was published before.
    Proof: docs/proofs/over_time.md, sections 4 and 10.

    Args:
        stream: the integers that make measurements.
        parameter: V.
        reach: the square of how far one unit moves the totals of one step.
        groups: how many totals each step has.

    References: DenisovEtAl2022, DvijothamEtAl2024.
    """

    stream: Checked[BufferedStream, BufferedStream] = checked(_stream)
    parameter: Number = checked(checked_parameter)
    reach: Whole = checked(_check.whole(1), default=1)
    groups: Whole = checked(_check.whole(1), default=1)

    @property
    def steps(self) -> int:
        """T."""
        return self.stream.steps

    @cached_property
    def squared_reach(self) -> int:
        """S."""
        return self.reach * self.stream.squared_reach

    @property
    def _terms(self) -> tuple[int, Fraction, int]:
        return self.squared_reach, self.parameter, self.steps * self.groups

    def start(self) -> Buffered:
        """What is kept before the first step."""
        return Buffered(0, self.stream.start(self.groups))

    def measure(
        self, kept: Buffered, totals: ArrayLike, source: Source | None = None
    ) -> tuple[Measured, Buffered]:
        """What the next step measures, and what has to be kept after it.

        Args:
            kept: what the step before left; each may be used once, else noise is drawn twice.
            totals: the exact total of each group in this step.
            source: randomness; the operating system's if none is given.

        Raises:
            InvalidParameter: not such totals, or no step is left; what was found is not said.
        """
        step = _check.integer_between(kept.step + 1, "step", 1, self.steps)
        exact = totals_of_step(totals, self.groups)
        found, state = self.stream.measured(step, kept.state, exact)
        noise = self.gaussians.law.sample(self.groups, checked_source(source))
        return found + noise.astype(np.object_), Buffered(step, state)

    def untold(self) -> Told:
        """What is known before the first measurement."""
        none = np.zeros(self.groups)
        empty = np.zeros((self.stream.buffers, self.groups))
        return Told(0, none.astype(np.int64), none, empty)

    def told(self, before: Told, measured: Measured) -> Told:
        """The running totals after one more measurement. Looks at public numbers alone."""
        decay, intake, outlet, direct = (part[before.step] for part in self._floats)
        state = before.state * decay[:, None]
        y = np.ldexp(measured.astype(np.float64), -POINT)
        step_total = (y - outlet @ state) / direct
        exact = before.exact + step_total
        totals = np.rint(np.clip(exact, -float(1 << 62), float(1 << 62))).astype(np.int64)
        return Told(before.step + 1, totals, exact, state + intake[:, None] * step_total)

    @cached_property
    def errors(self) -> Floats:
        """The standard deviation of each running total, rounding aside, as doubles tell it."""
        return np.asarray(self.stream.errors() * float(self.parameter) ** 0.5 / 2**POINT)

    @cached_property
    def _floats(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.stream.floats

    def __repr__(self) -> str:
        return (
            f"BufferedNoise({self.steps} steps, {self.stream.buffers} buffers, "
            f"{self.groups} groups, reach={self.reach}, parameter={self.parameter})"
        )
