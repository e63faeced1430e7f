"""`PrivacyFilter`: a fixed limit for questions whose budgets are chosen on the way."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import field
from fractions import Fraction

from leastnoise._check import Exact
from leastnoise._frozen import checked, frozen, keep
from leastnoise.accounting.pricing import Amounts, as_amounts, as_guarantee, checked_price, price
from leastnoise.errors import BudgetExceeded
from leastnoise.privacy.curves.curve import approx_at
from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.privacy.to_approx import curve_of


@frozen(repr=False)
class PrivacyFilter:
    r"""Grants requests while their sum stays within a limit that was fixed at the start.

    Theorem: let an analyst choose each mechanism, its budget and whether to go on in view of all
    earlier answers, and run what the filter grants. Then the whole interaction keeps the limit:

    ===============  =========================  ==============================================
    limit            what is added up           a request may be
    ===============  =========================  ==============================================
    `PureDP`         ε                          `PureDP`
    `ApproxDP`       ε and δ                    `PureDP`, `ApproxDP`
    `ZCDP`           ρ and δ                    `ZCDP`; `PureDP`, `ApproxDP` as ρ = ε·tanh(ε/2);
                                                `GDP` as ρ = μ²/2
    `GDP`            μ²                         `GDP`; `PureDP` as μ = 2Φ⁻¹(e^ε/(1+e^ε))
    `RDP`            ε at the limit's order a   `RDP` of order a or above; `ZCDP` as aρ; `GDP` as
                                                aμ²/2; `PureDP` as for randomized response
    ===============  =========================  ==============================================

    Proof: docs/proofs/filters.md.

    Sums and comparisons are exact; a conversion to an irrational number is rounded up. A refusal
    depends on budgets only, never on data, so it tells nothing. The promise is the limit's: what
    was `spent` is for information, because an analyst may stop where it happens to be small.

    A filter is a value: `request` returns the next one, and the one before must not be used again
    for the same data. A ledger sees to that.

    Args:
        limit: the guarantee for everything together.

    References: RogersRothUllmanVadhan2016; FeldmanZrnic2021, for one order;
    WhitehouseRamdasRogersWu2023, for zCDP; SmithThakurta2022, for GDP.

    Example:
        >>> from leastnoise.privacy.guarantee import PureDP
        >>> budget = PrivacyFilter(PureDP(epsilon=1))
        >>> for _ in range(10):
        ...     budget = budget.request(PureDP(epsilon="0.1"))
        >>> budget.remaining
        PureDP(epsilon=0)
        >>> budget.request(PureDP(epsilon="1e-30"))
        Traceback (most recent call last):
        leastnoise.errors.BudgetExceeded: a request must cost no more than remains; got
        PureDP(epsilon='1E-30') where PureDP(epsilon=0) is left. Ask for less, or stop here.
    """

    limit: Guarantee = checked(checked_price)
    _spent: Amounts = field(init=False)

    def __post_init__(self) -> None:
        keep(self, _spent=(Fraction(0),) * len(as_amounts(self.limit)))

    def request(self, cost: Guarantee) -> "PrivacyFilter":
        """The filter after this request was granted.

        Raises:
            BudgetExceeded: the request costs more than is left.
            UnsupportedQuery: no theorem lets this kind of cost be added up under this limit.
        """
        total = tuple(a + b for a, b in zip(self._spent, price(cost, self.limit), strict=True))
        if not all(a <= b for a, b in zip(total, as_amounts(self.limit), strict=True)):
            raise self._refusal(cost)
        granted = PrivacyFilter(self.limit)
        keep(granted, _spent=total)
        return granted

    def after(self, costs: Iterable[Guarantee]) -> "PrivacyFilter":
        """The filter after many granted requests: the same as one by one, and faster."""
        total = self._spent
        for cost, times in Counter(costs).items():
            amounts = price(cost, self.limit)
            total = tuple(a + times * b for a, b in zip(total, amounts, strict=True))
        if not all(a <= b for a, b in zip(total, as_amounts(self.limit), strict=True)):
            raise BudgetExceeded("requests that were granted must not exceed their limit; they do.")
        granted = PrivacyFilter(self.limit)
        keep(granted, _spent=total)
        return granted

    def _refusal(self, cost: Guarantee) -> BudgetExceeded:
        return BudgetExceeded(
            f"a request must cost no more than remains; got {cost!r} where {self.remaining!r} is "
            "left. Ask for less, or stop here.",
            requested=cost,
            remaining=self.remaining,
        )

    def __repr__(self) -> str:
        return f"PrivacyFilter(limit={self.limit!r}, spent={self.spent!r})"

    @property
    def spent(self) -> Guarantee:
        """The sum of what was granted, rounded up where it is irrational."""
        return as_guarantee(self._spent, self.limit, up=True)

    @property
    def remaining(self) -> Guarantee:
        """The greatest request that would still be granted, rounded down where irrational."""
        left = tuple(b - a for a, b in zip(self._spent, as_amounts(self.limit), strict=True))
        return as_guarantee(left, self.limit, up=False)

    def as_approx(self, delta: Exact) -> ApproxDP:
        """What the limit, and so the whole interaction, promises in terms of ε at this δ."""
        return approx_at(curve_of(self.limit), delta=delta)
