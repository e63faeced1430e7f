"""`Claim`: what a certificate states, before anyone has checked it."""

import math
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.certificates.described_law import DescribedLaw
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Rounded, Witness
from leastnoise.numeric.nearest_float import nearest_float

LATTICE = "all mechanisms that add noise, independent of the query's value, on the same lattice"
LINE = "all mechanisms that add noise, independent of the query's value, on the line or lattice"


@dataclass(frozen=True, repr=False)
class Claim:
    """A law solves a problem at a cost, and no mechanism in the scope does better than a bound.

    Attributes:
        problem: cost, guarantee, sensitivity and lattice.
        law: the law in use.
        achieved: its expected cost is at most this.
        bound: no mechanism in the scope has a smaller expected cost than this.
        witness: the proof of the bound: a dual point, or a theorem.
        reference: where the method or the theorem is from.
    """

    problem: Problem
    law: DescribedLaw
    achieved: Fraction
    bound: Fraction
    witness: Witness
    reference: str

    @property
    def scope(self) -> str:
        """The class of mechanisms the bound covers."""
        return LINE if isinstance(self.witness, Rounded) else LATTICE

    @property
    def ratio(self) -> Fraction | float:
        """Achieved over bound: 1 means that nothing in the scope does better."""
        if self.bound > 0:
            return self.achieved / self.bound
        return Fraction(1) if self.achieved == self.bound else math.inf

    def __repr__(self) -> str:
        excess = nearest_float(self.ratio - 1)
        how_near = "optimal" if not excess else f"within {excess:.2g} of optimal"
        return (
            f"{type(self).__name__}({self.problem.cost.name} ≤ {nearest_float(self.achieved):.6g}, "
            f"{how_near} among {self.scope})"
        )
