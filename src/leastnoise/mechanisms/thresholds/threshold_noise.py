"""`ThresholdNoise`: how much noise a sparse vector puts where, and what it costs."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, Whole, checked, frozen, keep
from leastnoise.mechanisms.geometric_sampler import geometric_sampler
from leastnoise.mechanisms.thresholds.threshold_share import least_variance_share
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.identity import Described
from leastnoise.privacy.curves.curve import sound_end
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.geometric import Geometric

_share = _check.limited(
    _check.rational,
    lambda share: 0 < share < 1,
    "lie in (0, 1)",
    "The threshold and the questions both need noise: leave it out, or try 0.3.",
)


@frozen(kw_only=True, repr=False)
class ThresholdNoise(Described):
    r"""One-sided geometric noise: ρ ≥ 0 once on the threshold T, ν ≥ 0 afresh on every question.

    Law: P(ρ ≥ n) = exp(−n·ε₁/Δ) and P(ν ≥ n) = exp(−n·ε₂/(w·c·Δ)) for n = 0, 1, 2, …, with
    ε₁ = share·ε, ε₂ = ε − ε₁ and w = 2, or w = 1 if the questions are monotone. A question of
    value q is answered "above" if q + ν ≥ T + ρ; after c such answers nothing more is answered.

    Theorem: for all integers T, all neighbours whose integer answers differ by at most Δ in every
    question, and all analysts who choose each question in view of the answers so far, all the
    answers together are ε-DP, and no smaller ε will do. This stays true if each "above" comes with
    its gap q + ν − T − ρ. Monotone means: between two neighbours, no question's value rises while
    another's falls.
    Proof: docs/proofs/sparse_vector.md, sections 1 to 4.

    Answers that differ by Δ are Δ steps of 1 apart, each of them (ε/Δ)-DP. Together with other
    releases one run costs no more than discrete Laplace noise of scale Δ/ε at distance Δ; for Δ = 1
    that is all that ε-DP says. Proof: docs/proofs/paths.md, section 4.

    With `restart`, ρ is drawn anew after each "above" and the noise on questions is that for c = 1:
    c runs in a row, each of them ε-DP. Together they cost c·ε, but only about √c·ε where a δ is
    allowed, and c times the ρ of one under zCDP.

    Args:
        epsilon: the price of all answers together, or of one run with `restart`.
        sensitivity: Δ, an integer of 1 or more.
        positives: c, how often "above" may be answered.
        monotone: whether the questions are; counts of records are, if neighbours add or remove one.
        restart: whether to draw ρ anew after each "above".
        threshold_share: ε₁/ε, between 0 and 1; by default the one with the least variance of ν − ρ.

    References: DworkNaorReingoldRothblumVadhan2009; LyuSuLi2017, for one ρ and the monotone
    case; DingEtAl2023, for the gap; LiuEtAl2024, for one-sided noise.

    Example:
        >>> noise = ThresholdNoise(epsilon=1, sensitivity=1, threshold_share="0.28")
        >>> noise.threshold_rate, noise.query_rate
        (Fraction(7, 25), Fraction(9, 25))
        >>> ThresholdNoise(epsilon="0.1", sensitivity=1, positives=50, restart=True).concentrated
        ZCDP(rho='0.2497918747894')
    """

    epsilon: Number = checked(_check.positive)
    sensitivity: Whole = checked(_check.whole(1))
    positives: Whole = checked(_check.whole(1), default=1)
    monotone: bool = checked(_check.flag, default=False)
    restart: bool = checked(_check.flag, default=False)
    threshold_share: Checked[Exact | None, Fraction] = checked(
        _check.optional(_share), default=None
    )

    def __post_init__(self) -> None:
        if self.threshold_share is None:
            count, monotone = self.positives_per_run, self.monotone
            keep(self, threshold_share=least_variance_share(positives=count, monotone=monotone))

    @property
    def runs(self) -> int:
        """How often ρ is drawn."""
        return self.positives if self.restart else 1

    @property
    def positives_per_run(self) -> int:
        """How many "above" one ρ serves."""
        return 1 if self.restart else self.positives

    @property
    def threshold_rate(self) -> Fraction:
        """P(ρ ≥ n) = exp(−n·rate)."""
        return self.threshold_share * self.epsilon / self.sensitivity

    @property
    def query_rate(self) -> Fraction:
        """P(ν ≥ n) = exp(−n·rate)."""
        moves = self.positives_per_run * self.sensitivity * (1 if self.monotone else 2)
        return (1 - self.threshold_share) * self.epsilon / moves

    @property
    def guarantee(self) -> PureDP:
        """The pure price of everything that is ever answered."""
        return PureDP(epsilon=self.runs * self.epsilon)

    @property
    def concentrated(self) -> ZCDP:
        """The zCDP of everything that is ever answered."""
        return ZCDP(rho=self.runs * sound_end(self._run(1).renyi(1)))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price if up to `distance` people change: that many times the sensitivity, and ε."""
        people = _check.integer_between(distance, "distance", 1)
        return self._run(people).self_compose(self.runs)

    def _run(self, people: int) -> PrivacyLoss:
        """The price of one run, in steps of 1."""
        steps = DiscreteLaplace(scale=self.sensitivity / self.epsilon)
        return steps.privacy(self.sensitivity * people)

    @property
    def threshold_sampler(self) -> Geometric:
        """Draws ρ, exactly."""
        return geometric_sampler(self.threshold_rate)

    @property
    def query_sampler(self) -> Geometric:
        """Draws ν, exactly."""
        return geometric_sampler(self.query_rate)
