"""`Verification`: the outcome of proving or refuting a privacy claim."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import exact_text


@dataclass(frozen=True)
class Verification:
    """A proof or a refutation that adding a law to a query is (epsilon, delta)-DP.

    Truthy if the claim is proved. `attained` brackets the largest hockey-stick divergence over all
    shifts up to the sensitivity, and `shift` is where it is attained; the decision itself is made
    in exact arithmetic, so it stands even where the bracket touches `delta`.

    Attributes:
        holds: whether the claim is proved.
        epsilon: the ε that was claimed.
        delta: the δ that was claimed.
        sensitivity: the largest shift.
        attained: the least δ that holds at this ε.
        shift: where it is attained.
        argument: why no other shift is worse.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> found = DiscreteLaplace(scale=1).verify(sensitivity=1, epsilon=1)
        >>> found.holds, found.attained
        (True, Interval(0))
    """

    holds: bool
    epsilon: Fraction
    delta: Fraction
    sensitivity: int
    attained: Interval
    shift: int
    argument: str

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        verdict = "proved" if self.holds else "REFUTED"
        return (
            f"{verdict}: ({exact_text(self.epsilon)}, {exact_text(self.delta)})-DP at sensitivity "
            f"{self.sensitivity}; least delta in [{float(self.attained.lower):.6g}, "
            f"{float(self.attained.upper):.6g}], attained at shift {self.shift} ({self.argument})"
        )
