"""`Cumulative`: which part of the rows lies below each of several values of a column."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

import numpy as np

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.quantile.count_tree import CountTree
from leastnoise.mechanisms.quantile.counted_quantiles import laplace_reach
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.dates import is_dated, stretches, words_of_range
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.band import band_reach
from leastnoise.release.questions.integer_answers import noisy_step, spread
from leastnoise.release.questions.own_unit import SIZES
from leastnoise.release.questions.ratio_ends import ratio_ends
from leastnoise.release.result.forecast import Forecast, SizedError
from leastnoise.release.result.released_table import BAND, Cell, ReleasedTable
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import MEAN_OF_HALF_NORMAL, Demand, noise_demand
from leastnoise.release.step.grant import Allotment, Grant
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.step import Step

_SPAN = 0.0, 1.0
_HIGHEST = 12
_MOST_ROOM = 16  # leaves of one part
_HALF = 0.5  # where shares are the least certain


@dataclass(frozen=True)
class Cumulative:
    r"""A column's distribution function at the ends of equal parts of its range, with a band.

    A tree of counts over the parts is released, as quantiles have it: each level is a histogram of
    its own. Sums up to each end are found by least squares, and each over the sum of all is a
    share. Theorem: the band holds all shares of a group at once with at least the stated chance.
    Proof: docs/proofs/quantiles.md, section 8.

    Attributes:
        name: how the answer is found again.
        groups: public groups, or none.
        part: the parts of the column's range.
        importance: of an error of one row.
    """

    name: str
    groups: Groups
    part: Bin
    importance: Fraction

    @cached_property
    def _tree(self) -> CountTree:
        """The shape with the least error, between what suits Gaussian and what suits Laplace."""
        trees = [CountTree(b**h, b, h) for b, h in _shapes(self.part.cells)]
        return min(trees, key=lambda tree: tree.height**1.5 * float(self._variances(tree).max()))

    def _at(self, tree: CountTree) -> slice:
        """The leaves that end a part, but for the last of all: parts have some leaves each."""
        finer = tree.leaves // self.part.cells
        return slice(finer - 1, tree.leaves - 1, finer)

    def _variances(self, tree: CountTree, shares: float | Floats = _HALF) -> Floats:
        return np.maximum(tree.variances(shares, self._at(tree)), 0)

    @property
    def _levels(self) -> list[Bin]:
        """The parts of each level, one inside the other."""
        tree, part = self._tree, self.part
        counts = [tree.branching**level for level in range(1, tree.height + 1)]
        return [Bin(part.column, part.grid, count) for count in counts]

    @property
    def _ends(self) -> Sequence[Cell]:
        if is_dated(self.part):
            return [first for first, _ in stretches(self.part)[1:]]
        grid, count = self.part.grid, self.part.cells
        width = (grid.upper - grid.lower) / count
        return [float(grid.lower + width * i) for i in range(1, count)]

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The share of rows whose {self.part.column.name} is below each end of "
            f"{self.part.cells} {words_of_range(self.part)}{self.groups}; missing values do not "
            "count, and the band holds for all ends together."
        )

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for every node; an error is weighed by what it does to a sum of parts."""
        moved = reach_of(self.measurements(table)[0], table.table)
        # As if two cells moved: so noise is Laplace or normal, whose sums have known tails.
        reach = replace(moved, cells=max(moved.cells, 2))
        grown = Fraction(math.sqrt(self._variances(self._tree).max())).limit_denominator(1000)
        return (noise_demand(reach, self.importance * grown / table.row_weight),)

    def measurements(self, table: BoundedTable) -> tuple[Histograms, ...]:
        """One count per node and group."""
        keys, by = self.groups.public_keys, self.groups.by
        groupings = tuple(Grouping((*by, level), keys) for level in self._levels)
        return (Histograms(groupings, table.max_rows, self.groups.where),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for every node."""
        return (noisy_step(self.measurements(given.table)[0], given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of a share in the middle, for the rows expected."""
        rows, middle = given.expected.rows, np.full(self.part.cells - 1, _HALF)
        weight = given.table.row_weight
        error = float(self._spread(given[0], middle).max()) * MEAN_OF_HALF_NORMAL / weight
        half = float(self._reach(given[0], middle, confidence).max()) / weight
        return Forecast(
            question=self.name,
            answers=(self.part.cells - 1) * (self.groups.count or 1),
            mechanism=given[0].words,
            expected_error=None if rows is None else error / rows,
            interval=None if rows is None else Fraction(half / rows),
            share=given[0].share,
            expected=rows,
            per_row=SizedError(1, error, half),
            sizes=tuple(SizedError(size, error / size, half / size) for size in SIZES),
            assumed=", of a share of one half; the band is for all ends together",
        )

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The shares, rising, and their band, which rises too."""
        keys = found[0].rows
        noisy = [level.astype(np.int64).reshape(len(keys), -1) for level in found[0].values]
        sums, ends = self._tree.cumulated(noisy), self._ends
        whole, upto = sums[:, -1:], sums[:, self._at(self._tree)]
        total = np.broadcast_to(whole, upto.shape)
        lower, upper = ratio_ends(
            upto, total, _SPAN, lambda at: self._reach(given[0], at, confidence)
        )
        lower = np.maximum.accumulate(lower, axis=1)
        upper = np.minimum.accumulate(upper[:, ::-1], axis=1)[:, ::-1]
        values = _rising(np.clip(upto / np.maximum(whole, 1), *_SPAN))
        values = np.clip(values, np.minimum(lower, upper), np.maximum(lower, upper))
        errors = np.minimum(self._spread(given[0], values) / np.maximum(whole, 1), _HALF)
        return ReleasedTable(
            name=self.name,
            columns=(*self.groups.names, f"{self.part.column.name}_below"),
            rows=tuple((*key, end) for key in keys for end in ends),
            values=values.ravel(),
            standard_error=errors.ravel(),
            lower=np.minimum(lower, values).ravel(),
            upper=np.maximum(upper, values).ravel(),
            mechanism=given[0].words,
            notes=(BAND,),
        )

    def _spread(self, given: Grant, shares: Floats) -> Floats:
        """The deviation of (sum up to each end) − share·(sum of all)."""
        return np.asarray(spread(given) * np.sqrt(self._variances(self._tree, shares)))

    def _reach(self, given: Grant, shares: Floats, confidence: Fraction) -> Floats:
        """What the size of that is beyond at no end, with this chance."""
        risk = float(1 - confidence) / (self.part.cells - 1)
        if isinstance(given.law, DiscreteGaussian):
            return NormalDist().inv_cdf(1 - risk / 2) * self._spread(given, shares)
        law = given.law
        assert isinstance(law, DiscreteLaplace), "nodes share no draw"
        known = self._together(law, confidence)
        if known is not None:
            return known * self._spread(given, shares)
        return laplace_reach(law, self._variances(self._tree, shares), math.log(2 / risk))

    def _together(self, law: DiscreteLaplace, confidence: Fraction) -> float | None:
        at = self._at(self._tree)
        return band_reach(self._tree, (at.start, at.stop, at.step), law, float(1 - confidence))

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """The joint law of Laplace noise is followed before the charge."""
        if isinstance(given[0].law, DiscreteLaplace):
            self._together(given[0].law, confidence)


def _shapes(parts: int) -> list[tuple[int, int]]:
    """Branching and height of trees whose leaves make up each part exactly, not too many."""
    powers = _factors(parts)
    shapes = {
        math.prod(prime ** -(-power // height) for prime, power in powers.items()): height
        for height in range(_HIGHEST, 0, -1)
    }
    return [each for each in shapes.items() if each[0] ** each[1] <= _MOST_ROOM * parts]


def _factors(number: int) -> dict[int, int]:
    """The primes of a number, and how often each divides it."""
    found: dict[int, int] = {}
    prime = 2
    while number > 1:
        if prime * prime > number:
            prime = number
        while number % prime == 0:
            found[prime], number = found.get(prime, 0) + 1, number // prime
        prime += 1
    return found


def _rising(shares: Floats) -> Floats:
    """Rising numbers, each between the greatest before and the least after."""
    most = np.maximum.accumulate(shares, axis=1)
    least = np.minimum.accumulate(shares[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((most + least) / 2)


def checked_parts(part: Bin) -> Bin:
    """Parts that have an end between them."""
    if part.cells > 1:
        return part
    raise _check.refuse("`parts` must be 2 or more", f"parts={part.cells}", "Ask for some 100.")
