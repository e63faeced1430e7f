"""`AdditiveMechanism`: what all mechanisms have in common that add noise on a lattice."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.certificates.certificate import Certificate
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Described
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.cost import Cost, CostLike, checked_cost
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.verification import Verification

if TYPE_CHECKING:
    from leastnoise.noise.laws.lattice_law import LatticeLaw
    from leastnoise.noise.vectors.counts_law import CountsLaw
    from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
    from leastnoise.noise.vectors.pair_table import PairTable
    from leastnoise.noise.vectors.vector_law import VectorLaw
    from leastnoise.privacy.loss import PrivacyLoss

Law = TypeVar("Law", bound="LatticeLaw | VectorLaw | CountsLaw | EuclideanLaw | PairTable")
Answers = Draws | NDArray[np.float64]
"""Released numbers: integers on a whole lattice, else floats."""


@frozen(repr=False)
class AdditiveMechanism(Described, ABC, Generic[Law]):
    """step·(place + X): values are put on a lattice, and noise drawn from a law is added.

    The law is made to prove the guarantee when the mechanism is built; one that cannot is refused.
    """

    law: Law
    _: KW_ONLY
    sensitivity: Number = checked(_check.positive)
    guarantee: PureDP | ApproxDP
    granularity: Number = checked(_check.positive, default=1)
    cost: Checked[CostLike, Cost] = checked(checked_cost, default="absolute")

    _proved_for: ClassVar[str] = "at this sensitivity"

    def __post_init__(self) -> None:
        self._refuse_law()
        if not self.verification.holds:
            raise _check.refuse(
                f"`law` must keep the guarantee {self._proved_for}",
                str(self.verification),
                "Give more noise, or promise less.",
            )

    def _refuse_law(self) -> None:
        """Refuse a law of another kind than the theorem is about."""

    @property
    def lattice(self) -> Lattice:
        """Where values are put before noise is added."""
        return Lattice(self.granularity)

    @property
    def steps(self) -> int:
        """The integer sensitivity: how many steps apart neighbours can be."""
        return self._steps(1)

    def _steps(self, changed: int) -> int:
        """How many steps apart values can be if so many records change."""
        return self.lattice.reach(self.sensitivity) * changed

    @cached_property
    def verification(self) -> Verification:
        """The law's own proof of the guarantee."""
        return self.law.verify(
            sensitivity=self.steps, epsilon=self.guarantee.epsilon, delta=self._delta
        )

    @property
    def _delta(self) -> Fraction:
        return self.guarantee.delta if isinstance(self.guarantee, ApproxDP) else Fraction(0)

    def _released(self, places: NDArray[np.int64], noise: Draws) -> Release[Any]:
        noisy = self.lattice.values(exact_sum(places, noise))
        return Release(noisy if noisy.ndim else noisy.item(), self.guarantee, repr(self))

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of one release if up to `distance` records change, Δ at most by each."""
        changed = _check.integer_between(distance, "distance", 1)
        try:
            return self.law.privacy(self._steps(changed))
        except UnsupportedQuery:  # no worst shift: what the law has proved is all that is known
            worst = _worst_case(self.guarantee.epsilon, self._delta)
            return worst if changed == 1 else worst.for_group(changed)

    def certificate(self) -> Certificate | None:
        """None: a law chosen by hand comes with no claim to be best."""
        return None

    @property
    def rounding(self) -> Fraction:
        """The most that quantisation moves a value; 0 if every value is on the lattice."""
        whole = self.granularity == 1 and self.sensitivity.denominator == 1
        return Fraction(0) if whole else self.granularity / 2

    def error(self, confidence: Exact) -> Fraction:
        """The bound on |released − true| that holds with at least this probability."""
        return self.law.quantile(confidence) * self.granularity + self.rounding

    @abstractmethod
    def expected_cost(self) -> Interval:
        r"""E c(|released − true|) of one answer, for the value where it is greatest.

        The noise alone gives the lower end; if values are rounded to the lattice, the upper end
        has every |noise| increased by all that rounding may add.
        """


def _worst_case(epsilon: Fraction, delta: Fraction) -> "PrivacyLoss":
    """The loss that dominates every (ε, δ)-DP mechanism, ε = 0 included."""
    from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - loads much

    if epsilon:
        return PrivacyLoss.worst_case(epsilon=epsilon, delta=delta)
    return PrivacyLoss.of_laws(
        {"common": 1 - delta, "here": delta}, {"common": 1 - delta, "there": delta}
    )
