"""`PlanAudit`: how far each answer of a plan really moved, beside what was claimed."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.step.sensitivity import Sensitivity


@dataclass(frozen=True)
class Movement:
    """The farthest a vector of exact answers moved between two neighbouring tables.

    Attributes:
        question: the question it belongs to.
        vector: which of its vectors, in words.
        moved: the greatest change of one cell, of the number of cells, in ℓ1 and in squares; each
            may come from another pair of tables.
        claimed: the most, as it was derived.
    """

    question: str
    vector: str
    moved: Sensitivity
    claimed: Sensitivity

    @property
    def violated(self) -> bool:
        """Whether it moved farther than it can, in any of the four measures."""
        return any(
            real > most
            for real, most in zip(self._all(self.moved), self._all(self.claimed), strict=True)
        )

    @property
    def reached(self) -> bool:
        """Whether the claim was met somewhere: then it is no larger than it must be."""
        return self.moved.total == self.claimed.total

    @staticmethod
    def _all(reach: Sensitivity) -> tuple[int, int, int, int]:
        return reach.cell, reach.cells, reach.total, reach.square


@dataclass(frozen=True)
class Leak:
    """The most that the whole plan's noise tells about a pair of neighbouring tables.

    Attributes:
        budget: what the plan would be charged.
        allowed: the budget's δ; of zCDP, its ρ.
        found: what the worst pair takes of it, as a bracket. Only noise in cells, choices of
            private groups and some shared draws are looked at, so that the lower end is a fact.
        strays: whether numbers that share a draw moved as no unit may, by the parts of the draw.
    """

    budget: Guarantee
    allowed: Fraction
    found: Interval
    strays: bool = False

    @property
    def violated(self) -> bool:
        """Whether the plan tells more than it promises."""
        return self.strays or self.found.lower > self.allowed

    def __str__(self) -> str:
        if self.strays:
            return "numbers that share a draw moved in a way that its noise is not made for"
        return (
            f"all answers together take at least {float(self.found.lower):.3g} of "
            f"{self.budget!r}, which allows {float(self.allowed):.3g}"
        )


@dataclass(frozen=True, repr=False)
class PlanAudit:
    """The outcome for a whole plan. Truthy if nothing moved farther than claimed.

    Attributes:
        movements: one for each vector of answers.
        pairs: how many pairs of neighbouring tables were compared.
        leak: what the noise tells, if a budget was given.
    """

    movements: tuple[Movement, ...]
    pairs: int
    leak: Leak | None = None

    @property
    def violated(self) -> bool:
        """Whether an answer moved farther than claimed, or noise tells too much; it is a fact."""
        told = self.leak is not None and self.leak.violated
        return told or any(each.violated for each in self.movements)

    def __bool__(self) -> bool:
        return not self.violated

    def __str__(self) -> str:
        if self.leak is not None and self.leak.violated:
            return f"violation found: {self.leak}"
        worst = [each for each in self.movements if each.violated]
        if not worst:
            return (
                f"no violation among {self.pairs} pairs of neighbouring tables: "
                f"{len(self.movements)} vectors of answers moved no farther than claimed"
            )
        first = worst[0]
        return (
            f"violation found: {first.question!r} ({first.vector}) moved by {first.moved} where "
            f"{first.claimed} was claimed"
        )

    def __repr__(self) -> str:
        return f"PlanAudit({self})"
