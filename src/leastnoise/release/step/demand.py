r"""`Demand`: what one part of a plan has to be paid for, and what its error would be."""

import math
from dataclasses import field, replace
from fractions import Fraction
from typing import NamedTuple

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.contribution import Contribution, contribution_of
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.sensitivity import Sensitivity
from leastnoise.release.step.unowned_rows import UnownedRows

MEAN_OF_HALF_NORMAL = math.sqrt(2 / math.pi)


class Stated(NamedTuple):
    """A part of the budget that is stated, and not found by weighing errors.

    Attributes:
        pure: of ε.
        concentrated: of ρ, or of μ².
    """

    pure: Fraction
    concentrated: Fraction


@dataclass(frozen=True)
class Demand:
    """Something that needs a share of the budget.

    Attributes:
        weight: the importance of one unit of error, in the engine's integers.
        pure: about the mean error at ε = 1; errors go as 1/ε. Infinite if ε cannot pay for it.
        concentrated: about the mean error at ρ = 1; errors go as 1/√ρ.
        reach: how far one unit moves the numbers that get noise, as one vector; None if the
            mechanism is not additive noise.
        smooth: how many numbers one unit changes, if the mechanism, granted ρ, adds discrete
            Gaussian noise of 2^24 or more to integers; None if it is another.
        fixed: the ρ it costs, if that follows from the question and not from the budget.
        threshold: whether it needs a part of δ beside its share.
        asked: what is measured, if all of its cells get noise: whoever asks for the same shares it.
        adds: what one unit adds to those cells.
        replaced: whether units are replaced, so that one is taken away and another added.
        stated: its part of the budget, if that is not to be found by weighing errors.
    """

    weight: Fraction
    pure: float
    concentrated: float
    reach: Sensitivity | None = None
    smooth: int | None = None
    fixed: Fraction | None = None
    threshold: bool = False
    asked: Asked | None = field(default=None, compare=False)
    adds: Contribution | None = None
    replaced: bool = False
    stated: Stated | None = None


def noise_demand(reach: Sensitivity, weight: Fraction) -> Demand:
    """The demand of independent noise on a vector of integers."""
    spread = math.sqrt(reach.square / 2) * MEAN_OF_HALF_NORMAL
    return Demand(weight, float(reach.total), spread, reach)


def cells_demand(asked: Asked, table: BoundedTable, weight: Fraction) -> Demand:
    """The demand of noise on all cells of a measurement; rows without a unit share no draw."""
    priced = noise_demand(reach_of(asked, table.table), weight)
    if isinstance(asked, UnownedRows):
        return replace(priced, asked=asked)
    adds, replaced = contribution_of(asked, table.table), table.neighbours is Neighbours.REPLACE
    return replace(priced, asked=asked, adds=adds, replaced=replaced)
