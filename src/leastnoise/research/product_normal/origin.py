r"""What is left of a divergence next to y = 0, where the density of a product is infinite.

Theorem: let c(x) = √(π/2)·∫ e^((u²−x²)/2)·erf(u/√2) du over 0 ≤ u ≤ |x|, and
W(K) = e^(−(a²+b²)/2)·K + e^(−b²/2)·c(a) + e^(−a²/2)·c(b). For 0 < κ ≤ κ₁ the density of pq at ±κ is
W(K₀(κ))/π up to a factor between (1−ζ)(1−η) and 1+ζ, where ζ = e^(κ₁|ab|) − 1 and
η = max(1 − κ₁·K₁(κ₁), κ₁²/4).
Proof: docs/proofs/document_algorithms.md, section 6.
"""

from functools import cached_property
from itertools import pairwise

from flint import acb, arb

from leastnoise._dataclass import dataclass
from leastnoise.research.product_normal.density import bessel_k

_NEGLIGIBLE = 60  # e^-60 is below 2^-86


def origin_share(mean: arb, neighbour: arb, other: arb, order: arb, edge: arb) -> arb:
    r"""A ball around ∫ f^α·g^(1−α) over |y| ≤ κ₁ = edge; around ∫ f·ln(f/g) for α = 1.

    From below by the probabilities of the event |y| ≤ κ₁, from above by the greatest ratio f/g in
    shells κ₁·e^−(next depth) < |y| ≤ κ₁·e^−depth. As K grows W/W′ goes to its limit steadily, so
    that its greatest values in the shells either never rise or rise all the way.
    """
    first, second = Origin(mean, other, edge), Origin(neighbour, other, edge)
    growth = abs(neighbour**2 - mean**2) / 2
    depths = _depths(((order - 1) * growth).upper() + _NEGLIGIBLE)
    ratios = [first.ratio(second, depth) for depth in depths]
    ratios.append(((neighbour**2 - mean**2) / 2).exp())
    spread = first.spread * second.spread
    greatest = [spread * here.max(deeper) for here, deeper in pairwise(ratios)]
    whole, share = first.probability(), second.probability()
    if order == 1:
        lower, values = whole * (whole / share).log(), [ratio.log() for ratio in greatest]
    else:
        lower = whole**order * share ** (1 - order)
        values = [ratio ** (order - 1) for ratio in greatest]
    upper = whole * values[0]
    for depth, (before, value) in zip(depths[1:], pairwise(values), strict=True):
        upper += first.deep_probability(depth) * (value - before).max(arb(0))
    return lower.lower().union(upper.upper())


def _depths(deepest: arb) -> list[arb]:
    """0, 1/4, 1/2, 1, 2, 4, … up to the deepest."""
    found, depth = [arb(0)], arb("0.25")
    while depth < deepest:
        found.append(depth)
        depth *= 2
    return [*found, deepest]


@dataclass(frozen=True)
class Origin:
    """The density of pq for |pq| ≤ κ₁ = edge, p ∼ N(mean, 1) and q ∼ N(other, 1)."""

    mean: arb
    other: arb
    edge: arb

    @cached_property
    def _zeta(self) -> arb:
        return (self.edge * abs(self.mean * self.other)).expm1()

    @cached_property
    def _eta(self) -> arb:
        return (1 - self.edge * bessel_k(1, self.edge)).max(self.edge**2 / 4)

    @property
    def spread(self) -> arb:
        """(1+ζ)/((1−ζ)(1−η)); infinite where κ₁ is too large for these means."""
        least = (1 - self._zeta) * (1 - self._eta)
        return (1 + self._zeta) / least if least > 0 else arb.pos_inf()

    def weight(self, singularity: arb) -> arb:
        """W(K)."""
        a, b = (-(self.mean**2) / 2).exp(), (-(self.other**2) / 2).exp()
        return (
            a * b * singularity + b * scaled_constant(self.mean) + a * scaled_constant(self.other)
        )

    def singularity(self, depth: arb) -> arb:
        """An upper bound on K₀ at κ₁·e^−depth, exact at depth 0: κ·K₁(κ) ≤ 1."""
        return bessel_k(0, self.edge) + depth

    def ratio(self, other: "Origin", depth: arb) -> arb:
        """W/W′ at κ₁·e^−depth or further in."""
        singularity = self.singularity(depth)
        return self.weight(singularity) / other.weight(singularity)

    def probability(self) -> arb:
        r"""P(|pq| ≤ κ₁), a ball.

        ∫ K₀ over 0..κ₁ lies between κ₁·(K₀(κ₁) + 1 − η) and κ₁·(K₀(κ₁) + 1).
        """
        singularity, least = self.singularity(arb(0)), (1 - self._zeta) * (1 - self._eta)
        upper = (1 + self._zeta) * self.weight(singularity + 1)
        lower = (least * self.weight(singularity + 1 - self._eta)).max(arb(0))
        return 2 * self.edge / arb.pi() * lower.union(upper)

    def deep_probability(self, depth: arb) -> arb:
        """An upper bound on P(|pq| ≤ κ₁·e^−depth)."""
        upper = (1 + self._zeta) * self.weight(self.singularity(depth) + 1)
        return 2 * self.edge * (-depth).exp() / arb.pi() * upper


def scaled_constant(x: arb) -> arb:
    """c(x), which behaves like √(π/2)/|x| for large |x|."""
    top, root = abs(x), arb(2).sqrt()

    def integrand(u: acb, _: bool) -> acb:
        return ((u - top) * (u + top) / 2).exp() * (u / root).erf()

    return (arb.pi() / 2).sqrt() * acb.integral(integrand, 0, top).real
