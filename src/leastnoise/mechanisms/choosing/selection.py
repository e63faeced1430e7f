"""`Selection`: what all ways to choose a good candidate in private have in common."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, SupportsIndex

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.mechanisms.choosing.utility_gaps import Gaps, utility_gaps
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Described
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.implications import pure_to_zcdp
from leastnoise.randomness.source import Source, checked_source

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

_MOST_CANDIDATES = 1 << 62  # their numbers shall fit into 64 bits


@frozen(kw_only=True, repr=False)
class Selection(Described, ABC):
    r"""Chooses one of n candidates, a good one by their integer utilities.

    What a choice costs the analyst is its *error*: the greatest utility minus that of the choice.

    Args:
        candidates: n, public: it must not depend on the data.
        epsilon: a positive number.
        sensitivity: the most any utility changes between neighbours, an integer.
        monotone: whether, between two neighbours, no utility rises while another falls; the
            same ε then buys half the error.
    """

    candidates: Whole = checked(_check.whole(1, _MOST_CANDIDATES))
    epsilon: Number = checked(_check.positive)
    sensitivity: Whole = checked(_check.whole(1))
    monotone: bool = checked(_check.flag, default=False)

    @property
    def rate(self) -> Fraction:
        """How fast the chance of a candidate falls with its gap to the best: e^−rate per step."""
        return self.epsilon / (self.sensitivity * (1 if self.monotone else 2))

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for all neighbours whose utilities differ by at most the sensitivity each."""
        return PureDP(epsilon=self.epsilon)

    @property
    def concentrated(self) -> ZCDP:
        """The zCDP that one choice keeps."""
        return pure_to_zcdp(self.guarantee)

    @abstractmethod
    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of one choice if up to `distance` people change."""

    @abstractmethod
    def pick(self, gaps: Gaps, source: Source) -> int:
        """A place in the row of secret gaps, drawn exactly."""

    @abstractmethod
    def rare_gap(self, failure: Fraction) -> int:
        """The least error that is reached with at most this chance, whatever the utilities are."""

    @abstractmethod
    def expected_error(self, utilities: ArrayLike) -> Interval:
        """The expected error for public or made-up utilities; of secret ones it would tell."""

    @abstractmethod
    def expected_cost(self) -> Interval:
        """The expected error, for the utilities where it is greatest."""

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[int]:
        """The number of the candidate chosen, from 0.

        Raises:
            InvalidParameter: not a row of n integers of 64 bits; what was found is not said.
        """
        gaps = utility_gaps(value, self.candidates)
        return Release(self.pick(gaps, checked_source(source)), self.guarantee, repr(self))

    def certificate(self) -> None:
        """None for now."""
        return
