"""`TruncatedZCDP`: zero-concentrated differential privacy up to an order, and no further."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, checked, frozen
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.privacy.guarantee import RDP, ApproxDP, exact_text, typed_text
from leastnoise.privacy.to_approx import rdp_to_approx

order_above_one = _check.limited(
    _check.rational, lambda order: order > 1, "be above 1", "Choose one such as 2."
)
"""A finite order of a Rényi divergence."""


@frozen(kw_only=True, repr=False)
class TruncatedZCDP:
    r"""D_α ≤ ρα for 1 < α ≤ ω: what remains of zCDP where high orders are infinite.

    Definition: for all ordered pairs of neighbours and all orders 1 < α ≤ ω, D_α ≤ ρα.

    Theorem: for every α in that range it implies (α, ρα)-RDP, hence (ε, δ)-DP. The best such ε
    behaves as under ρ-zCDP while ln(1/δ) is below about ρ(ω−1)², and grows like ln(1/δ)/(ω−1)
    beyond.
    Proof: by definition, and docs/proofs/implications.md, section 3.

    Args:
        rho: ρ ≥ 0.
        order: ω > 1.

    References: BunDworkRothblumSteinke2018, Definition 1 (there for α < ω).

    Example:
        >>> promise = TruncatedZCDP(rho="0.02", order=20)
        >>> promise.approx(delta="1e-6")
        ApproxDP(epsilon='0.918168720581412', delta='0.000001')
    """

    rho: Number = checked(_check.non_negative)
    order: Number = checked(order_above_one)

    def __repr__(self) -> str:
        return f"TruncatedZCDP(rho={typed_text(self.rho)}, order={typed_text(self.order)})"

    def __str__(self) -> str:
        return (
            f"zero-concentrated differential privacy with ρ = {exact_text(self.rho)}, "
            f"for orders up to {exact_text(self.order)} only"
        )

    def at_order(self, order: Exact) -> RDP:
        """(α, ρα)-RDP for an α up to ω."""
        alpha = _check.rational(order, "order")
        if 1 < alpha <= self.order:
            return RDP(order=alpha, epsilon=self.rho * alpha)
        raise _check.refuse(
            f"`order` must be above 1 and at most {exact_text(self.order)}",
            f"order={exact_text(alpha)}",
            "Beyond that order nothing is promised: the divergence may be infinite.",
        )

    def approx(self, *, delta: Exact) -> ApproxDP:
        """The (ε, δ)-DP it implies, at an order close to the best; any order would be sound."""
        wanted = _check.positive_delta(delta)
        alpha = self.order
        if self.rho:
            best = enclosure(lambda: 1 + (-ball(wanted).log() / ball(self.rho)).sqrt())
            alpha = min(alpha, Fraction(round(Fraction(best.upper) * 2**20), 2**20))
        return rdp_to_approx(self.at_order(alpha), delta=wanted)
