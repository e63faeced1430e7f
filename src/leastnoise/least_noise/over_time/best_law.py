r"""The least favourable step of a unit: how much each step of a schedule matters at the optimum.

A search: any law gives a true bound and a sound mechanism, so that stopping early costs tightness.
"""

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.certificates.over_time.long_bound import Floats, long_diagonal

_MOST_TURNS = 100
_POWER = 1.5  # of the diagonal, by which the law is multiplied in a turn
_REMEMBERED = 6  # turns from which the next one is guessed
_ALONE = 1024  # steps beyond which the law of a quarter of them is the start
_QUARTER = 4
_NEAR = 64  # steps from either end that are like those of a shorter schedule, one by one


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


def best_law(
    steps: int, *, worst: bool, shares: Floats | None = None, tolerance: float = 1e-6
) -> BestLaw:
    """The law for running totals of so many steps.

    Args:
        steps: T.
        worst: whether the step with the largest error counts, or the mean square of all.
        shares: θ, how much each total's square matters if not all do the same; not with `worst`.
        tolerance: of the gap.
    """
    if steps > _ALONE and shares is None:
        start = best_law(steps // _QUARTER, worst=worst, tolerance=max(tolerance / _QUARTER, 1e-6))
        law = _stretched(start.law, steps)
    else:
        law = np.full(steps, 1 / steps)
    known = np.full(steps, float(steps)) if shares is None else 1 / shares
    best, turns = None, Turns()
    for _ in range(_MOST_TURNS):
        # Time reversed swaps the two sides: the worst total is as likely as the mirrored step.
        weights = 1 / law[::-1] if worst else known
        found = BestLaw(law, weights, long_diagonal(weights, law))
        if best is None or found.gap < best.gap:
            best = found
        if found.gap < tolerance:
            break
        law = turns.after(law, _POWER * np.log(found.diagonal / found.root))
    assert best is not None, "there is at least one turn"
    return best


class Turns:
    """Guesses the fixed point from the last turns, by least squares (Anderson's method)."""

    def __init__(self) -> None:
        self._places: list[Floats] = []
        self._moves: list[Floats] = []

    def after(self, law: Floats, move: Floats) -> Floats:
        """The next law, if a plain turn would multiply this one with e to the move."""
        place = np.log(law)
        self._places, self._moves = (
            [*self._places, place][-_REMEMBERED:],
            [*self._moves, move][-_REMEMBERED:],
        )
        guess = place + move
        if len(self._moves) > 1:
            moves, places = np.diff(self._moves, axis=0), np.diff(self._places, axis=0)
            root = np.sqrt(law)
            parts = np.linalg.lstsq((moves * root).T, move * root, rcond=1e-8)[0]
            guess = guess - parts @ (places + moves)
        found = np.exp(guess - guess.max())
        return np.asarray(found / found.sum())


def _stretched(law: Floats, steps: int) -> Floats:
    """A law for more steps: near both ends step by step as it was, in between in proportion."""
    halves = (_stretched_half(law, steps), _stretched_half(law[::-1], steps)[::-1])
    found = np.concatenate((halves[0][: steps // 2], halves[1][-(steps - steps // 2) :]))
    return np.asarray(found / found.sum())


def _stretched_half(law: Floats, steps: int) -> Floats:
    """The first steps of it."""
    known, times = len(law), steps / len(law)
    places = np.arange(1, steps - steps // 2 + 1)
    at, logs = np.log(np.arange(1, known + 1)), np.log(law)
    one_by_one = np.interp(np.log(places), at, logs)
    in_proportion = np.interp(np.log(places / times), at, logs)
    part = np.clip(np.log(places / _NEAR) / np.log(times), 0, 1)
    return np.asarray(np.exp((1 - part) * one_by_one + part * in_proportion))
