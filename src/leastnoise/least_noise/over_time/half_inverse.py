r"""Inverses of tridiagonal matrices in linear time, for the optimum of running totals.

Let w and π be positive vectors of length T and N = ΔD_wΔᵀ, the tridiagonal matrix with the diagonal
w₁, w₁ + w₂, …, w_{T−1} + w_T and −w_t beside it. What is needed is K = (2/π)∫₀^∞ (N + t²·D_π)⁻¹ dt.
Every term of it is the inverse of a tridiagonal matrix, whose pivots come from two recursions
without a subtraction.

Proof: docs/proofs/over_time.md, section 2.
"""

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pivots:
    """Of N + τ·D_π for several τ: a row for each step, a column for each τ.

    Attributes:
        above: p, from the first step on.
        below: r, from the last step back.
        forward: τ·π_t + r_t.
    """

    above: Floats
    below: Floats
    forward: Floats

    @staticmethod
    def of(weights: Floats, law: Floats, taus: Floats) -> "Pivots":
        """Both recursions, for all τ at once."""
        steps = len(law)
        own = law[:, None] * taus
        above, below = np.empty_like(own), np.empty_like(own)
        above[0], below[-1] = own[0], weights[-1]
        for t in range(1, steps):
            w, before = weights[t - 1], above[t - 1]
            above[t] = own[t] + w * before / (w + before)
        for t in range(steps - 1, 0, -1):
            w, after = weights[t - 1], own[t] + below[t]
            below[t - 1] = w * after / (w + after)
        return Pivots(above, below, own + below)

    @property
    def diagonal(self) -> Floats:
        """The diagonal entries of each inverse."""
        return np.asarray(1 / (self.above + self.below))

    def quotients(self, weights: Floats) -> Floats:
        """Entry (t, s) of an inverse over entry (t − 1, s), for s < t; the first row is 0."""
        before = np.concatenate(([0.0], weights[:-1]))[:, None]
        return np.asarray(before / (before + self.forward))


def spectrum(weights: Floats, law: Floats) -> tuple[float, float]:
    """Numbers that the eigenvalues of D_π^(−1/2)·N·D_π^(−1/2) surely lie between."""
    return 1 / float(np.sum(law) * np.sum(1 / weights)), 4 * float(weights.max() / law.min())
