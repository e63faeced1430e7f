"""`PermuteAndFlip`: the best known way to choose one candidate under pure privacy."""

from fractions import Fraction
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.mechanisms.choosing.rare_gap import flipping_missed, rare_gap
from leastnoise.mechanisms.choosing.selection import Selection
from leastnoise.mechanisms.choosing.selection_error import flipping_error, flipping_worst_error
from leastnoise.mechanisms.choosing.utility_gaps import Gaps, reached, utility_gaps
from leastnoise.mechanisms.geometric_sampler import geometric_sampler
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.privacy.path_prices import laplace_to_zcdp
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_below

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss


class PermuteAndFlip(Selection):
    r"""Goes through the candidates in random order and takes the first whose coin shows heads.

    The coin of candidate i shows heads with probability exp(−rate·gapᵢ): surely for the best.
    Here rate = ε/(2Δ), or ε/Δ if the utilities are monotone.

    Theorem: for all neighbours whose utilities differ by at most Δ each the choice is ε-DP, and no
    smaller ε will do. Together with other releases it costs no more than continuous Laplace noise
    of the same ε. For all utilities and all t its error is at most as likely to reach t as that
    of the exponential mechanism with the same parameters.
    Proof: docs/proofs/selection.md, sections 4 and 5; docs/proofs/paths.md, for Laplace noise.

    Sampling: order and coins are independent, so the choice is uniform among all heads; and
    coin i is an exact geometric draw that reaches gapᵢ. So this is also noisy max: the greatest
    utility plus one-sided geometric noise, ties broken evenly.

    Args:
        candidates: n, public: it must not depend on the data.
        epsilon: a positive number.
        sensitivity: Δ, the most any utility changes between neighbours, an integer.
        monotone: whether, between two neighbours, no utility rises while another falls.

    References: McKennaSheldon2020; DingKiferEtAl2021, for noisy max on the real line.

    Example:
        >>> mechanism = PermuteAndFlip(candidates=4, epsilon=1, sensitivity=1)
        >>> mechanism.release([3, 1000, 40, 5]).value
        1
        >>> round(float(mechanism.expected_error([10, 9, 9, 0])), 4)
        0.5051
        >>> mechanism.concentrated
        ZCDP(rho='0.367879441171443')
    """

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of one choice if up to `distance` people change: that of Laplace noise."""
        from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none

        people = _check.integer_between(distance, "distance", 1)
        return PrivacyLoss.laplace(epsilon=self.epsilon * people)

    @property
    def concentrated(self) -> ZCDP:
        """ε − 1 + e^−ε, which lies below ε²/2."""
        return laplace_to_zcdp(epsilon=self.epsilon)

    def pick(self, gaps: Gaps, source: Source) -> int:
        """One of all heads."""
        drawn = geometric_sampler(self.rate).sample(gaps.size, source)
        heads = np.flatnonzero(reached(drawn, gaps))
        return int(heads[uniform_below(heads.size, 1, source)[0]])

    def rare_gap(self, failure: Fraction) -> int:
        """The least error that is reached with at most this chance, whatever the utilities are."""
        return rare_gap(flipping_missed, self.candidates, self.rate, failure)

    def expected_error(self, utilities: ArrayLike) -> Interval:
        """The expected error for public or made-up utilities; of secret ones it would tell."""
        return flipping_error(utility_gaps(utilities, self.candidates), self.rate)

    def expected_cost(self) -> Interval:
        """The expected error where all but the best fall short by the worst gap there is.

        The upper end is for gaps of any real length, so it may lie above what integers reach.
        """
        return flipping_worst_error(self.candidates, self.rate)


def permute_and_flip(
    *, candidates: SupportsIndex, epsilon: Exact, sensitivity: SupportsIndex, monotone: bool = False
) -> PermuteAndFlip:
    """Chooses a good candidate; the one to take for a single choice.

    Args:
        candidates: how many there are to choose from.
        epsilon: ε > 0.
        sensitivity: the most by which one unit can change a candidate's utility.
        monotone: whether, between two neighbours, no utility rises while another falls.

    Example:
        >>> permute_and_flip(candidates=3, epsilon=1, sensitivity=1).release([0, 90, 5]).value
        1
    """
    return PermuteAndFlip(
        candidates=candidates, epsilon=epsilon, sensitivity=sensitivity, monotone=monotone
    )
