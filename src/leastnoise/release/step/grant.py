"""`Grant`: the share of the budget that one demand gets, and the noise it pays for."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise._dataclass import dataclass
from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.check import MOST_EPSILON
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.joint.joint_part import CellLaw, JointPart
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.expected import NOTHING_EXPECTED, Expected
from leastnoise.release.step.bounded_table import BoundedTable

if TYPE_CHECKING:
    from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise


@dataclass(frozen=True)
class Grant:
    """What one demand may spend.

    Attributes:
        price: the promise this part keeps by itself.
        share: the part of the whole.
        delta: the part of δ beside the price; 0 unless the demand needs a threshold.
        noise: the law of each cell's noise; None if the mechanism is no noise on cells.
        joint: the part of a draw that this demand shares with others; None if its cells get
            independent noise.
        best: the least noise there is, if that is what the cells get.
        counts: the choice of private groups whose own noise the cells have; its law takes time to
            make, and not everybody asks for it.
    """

    price: PureDP | ApproxDP | ZCDP
    share: Fraction
    delta: Fraction = Fraction(0)
    noise: CellLaw | None = None
    joint: JointPart | None = None
    best: "OptimalNoise | None" = None
    counts: CountedPartitions | None = None

    @property
    def law(self) -> CellLaw:
        """The noise of each cell, of a demand that has a reach."""
        if self.counts is not None:
            return self.counts.noise
        assert self.noise is not None, "only demands with a reach are granted noise"
        return self.noise

    @property
    def mechanism(self) -> CellNoise | JointPart:
        """What adds the noise."""
        if self.joint is not None:
            return self.joint
        assert isinstance(self.noise, LatticeLaw), "noise that is not shared has a law of its own"
        return CellNoise(self.noise)

    @property
    def words(self) -> str:
        """The noise, in words for reports."""
        return repr(self.law if self.joint is None else self.joint)

    def certificate(self) -> Certificate | None:
        """The proof that no noise for one such number at this price is less, if there is one."""
        if self.best is None or self.best.problem.epsilon > MOST_EPSILON:
            return None  # it could not be checked, nor written
        try:
            return self.best.certificate()
        except UnsupportedQuery:  # no proof is known at extreme parameters; the noise is sound
            return None


def public_grant(budget: Guarantee) -> Grant:
    """For numbers that all neighbours share: no noise, and no price."""
    price = ZCDP(rho=0) if isinstance(budget, ZCDP) else PureDP(epsilon=0)
    return Grant(price, Fraction(0), noise=TableLaw({0: 1}))


@dataclass(frozen=True)
class Allotment:
    """What one question may spend, and on which table: one grant for each of its demands.

    Attributes:
        table: what is asked about.
        grants: what each demand may spend.
        counts: the choice of private groups whose numbers answer the question, if they do; the
            grant is then its part of what the choice costs.
        expected: what somebody expects of the answers, for forecasts alone.
    """

    table: BoundedTable
    grants: tuple[Grant, ...]
    counts: CountedPartitions | None = None
    expected: Expected = NOTHING_EXPECTED

    def __getitem__(self, place: int) -> Grant:
        return self.grants[place]

    def __iter__(self) -> Iterator[Grant]:
        return iter(self.grants)
