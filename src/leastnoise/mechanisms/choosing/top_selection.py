"""`TopSelection`: several good candidates, chosen one after another."""

from fractions import Fraction
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.mechanisms.choosing.selection import Selection
from leastnoise.mechanisms.choosing.utility_gaps import utility_gaps
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Described
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.randomness.source import Source, checked_source

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss


def _selection(selection: Selection, name: str) -> Selection:
    rule = f"`{name}` must be a way to choose one candidate"
    return _check.kind(
        selection, Selection, rule, "Give an ExponentialMechanism or a PermuteAndFlip."
    )


@frozen(repr=False)
class TopSelection(Described):
    r"""Chooses `count` candidates by peeling: choose one, set it aside, choose again.

    Theorem: for all neighbours, the choices together cost what `count` choices cost: count·ε, and
    less than that under zCDP or with a δ. Proof: each choice is one of the given kind among the
    candidates that are left, and who is left is known from the choices before; so this is an
    adaptive composition.

    With the exponential mechanism the price under zCDP is below count·ε²/8.

    Args:
        selection: how to choose one.
        count: how many to choose, at most as many as there are candidates.

    References: DurfeeRogers2019, for peeling with the exponential mechanism.

    Example:
        >>> from leastnoise.mechanisms import ExponentialMechanism
        >>> one = ExponentialMechanism(candidates=4, epsilon="0.5", sensitivity=1)
        >>> top = TopSelection(one, count=2)
        >>> top.release([3, 2000, 400, 5]).value
        (1, 2)
        >>> top.guarantee, top.concentrated
        (PureDP(epsilon=1), ZCDP(rho='0.0622841845223118'))
    """

    selection: Selection = checked(_selection)
    count: Whole = checked(_check.integer)

    def __post_init__(self) -> None:
        _check.integer_between(self.count, "count", 1, self.selection.candidates)

    @property
    def guarantee(self) -> PureDP:
        """The pure price of all choices together."""
        return PureDP(epsilon=self.count * self.selection.epsilon)

    @property
    def concentrated(self) -> ZCDP:
        """The zCDP that all choices together keep."""
        return ZCDP(rho=self.count * self.selection.concentrated.rho)

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of all choices together if up to `distance` people change."""
        return self.selection.privacy(distance).self_compose(self.count)

    def rare_gap(self, failure: Fraction) -> int:
        """With at most this chance one of the chosen is so far below the last of the best, or more.

        Whatever the utilities are. The last of the best is the `count`-th greatest of all.
        Proof: docs/proofs/selection.md, section 7.
        """
        if self.count == self.selection.candidates:
            return 1
        return self.selection.rare_gap(failure / self.count)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[tuple[int, ...]]:
        """The numbers of the candidates, in the order in which they were chosen.

        Raises:
            InvalidParameter: not a row of n integers of 64 bits; what was found is not said.
        """
        gaps, bits = utility_gaps(value, self.selection.candidates), checked_source(source)
        left, chosen = np.arange(gaps.size), []
        for _ in range(self.count):
            remaining = gaps[left]
            place = self.selection.pick(remaining - remaining.min(), bits)
            chosen.append(int(left[place]))
            left = np.delete(left, place)
        return Release(tuple(chosen), self.guarantee, repr(self))
