"""`RelativeCounts`: integers with a promised relative error, the more private the larger."""

from fractions import Fraction
from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.groupwise.design_error import DesignError
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.least_budget import least_budget
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.groupwise.make_relative_design import make_relative_design
from leastnoise.groupwise.relative_certificate import RelativeCertificate, relative_certificate
from leastnoise.groupwise.relative_design import RelativeDesign
from leastnoise.groupwise.relative_promise import checked_promise
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source


@dataclass(frozen=True, init=False, repr=False)
class RelativeCounts(GroupwiseCounts):
    r"""Integers x̂ with E|x̂ − x| ≤ relative_error·(x + slack) for every group of x ≥ smallest.

    Theorem: (1) For every x ≥ smallest, without end, the error is as promised, of the lattice and
    the floats in use. (2) The release is v-group-wise zCDP with v(x) = `privacy(x)`, for groups of
    every size, all orders α > 1, records added or removed; v does not grow with x. (3) v(x) is at
    most that of log-Gaussian noise of the same σ on the same lattice, and equal to it for large x,
    where 2Φ(σ) − 1 is just below r and x²·v(x) close to 1/(2σ²): 0.318/r² for small r.
    Proof: docs/proofs/relative_counts.md.

    How: large counts get Gaussian noise on their logarithm; small ones, where the error must be
    less than about one, a walk of randomized responses. Counts below `smallest` are raised to it
    first, so an empty group looks like one of the smallest size; what its error is then, only
    `expected_error` says.

    Args:
        relative_error: r in [10**−8, 1).
        smallest: the least size that the error is promised for; 1 or more, or 0 if there is slack.
        slack: a number of records that every size is increased by in the promise.

    Raises:
        InvalidParameter: the parameters are not such numbers.

    References: FinleyEtAl2024, for noise on transformed values.

    Example:
        >>> mechanism = RelativeCounts(relative_error="0.05", smallest=1)
        >>> mechanism
        RelativeCounts(relative_error='0.05', smallest=1, slack=0)
        >>> [round(float(mechanism.privacy(x)), 4) for x in (1, 10, 100, 1000)]
        [2.7297, 0.9471, 0.0128, 0.0001]
        >>> mechanism.expected_error(1000).upper <= 50
        True
    """

    relative_error: Fraction
    least: int
    slack: Fraction

    def __init__(
        self, *, relative_error: Exact, smallest: SupportsIndex = 1, slack: Exact = 0
    ) -> None:
        error, least, extra = checked_promise(relative_error, smallest, slack)
        make_relative_design(error, least, extra)
        keep(self, relative_error=error, least=least, slack=extra)

    @property
    def design(self) -> RelativeDesign:
        """The channel and the chain behind it; all of it is public."""
        return make_relative_design(self.relative_error, self.least, self.slack)

    @property
    def channel(self) -> LogChannel:
        """What counts from `design.top` on go through."""
        return self.design.channel

    @cached_property
    def _error(self) -> DesignError:
        return DesignError(self.design)

    def privacy(self, size: SupportsIndex) -> Fraction:
        """v(x): the group-wise ρ of a record in a group of x, exact or rounded up."""
        return self.design.budget(_check.integer_between(size, "size", 0))

    def _pair_loss(self, size: int) -> PrivacyLoss:
        return self.design.loss(size)

    def expected_error(self, size: SupportsIndex) -> Interval:
        """E|x̂ − x| for a group of x, those below `smallest` included."""
        return self._error.at(_check.integer_between(size, "size", 0))

    def _drawn(self, counts: NDArray[np.int64], source: Source) -> NDArray[Any]:
        return self.design.release(counts, source)

    def _chance_above(self, size: int, released: Fraction) -> arb:
        return self._error.chance_above(size, released)

    def certificate(self) -> RelativeCertificate:
        """How far v is from the best possible, for large groups; the range is stated."""
        return relative_certificate(self.channel, self.relative_error)

    def least_possible(self, size: SupportsIndex) -> Fraction:
        """A floor under v(x) for any mechanism that promises this error; crude for large groups."""
        x = _check.integer_between(size, "size", 0)
        return least_budget(self.relative_error, max(x, self.least + 1) + self.slack)


def relative_counts(
    *,
    relative_error: Exact,
    smallest: SupportsIndex = 1,
    slack: Exact = 0,
    integers: bool = True,
    unbiased: bool = False,
) -> RelativeCounts | LogGaussianCounts:
    r"""Counts with E|x̂ − x| ≤ relative_error·(x + slack), private in proportion to group size.

    Integers by default, which lose the least privacy. Real-valued estimates, unbiased ones if so
    wished, come from log-Gaussian noise.

    Args:
        relative_error: in [10**−8, 1).
        smallest: the least group the error is promised for; counts below are raised to it.
        slack: a number of records added to every size in the promise.
        integers: False for real-valued estimates.
        unbiased: True for E x̂ = x; such estimates are real-valued.

    Raises:
        InvalidParameter: the parameters are not such values.

    Example:
        >>> mechanism = relative_counts(relative_error=0.05, smallest=1)
        >>> release = mechanism.release({"Oslo": 700_000, "Utsira": 200})
        >>> sorted(release.value)
        ['Oslo', 'Utsira']
        >>> round(float(mechanism.privacy(200)), 4)
        0.0032
    """
    _check.flag(integers, "integers")
    _check.flag(unbiased, "unbiased")
    promise = {"relative_error": relative_error, "smallest": smallest, "slack": slack}
    if integers and not unbiased:
        return RelativeCounts(**promise)  # type: ignore[arg-type]
    return LogGaussianCounts(**promise, unbiased=unbiased)  # type: ignore[arg-type]
