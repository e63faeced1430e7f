"""`AdditiveNoise`: a number, quantised to a lattice, plus noise drawn exactly from a law."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Rational
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.certificates.certificate import Certificate
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws import identity
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.cost import Cost, CostLike, checked_cost
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source

Released = int | float | Draws | NDArray[np.float64]


@dataclass(frozen=True, init=False, repr=False)
class AdditiveNoise:
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
        >>> from leastnoise.noise import Canonical
        >>> promise = ApproxDP(epsilon=1, delta="1e-6")
        >>> law = Canonical(epsilon=1, delta="1e-6")
        >>> mechanism = AdditiveNoise(law, sensitivity=1, guarantee=promise)
        >>> abs(mechanism.release(42).value - 42) <= 14, mechanism.error("0.95")
        (True, Fraction(3, 1))
    """

    law: LatticeLaw
    sensitivity: Fraction
    guarantee: PureDP | ApproxDP
    granularity: Fraction
    cost: Cost

    def __init__(
        self,
        law: LatticeLaw,
        *,
        sensitivity: Exact,
        guarantee: PureDP | ApproxDP,
        granularity: Exact = 1,
        cost: CostLike = "absolute",
    ) -> None:
        object.__setattr__(self, "law", law)
        object.__setattr__(self, "sensitivity", _check.positive(sensitivity, "sensitivity"))
        object.__setattr__(self, "guarantee", guarantee)
        object.__setattr__(self, "granularity", _check.positive(granularity, "granularity"))
        object.__setattr__(self, "cost", checked_cost(cost))
        if not self.verification.holds:
            raise _check.refuse(
                "`law` must keep the guarantee at this sensitivity", str(self.verification),
                "Give more noise, or promise less.",
            )  # fmt: skip

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters by name, with their exact values."""
        return identity.parameters(self)

    def __repr__(self) -> str:
        return identity.description(self)

    @property
    def lattice(self) -> Lattice:
        """Where the query's values are put before noise is added."""
        return Lattice(self.granularity)

    @property
    def steps(self) -> int:
        """The integer sensitivity: how many steps apart neighbours can be."""
        return self.lattice.reach(self.sensitivity)

    @cached_property
    def verification(self) -> Verification:
        """The law's own proof of the guarantee."""
        return self.law.verify(
            sensitivity=self.steps, epsilon=self.guarantee.epsilon, delta=self._delta
        )

    @property
    def _delta(self) -> Fraction:
        return self.guarantee.delta if isinstance(self.guarantee, ApproxDP) else Fraction(0)

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
        noise = self.law.sample(places.shape, source=source)
        noisy = self.lattice.values(self.lattice.shifted(places, noise))
        shown: Released = noisy.item() if noisy.ndim == 0 else noisy
        return Release(shown, self.guarantee, repr(self))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release if up to `distance` records change, Δ at most by each."""
        changed = _check.integer_between(distance, "distance", 1)
        try:
            return self.law.privacy(self.steps * changed)
        except UnsupportedQuery:  # a law with no worst shift: what it proved is all that is known
            worst = PrivacyLoss.worst_case(epsilon=self.guarantee.epsilon, delta=self._delta)
            return worst if changed == 1 else worst.for_group(changed)

    def certificate(self) -> Certificate | None:
        """None: a law chosen by hand comes with no claim to be best."""
        return None

    @property
    def rounding(self) -> Fraction:
        """The most that quantisation moves a value; 0 if every value is on the lattice."""
        return Fraction(0) if self._whole else self.granularity / 2

    @property
    def _whole(self) -> bool:
        return self.granularity == 1 and self.sensitivity.denominator == 1

    def error(self, confidence: Exact) -> Fraction:
        """The bound on |released − true| that holds with at least this probability."""
        return self.law.quantile(confidence) * self.granularity + self.rounding

    def expected_cost(self) -> Interval:
        r"""E c(|released − true|), for the value where it is greatest.

        The noise alone gives the lower end; if values are rounded to the lattice, the upper end
        has every |noise| increased by half a step.
        """
        return expected_cost(self.law, self.cost, self.granularity, self.rounding)
