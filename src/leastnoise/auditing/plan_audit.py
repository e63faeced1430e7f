"""`PlanAudit`: how far each answer of a plan really moved, beside what the engine claimed."""

from dataclasses import dataclass

from leastnoise.engine.sensitivity import Sensitivity


@dataclass(frozen=True)
class Movement:
    """The farthest a vector of exact answers moved between two neighbouring tables.

    Attributes:
        question: the question it belongs to.
        vector: which of its vectors, in words.
        moved: the greatest change of one cell, of the number of cells, in ℓ1 and in squares; each
            may come from another pair of tables.
        claimed: what the engine says is the most.
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


@dataclass(frozen=True, repr=False)
class PlanAudit:
    """The outcome for a whole plan. Truthy if nothing moved farther than claimed.

    Attributes:
        movements: one for each vector of answers.
        pairs: how many pairs of neighbouring tables were compared.
    """

    movements: tuple[Movement, ...]
    pairs: int

    @property
    def violated(self) -> bool:
        """Whether some answer moved farther than the engine claims; this is a fact."""
        return any(each.violated for each in self.movements)

    def __bool__(self) -> bool:
        return not self.violated

    def __str__(self) -> str:
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
