"""`PerRecordZCDP`: zero-concentrated differential privacy by the value of the record itself."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.privacy.to_approx import zcdp_to_approx


class RecordCurve(ABC):
    """c ↦ ρ(c) ≥ 0 for the whole values of records: exact, public, and never falling with c.

    A mechanism's curve is a frozen dataclass that derives from this class.
    """

    @abstractmethod
    def __call__(self, value: int) -> Fraction:
        """ρ(value), exactly; it must not exceed ρ(value + 1)."""


@dataclass(frozen=True)
class PerRecordZCDP:
    r"""Per-record zCDP: a record of value c loses ρ(c), whatever else the data holds.

    Definition: for all data sets D and D′ of which one has a single record more, of value c, and
    for all α > 1, D_α(M(D)‖M(D′)) ≤ α·ρ(c) and D_α(M(D′)‖M(D)) ≤ α·ρ(c).

    The curve is public. What a record of the data loses is not, for it tells its value.

    References: SeemanSextonPujolMachanavajjhala2024, where ρ is called the policy function.

    Example:
        >>> @dataclass(frozen=True)
        ... class Square(RecordCurve):
        ...     def __call__(self, value):
        ...         return Fraction(value**2, 100)
        >>> PerRecordZCDP(rho=Square()).at(5)
        ZCDP(rho='0.25')
        >>> PerRecordZCDP(rho=Square()).compose(PerRecordZCDP(rho=Square())).at(5)
        ZCDP(rho='0.5')
    """

    rho: RecordCurve

    def at(self, value: SupportsIndex) -> ZCDP:
        """What a record of this (public) value is promised."""
        return ZCDP(rho=self.rho(_check.integer_between(value, "value", 0)))

    def approx(self, value: SupportsIndex, *, delta: Exact) -> ApproxDP:
        """The (ε, δ)-DP that a record of this (public) value is promised."""
        promise = self.at(value)
        if not promise.rho:
            return ApproxDP(epsilon=0, delta=delta)
        return zcdp_to_approx(promise, delta=delta)

    def compose(self, other: "PerRecordZCDP") -> "PerRecordZCDP":
        r"""The promise of two releases about the same data, the second chosen in view of the first.

        Theorem: the curves add up.
        Proof: as for group sizes, docs/proofs/groupwise.md, section 2; the value of the record
        that differs takes the place of the size.
        """
        rule = "per-record zCDP composes with per-record zCDP"
        _check.kind(other, PerRecordZCDP, rule, "Give a PerRecordZCDP with a curve of its own.")
        return PerRecordZCDP(SumOfRecordCurves((self.rho, other.rho)))


@dataclass(frozen=True)
class SumOfRecordCurves(RecordCurve):
    """Curves added up."""

    terms: tuple[RecordCurve, ...]

    def __call__(self, value: int) -> Fraction:
        """The sum of the terms."""
        return sum((curve(value) for curve in self.terms), Fraction(0))
