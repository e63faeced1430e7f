r"""The least favourable step of a unit: how much each step of a schedule matters at the optimum.

A search: any law gives a true bound and a sound mechanism, so that stopping early costs tightness.
"""

from dataclasses import dataclass

import numpy as np

from leastnoise.least_noise.over_time.half_inverse import Floats, half_inverse_diagonal

_MOST_TURNS = 200


@dataclass(frozen=True)
class BestLaw:
    """Where the search ended.

    Attributes:
        law: π, a probability for each step.
        weights: w_t, one over the weight of the variance of total t.
        diagonal: K̂_tt, all nearly the same.
    """

    law: Floats
    weights: Floats
    diagonal: Floats

    @property
    def root(self) -> float:
        """f: no linear Gaussian mechanism of reach 1 has a weighted variance below f²."""
        return float(self.law @ self.diagonal)

    @property
    def gap(self) -> float:
        """The greatest entry over f, less 1: what is left to gain, in variance."""
        return float(self.diagonal.max()) / self.root - 1


def best_law(steps: int, *, worst: bool, tolerance: float = 1e-6) -> BestLaw:
    """The law for running totals of so many steps.

    Args:
        steps: T.
        worst: whether the step with the largest error counts, or the mean square of all.
        tolerance: of the gap.
    """
    law = np.full(steps, 1 / steps)
    power = 1.5 if worst else 3.0
    for _ in range(_MOST_TURNS):
        # Time reversed swaps the two sides: the worst total is as likely as the mirrored step.
        weights = 1 / law[::-1] if worst else np.full(steps, float(steps))
        found = BestLaw(law, weights, half_inverse_diagonal(weights, law))
        if found.gap < tolerance:
            break
        law = law * found.diagonal**power
        law = law / law.sum()
    return found
