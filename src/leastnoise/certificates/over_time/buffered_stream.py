r"""`BufferedStream`: measurements over many steps from a few numbers of state, in integers.

The matrix is never made: with 10^6 steps it would have 10^12 entries.
"""

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass

FINE = 52  # bits after the point of decay and outlet
POINT = 30  # bits after the point of intake, direct and of what is measured
GUARD = 30  # bits of the state beyond those: so rounding it costs next to nothing
_UNIT = 2.0**-53
_MOST_STEPS = 1 << 20
_MOST_BUFFERS = 64
_LARGEST = {"decay": 1 << FINE, "intake": 1 << 31, "outlet": 1 << 60, "direct": 1 << 31}

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
State = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class BufferedStream:
    r"""A map of step totals to measurements, next to a linear one.

    Law: from ξ = 0 on, at step t ξ_k ← ⌊a_tk·ξ_k/2^52⌋, the measurement is d_t·x_t +
    ⌊Σ_k h_tk·ξ_k/2^82⌋, and ξ_k ← ξ_k + 2^30·κ_tk·x_t.
    Theorem: let x and x′ differ in one step, by a vector v over groups with whole entries. Their
    measurements differ by at most √S·‖v‖ in length, S = `squared_reach`.
    Proof: docs/proofs/over_time.md, section 10.

    Attributes:
        decay: a, a row for each step and a column for each buffer, in units of 2^−52.
        intake: κ, in units of 2^−30.
        outlet: h, in units of 2^−52.
        direct: d, a number for each step, in units of 2^−30.
    """

    decay: Integers
    intake: Integers
    outlet: Integers
    direct: Integers

    def __post_init__(self) -> None:
        shape = self.decay.shape
        fits = (
            len(shape) == 2
            and 1 <= shape[0] <= _MOST_STEPS
            and 1 <= shape[1] <= _MOST_BUFFERS
            and self.intake.shape == self.outlet.shape == shape
            and self.direct.shape == shape[:1]
            and all(_within(getattr(self, name), most) for name, most in _LARGEST.items())
            and int(self.direct.min()) > 0
        )
        if not fits:
            raise _check.refuse(
                "a stream with buffers must have non-negative integers of one shape, up to 2^20 "
                "steps and 64 buffers",
                "another one",
                "Use long_running_totals.",
            )

    @property
    def steps(self) -> int:
        """T."""
        return len(self.direct)

    @property
    def buffers(self) -> int:
        """How many numbers of state each group has."""
        return int(self.decay.shape[1])

    def start(self, groups: int) -> State:
        """ξ before the first step."""
        return np.zeros((self.buffers, groups), np.object_)

    def measured(self, step: int, state: State, totals: NDArray[np.object_]) -> tuple[State, State]:
        """What step `step` measures without noise, and the state after it. Both are secret."""
        decay, outlet = _objects(self.decay[step - 1]), _objects(self.outlet[step - 1])
        past = (state * decay[:, None]) >> FINE
        found = ((past * outlet[:, None]).sum(axis=0) >> FINE + GUARD) + int(
            self.direct[step - 1]
        ) * totals
        return found, past + _objects(self.intake[step - 1] << GUARD)[:, None] * totals

    @cached_property
    def squared_reach(self) -> int:
        """S, rounded up."""
        decay, intake, outlet, direct = self.floats
        later, greatest = np.zeros((self.buffers, self.buffers)), 0.0
        for t in range(self.steps - 1, -1, -1):
            greatest = max(greatest, direct[t] ** 2 + float(intake[t] @ later @ intake[t]))
            later += outlet[t][:, None] * outlet[t]
            later *= decay[t][:, None] * decay[t]
        roundings = 8 * self.steps + 4 * self.buffers + 40
        column = math.sqrt(greatest * (1 + 2 * roundings * _UNIT)) * 2**POINT
        rounded = 1 + math.ldexp(self.steps * float(outlet.sum(axis=1).max()), -GUARD)
        whole = column + math.sqrt(self.steps) * rounded
        return math.ceil(float(whole * whole) * (1 + 2.0**-40))

    @property
    def floats(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Decay, intake, outlet and direct in units of 1, to 53 bits."""
        return (
            np.ldexp(self.decay.astype(np.float64), -FINE),
            np.ldexp(self.intake.astype(np.float64), -POINT),
            np.ldexp(self.outlet.astype(np.float64), -FINE),
            np.ldexp(self.direct.astype(np.float64), -POINT),
        )

    def errors(self) -> Floats:
        """The standard deviation of each running total for noise of variance 1, as doubles tell."""
        decay, intake, outlet, direct = self.floats
        spread, found = np.zeros((self.buffers + 1, self.buffers + 1)), np.empty(self.steps)
        for t in range(self.steps):
            # (ξ, total) before step t to after it; what noise z_t adds beside it.
            by = np.append(intake[t], 1.0) / direct[t]
            spread[:-1] *= decay[t][:, None]
            spread[:, :-1] *= decay[t]
            seen = spread[:, :-1] @ outlet[t]
            own = float(seen[:-1] @ outlet[t]) + 1
            half = own / 2 * by - seen
            cross = by[:, None] * half
            spread += cross + cross.T
            found[t] = math.sqrt(spread[-1, -1])
        return found


def _within(values: Integers, most: int) -> bool:
    whole = values.dtype == np.int64 and bool(values.size)
    return whole and 0 <= int(values.min()) <= int(values.max()) <= most


def _objects(values: Integers) -> State:
    return values.astype(np.object_)
