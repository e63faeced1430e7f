"""Composition theorems for repeated (ε, δ)-DP mechanisms, side by side.

Mechanisms whose privacy loss is known compose better through `PrivacyLoss.compose`; the theorems
here know nothing of a mechanism but its ε and δ.
"""

from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.accounting.advanced_composition import AdvancedComposition, advanced
from leastnoise.accounting.basic_composition import BasicComposition, basic
from leastnoise.accounting.optimal_composition import OptimalComposition, optimal
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import PrivacyCurve, price_text
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, exact_text
from leastnoise.privacy.implications import approx_to_zcdp
from leastnoise.privacy.to_approx import curve_of

__all__ = [
    "AdvancedComposition",
    "BasicComposition",
    "ComparedTheorem",
    "Comparison",
    "OptimalComposition",
    "advanced",
    "basic",
    "compare",
    "optimal",
]


@dataclass(frozen=True)
class ComparedTheorem:
    """What one theorem says about the same composition."""

    name: str
    epsilon: Interval
    reference: str

    def __str__(self) -> str:
        return f"{self.name:<14}{price_text(self.epsilon):<12}{self.reference}"


@dataclass(frozen=True)
class Comparison:
    """A table of theorems, the oldest first."""

    promise: ApproxDP
    count: int
    target_delta: str
    rows: tuple[ComparedTheorem, ...]

    def __str__(self) -> str:
        title = f"{self.count} × {self.promise}: ε at δ = {self.target_delta}"
        return "\n".join([title, *map(str, self.rows)])


def compare(
    *, epsilon: Exact, delta: Exact, count: SupportsIndex, target_delta: Exact
) -> Comparison:
    r"""The ε that each theorem gives for `count` mechanisms at a total δ, `math.inf` if none.

    Theorem: optimal ≤ each of the others, for all parameters. Zero-concentrated composition goes by
    `approx_to_zcdp`, adds up, and comes back by `zcdp_to_approx`.

    Example:
        >>> print(compare(epsilon="0.1", delta=0, count=100, target_delta="1e-6"))
        100 × approximate differential privacy with ε = 0.1, δ = 0: ε at δ = 0.000001
        basic         10          DworkRoth2014, Theorem 3.16
        advanced      6.30824     DworkRothblumVadhan2010, Theorem III.3
        concentrated  5.21908     CanonneKamathSteinke2020, Corollary 13
        optimal       4.77457     KairouzOhViswanath2017, Theorem 3.3
    """
    promise = ApproxDP(epsilon=epsilon, delta=delta)
    times, wanted = _check.integer_between(count, "count", 1), _check.delta(target_delta)
    curves: tuple[tuple[str, PrivacyCurve, str], ...] = (
        ("basic", BasicComposition(promise, times), "DworkRoth2014, Theorem 3.16"),
        ("advanced", AdvancedComposition(promise, times), "DworkRothblumVadhan2010, Theorem III.3"),
        ("concentrated", _concentrated(promise, times), "CanonneKamathSteinke2020, Corollary 13"),
        ("optimal", OptimalComposition(promise, times), "KairouzOhViswanath2017, Theorem 3.3"),
    )
    rows = (ComparedTheorem(name, curve.epsilon(wanted), source) for name, curve, source in curves)
    return Comparison(promise, times, exact_text(wanted), tuple(rows))


def _concentrated(promise: ApproxDP, count: int) -> PrivacyCurve:
    if count * promise.delta >= 1:
        return BasicComposition(promise, count)
    one = approx_to_zcdp(promise)
    return curve_of(ZCDP(rho=count * one.rho, delta=count * one.delta))
