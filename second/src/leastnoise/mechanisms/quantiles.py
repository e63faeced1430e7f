r"""Quantiles as ranks: which cell of a public grid holds the rank q*n.

The secret is a row of counts, one for each cell; n is their sum. The distance of a cell from the rank
q*n is how many counts lie between them: 0 if the cell holds that rank. A cell at distance t holds a
quantile of a level between q - t/n and q + t/n. Three ways, of which the one with the least error is
taken before any data are seen:

- a choice on distances for each level (pure epsilon, few levels);
- a tree of noisy counts (pure epsilon, many levels), or ranks measured together (zCDP), see
  `rank_sums`: the running sums are searched by halving, so that few of them can mislead.

Theorem. For all rows of counts of which one privacy unit adds at most `contribution` together, all
answers together keep the promise. Proof page: docs/proofs/quantile_trees.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.mechanisms.rank_sums import RankSums, Signs, best_tree
from leastnoise.mechanisms.selection import PermuteAndFlip
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, inside, positive, whole
from leastnoise.privacy.curve import Gaussian
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss

_MOST_CELLS = 1 << 20
_USUAL = Fraction(95, 100)  # the confidence at which ways are compared


def _levels(given: Any, name: str) -> tuple[Fraction, ...]:
    each = tuple(inside(level, name) for level in np.ravel(np.asarray(given, dtype=object)))
    if not each or any(one >= other for one, other in pairwise(each)):
        raise InvalidInput(f"{name} do not rise. Write for example levels=[0.25, 0.5, 0.75].")
    return each


def _cells(given: int, name: str) -> int:
    found = whole(given, name)
    if found > _MOST_CELLS:
        raise InvalidInput(f"{name} is {found}. Give at most {_MOST_CELLS}.")
    return found


def _searched(sums: Any, goal: float) -> int:
    """The cell that halving finds: looks at sums, not at all of them."""
    low, high = 0, len(sums) - 1
    while low < high and goal > 0:
        middle = (low + high) // 2
        low, high = (low, middle) if sums[middle] >= goal else (middle + 1, high)
    return low


def distances(counts: Draws, level: Fraction) -> Draws:
    """The distance of each cell from the quantile of level a/b, times b.

    >>> distances(np.array([2, 0, 3, 1], dtype=object), Fraction(1, 2)).tolist()
    [2, 2, 0, 4]
    """
    upto = np.cumsum(counts)
    rank, parts = level.numerator * int(upto[-1]), level.denominator
    below = (upto - counts) * parts - rank
    found: Draws = np.maximum(np.maximum(below, rank - upto * parts), 0)
    return found


@dataclass(frozen=True, kw_only=True)
class Quantiles(Mechanism[Sequence[int], tuple[int, ...]]):
    """The cells of a grid that hold the quantiles, nearly.

    Attributes:
        levels: rising, each between 0 and 1.
        cells: how many cells the grid has; public.
        promise: of all answers together.
        contribution: what one privacy unit adds to all counts together, at most.
    """

    levels: Checked[Sequence[Exact], tuple[Fraction, ...]] = Checked(_levels)
    cells: Checked[int, int] = Checked(_cells)
    promise: PureDP | ZCDP
    contribution: Checked[int, int] = Checked(whole, default=1)

    @property
    def guarantee(self) -> PureDP | ZCDP:
        """What all answers together promise about one privacy unit."""
        return self.promise

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """An upper bound: the worst loss of the pure epsilon, or that of the Gaussian noise."""
        units = whole(distance, "distance")
        if isinstance(self.promise, PureDP):
            return PrivacyLoss.worst_case(epsilon=self.promise.epsilon * units)
        return PrivacyLoss(((Gaussian(2 * self.promise.rho * units**2), 1),))

    @cached_property
    def choices(self) -> tuple[PermuteAndFlip, ...]:
        """For each level a choice on distances, all of them together epsilon-DP.

        One count more changes differences of distances from the rank q*n by at most q + max(q, 1 - q)
        if it lies above that rank, by at most 1 - q + max(q, 1 - q) if it lies below; and what lies
        above one rank lies above all lower ones.
        """
        assert isinstance(self.promise, PureDP)
        above = sum(q + max(q, 1 - q) for q in self.levels)
        below = sum(1 - q + max(q, 1 - q) for q in self.levels)
        each = self.promise.epsilon / max(above, below)
        return tuple(
            PermuteAndFlip(
                candidates=self.cells,
                epsilon=each,
                sensitivity=self.contribution * q.denominator,
                monotone=True,  # what is divided by is how far differences move
            )
            for q in self.levels
        )

    @cached_property
    def sums(self) -> RankSums:
        """Noisy sums, all of them together as private as promised."""
        if isinstance(self.promise, ZCDP):
            return Signs(self.cells, self.promise.rho / self.contribution**2, self.levels)
        worst = max(self.levels, key=lambda q: abs(q - Fraction(1, 2)))
        epsilon = self.promise.epsilon / self.contribution
        return best_tree(self.cells, epsilon, worst, float(1 - _USUAL))

    @cached_property
    def chooses(self) -> bool:
        """Whether each cell is chosen for itself: known before any data."""
        if isinstance(self.promise, ZCDP):
            return False
        if len(self.levels) == 1:
            return True
        return self._choosing_error(_USUAL) <= self._summing_error(_USUAL)

    def error(self, *, confidence: Exact = "0.95") -> int:
        """A distance in counts that is not exceeded with this chance, for each level, whatever the data.

        >>> quantiles(levels=[0.5], cells=2**16, epsilon=1).error()
        14
        """
        level = inside(confidence, "confidence")
        return self._choosing_error(level) if self.chooses else self._summing_error(level)

    def _choosing_error(self, confidence: Fraction) -> int:
        """All choices at once: sorting can carry the error of one level to another."""
        level = 1 - (1 - confidence) / len(self.levels)
        gaps = zip(self.choices, self.levels, strict=True)
        return max(ceil(Fraction(c.error(level=level), q.denominator)) for c, q in gaps)

    def _summing_error(self, confidence: Fraction) -> int:
        risk = float(1 - confidence) / self.sums.looks
        return max(ceil(self.sums.reach(q, risk)) for q in self.levels)

    def _answer(self, value: Sequence[int], source: Source) -> tuple[int, ...]:
        counts = whole_numbers(value, Fraction(1), "The row of counts")
        if counts.shape != (self.cells,) or any(each < 0 for each in counts):
            raise InvalidInput(f"Give a row of {self.cells} counts, each 0 or more.")
        if self.chooses:
            chosen = [
                choice.release((-distances(counts, q)).tolist(), source).value[0]
                for choice, q in zip(self.choices, self.levels, strict=True)
            ]
            return tuple(sorted(chosen))
        sums, total = self.sums.measure(counts, source)
        return tuple(_searched(sums, float(q) * total) for q in self.levels)


def quantiles(
    *,
    levels: Sequence[Exact],
    cells: int,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    contribution: int = 1,
) -> Quantiles:
    """Quantiles of values that were counted in the cells of a grid. Give epsilon or rho.

    >>> ages = quantiles(levels=[0.25, 0.5, 0.75], cells=110, epsilon=1)
    >>> ages.error()
    29
    >>> [abs(a - b) <= 1 for a, b in zip(ages.release([1000] * 110).value, (27, 54, 82))]
    [True, True, True]
    """
    match epsilon, rho:
        case _, None if epsilon is not None:
            promise: PureDP | ZCDP = PureDP(epsilon=positive(epsilon, "epsilon"))
        case None, _ if rho is not None:
            promise = ZCDP(rho=positive(rho, "rho"))
        case _:
            raise InvalidInput("Give epsilon= or rho=.")
    return Quantiles(levels=levels, cells=cells, promise=promise, contribution=contribution)
