"""`UnitSplitting`: large records as several units, so that any mechanism can take them."""

from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.groupwise.secret_counts import Counts, secret_counts
from leastnoise.privacy.per_record import PerRecordZCDP, RecordCurve


@frozen(kw_only=True)
class UnitSplitting(RecordCurve):
    r"""A record of value c becomes ⌈c/unit⌉ units of value at most `unit`; one unit if c = 0.

    Theorem: if a mechanism is ρ-zCDP for data sets that differ in one unit, then applied to the
    units of records it is per-record zCDP with ρ(c) = ρ·⌈c/unit⌉² (ρ for c = 0).
    Proof: adding a record adds that many units, and zCDP for a group of k is k²ρ:
    docs/proofs/group_privacy.md.

    Args:
        unit: the greatest value of one unit; public.
        rho: what the mechanism costs one unit.

    References: SeemanSextonPujolMachanavajjhala2024.

    Example:
        >>> policy = UnitSplitting(unit=100, rho="0.1")
        >>> policy(100), policy(250)
        (Fraction(1, 10), Fraction(9, 10))
        >>> parts, owners = policy.split([30, 250])
        >>> parts.tolist(), owners.tolist()
        ([30, 100, 100, 50], [0, 1, 1, 1])
    """

    unit: Whole = checked(_check.whole(1))
    rho: Number = checked(_check.positive)

    def units(self, value: SupportsIndex) -> int:
        """How many units a record of this value becomes."""
        return max(1, -(-_check.integer_between(value, "value", 0) // self.unit))

    def __call__(self, value: int) -> Fraction:
        """ρ(c), what a record of value c loses."""
        return self.rho * self.units(value) ** 2

    @property
    def guarantee(self) -> PerRecordZCDP:
        """What a mechanism that costs a unit ρ promises to records."""
        return PerRecordZCDP(self)

    def split(self, values: Counts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The values of all units, and for each the number of the record it comes from.

        Both are as secret as the data: they are the input of a mechanism, not a release.

        Raises:
            InvalidParameter: not whole numbers in 0..2**62. What was found is not shown.
        """
        secret = secret_counts(values).values
        units = np.maximum(1, -(-secret // self.unit))
        owners = np.repeat(np.arange(secret.size), units)
        ends = np.cumsum(units)
        last = np.zeros(owners.size, dtype=np.bool_)
        last[ends - 1] = True
        rest = secret - (units - 1) * self.unit
        return np.where(last, rest[owners], self.unit), owners
