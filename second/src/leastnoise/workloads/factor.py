r"""The integers that running totals are measured with, and how far one unit moves what is measured.

A schedule of T steps measures C*x plus noise, x_t being the exact total of step t and C a lower
triangular matrix of integers.

Theorem. Let a unit be in at most m steps, any two of them at least g apart, and move the total of
each of them by at most 1 (by a vector of length at most 1 over groups). Then it moves C*x by at
most sqrt(S) in length, with the S of `squared_sensitivity`. S is the least such number if m = 1.

Proof page: docs/proofs/running_totals.md, section 4.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, whole

MOST_STEPS = 4096
MOST_BUFFERS = 64
SCALE, POINT = 24, 28  # bits after the point: of the matrix, and of what it is made from
_BITS = {"decay": 28, "intake": 28, "outlet": 34, "direct": 34, "column": 28, "scale": 34}
_HALF = 12  # bits: products of such halves of two entries, 4096 of them, add up exactly in floats
_ENTRY = 1 << (2 * _HALF + 1)
LARGEST = 1 << 62  # products and sums below it are exact in 64 bits

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


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
        if not known or any(each.dtype.kind != "i" for each in self.parts.values()):
            raise InvalidInput("A factor is made of whole numbers: see the kinds of `Factor`.")
        shape = self.parts["decay" if "direct" in parts else "column"].shape
        fits = len(shape) == ("direct" in parts) + 1 and 1 <= shape[0] <= MOST_STEPS
        fits = fits and 1 <= math.prod(shape[1:]) <= MOST_BUFFERS
        for name, each in self.parts.items():
            most, own = 1 << _BITS[name], shape[:1] if name == "direct" else shape
            fits = fits and each.shape == own and bool(np.all((-most <= each) & (each <= most)))
        if not fits:
            raise InvalidInput("A factor has 1 to 4096 steps, 1 to 64 buffers, and small numbers.")

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


@dataclass(frozen=True)
class Participation:
    """In which steps one unit may be.

    Attributes:
        max_participations: at most so many steps.
        min_separation: each at least so many steps after the one before.
    """

    max_participations: Checked[int, int] = Checked(whole, default=1)
    min_separation: Checked[int, int] = Checked(whole, default=1)

    def times(self, steps: int) -> int:
        """In how many of so many steps a unit can be."""
        return min(self.max_participations, -(-steps // self.min_separation))


def squared_sensitivity(matrix: Integers, allowed: Participation) -> int:
    """S: a unit that moves each of its steps by at most 1 moves all measurements by sqrt(S) at most.

    The greatest square of a column, if a unit is in one step. Else, with K = |C^T C|, the greatest
    sum over a <= k of phi_a(p_a) over all k <= m and p_(a+1) >= p_a + g, where

        phi_a(i) = K_ii + the sum over d = 1 .. k-a of the greatest K_ij with j >= i + d*g
                        + the sum over d = 1 .. a-1 of the greatest K_ij with j <= i - d*g.

    >>> squared_sensitivity(np.array([[2, 0], [1, 2]]), Participation(max_participations=2))
    13
    """
    steps = len(matrix)
    if not 1 <= steps <= MOST_STEPS or not -_ENTRY < matrix.min() <= matrix.max() < _ENTRY:
        raise InvalidInput("A factor has 1 to 4096 steps and integers below 2^25.")
    times, apart = allowed.times(steps), allowed.min_separation
    if times == 1:
        return int((matrix * matrix).sum(axis=0).max())
    gram = np.abs(_gram(matrix))
    if int(gram.max()) * times**2 >= LARGEST:
        raise InvalidInput("Units move these measurements by 2^31 or more. Give smaller integers.")
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
