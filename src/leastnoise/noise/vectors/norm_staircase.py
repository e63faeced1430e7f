"""`NormStaircase`: the least noise for vector queries under pure differential privacy."""

from functools import cached_property

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.noise.laws.staircase import MOST_SENSITIVITY
from leastnoise.noise.vectors.ball_stairs import MOST_RATE, BallStairs
from leastnoise.noise.vectors.norm import Norm, ball_of, checked_norm
from leastnoise.noise.vectors.vector_law import VectorLaw

bounded_rate = _check.limited(
    _check.non_negative,
    lambda rate: rate <= MOST_RATE,
    f"be at most {MOST_RATE}",
    "So large an epsilon promises nothing.",
)
_rate = _check.limited(
    bounded_rate, lambda rate: rate > 0, "be positive", "Choose a value above 0."
)


@frozen(kw_only=True, repr=False)
class NormStaircase(VectorLaw):
    r"""Vector staircase noise: flat shells, each less likely than the one inside by e^epsilon.

    Law: P(X = x) ∝ exp(−epsilon·level(‖x‖)) for x in Z^dimension, where level(m) counts the drops
    at width, width + sensitivity, width + 2·sensitivity, … that are at most m.

    Theorem: for every query with values in Z^d whose neighbours differ by at most Δ = sensitivity
    in this norm, adding this law is ε-DP, exactly; at distance D it is ⌈D/Δ⌉·ε-DP, exactly.
    Proof: norms D apart have at most ⌈D/Δ⌉ drops between them, and norms width − 1 and
    width − 1 + D have that many. docs/proofs/norm_laws.md, 4.

    For every cost that does not fall with the norm, some width makes this law the best of all ε-DP
    noise on Z^d that does not depend on the data: docs/proofs/optimal_vectors.md, section 2. For ε
    well below the dimension it gains next to nothing on `NormLaplace`, and a bad width loses to it;
    `optimal_vector` finds the best one.

    Args:
        dimension: the number of coordinates d ≥ 1.
        sensitivity: Δ, an integer ≥ 1.
        epsilon: ε in (0, 4096].
        width: the norm of the first drop, in 1..Δ; the best one depends on the cost.
        norm: "l1" (sum of magnitudes) or "linf" (largest magnitude).

    References: GengKairouzOhViswanath2015; MelbourneDiazAsoodeh2026, abstract.

    Example:
        >>> law = NormStaircase(dimension=2, sensitivity=100, epsilon=4, width=30, norm="linf")
        >>> law.quantile("0.9")
        105
        >>> bool(law.verify(sensitivity=100, epsilon=4))
        True
    """

    dimension: Whole = checked(_check.whole(1))
    sensitivity: Whole = checked(_check.whole(1, MOST_SENSITIVITY))
    epsilon: Number = checked(_rate)
    width: Whole = checked(_check.integer)
    norm: Norm = checked(checked_norm)

    def __post_init__(self) -> None:
        _check.integer_between(self.width, "width", 1, self.sensitivity)

    @cached_property
    def shape(self) -> BallStairs:
        """Stairs with one drop per sensitivity."""
        return BallStairs(
            ball_of(self.norm, self.dimension),
            period=self.sensitivity,
            width=self.width,
            rate=self.epsilon,
        )
