"""`NormLaplace`: Laplace noise for vectors, in the norm that measures the query."""

from functools import cached_property

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.noise.vectors.ball_stairs import MOST_RATE, BallStairs
from leastnoise.noise.vectors.norm import Norm, ball_of, checked_norm
from leastnoise.noise.vectors.vector_law import VectorLaw

_scale = _check.limited(
    _check.positive,
    lambda scale: scale * MOST_RATE >= 1,
    f"be at least 1/{MOST_RATE}",
    "So small a scale adds no noise at all.",
)


@frozen(repr=False)
class NormLaplace(VectorLaw):
    r"""Vector noise whose probability falls by the same factor with each step of the norm.

    Law: P(X = x) ∝ exp(−‖x‖/scale) for x in Z^dimension.

    Theorem: for every query with values in Z^d whose neighbours differ by at most Δ in this norm,
    adding this law is ε-DP with ε = Δ/scale, exactly: no smaller ε will do.
    Proof: |‖x‖ − ‖x−v‖| ≤ ‖v‖ ≤ Δ, with equality where x points straight away from v.

    In ℓ1 the coordinates are independent discrete-Laplace draws. In ℓ∞ it is the mechanism of
    Steinke and Ullman on the lattice: draw K with P(K = k) ∝ exp(−k/scale)·(2k+1)**d, then every
    coordinate uniform on −K..K. See docs/proofs/norm_laws.md.

    Args:
        dimension: the number of coordinates d ≥ 1.
        scale: a number of at least 1/4096; grows with the noise.
        norm: "l1" (sum of magnitudes) or "linf" (largest magnitude).

    References: SteinkeUllman2016, Theorem 4.1; HardtTalwar2010, Section 4.

    Example:
        >>> law = NormLaplace(dimension=100, scale=2, norm="linf")
        >>> law.quantile("0.95")
        234
        >>> bool(law.verify(sensitivity=1, epsilon="0.5"))
        True
    """

    dimension: Whole = checked(_check.whole(1))
    scale: Number = checked(_scale)
    norm: Norm = checked(checked_norm)

    @cached_property
    def shape(self) -> BallStairs:
        """Stairs with steps one wide."""
        return BallStairs(
            ball_of(self.norm, self.dimension), period=1, width=1, rate=1 / self.scale
        )
