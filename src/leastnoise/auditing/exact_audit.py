"""`ExactAudit`: a promise proved or refuted from inside, by adding up probabilities."""

from fractions import Fraction
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval


@dataclass(frozen=True, repr=False)
class ExactAudit:
    """The outcome of a white-box audit. Truthy if the promise was kept wherever it was looked at.

    Attributes:
        measure: what was computed, such as "least δ at ε = 1".
        attained: a bracket around the greatest of it over all pairs of neighbours.
        allowed: what the promise allows.
        pairs: how many pairs of neighbours were gone through.
        scope: which ones.
        worst: the pair where it was greatest, or the shift of the noise.
    """

    measure: str
    attained: Interval
    allowed: Fraction
    pairs: int
    scope: str
    worst: Any

    @property
    def violated(self) -> bool:
        """Whether the promise is refuted; this is proved, there is no false alarm."""
        return self.attained.lower > self.allowed

    @property
    def proved(self) -> bool:
        """Whether the promise is proved for all the pairs: the whole bracket is within it."""
        return self.attained.upper <= self.allowed

    def __bool__(self) -> bool:
        return not self.violated

    def __str__(self) -> str:
        ends = f"[{float(self.attained.lower):.6g}, {float(self.attained.upper):.6g}]"
        found = f"{self.measure} is in {ends}, {float(self.allowed):.6g} was promised"
        if self.violated:
            return f"violation proved: {found}; at {self.worst!r:.80}"
        where = f"among {self.pairs} pairs of neighbours ({self.scope})"
        return f"no violation {where}: {found}"

    def __repr__(self) -> str:
        return f"ExactAudit({self})"
