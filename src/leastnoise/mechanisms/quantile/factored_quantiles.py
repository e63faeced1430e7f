"""`FactoredQuantiles`: all quantiles from ranks that are measured together, under zCDP."""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.quantile.count_tree import Floats
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.rank_factor import RankFactor
from leastnoise.mechanisms.quantile.summed_quantiles import (
    ROUNDING,
    SummedQuantiles,
    usual_times,
)
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.shapes.lattice_gaussians import LatticeGaussians
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.randomness.source import Source

_MOST_CELLS = 1 << 20  # a second for each row of counts
_AT_ONCE = 1 << 17  # numbers: some 20 MB
_PARAMETER_BITS = 64  # of the noise: as good as normal, and drawn in 64 bits
_SPARE_BITS, _MOST_BITS = 6, 60  # of the factor, beside those of the root of its size
_SMOOTHING = 4  # that it is as good as normal is proved with it


@dataclass(frozen=True)
class FactoredQuantiles(SummedQuantiles):
    r"""Measures all ranks through the root of a matrix of signs, and reads quantiles from them.

    Law: the counts are multiplied by `factor`, and every product gets independent discrete Gaussian
    noise of one parameter. Solving for ranks looks at noisy numbers alone.
    Theorem: for all tables where one unit adds at most `contribution` to all rows of counts, it is
    ρ-zCDP. Ranks of the median have, but for what the sum costs, the least noise of the worst cell
    that a matrix and Gaussian noise can have.
    Proof: docs/proofs/quantiles.md, section 9.
    """

    @cached_property
    def factor(self) -> RankFactor:
        """As fine as the noise allows, the sum of all as exact as the levels need it."""
        task = self.task
        assert isinstance(task.promise, ZCDP), "Laplace noise of a dense matrix would be too wide"
        per_count = task.contribution**2 / (2 * task.promise.rho)
        size = per_count.numerator.bit_length() - per_count.denominator.bit_length()
        fewest = task.cells.bit_length() // 2 + _SPARE_BITS
        bits = min(max(fewest, (_PARAMETER_BITS - size) // 2), _MOST_BITS)
        alone = RankFactor(task.cells, bits, 1)
        spread = math.sqrt(alone.column_square * alone.rank_square)
        off = max(abs(float(level) - 0.5) for level in task.levels)
        first = (float(task.levels[-1]) - 0.25) / spread  # else the sum errs more than ranks do
        whole = math.ceil(math.ldexp(math.sqrt(max(off, first)), bits))
        if task.replace and not task.grouped:  # a unit in the place of another leaves the sum alone
            whole = max(whole, math.isqrt(alone.column_square - 2 * alone.least_product))
        return RankFactor(task.cells, bits, whole)

    @cached_property
    def law(self) -> DiscreteGaussian:
        """The noise of each number that is measured."""
        task = self.task
        assert isinstance(task.promise, ZCDP), "as for the factor"
        reach = self.factor.squared_reach(replace=task.replace, grouped=task.grouped)
        return DiscreteGaussian(variance=reach * task.contribution**2 / (2 * task.promise.rho))

    def __str__(self) -> str:
        return (
            f"noisy ranks of {self.task.cells} cells, measured through the root of a matrix of "
            f"signs in units of 2**-{self.factor.bits} with {self.law!r}"
        )

    def variances(self, level: float) -> Floats:
        """Of (sum up to each cell) − level·(sum of all), if the noise has variance 1."""
        factor = self.factor
        one = factor.rank_square + (level - 0.5) ** 2 / factor.whole**2
        return np.full(self.task.cells, one)

    def _read(self, counts: Counts, source: Source) -> Iterator[tuple[Floats, Floats]]:
        """For each row noisy sums up to each cell, and what each level looks for."""
        levels = np.array([float(level) for level in self.task.levels])
        height = max(1, _AT_ONCE // self.task.cells)
        for top in range(0, len(counts), height):
            ranks, wholes = self.factor.measured(counts[top : top + height])
            noise = self.law.sample((len(ranks), self.task.cells + 1), source).astype(object)
            sums, totals = self.factor.told(ranks + noise[:, 1:], wholes + noise[:, 0])
            yield from zip(sums, totals[:, np.newaxis] * levels, strict=True)

    def _bound(self, level: float, risk: float) -> int:
        r"""How far the search may end from a rank: docs/proofs/quantiles.md, sections 5 and 9."""
        if self.task.cells == 1:
            return 0
        start = level**2 / self.factor.whole**2
        worst = max(float(self.variances(level)[0]), start)
        return math.ceil(_normal_reach(self, risk) * math.sqrt(worst) * ROUNDING)


@lru_cache(maxsize=64)
def _normal_reach(way: FactoredQuantiles, risk: float) -> float:
    """What a sum of noises with weights of length 1 is beyond on one side with a part of the risk.

    The part is that of one sum among all that can mislead a search.
    """
    numbers = way.task.cells + 1
    gaussians = LatticeGaussians(way.law.sigma_squared, _SMOOTHING, numbers)
    each = Fraction(risk) / usual_times(way.task.cells)
    return float(gaussians.quantile(lambda: arb(1), 2 * each).upper)


def factored(task: QuantileTask) -> FactoredQuantiles | None:
    """All quantiles from ranks measured together; None where there is no such noise."""
    if not isinstance(task.promise, ZCDP) or not 1 < task.cells <= _MOST_CELLS:
        return None
    way = FactoredQuantiles(task)
    return way if way.fits else None
