"""Audits from inside: everything the library promises is proved, and less than it is refuted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np
import pytest
from scipy.stats import chi2

import leastnoise.mechanisms as all_mechanisms
from leastnoise.auditing import Case, audit, registry
from leastnoise.auditing.output_law import output_law
from leastnoise.auditing.small_inputs import small_inputs
from leastnoise.auditing.white_box import promised_points, white_box
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.relative_counts import RelativeCounts
from leastnoise.mechanisms import (
    MECHANISMS,
    AboveThreshold,
    BernoulliMean,
    CountedPartitions,
    ExponentialMechanism,
    NameAndShame,
    PartitionSelection,
    PermuteAndFlip,
    RandomizedResponse,
    ThresholdNoise,
    TopSelection,
    above_threshold,
)
from leastnoise.mechanisms.quantile.chosen_quantiles import ChosenQuantiles
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles
from leastnoise.mechanisms.quantile.paired_quantiles import PairedQuantiles
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.noise import LAWS, DiscreteLaplace, NormLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.pure_marginals import PureMarginals
from leastnoise.tabulation.signed.signed_plan import SignedPlan
from tests.attacks.seeded import SeededSource
from tests.lasting_id import lasting_id
from tests.mechanisms.selection_reference import exponential_law, flipping_law

HIDDEN_BY_ROUNDING = Fraction(1, 10**40)
# Promises met with equality: a bracket touches them from both sides.
TOUCHING = AboveThreshold | Quantiles | GroupwiseCounts


@lru_cache(maxsize=1)
def cases() -> tuple[Case, ...]:
    return tuple(registry())


def laws() -> Iterator[Case]:
    return (case for case in cases() if case.claim is not None)


def test_everything_the_library_has_is_in_the_registry() -> None:
    kinds = {type(case.thing) for case in cases()}
    assert set(LAWS) | set(MECHANISMS) <= kinds
    partitions = ("PartitionSelection", "CountedPartitions")
    noisy = ("AdditiveNoise", "AdditiveVectorNoise", "JointNoise", "RepeatedNoise")
    for name in (*noisy, "AboveThreshold", "SparseVector", "TopSelection", *partitions):
        assert getattr(all_mechanisms, name) in kinds


def test_every_law_keeps_its_promise_over_the_grid() -> None:
    for case in laws():
        assert case.audit().proved, case


def test_a_little_less_is_refuted_for_every_tight_law() -> None:
    tight = [case for case in laws() if case.tight]
    assert len(tight) > 100
    for case in tight:
        assert case.claim is not None
        reach, epsilon, delta = case.claim
        less = (
            (epsilon * Fraction(99, 100), delta) if epsilon else (epsilon, delta * Fraction(9, 10))
        )
        assert replace(case, claim=(reach, *less)).audit().violated, case


def test_every_mechanism_keeps_its_promise() -> None:
    for case in one_of_each_kind():
        if case.claim is None and not isinstance(case.thing, TOUCHING):
            assert case.audit().proved, case


def test_sparse_vectors_keep_their_promise() -> None:
    for case in cases():
        if isinstance(case.thing, AboveThreshold) and case.thing.noise.monotone:
            found = case.audit()
            assert not found.violated
            assert found.attained.upper < 1 + HIDDEN_BY_ROUNDING
            assert found.attained.lower > 1 - HIDDEN_BY_ROUNDING  # and not a hair less


def test_quantiles_keep_their_promise() -> None:
    for promise in (PureDP(epsilon=1), ZCDP(rho="0.1")):
        assert audit(AlwaysChosen(["1/2"], cells=3, contribution=1, promise=promise)).proved
        assert audit(Quantiles(["1/2"], cells=3, contribution=1, promise=promise)).proved


def test_counts_keep_their_curves() -> None:
    for case in cases():
        if isinstance(case.thing, GroupwiseCounts):
            found = case.audit()
            assert not found.violated
            assert found.attained.upper < 1 + Fraction(1, 10**9)
            assert found.attained.lower > Fraction(999, 1000)  # the curve is no larger than needed


class Overstated(RelativeCounts):
    """Claims a tenth less than it costs."""

    def privacy(self, size: SupportsIndex) -> Fraction:
        return super().privacy(size) * Fraction(9, 10)


def test_a_curve_that_is_too_low_is_refuted() -> None:
    wrong = Overstated(relative_error="0.1", smallest=1)
    assert white_box(wrong).violated


def test_tables_keep_their_promises() -> None:
    kinds = ResidualPlanner | CorrelatedGaussian | PureMarginals
    found = [case.audit() for case in cases() if isinstance(case.thing, kinds)]
    assert len(found) == 6
    assert all(each.attained.upper <= each.allowed + HIDDEN_BY_ROUNDING for each in found)


class Quieter(PureMarginals):
    """Noise for people who count for half."""

    @property
    def plan(self) -> SignedPlan:
        plan = super().plan
        groups = [replace(group, rate=2 * group.rate) for group in plan.groups]
        return replace(plan, groups=tuple(groups))


def test_signed_tables_with_too_little_noise_are_refuted() -> None:
    workload = ResidualWorkload({"a": 2, "b": 3}, [("a", "b"), "b"])
    assert white_box(PureMarginals(workload, guarantee=PureDP(epsilon=1))).proved
    assert white_box(Quieter(workload, guarantee=PureDP(epsilon=1))).violated
    large = ResidualWorkload({"a": 100, "b": 100}, ["a", "b"])
    with pytest.raises(UnsupportedQuery, match="cells"):
        white_box(PureMarginals(large, guarantee=PureDP(epsilon=1)))


@pytest.mark.slow
def test_the_whole_registry() -> None:
    for case in cases():
        found = case.audit()
        assert not found.violated
        rounding = (
            Fraction(1, 10**9) if isinstance(case.thing, GroupwiseCounts) else HIDDEN_BY_ROUNDING
        )
        assert found.attained.upper <= found.allowed + rounding


def outside(case: Case) -> tuple[tuple[Any, Any], Fraction, Fraction] | None:
    """Neighbours and a promise to audit a case of the registry from outside."""
    if case.claim is not None:
        reach, epsilon, delta = case.claim
        vectors = VectorLaw | EuclideanLaw  # neighbours differ in one coordinate, not in all
        size = case.thing.dimension if isinstance(case.thing, vectors) else 0
        far = [reach] + [0] * (size - 1) if size else reach
        return (([0] * size if size else 0), far), epsilon, delta
    if isinstance(case.thing, AboveThreshold) or not hasattr(case.thing, "release"):
        return None
    try:
        pairs = list(small_inputs(case.thing)[0])
    except UnsupportedQuery:
        return None
    if isinstance(case.thing.guarantee, ZCDP):
        return None
    promise = ApproxDP(
        epsilon=case.thing.guarantee.epsilon, delta=getattr(case.thing.guarantee, "delta", 0)
    )
    return pairs[len(pairs) // 2], promise.epsilon, promise.delta


def one_of_each_kind() -> list[Case]:
    return list({type(case.thing): case for case in cases()}.values())


def test_no_false_alarm_on_one_of_each_kind() -> None:
    assert no_false_alarm(one_of_each_kind(), samples=1_000) > 20


@pytest.mark.slow
def test_no_false_alarm_on_the_whole_registry() -> None:
    assert no_false_alarm(cases(), samples=20_000) > 100


def no_false_alarm(some: Sequence[Case], samples: int) -> int:
    """From outside, at a false-alarm rate of 1e-6 each; fewer draws where each is a call."""
    audited = 0
    for number, case in enumerate(some):
        question = outside(case)
        if question is not None:
            pair, epsilon, delta = question
            found = audit(
                case.thing,
                neighbours=pair,
                epsilon=epsilon,
                delta=delta,
                samples=samples if case.claim else max(1_000, samples // 10),
                source=SeededSource(number),
            )
            assert not found.violated, (case, str(found))
            audited += 1
    return audited


class DoubleRate(PermuteAndFlip):
    """Uses its budget twice."""

    @property
    def rate(self) -> Fraction:
        return 2 * self.epsilon / (2 * self.sensitivity)


class WrongHalf(ExponentialMechanism):
    """Takes every utility for monotone."""

    @property
    def rate(self) -> Fraction:
        return self.epsilon / self.sensitivity


class AlwaysChosen(Quantiles):
    """A choice for each level, also where a tree of counts would do better."""

    @property
    def way(self) -> ChosenQuantiles:
        return ChosenQuantiles(super().way.task)


class AlwaysPaired(Quantiles):
    """Two choices around each level, also where a tree of counts would do better."""

    @property
    def way(self) -> PairedQuantiles:
        return PairedQuantiles(super().way.task)


class DoublePaired(AlwaysPaired):
    """Promises half of what it keeps."""

    @property
    def guarantee(self) -> PureDP:
        assert isinstance(self.promise, PureDP)
        return PureDP(epsilon=self.promise.epsilon / 2)


@pytest.mark.parametrize("replace", [False, True])
def test_pairs_of_choices_keep_their_promise(replace: bool) -> None:
    how = {"cells": 3, "contribution": 1, "replace": replace}
    for promise in (PureDP(epsilon=1), ZCDP(rho="0.1")):
        assert audit(AlwaysPaired(["1/2"], promise=promise, **how)).proved  # type: ignore[arg-type]
    if not replace:  # small tables do not move so far
        assert audit(DoublePaired(["1/2"], promise=PureDP(epsilon=1), **how)).violated  # type: ignore[arg-type]


class AlwaysCounted(Quantiles):
    """A tree of counts, also where a choice for each level would do better."""

    @property
    def way(self) -> CountedQuantiles:
        return CountedQuantiles(super().way.task, branching=2, height=2)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.1")])
def test_quantiles_from_counts_keep_their_promise(promise: PureDP | ZCDP, replace: bool) -> None:
    good = AlwaysCounted(["1/2"], cells=4, contribution=1, promise=promise, replace=replace)
    found = audit(good)
    assert found.proved
    assert found.attained.lower == found.allowed  # and nothing is given away
    less = replace_guarantee(good)
    assert audit(less).violated


def replace_guarantee(good: AlwaysCounted) -> Quantiles:
    class Less(AlwaysCounted):
        @property
        def guarantee(self) -> PureDP | ZCDP:
            if isinstance(self.promise, PureDP):
                return PureDP(epsilon=self.promise.epsilon * Fraction(99, 100))
            return ZCDP(rho=self.promise.rho * Fraction(99, 100))

    return Less(
        good.levels,
        cells=good.cells,
        contribution=good.contribution,
        promise=good.promise,
        replace=good.replace,
    )


class Boastful(RandomizedResponse):
    """Promises a tenth less than it keeps."""

    @property
    def guarantee(self) -> PureDP:
        return PureDP(epsilon=self.epsilon * Fraction(9, 10))


class Understated(NameAndShame):
    @property
    def guarantee(self) -> ApproxDP:
        return ApproxDP(epsilon=1, delta=self.delta / 2)


class Generous(PartitionSelection):
    """Shows a group one unit too early."""

    def keep_probability(self, count: Any) -> Fraction:
        return super().keep_probability(count + 1) if count else Fraction(0)


class Outspoken(CountedPartitions):
    """Adds one unit to the numbers of large groups: they are told from small ones."""

    def shown_law(self, count: Any) -> dict[int | None, Fraction]:
        law = super().shown_law(count)
        return {y if y is None or count < 3 else y + 1: chance for y, chance in law.items()}


class NotConcentrated(AlwaysChosen):
    @property
    def guarantee(self) -> ZCDP:
        assert isinstance(self.promise, ZCDP)
        return ZCDP(rho=self.promise.rho / 8)


@pytest.mark.parametrize(
    "broken",
    [
        DoubleRate(candidates=3, epsilon=1, sensitivity=1),
        WrongHalf(candidates=3, epsilon=1, sensitivity=1),
        Boastful(epsilon=1, categories=3),
        Understated(delta="0.1"),
        Generous(ApproxDP(epsilon=1, delta="1e-3")),
        Outspoken(ApproxDP(epsilon=1, delta="1e-3")),
        NotConcentrated(["1/2"], cells=2, contribution=1, promise=ZCDP(rho=1)),
        TopSelection(DoubleRate(candidates=3, epsilon=1, sensitivity=1), count=2),
    ],
    ids=lambda broken: type(broken).__name__,
)
def test_broken_mechanisms_are_refuted(broken: Any) -> None:
    found = audit(broken)
    assert found.violated
    assert not found
    assert str(found).startswith("violation proved: the ") or "Rényi" in str(found)


def test_a_sparse_vector_with_too_little_noise_is_refuted() -> None:
    class Cheap(ThresholdNoise):
        @property
        def query_rate(self) -> Fraction:
            return 2 * super().query_rate

    good = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    cheap = AboveThreshold(good.question, Cheap(epsilon=1, sensitivity=1))
    assert audit(cheap).violated


EXACT: list[tuple[Any, Any]] = [
    (RandomizedResponse(epsilon=1, categories=4), 2),
    (BernoulliMean(epsilon=1, records=4), (0, 1, 1, 0)),
    (NameAndShame(delta="0.2"), ("a", "b", "a")),
    (ExponentialMechanism(candidates=3, epsilon=2, sensitivity=1), (0, 1, 3)),
    (PermuteAndFlip(candidates=3, epsilon=2, sensitivity=1), (0, 1, 3)),
    (TopSelection(PermuteAndFlip(candidates=3, epsilon=2, sensitivity=1), count=2), (0, 1, 3)),
    (PartitionSelection(ApproxDP(epsilon=1, delta="0.1")), (0, 2, 3)),
    (CountedPartitions(ApproxDP(epsilon=1, delta="0.1")), (0, 2, 3)),
    (AlwaysChosen(["1/3", "1/2"], cells=3, contribution=1, promise=PureDP(epsilon=1)), (1, 4, 2)),
    (AlwaysChosen(["1/2"], cells=3, contribution=1, promise=ZCDP(rho="0.5")), (1, 4, 2)),
]


def plain(output: Any) -> Any:
    if isinstance(output, dict):
        return tuple(sorted(output.items()))
    return tuple(output.tolist()) if isinstance(output, np.ndarray) else output


@pytest.mark.parametrize(("mechanism", "data"), EXACT, ids=lambda x: lasting_id(x)[:60])
def test_what_is_drawn_has_the_law_that_is_audited(mechanism: Any, data: Any) -> None:
    """Pearson's test at a false-alarm rate of 1e-6."""
    draws, source = 1_000, SeededSource(7)
    seen = Counter(
        plain(mechanism.release(list(data) if isinstance(data, tuple) else data, source).value)
        for _ in range(draws)
    )
    law = output_law(mechanism, data)
    total = float(law.total.ball())
    expected = {output: draws * float(w.ball()) / total for output, w in law.weights.items()}
    assert set(seen) <= set(expected)
    statistic = sum((seen[x] - e) ** 2 / e for x, e in expected.items())
    assert statistic < chi2.isf(1e-6, max(1, len(expected) - 1))
    assert statistic > chi2.ppf(1e-6, max(1, len(expected) - 1))


