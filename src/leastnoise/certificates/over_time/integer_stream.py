r"""`IntegerStream`: the integers that measurements over time are made with, from few generators.

Floats choose the generators; from then on everything is integers, so that the same matrix is found
on every machine, on every day of a schedule.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

UNIT = 28  # bits after the point of the generators: products of two fit an int64
SCALE = 24  # bits after the point of the matrix

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class IntegerStream:
    r"""A lower triangular matrix of integers c_ts, given by generators in units of 2^−28.

    Law: c_tt = ⌊d_t/2^4⌋, and for t > s c_ts = ⌊Σ_k ⌊h_tk·v_k/2^28⌋/2^4⌋ with v_k = κ_sk at step
    s, and v_k ← ⌊a_tk·v_k/2^28⌋ at every later step t.

    Attributes:
        decay: a.
        intake: κ.
        outlet: h.
        direct: d.
    """

    decay: Integers
    intake: Integers
    outlet: Integers
    direct: Integers

    @staticmethod
    def of_matrix(matrix: Integers) -> "IntegerStream":
        """A matrix as it is: without buffers, and all of it kept."""
        return _Listed(matrix)

    def coarser(self, bits: int) -> "IntegerStream":
        """The same with so many bits less, for totals that move far: ⌊c_ts/2^bits⌋."""
        return _Listed(self.matrix >> bits) if bits else self

    @property
    def is_listed(self) -> bool:
        """Whether the matrix is kept as it is."""
        return isinstance(self, _Listed)

    @property
    def steps(self) -> int:
        """T."""
        return len(self.direct)

    @cached_property
    def matrix(self) -> Integers:
        """All c_ts."""
        steps, count = self.decay.shape
        found = np.zeros((steps, steps), np.int64)
        state, work = np.zeros((count, steps), np.int64), np.empty((count, steps), np.int64)
        for t in range(steps):
            past, told = state[:, :t], work[:, :t]
            past *= self.decay[t][:, None]
            past >>= UNIT
            np.multiply(past, self.outlet[t][:, None], out=told)
            told >>= UNIT
            np.sum(told, axis=0, out=found[t, :t])
            found[t, :t] >>= UNIT - SCALE
            found[t, t] = self.direct[t] >> UNIT - SCALE
            state[:, t] = self.intake[t]
        found.flags.writeable = False
        return found


class _Listed(IntegerStream):
    """A matrix that no generators tell."""

    def __init__(self, matrix: Integers) -> None:
        own = np.tril(np.array(matrix, np.int64))
        own.flags.writeable = False
        none = np.zeros((len(own), 0), np.int64)
        super().__init__(none, none, none, np.diagonal(own).copy())
        self.__dict__["matrix"] = own
