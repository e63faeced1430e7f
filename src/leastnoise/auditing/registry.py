"""`registry`: every law and mechanism of the library with a promise, over a grid of parameters."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.auditing.white_box import white_box
from leastnoise.groupwise.relative_counts import RelativeCounts
from leastnoise.least_noise.optimal import optimal
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.adding.additive_vector_noise import AdditiveVectorNoise
from leastnoise.mechanisms.adding.bernoulli_mean import BernoulliMean
from leastnoise.mechanisms.adding.counts_noise import CountsNoise
from leastnoise.mechanisms.adding.euclidean_noise import EuclideanNoise
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.mechanisms.adding.repeated_noise import RepeatedNoise
from leastnoise.mechanisms.choosing.exponential_mechanism import ExponentialMechanism
from leastnoise.mechanisms.choosing.permute_and_flip import PermuteAndFlip
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.mechanisms.name_and_shame import NameAndShame
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.response import RandomizedResponse
from leastnoise.mechanisms.thresholds.above_threshold import above_threshold
from leastnoise.mechanisms.thresholds.sparse_vector import sparse_vector
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.generalized_gaussian import GeneralizedGaussian
from leastnoise.noise.laws.median_of_uniforms import MedianOfUniforms
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.noise.laws.truncated_laplace import TruncatedLaplace
from leastnoise.noise.laws.truncated_staircase import TruncatedStaircase
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.noise.vectors.counts_law import CountsLaw
from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
from leastnoise.noise.vectors.independent import Independent
from leastnoise.noise.vectors.norm import Norm
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.noise.vectors.truncated_norm_staircase import TruncatedNormStaircase
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.release.price.centred_search import best_centred
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

_EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3))  # much, some and little noise
_REACHES = (1, 2, 5)  # the least, even, odd
_LEAKS = (Fraction(1, 10**6), Fraction(1, 100))  # usual, and large enough to see mistakes
_NORMS: tuple[Norm, ...] = ("l1", "linf")
_HALF, _ONE = Fraction(1, 2), Fraction(1)


@dataclass(frozen=True)
class Case:
    """Something with a promise, and what an audit from inside needs to know.

    Attributes:
        thing: a law or a mechanism.
        claim: for a law, the sensitivity, ε and δ it is held to.
        tight: whether the promise is met with equality: then a little less must be refuted.
    """

    thing: Any
    claim: tuple[int, Fraction, Fraction] | None = None
    tight: bool = False

    def audit(self) -> ExactAudit:
        """The promise, proved or refuted."""
        if self.claim is None:
            return white_box(self.thing)
        sensitivity, epsilon, delta = self.claim
        return white_box(self.thing, sensitivity=sensitivity, epsilon=epsilon, delta=delta)


def registry() -> Iterator[Case]:
    """All cases, one after another: laws over a grid of Δ, ε and δ, then mechanisms.

    The grid: Δ in 1, 2, 5; ε in 0.1, 1, 3; δ in 0, 10⁻⁶, 10⁻².

    Example:
        >>> first = next(registry())
        >>> first.thing, first.audit().proved
        (DiscreteLaplace(scale=10), True)
    """
    laws = (_pure_laws, _approximate_laws, _vector_laws)
    for family in (*laws, _noisy, _joint, _finite, _tables, _sizes):
        yield from family()


def _pure_laws() -> Iterator[Case]:
    for reach, epsilon in product(_REACHES, _EPSILONS):
        claim = reach, epsilon, Fraction(0)
        yield Case(DiscreteLaplace(scale=reach / epsilon), claim, tight=True)
        yield Case(Staircase(sensitivity=reach, epsilon=epsilon, width=reach), claim, tight=True)
        yield Case(GeneralizedGaussian(scale=reach / epsilon, power=1), claim, tight=True)


def _approximate_laws() -> Iterator[Case]:
    for epsilon, delta in product(_EPSILONS, _LEAKS):
        yield Case(Canonical(epsilon=epsilon, delta=delta), (1, epsilon, delta), tight=True)
        for reach in _REACHES:
            claim = reach, epsilon, delta
            cut = TruncatedLaplace(sensitivity=reach, epsilon=epsilon, delta=delta)
            stairs = TruncatedStaircase(
                sensitivity=reach, epsilon=epsilon, delta=delta, width=reach
            )
            yield from (Case(law, claim, tight=True) for law in (cut, stairs))
            yield _priced(DiscreteGaussian(variance=(3 * reach / epsilon) ** 2), reach, delta)
            yield _priced(GeneralizedGaussian(scale=3 * reach, power="3/2"), reach, delta)
    for reach, delta in product(_REACHES, (Fraction(1, 10), Fraction(1, 100))):
        claim = reach, Fraction(0), delta
        yield Case(Uniform(sensitivity=reach, delta=delta), claim, tight=True)
    yield Case(TableLaw({-1: 1, 0: 2, 1: 1}), (1, Fraction(0), _HALF), tight=True)
    for radius in (5, 20):
        law = MedianOfUniforms(order=3, radius=radius)
        yield Case(law, (1, _ONE, Fraction(law.delta(1, 1).upper)))


def _priced(law: Any, reach: int, delta: Fraction) -> Case:
    """A law held to the ε that its own loss says it keeps."""
    epsilon = Fraction(law.privacy(reach).epsilon(delta).upper)
    return Case(law, (reach, epsilon, delta), tight=True)


def _vector_laws() -> Iterator[Case]:
    for epsilon, norm in product(_EPSILONS, _NORMS):
        claim = 2, epsilon, Fraction(0)
        yield Case(NormLaplace(dimension=3, scale=2 / epsilon, norm=norm), claim, tight=True)
        law = NormStaircase(dimension=3, sensitivity=2, epsilon=epsilon, width=2, norm=norm)
        yield Case(law, claim, tight=True)
        cut = TruncatedNormStaircase(
            dimension=3, sensitivity=2, epsilon=epsilon, width=2, norm=norm, radius=40
        )
        yield Case(cut, (2, epsilon, Fraction(cut.delta(epsilon, 2).upper)))
    for epsilon in _EPSILONS:
        many = Independent(Canonical(epsilon=epsilon, delta="1e-6"), dimension=4)
        yield Case(many, (1, epsilon, _LEAKS[0]), tight=True)
        length = EuclideanLaw(dimension=3, scale=2 / epsilon, power=1)
        yield Case(length, (2, epsilon, Fraction(0)))
        counts = CountsLaw(dimension=3, sensitivity=2, epsilon=epsilon, start=1)
        yield Case(counts, (2, epsilon, Fraction(0)))
        ended = CountsLaw(dimension=3, epsilon=epsilon, radius=20, edge="1/4")
        yield Case(ended, (1, epsilon, Fraction(ended.delta(epsilon).upper)), tight=True)


def _noisy() -> Iterator[Case]:
    """Mechanisms that add noise, alone and as products."""
    pure, leaky = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6")
    for step in ("1", "0.25"):
        reach = int(1 / Fraction(step))
        law = DiscreteLaplace(scale=reach)
        yield Case(AdditiveNoise(law, sensitivity=1, guarantee=pure, granularity=step))
    box = NormLaplace(dimension=3, scale=1, norm="linf")
    yield Case(AdditiveVectorNoise(box, sensitivity=1, guarantee=pure))
    yield Case(JointNoise(box, sensitivity=1, guarantee=pure))
    counts = CountsLaw(dimension=3, epsilon=1, start=1)
    yield Case(CountsNoise(counts, sensitivity=1, guarantee=pure))
    length = EuclideanLaw(dimension=3, scale=18, power=1)
    yield Case(EuclideanNoise(length, sensitivity=1, guarantee=pure, granularity="1/16"))
    bell = DiscreteGaussian(variance=179)
    yield Case(RepeatedNoise(bell, count=10, sensitivity=1, guarantee=leaky))
    for delta in (Fraction(0), *_LEAKS):
        yield Case(optimal(sensitivity=2, epsilon=1, delta=delta))


def _joint() -> Iterator[Case]:
    """One draw for several questions."""
    counted: list[list[Part]] = [
        [Box(0, 1, cells=2, start=2), Everyone()],
        [Box(-1, 2), Box(2, 3, start=4)],
        [Simplex(2, 3, 1), Box(0, 5), Everyone()],
    ]
    alike: list[list[Part]] = [
        [Box(-2, 2, cells=2, start=2)],
        [Simplex(2, 2), Diamond(2, 3, 1)],
    ]
    for epsilon in _EPSILONS:
        yield from (Case(TwoCounterNoise(epsilon, parts)) for parts in counted)
        yield from (Case(OneCounterNoise(epsilon, parts)) for parts in alike)


def _finite() -> Iterator[Case]:
    """Mechanisms whose outputs can be gone through."""
    for epsilon in _EPSILONS:
        yield Case(RandomizedResponse(epsilon=epsilon, categories=2))
        yield Case(RandomizedResponse(epsilon=epsilon, categories=5))
        yield Case(BernoulliMean(epsilon=epsilon, records=4))
        for kind, monotone in product((ExponentialMechanism, PermuteAndFlip), (False, True)):
            yield Case(kind(candidates=3, epsilon=epsilon, sensitivity=1, monotone=monotone))
        yield Case(PartitionSelection(ApproxDP(epsilon=epsilon, delta="1e-3")))
        yield Case(CountedPartitions(ApproxDP(epsilon=epsilon, delta="1e-3"), fewest=2))
    yield Case(NameAndShame(delta="0.01"))
    two = PermuteAndFlip(candidates=3, epsilon=_HALF, sensitivity=1)
    yield Case(TopSelection(two, count=2))
    for replace in (False, True):
        promise = ApproxDP(epsilon=1, delta="1e-2")
        groups = 1 if replace else 2
        yield Case(PartitionSelection(promise, max_groups=groups, replace=replace))
        yield Case(CountedPartitions(promise, max_groups=groups, replace=replace))
        for promise_ in (PureDP(epsilon=1), ZCDP(rho="0.1")):
            plain = Quantiles(["1/2"], cells=3, contribution=1, promise=promise_, replace=replace)
            yield Case(plain)
            yield Case(Quantiles(**(plain.parameters | {"ends": True})))
    for monotone, gap in product((False, True), (False, True)):
        yield Case(
            above_threshold(threshold=0, epsilon=1, sensitivity=1, monotone=monotone, gap=gap)
        )
    yield Case(
        sparse_vector(
            threshold=5, epsilon=1, sensitivity=1, answers=DiscreteLaplace(scale=2), positives=2
        )
    )


def _tables() -> Iterator[Case]:
    """Tables of counts, held to their own composed losses."""
    leaky = ApproxDP(epsilon=1, delta="1e-6")
    workload = ResidualWorkload({"a": 2, "b": 3}, [("a", "b"), "b"])
    for promise in (ZCDP(rho="0.1"), leaky):
        yield Case(ResidualPlanner(workload, guarantee=promise))
        yield Case(CorrelatedGaussian(columns=5, guarantee=promise))
    parts: list[Part] = [
        Box(0, 1, cells=3),
        Simplex(cells=4, total=2, cell=1),
        Box(-2, 5),
        Everyone(),
    ]
    yield Case(best_centred(parts, [_ONE] * 4, _HALF))
    yield Case(best_centred(parts[:1], [_ONE], Fraction(1, 10)))
    for contribution in (1, 2):
        pure = PureDP(epsilon=1)
        yield Case(PureMarginals(workload, guarantee=pure, contribution=contribution))


def _sizes() -> Iterator[Case]:
    """Counts whose privacy grows with the group."""
    for error, smallest in product(("0.05", "0.3"), (1, 20)):
        yield Case(RelativeCounts(relative_error=error, smallest=smallest))