@pytest.mark.parametrize("utilities", [(0, 0, 0), (0, 1, 3), (2, 0, 1)])
def test_laws_of_choices_agree_with_another_computation(utilities: tuple[int, ...]) -> None:
    for mechanism, reference in (
        (ExponentialMechanism(candidates=3, epsilon=1, sensitivity=1), exponential_law),
        (PermuteAndFlip(candidates=3, epsilon=1, sensitivity=1), flipping_law),
    ):
        law = output_law(mechanism, utilities)
        total = float(law.total.ball())
        for place, chance in enumerate(reference(utilities, mechanism.rate)):
            assert float(law.weights[place].ball()) / total == pytest.approx(float(chance))


def test_curves_of_other_promises_are_held_to() -> None:
    points = promised_points(GDP(mu=1))
    assert len(points) > 5
    assert all(0 < point.allowed < 1 for point in points)


@pytest.mark.parametrize(
    ("thing", "arguments"),
    [
        (DiscreteLaplace(scale=1), {}),
        (DiscreteLaplace(scale=1), {"sensitivity": 1}),
        (NormLaplace(dimension=2, scale=1, norm="l1"), {"epsilon": 1}),
        (RandomizedResponse(epsilon=1), {"epsilon": 1}),
    ],
)
def test_half_a_question_is_refused(thing: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        audit(thing, **arguments)


@pytest.mark.parametrize(
    "thing",
    [
        3,
        lambda data: data,
        BernoulliMean(epsilon=1, records=100),
        BernoulliMean(epsilon=1, records=3, clipped=False),
        PermuteAndFlip(candidates=9, epsilon=1, sensitivity=1),
        TopSelection(ExponentialMechanism(candidates=3, epsilon=1, sensitivity=1), count=2),
        RandomizedResponse(epsilon=1, categories=100),
        Quantiles(["1/2"], cells=50, contribution=1, promise=PureDP(epsilon=1)),
    ],
    ids=lambda thing: lasting_id(thing)[:50],
)
def test_what_cannot_be_looked_into_says_so(thing: Any) -> None:
    with pytest.raises(UnsupportedQuery):
        audit(thing)


def test_laws_are_recounted_from_their_probabilities() -> None:
    """The leak of a law again, by adding up its probabilities one by one."""
    for case in laws():
        if isinstance(case.thing, LatticeLaw) and case.thing.support is not None:
            low, high = case.thing.support
            if high - low < 200:
                assert case.claim is not None
                reach, epsilon, _ = case.claim
                chances = {k: case.thing.pmf(k) for k in range(low - reach, high + reach + 1)}
                growth = float(np.exp(float(epsilon)))
                leak = sum(
                    max(0.0, float(chances[k]) - growth * float(chances.get(k - reach, 0)))
                    for k in range(low, high + 1)
                )
                assert leak == pytest.approx(float(case.audit().attained), abs=1e-12)
