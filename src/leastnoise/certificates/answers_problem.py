"""`AnswersProblem`: many answers under one promise; what a bound for them is about."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.certificates.problem import Problem
from leastnoise.numeric.cost import Moment


@dataclass(frozen=True)
class AnswersProblem:
    r"""The mean over k answers of E c(step·|error|), least under (ε, δ) for all of them together.

    Attributes:
        count: k ≥ 2.
        one_sided: whether one unit moves all answers up or all down; else each either way.
        sensitivity: Δ ≥ 1, the most that one unit moves each answer, in steps.
        epsilon: ε ≥ 0.
        delta: δ in [0, 1).
        cost: c, a power of the error.
        step: what one step of the lattice is worth in the units of the answers.
        halves: whether errors are odd multiples of half a step; else whole steps.
    """

    count: int
    one_sided: bool
    sensitivity: int
    epsilon: Fraction
    delta: Fraction
    cost: Moment
    step: Fraction = Fraction(1)
    halves: bool = False

    @property
    def single(self) -> Problem:
        """One of the answers alone."""
        return Problem(self.sensitivity, self.epsilon, self.delta, self.cost, self.step)

    @property
    def is_sound(self) -> bool:
        """Whether the numbers make sense."""
        promises = self.epsilon >= 0 and 0 <= self.delta < 1 and self.epsilon + self.delta > 0
        return promises and self.count >= 2 and self.sensitivity >= 1 and self.step > 0

    def allows(self, shift: tuple[int, int]) -> bool:
        """Whether one unit more or less can move two of the answers so."""
        low, high = sorted(shift)
        within = -self.sensitivity <= low and high <= self.sensitivity and (low or high) != 0
        return within and (not self.one_sided or low * high >= 0)

    def price(self, place: int) -> Fraction:
        """At most what an error at that place of the lattice costs."""
        error = abs(place - Fraction(int(self.halves), 2))
        return Fraction(self.cost.at(error * self.step).lower)
