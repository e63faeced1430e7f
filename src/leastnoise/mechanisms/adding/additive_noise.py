"""`AdditiveNoise`: a number, quantised to a lattice, plus noise drawn exactly from a law."""

from numbers import Rational

from numpy.typing import ArrayLike

from leastnoise.mechanisms.adding.additive_mechanism import AdditiveMechanism, Answers
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source

Released = int | float | Answers


class AdditiveNoise(AdditiveMechanism[LatticeLaw]):
    r"""step·(⌊x/step + 1/2⌋ + X), X drawn from a law on the integers.

    Theorem: for every real query of sensitivity Δ, if the law is (ε, δ)-DP at the integer
    sensitivity ⌈Δ/step⌉ then the release is (ε, δ)-DP. The law is made to prove this when the
    mechanism is built; one that cannot is refused.
    Proof: neighbours' places differ by at most ⌈Δ/step⌉ (`Lattice`); the rest is post-processing.

    Args:
        law: the noise, on the integers.
        sensitivity: Δ > 0, the most the query changes between neighbours.
        guarantee: the (ε, δ) or ε to prove.
        granularity: the lattice's step; 1 for counts.
        cost: what `expected_cost` is asked for.

    Raises:
        InvalidParameter: the law does not keep the guarantee at this sensitivity.

    Example:
        >>> from leastnoise import ApproxDP
        >>> from leastnoise.noise import Canonical
        >>> promise = ApproxDP(epsilon=1, delta="1e-6")
        >>> law = Canonical(epsilon=1, delta="1e-6")
        >>> mechanism = AdditiveNoise(law, sensitivity=1, guarantee=promise)
        >>> abs(mechanism.release(42).value - 42) <= 14, mechanism.error("0.95")
        (True, Fraction(3, 1))
    """

    def release(
        self, value: ArrayLike | Rational, source: Source | None = None
    ) -> Release[Released]:
        """The value with noise. An array gets independent noise on each entry.

        Each entry of an array is a release of its own: together they cost as many releases as one
        person can touch. For many queries at one price use `optimal(..., count=k)`.

        Raises:
            InvalidParameter: not a finite number; what was found is not said.
        """
        places = self.lattice.places(value)
        return self._released(places, self.law.sample(places.shape, source=source))

    def expected_cost(self) -> Interval:
        r"""E c(|released − true|), for the value where it is greatest."""
        return expected_cost(self.law, self.cost, self.granularity, self.rounding)
