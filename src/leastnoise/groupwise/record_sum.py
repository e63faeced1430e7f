"""`RecordSum`: totals of records of very different size, each losing by its own value."""

from fractions import Fraction
from functools import cached_property
from math import ceil, floor, log2
from typing import Any, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.groupwise.secret_counts import LARGEST_COUNT, Counts, secret_counts
from leastnoise.groupwise.transform import Floats, Logarithm, Root, Transform
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.concentrated_curve import hull
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.per_record import PerRecordZCDP, RecordCurve
from leastnoise.randomness.source import Source, checked_source

_PLACE_BITS = 46  # floats still tell places apart
_LEAST_NOISE = 1 << 10  # steps: rounding is a thousandth of it
_RELATIVE_ERROR = 2.0**-48  # to which float roots and logarithms are trusted


def _transform(given: Transform, name: str) -> Transform:
    rule = f"`{name}` must be a Root or a Logarithm"
    return _check.kind(
        given, Root | Logarithm, rule, "Write for example Root(2) or Logarithm(offset=1000)."
    )


@frozen(kw_only=True, repr=False)
class RecordSum(Rebuilt):
    r"""f(q) + noise for totals q of non-negative whole values, and an unbiased estimate of q.

    Theorem: (1) A record of value c loses at most ρ(c) = reach(c)²/(2V), in whatever total it is:
    D_α ≤ α·ρ(c) for all α > 1, added or removed. On a fine lattice reach(c) is f(c) − f(0), so ρ
    grows like c for square roots, like √c for fourth roots, like ln²(1 + c/offset) for logarithms.
    (2) For records of value 1 the release is group-wise zCDP with v(x) = `group_privacy(x)`.
    (3) The estimate is unbiased up to `bias`.
    Proof: docs/proofs/relative_counts.md, section 7.

    For establishments: the loss is a public function of a record's own value, small for the many
    small ones and bounded in growth for the few large ones.

    Args:
        transform: f, a `Root` or a `Logarithm`.
        value: the value of a typical record.
        rho: what a record of that value may lose; this sets the noise.
        largest: larger totals are lowered to this, which must be public.

    Raises:
        InvalidParameter: the parameters are not such values, or leave too little noise.

    References: FinleyEtAl2024; SeemanSextonPujolMachanavajjhala2024.

    Example:
        >>> payroll = RecordSum(transform=Logarithm(offset=1000), value=1000, rho="0.5")
        >>> [round(float(payroll.privacy(c)), 3) for c in (10, 1000, 10**6)]
        [0.0, 0.5, 49.673]
        >>> square = RecordSum(transform=Root(2), value=1000, rho="0.5")
        >>> [round(float(square.privacy(c)), 3) for c in (10, 1000, 10**6)]
        [0.005, 0.5, 499.999]
    """

    transform: Transform = checked(_transform)
    value: Whole = checked(_check.integer)
    rho: Number = checked(_check.positive)
    largest: Whole = checked(_check.whole(1, LARGEST_COUNT), default=LARGEST_COUNT)

    def __post_init__(self) -> None:
        _check.integer_between(self.value, "value", 1, self.largest)
        if not self._is_plain and self.variance < _LEAST_NOISE**2:
            raise _check.refuse(
                "the noise must be at least 2**10 steps of the lattice",
                f"{self.variance**0.5:.3g}",
                "Name a smaller `largest`, for a finer lattice, or allow a smaller rho.",
            )

    @property
    def _is_plain(self) -> bool:
        """Whether totals are released on their own scale: then steps of 1 are fine enough."""
        return self.transform == Root(1, self.transform.offset)

    @cached_property
    def bits(self) -> int:
        """The lattice has 2**bits steps to a unit of the scale."""
        top = float(self.transform.floats(np.array([self.largest], dtype=np.int64))[0])
        return 0 if self._is_plain else floor(_PLACE_BITS - log2(max(top, 1.0)))

    @cached_property
    def variance(self) -> int:
        """The parameter of the noise, in squares of lattice steps."""
        return ceil(Fraction(self.transform.reach(self.value, self.bits) ** 2) / (2 * self.rho))

    @cached_property
    def noise(self) -> DiscreteGaussian:
        """The law of the noise, in lattice steps."""
        return DiscreteGaussian(variance=self.variance)

    @property
    def squared_sigma(self) -> Fraction:
        """The variance on the scale."""
        return self.variance / Fraction(2) ** (2 * self.bits)

    @property
    def guarantee(self) -> PerRecordZCDP:
        """Per-record zCDP with `privacy` as its curve."""
        return PerRecordZCDP(LossOf(self))

    def privacy(self, value: SupportsIndex) -> Fraction:
        """ρ(c): what a record of value c loses, exactly."""
        c = min(_check.integer_between(value, "value", 0), self.largest)
        return Fraction(self.transform.reach(c, self.bits) ** 2, 2 * self.variance)

    def loss(self, value: SupportsIndex) -> PrivacyLoss:
        """The whole privacy loss of a record of this value, 1 or more."""
        c = min(_check.integer_between(value, "value", 1), self.largest)
        return self.noise.privacy(self.transform.reach(c, self.bits))

    def group_privacy(self, size: SupportsIndex) -> Fraction:
        """v(x): the group-wise ρ of a record in a group of x, if every record has value 1."""
        x = _check.integer_between(size, "size", 0)
        pair = min(max(x, 1), self.largest)
        shifted = _moved(self.transform, pair - 1)
        return Fraction(shifted.reach(1, self.bits) ** 2, 2 * self.variance)

    def release(self, totals: Counts, source: Source | None = None) -> Release[Any]:
        """Unbiased estimates in the arrangement of the totals, each with noise of its own.

        Raises:
            InvalidParameter: not whole numbers in 0..2**62; nothing was drawn, no data is shown.
        """
        secret = secret_counts(totals)
        held = np.minimum(secret.values, self.largest)
        noise = self.noise.sample(held.size, checked_source(source)).astype(np.int64)
        estimates = self._estimates(self._places(held) + noise)
        return Release(secret.arranged(estimates), self.guarantee, repr(self))

    def _places(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        if self._is_plain:
            return totals + self.transform.place(0, 0)
        scaled = np.ldexp(self.transform.floats(totals), self.bits)
        below = np.floor(scaled + 0.5)
        margin = np.abs(scaled) * _RELATIVE_ERROR + 2.0 ** (self.bits - 48)
        unsure = np.abs(scaled - below) > 0.5 - margin
        places: NDArray[np.int64] = below.astype(np.int64)
        places[unsure] = [self._place(q) for q in totals[unsure].tolist()]
        return places

    def _place(self, total: int) -> int:
        return self.transform.place(total, self.bits)

    def _estimates(self, places: NDArray[np.int64]) -> Floats:
        scaled = np.ldexp(places.astype(np.float64), -self.bits)
        return self.transform.estimates(scaled, float(self.squared_sigma) ** 0.5)

    def bias(self, total: SupportsIndex) -> Interval:
        """E q̂ − q for a total: what the lattice leaves."""
        q = _check.integer_between(total, "total", 0, self.largest)
        place = Fraction(self._place(q)) / Fraction(2) ** self.bits
        if isinstance(self.transform, Root):
            return Interval.exactly(self.transform.mean(place) - q)
        exact = q + self.transform.offset
        return balls.enclosure(lambda: balls.ball(place).exp() - balls.ball(exact))

    def standard_error(self, total: SupportsIndex) -> Interval:
        """The standard deviation of the estimate of a total."""
        q = _check.integer_between(total, "total", 0, self.largest)
        place = Fraction(self._place(q)) / Fraction(2) ** self.bits

        def deviation() -> arb:
            if self._is_plain:
                return hull(self.noise.variance).sqrt()
            if isinstance(self.transform, Root):
                return balls.ball(self.transform.variance(place, self.squared_sigma)).sqrt()
            spread = balls.ball(self.squared_sigma).expm1()
            return spread.sqrt() * balls.ball(place).exp()

        return balls.enclosure(deviation)


@dataclass(frozen=True, repr=False)
class LossOf(RecordCurve):
    """The curve c ↦ ρ(c) of a mechanism."""

    mechanism: RecordSum

    def __call__(self, value: int) -> Fraction:
        """ρ(value)."""
        return self.mechanism.privacy(value)

    def __repr__(self) -> str:
        return f"loss of {self.mechanism!r}"


def _moved(transform: Transform, total: int) -> Transform:
    """The same scale seen from a total."""
    if isinstance(transform, Root):
        return Root(transform.degree, transform.offset + total)
    return Logarithm(transform.offset + total)
