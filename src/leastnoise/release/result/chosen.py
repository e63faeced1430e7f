"""`ChosenFacts`: bounds that a release chose from the data, and what told them; public."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class SpreadFacts:
    """Noisy weights of units on knots.

    Attributes:
        words: which number of a unit, and in which groups.
        knots: the numbers.
        weights: how much weight of units is at each, with noise, in units of 1/weight.
        weight: what stands for one unit.
        noise: the law of the noise of each.
    """

    words: str
    knots: tuple[int | float, ...]
    weights: tuple[int, ...]
    weight: int
    noise: str

    @classmethod
    def from_values(cls, said: Mapping[str, Any]) -> "SpreadFacts":
        """The same again, from what a release's text says."""
        knots = tuple(each if isinstance(each, int) else float(each) for each in said["knots"])
        weights = tuple(map(int, said["weights"]))
        return cls(str(said["words"]), knots, weights, int(said["weight"]), str(said["noise"]))


@dataclass(frozen=True)
class RangeFacts:
    """What the values behind one question's answers were cut to.

    Attributes:
        question: its name.
        lower: values below counted as this.
        upper: values above counted as this.
    """

    question: str
    lower: float
    upper: float


@dataclass(frozen=True)
class ChosenFacts:
    """Which bounds were chosen, for what part of the budget, and from what.

    Attributes:
        names: the bounds.
        share: the part of the budget, of ε or ρ, as a quotient.
        spreads: what they were chosen from.
        ranges: of questions for which an end of the range of values was chosen, both ends.
    """

    names: tuple[str, ...]
    share: str
    spreads: tuple[SpreadFacts, ...]
    ranges: tuple[RangeFacts, ...] = ()

    @classmethod
    def from_values(cls, said: Mapping[str, Any]) -> "ChosenFacts":
        """The same again, from what a release's text says."""
        spreads = tuple(map(SpreadFacts.from_values, said["spreads"]))
        ranges = tuple(RangeFacts(**each) for each in said.get("ranges", ()))
        return cls(tuple(map(str, said["names"])), str(Fraction(said["share"])), spreads, ranges)
