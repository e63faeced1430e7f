"""`TruncatedNormStaircase`: bounded noise for vectors under (epsilon, delta)."""

from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.noise.laws.staircase import MOST_SENSITIVITY
from leastnoise.noise.vectors.cut_ball_stairs import CutBallStairs
from leastnoise.noise.vectors.norm import Norm, ball_of, checked_norm
from leastnoise.noise.vectors.norm_staircase import bounded_rate
from leastnoise.noise.vectors.vector_law import VectorLaw

_share = _check.limited(
    _check.positive,
    lambda share: share <= 1,
    "lie in (0, 1]",
    "It is a share of a weight: 1 keeps all.",
)


@dataclass(frozen=True, init=False, repr=False)
class TruncatedNormStaircase(VectorLaw):
    r"""Vector staircase noise that never exceeds a radius; uniform on a ball if epsilon is 0.

    Law: P(X = x) ∝ exp(−epsilon·level(‖x‖)) for x in Z^dimension with ‖x‖ < radius, `edge` times
    that for ‖x‖ = radius, and 0 beyond, where level(m) counts the drops at width,
    width + sensitivity, width + 2·sensitivity, … that are at most m.

    Theorem: for every query with values in Z^d whose neighbours differ by at most Δ = sensitivity
    in this norm, adding this law is (ε, δ)-DP with δ = `law.delta(epsilon, sensitivity)`, exactly:
    no smaller δ will do. With edge = 1, δ ≤ P(‖X‖ > radius − Δ).
    Proof: docs/proofs/optimal_vectors.md, section 6.

    It is worth its while where ε is large or δ is not small, and d is small. Independent truncated
    Laplace noise (`Independent`) is better in ℓ1 for small ε.

    Args:
        dimension: the number of coordinates d ≥ 1.
        sensitivity: Δ, an integer ≥ 1.
        epsilon: ε in [0, 4096].
        width: the norm of the first drop, in 1..Δ.
        radius: the greatest norm, an integer ≥ 0.
        norm: "l1" (sum of magnitudes) or "linf" (largest magnitude).
        edge: the share of their weight that points of greatest norm keep, in (0, 1].

    References: GengKairouzOhViswanath2015 for the staircase; the truncation is derived in the
    proof page.

    Example:
        >>> law = TruncatedNormStaircase(
        ...     dimension=2, sensitivity=10, epsilon=2, width=4, radius=90, norm="linf"
        ... )
        >>> print(f"{float(law.delta(2, 10)):.3g} {float(law.tail(81)):.3g}")
        8.58e-07 1.69e-06
    """

    dimension: int
    sensitivity: int
    epsilon: Fraction
    width: int
    greatest: int
    norm: Norm
    edge: Fraction

    def __init__(  # noqa: PLR0913 - these are what makes one such law differ from another
        self,
        *,
        dimension: SupportsIndex,
        sensitivity: SupportsIndex,
        epsilon: Exact,
        width: SupportsIndex,
        radius: SupportsIndex,
        norm: Norm,
        edge: Exact = 1,
    ) -> None:
        whole = _check.integer_between(sensitivity, "sensitivity", 1, MOST_SENSITIVITY)
        keep(
            self,
            dimension=_check.integer_between(dimension, "dimension", 1),
            sensitivity=whole,
            epsilon=bounded_rate(epsilon, "epsilon"),
            width=_check.integer_between(width, "width", 1, whole),
            greatest=_check.integer_between(radius, "radius", 0, MOST_SENSITIVITY),
            norm=checked_norm(norm),
            edge=_share(edge, "edge"),
        )

    @cached_property
    def shape(self) -> CutBallStairs:
        """Stairs with one drop per sensitivity, cut off."""
        return CutBallStairs(
            ball_of(self.norm, self.dimension),
            period=self.sensitivity,
            width=self.width,
            rate=self.epsilon,
            radius=self.greatest,
            edge=self.edge if self.greatest else Fraction(1),
        )
