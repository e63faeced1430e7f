"""`ExponentialMechanism`: chances that fall exponentially with the gap to the best."""

from fractions import Fraction
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.mechanisms.choosing.rare_gap import rare_gap, weighing_missed
from leastnoise.mechanisms.choosing.selection import Selection
from leastnoise.mechanisms.choosing.selection_error import (
    exponential_error,
    exponential_worst_error,
)
from leastnoise.mechanisms.choosing.utility_gaps import Gaps, reached, utility_gaps
from leastnoise.mechanisms.geometric_sampler import geometric_sampler
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import sound_end
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.privacy.variables.bounded_range_variable import BoundedRangeVariable
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_below

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

_FIRST_BATCH = 1 << 6  # often one of so many is accepted
_LAST_BATCH = 1 << 18  # a few MB


class ExponentialMechanism(Selection):
    r"""Candidate i with probability proportional to exp(−rate·gapᵢ).

    Here rate = ε/(2Δ), or ε/Δ if the utilities are monotone, and the gap is that to the greatest.

    Theorem: for all neighbours whose utilities differ by at most Δ each, the losses lie in an
    interval of length ε. So the choice is ε-DP; it is ρ-zCDP with the ρ of `concentrated`, which is
    below ε²/8; and it is (ε′, δ)-DP for the δ of `privacy`. For all numbers of candidates together
    none of these can be lowered.
    Proof: docs/proofs/selection.md, sections 1 to 3.

    For a single choice `PermuteAndFlip` is never worse. For many choices that are priced together
    this one is the better: its ρ is a quarter of what ε-DP alone promises.

    Sampling: propose a candidate uniformly and accept it with probability exp(−rate·gap), by an
    exact geometric draw; the first accepted is the choice. How long it takes depends on the data.

    Args:
        candidates: n, public: it must not depend on the data.
        epsilon: a positive number.
        sensitivity: Δ, the most any utility changes between neighbours, an integer.
        monotone: whether, between two neighbours, no utility rises while another falls.

    References: McSherryTalwar2007; DurfeeRogers2019, for bounded range; CesarRogers2021, for ε²/8;
    HarrisonManurangsi2025, for ρ; DongDurfeeRogers2020, for δ.

    Example:
        >>> mechanism = ExponentialMechanism(candidates=4, epsilon=1, sensitivity=1)
        >>> mechanism.release([3, 1000, 40, 5]).value
        1
        >>> mechanism.concentrated
        ZCDP(rho='0.123301561482245')
        >>> round(float(mechanism.expected_error([10, 9, 9, 0])), 4)
        0.5768
    """

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of one choice if up to `distance` people change: losses in a range of ε each.

        Together with other choices zCDP may be the cheaper way to add up: see `concentrated`.
        """
        from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none

        people = _check.integer_between(distance, "distance", 1)
        return PrivacyLoss(
            BoundedRangeVariable(self.epsilon * people),
            None,
            lambda size: self.privacy(people * size),
        )

    @property
    def concentrated(self) -> ZCDP:
        """ρ = log(sinh(ε/2)/(ε/2)) + (ε/2)/tanh(ε/2) − 1 < ε²/8, rounded up."""
        return ZCDP(rho=sound_end(BoundedRangeVariable(self.epsilon).renyi(1)))

    def pick(self, gaps: Gaps, source: Source) -> int:
        """The first accepted of uniform proposals."""
        coins, batch = geometric_sampler(self.rate), _FIRST_BATCH
        while True:
            proposed = uniform_below(gaps.size, batch, source)
            accepted = np.flatnonzero(reached(coins.sample(batch, source), gaps[proposed]))
            if accepted.size:
                return int(proposed[accepted[0]])
            batch = min(2 * batch, _LAST_BATCH)

    def rare_gap(self, failure: Fraction) -> int:
        """The least error that is reached with at most this chance, whatever the utilities are."""
        return rare_gap(weighing_missed, self.candidates, self.rate, failure)

    def expected_error(self, utilities: ArrayLike) -> Interval:
        """The expected error for public or made-up utilities; of secret ones it would tell."""
        return exponential_error(utility_gaps(utilities, self.candidates), self.rate)

    def expected_cost(self) -> Interval:
        """The expected error where all but the best fall short by the worst gap there is."""
        return exponential_worst_error(self.candidates, self.rate)


def exponential_mechanism(
    *, candidates: SupportsIndex, epsilon: Exact, sensitivity: SupportsIndex, monotone: bool = False
) -> ExponentialMechanism:
    """Chooses a good candidate; the one to take for many choices priced together.

    Args:
        candidates: how many there are to choose from.
        epsilon: ε > 0.
        sensitivity: the most by which one unit can change a candidate's utility.
        monotone: whether, between two neighbours, no utility rises while another falls.

    Example:
        >>> exponential_mechanism(candidates=3, epsilon=1, sensitivity=1).release([0, 90, 5]).value
        1
    """
    return ExponentialMechanism(
        candidates=candidates, epsilon=epsilon, sensitivity=sensitivity, monotone=monotone
    )
