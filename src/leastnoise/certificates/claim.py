"""`Claim`: what a certificate states, before anyone has checked it."""

import math
from dataclasses import field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import assert_never

from leastnoise._dataclass import dataclass
from leastnoise.certificates.described_law import DescribedLaw
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Rounded, Theorem, Witness
from leastnoise.numeric.nearest_float import nearest_float

LATTICE = "all mechanisms that add noise, independent of the query's value, on the same lattice"
LINE = "all mechanisms that add noise, independent of the query's value, on the line or lattice"

_STAIRCASE = "GengViswanath2016: staircase noise is optimal for pure differential privacy"
_CANONICAL = "AwanRamasethu2023: canonical noise is stochastically smallest at sensitivity 1"
_PROGRAM = "docs/proofs/linear_program.md: a dual point of the linear program over all laws"
_ROUNDING = "docs/proofs/linear_program.md, section 4: a coarser program bounds every finer law"
_DIGITS = 12  # of the numbers in a sentence: more than anyone compares by eye


@dataclass(frozen=True, repr=False)
class Claim:
    """A law solves a problem at a cost, and no mechanism in the scope does better than a bound.

    Attributes:
        problem: cost, guarantee, sensitivity and lattice.
        law: the law in use.
        achieved: its expected cost is at most this.
        bound: no mechanism in the scope has a smaller expected cost than this.
        witness: the proof of the bound: a dual point, or a theorem.
        words: the sentences that came with it in a file, if any. They are checked and never shown:
            what is shown is written anew, from numbers.
    """

    problem: Problem
    law: DescribedLaw
    achieved: Fraction
    bound: Fraction
    witness: Witness
    words: tuple[str, ...] = field(default=(), compare=False)

    @property
    def scope(self) -> str:
        """The class of mechanisms the bound covers."""
        return LINE if isinstance(self.witness, Rounded) else LATTICE

    @property
    def reference(self) -> str:
        """Where the kind of proof is from."""
        match self.witness:
            case Dual():
                return _PROGRAM
            case Rounded():
                return _ROUNDING
            case Theorem.STAIRCASE:
                return _STAIRCASE
            case Theorem.CANONICAL:
                return _CANONICAL
            case _:
                assert_never(self.witness)

    @property
    def sentence(self) -> str:
        """What is claimed, for people, from numbers alone: achieved rounded up, the bound down."""
        problem, most = self.problem, rounded(self.achieved, ROUND_CEILING)
        return (
            f"{problem.cost.name} ≤ {most} for sensitivity {problem.sensitivity * problem.step} "
            f"at ε = {problem.epsilon} and δ = {problem.delta}, and no less than "
            f"{rounded(self.bound, ROUND_FLOOR)} is possible among {self.scope}"
        )

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


def rounded(value: Fraction, rounding: str) -> str:
    """A number for people, with twelve digits, rounded up or down as the rounding says."""
    context = Context(prec=_DIGITS, rounding=rounding)
    shown = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{shown.normalize(context):f}" if abs(shown.adjusted()) <= _DIGITS else str(shown)
