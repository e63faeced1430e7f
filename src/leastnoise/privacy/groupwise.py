"""`GroupwiseZCDP`: zero-concentrated differential privacy that improves with the group's size."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Checked, Whole, checked, frozen
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.privacy.curves.budget_curve import BudgetCurve, as_curve
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP, exact_text
from leastnoise.privacy.to_approx import pure_to_approx, zcdp_to_approx

# Where a curve is looked at once: a slip such as x ↦ x instead of 1/x shows at any of them.
_LOOKED_AT = (0, 1, 2, 4, 16, 256, 1 << 16, 1 << 30)


@frozen(kw_only=True, repr=False)
class GroupwiseZCDP:
    r"""Group-wise zCDP: for a record whose group has x records, ρ = v(x) (and an offset ξ(x)).

    Definition: records belong to fixed, disjoint groups. For all data sets D and D′ of which one
    has a single record more, in group i, for *both* sizes x ∈ {xᵢ(D), xᵢ(D′)} and for all α > 1,
    D_α(M(D)‖M(D′)) ≤ α·v(x) + ξ(x) and D_α(M(D′)‖M(D)) ≤ α·v(x) + ξ(x). Only data sets whose
    groups all have at least `smallest` records count; that they do must be public knowledge.

    Theorem: v and ξ must not grow with the size. Then the pair of sizes (x−1, x) is bound by the
    values at x, the smaller ones, and nothing else is asked: a bound on that pair, for every x and
    in both directions, that does not grow with x is itself a valid curve. Curves add up under
    adaptive composition. (ξ, ρ) implies (ε + ξ, δ)-DP wherever ρ-zCDP implies (ε, δ)-DP.
    Proof: docs/proofs/groupwise.md.

    What may be published: the *curve* is public. The value v(xᵢ(D)) at the true size is not, for it
    tells the size. Publish the curve, or its value at a released lower confidence limit: see
    `at_lower_limit`.

    Args:
        v: a `BudgetCurve`, or a number for a constant one.
        xi: likewise.
        smallest: the least size that groups are publicly known to have.

    References: BunSteinke2016, Definition 1.1 and Section 2 (arXiv 1605.02065v1), for zCDP with ξ.

    Example:
        >>> from leastnoise.privacy.curves.budget_curve import StepBudget
        >>> promise = GroupwiseZCDP(v=StepBudget({0: 2, 10: "0.02", 100: "0.0002"}))
        >>> promise.at(50)
        ZCDP(rho='0.02')
        >>> promise.approx(50, delta="1e-6")
        ApproxDP(epsilon='0.899935267660642', delta='0.000001')
        >>> promise.self_compose(3).at(100)
        ZCDP(rho='0.0006')
    """

    v: Checked[BudgetCurve | Exact, BudgetCurve] = checked(as_curve)
    xi: Checked[BudgetCurve | Exact, BudgetCurve] = checked(as_curve, default=0)
    smallest: Whole = checked(_check.whole(0), default=0)

    def __post_init__(self) -> None:
        _refuse_growth(self.v, "v", self.smallest)
        _refuse_growth(self.xi, "xi", self.smallest)

    def __repr__(self) -> str:
        offset = "" if self.xi == as_curve(0, "xi") else f", xi={self.xi!r}"
        least = f", smallest={self.smallest}" if self.smallest else ""
        return f"GroupwiseZCDP(v={self.v!r}{offset}{least})"

    def __str__(self) -> str:
        return f"group-wise zero-concentrated differential privacy with v = {self.v!r}"

    def at(self, size: SupportsIndex) -> ZCDP:
        r"""What a record in a group of this (public) size is promised: v(x) + ξ(x) as ρ.

        For all α > 1, α·v + ξ ≤ α·(v + ξ): exact where ξ is 0, and loose where it is not, for
        which `approx` is tighter.
        """
        x = self._size(size)
        return ZCDP(rho=self.v(x) + self.xi(x))

    def approx(self, size: SupportsIndex, *, delta: Exact) -> ApproxDP:
        r"""The (ε, δ)-DP that a record in a group of this (public) size is promised.

        Theorem: D_α ≤ ρα + ξ for all α > 1 implies (ξ + ε, δ)-DP with the ε of `zcdp_to_approx`,
        and ξ-DP if ρ = 0.
        Proof: docs/proofs/groupwise.md, section 3.
        """
        x = self._size(size)
        rho, offset = self.v(x), self.xi(x)
        if not rho:
            return pure_to_approx(PureDP(epsilon=offset), delta=delta)
        alone = zcdp_to_approx(ZCDP(rho=rho), delta=delta)
        return ApproxDP(epsilon=alone.epsilon + offset, delta=delta)

    def upper_bounds(self, sizes: ArrayLike) -> NDArray[np.float64]:
        """The ρ of `at` for many sizes, as floats rounded up. For tables and plots.

        Raises:
            InvalidParameter: not an array of integers of at least `smallest`.
        """
        whole = self._sizes(sizes)
        if self.xi(self.smallest) == 0:
            return self.v.upper_bounds(whole)
        return (self.v + self.xi).upper_bounds(whole)

    def for_all_sizes(self) -> ZCDP:
        """The promise to every record, whatever its group: that of the smallest size."""
        return self.at(self.smallest)

    def at_lower_limit(self, limit: Exact, *, confidence: Exact) -> "PublishablePromise":
        r"""The promise at a released lower limit of a group's size: safe to publish.

        Theorem: let L be computed from a release, with P(L ≤ xᵢ(D)) ≥ confidence for every D. Then
        the value v(L) costs no privacy beyond that of the release, and with that probability it is
        an upper bound on v(xᵢ(D)). A limit that was not released, such as the size itself, may not
        be used: publishing v there would publish it.
        Proof: post-processing, and v does not grow: docs/proofs/groupwise.md, section 4.

        Args:
            limit: any number; a size is whole, so it is rounded up, and at least `smallest`.
            confidence: the probability, over the release, that the limit is right.
        """
        bound = _check.rational(limit, "limit")
        size = max(math.ceil(bound), self.smallest)
        return PublishablePromise(self.at(size), size, _check.probability(confidence, "confidence"))

    def compose(self, other: "GroupwiseZCDP | ZCDP") -> "GroupwiseZCDP":
        r"""The promise of two releases about the same data, the second chosen in view of the first.

        Theorem: v, ξ add up, for mechanisms chosen adaptively from those that keep `other`.
        Proof: docs/proofs/groupwise.md, section 2.
        """
        second = _as_groupwise(other)
        return GroupwiseZCDP(
            v=self.v + second.v,
            xi=self.xi + second.xi,
            smallest=max(self.smallest, second.smallest),
        )

    def self_compose(self, count: SupportsIndex) -> "GroupwiseZCDP":
        """The promise of `count` such releases about the same data."""
        times = _check.integer_between(count, "count", 0)
        return GroupwiseZCDP(v=times * self.v, xi=times * self.xi, smallest=self.smallest)

    def _size(self, size: SupportsIndex) -> int:
        try:
            return _check.integer_between(size, "size", self.smallest)
        except InvalidParameter:
            raise self._refusal("`size` must be an integer") from None

    def _sizes(self, sizes: ArrayLike) -> NDArray[np.int64]:
        try:
            array = np.asarray(sizes)
        except ValueError:
            raise self._refusal("`sizes` must be an array of integers") from None
        whole = array.dtype.kind in "iu"
        if whole and np.all(array >= self.smallest) and np.all(array < 1 << 63):
            return array.astype(np.int64)
        raise self._refusal("`sizes` must hold integers below 2**63")

    def _refusal(self, rule: str) -> InvalidParameter:
        return _check.refuse(
            f"{rule} of at least smallest={self.smallest}",
            "something else (not shown: it may be data)",
            "Give public sizes; below the smallest nothing is promised.",
        )


@dataclass(frozen=True)
class PublishablePromise:
    """A promise at a released lower limit of a group's size, and how surely the limit holds.

    The confidence is about the *statement*: with at least this probability the group is as large
    as the limit says, and its records are promised this much. It is no δ: whatever the limit, the
    release keeps its group-wise promise.

    Example:
        >>> print(GroupwiseZCDP(v="0.5").at_lower_limit("12.3", confidence="0.95"))
        zero-concentrated differential privacy with ρ = 0.5, if the group has 13 or more records
        (confidence 0.95)
    """

    promise: ZCDP
    size: int
    confidence: Fraction

    def __str__(self) -> str:
        return (
            f"{self.promise}, if the group has {self.size} or more records\n"
            f"(confidence {exact_text(self.confidence)})"
        )


def _refuse_growth(curve: BudgetCurve, name: str, smallest: int) -> None:
    values = [_checked_value(curve(smallest + step), name) for step in _LOOKED_AT]
    if not all(right <= left for left, right in pairwise(values)):
        raise _check.refuse(
            f"`{name}` must not grow with the size",
            f"{name}={_check.shown(curve)}, which does",
            "Take the greatest of its values from each size on.",
        )


def _checked_value(value: object, name: str) -> Fraction | int:
    if isinstance(value, Fraction | int) and value >= 0:
        return value
    raise _check.refuse(
        f"`{name}` must have exact values that are 0 or more",
        _check.shown(value),
        "Return a Fraction, rounded up where the truth is not rational.",
    )


def _as_groupwise(promise: GroupwiseZCDP | ZCDP) -> GroupwiseZCDP:
    match promise:
        case GroupwiseZCDP():
            return promise
        case ZCDP(delta=0):
            return GroupwiseZCDP(v=promise.rho)
        case _:
            raise UnsupportedQuery(
                "group-wise zCDP composes with GroupwiseZCDP and with ZCDP of delta=0; got "
                f"{_check.shown(promise)}. "
                "Convert both to ApproxDP and add those up instead."
            )
