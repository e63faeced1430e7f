"""`PrivacyLoss`: laws that every loss obeys, golden values, and brute force on finite pairs."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from mpmath import erfc, exp, log, mp, mpf, sqrt

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import DiscreteGaussian
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.group import group_curve
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.bounded_range_variable import BoundedRangeVariable
from tests.examples import examples

LOSSES = {
    "gaussian": PrivacyLoss.gaussian(mu="0.7"),
    "laplace": PrivacyLoss.laplace(epsilon="0.9"),
    "response": PrivacyLoss.randomized_response(epsilon="0.8", categories=3),
    "worst case": PrivacyLoss.worst_case(epsilon="0.5", delta="1e-4"),
    "finite": PrivacyLoss.of_laws({"a": 1, "b": 2, "c": 3}, {"a": 3, "b": 2, "c": 2}),
    "lopsided": PrivacyLoss.of_laws({0: 9, 1: 1}, {0: 1, 1: 1, 2: "0.01"}),
    "bounded range": PrivacyLoss(BoundedRangeVariable(Fraction(4, 5))),
    "sampled": PrivacyLoss.gaussian(mu="0.7").poisson_sampled("0.3"),
    "fixed sample": PrivacyLoss.laplace(epsilon="0.9").sampled_without_replacement(10, 3),
    "replaced": PrivacyLoss.gaussian(mu="0.7").poisson_sampled("0.3", "replace"),
    "allocated": PrivacyLoss.randomized_response(epsilon="0.8").randomly_allocated(3),
    "sum": PrivacyLoss.laplace(epsilon="0.2").self_compose(5),
    "mixture": PrivacyLoss.gaussian(mu="0.3").compose(PrivacyLoss.laplace(epsilon="0.25")),
}
EPSILONS = ["0", "0.05", "0.3", "0.8", "2"]

losses = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())


def meet(one: Interval, other: Interval) -> bool:
    return one.lower <= other.upper and other.lower <= one.upper


@losses
def test_delta_falls_with_epsilon_and_is_convex_in_its_exponential(loss: PrivacyLoss) -> None:
    values = [loss.delta(e) for e in EPSILONS]
    for high, low in pairwise(values):
        assert low.lower <= high.upper
    y = [math.exp(float(e)) for e in EPSILONS]
    for i in range(1, len(y) - 1):
        share = (y[i] - y[i - 1]) / (y[i + 1] - y[i - 1])
        chord = (1 - share) * float(values[i - 1].upper) + share * float(values[i + 1].upper)
        assert float(values[i].lower) <= chord + 1e-12


@pytest.mark.spread(26)
@losses
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_epsilon_inverts_delta(loss: PrivacyLoss, epsilon: str) -> None:
    leak = loss.delta(epsilon)
    assert loss.epsilon(leak.upper).lower <= Fraction(epsilon)
    if leak.lower > 0:
        back = loss.epsilon(leak.lower * Fraction(99, 100))
        assert back.upper >= Fraction(epsilon) * Fraction(999, 1000)


@pytest.mark.spread(26)
@losses
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_bad_event_is_never_rarer_than_delta(loss: PrivacyLoss, epsilon: str) -> None:
    assert loss.tail(epsilon).upper >= loss.delta(epsilon).lower


@losses
def test_renyi_grows_with_the_order_and_bounds_the_tail(loss: PrivacyLoss) -> None:
    orders: list[str | float] = ["0.5", "1", "1.5", "2", "8", math.inf]
    values = [loss.renyi(order) for order in orders]
    for low, high in pairwise(values):
        assert low.lower <= high.upper
    assert values[0].lower >= 0


@pytest.mark.spread(26)
@losses
@pytest.mark.parametrize("alarm", ["0", "0.01", "0.2", "0.5", "0.9", "1"])
def test_tradeoff_is_the_best_of_all_epsilon_bounds(loss: PrivacyLoss, alarm: str) -> None:
    missed, rate = loss.tradeoff(alarm), Fraction(alarm)
    assert 0 <= missed.lower <= missed.upper <= 1 - rate
    for epsilon in EPSILONS:
        bound = 1 - float(loss.delta(epsilon).upper) - math.exp(float(epsilon)) * float(rate)
        other = math.exp(-float(epsilon)) * (1 - float(loss.delta(epsilon).upper) - float(rate))
        assert float(missed.upper) >= max(bound, other) - 1e-9
    assert missed.width <= Fraction(1, 100)


def test_tradeoff_of_the_normal_law() -> None:
    loss = PrivacyLoss.gaussian(mu=1)
    found = loss.tradeoff("0.05")
    assert Fraction("0.740488977158") in Interval(found.lower - Fraction(1, 10**10), found.upper)
    assert found.width < Fraction(1, 10**9)


def test_a_release_made_once_keeps_its_narrow_bracket() -> None:
    law = DiscreteGaussian(variance="10084.098052576184")
    once, leak = law.privacy(2), Fraction(1, 10**9)
    assert once.delta("0.1").upper <= leak
    assert once.self_compose(1).delta("0.1").upper <= leak  # a grid says 1.0000000013e-9


@losses
def test_composition_commutes_and_associates_within_brackets(loss: PrivacyLoss) -> None:
    other, third = PrivacyLoss.laplace(epsilon="0.3"), PrivacyLoss.gaussian(mu="0.2")
    one = loss.compose(other, third).delta("0.4")
    two = third.compose(other.compose(loss)).delta("0.4")
    assert meet(one, two)
    assert float(one.width) <= 2e-3 * float(one.upper)


@losses
def test_a_release_made_three_times_is_three_releases(loss: PrivacyLoss) -> None:
    assert meet(loss.self_compose(3).delta("0.5"), loss.compose(loss, loss).delta("0.5"))
    assert loss.self_compose(1) is loss
    renyi = loss.renyi(2)
    assert loss.self_compose(3).renyi(2).upper == 3 * renyi.upper


@losses
def test_composing_never_helps(loss: PrivacyLoss) -> None:
    assert loss.self_compose(4).delta("0.6").upper >= loss.delta("0.6").lower


def test_groups_of_the_gaussian_and_of_laplace_are_the_same_noise_at_a_larger_distance() -> None:
    assert PrivacyLoss.gaussian(mu="0.3").for_group(10).delta(2) == PrivacyLoss.gaussian(
        mu=3
    ).delta(2)
    composed = PrivacyLoss.laplace(epsilon="0.1").self_compose(3).for_group(4)
    assert composed.delta("0.5") == PrivacyLoss.laplace(epsilon="0.4").self_compose(3).delta("0.5")


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("0.1", "1e-3"), ("0.5", "0.01")])
@pytest.mark.parametrize("size", [2, 5, 10])
def test_groups_of_a_black_box_are_the_sharp_group_bound(
    epsilon: str, delta: str, size: int
) -> None:
    """Two derivations: iterated power functions here, the closed recursion in `group`."""
    loss = PrivacyLoss.worst_case(epsilon=epsilon, delta=delta).for_group(size)
    curve = group_curve(ApproxDP(epsilon=epsilon, delta=delta), size=size)
    for at in ["0", "0.3", "1.7", str(size * Fraction(epsilon))]:
        known = curve.delta(epsilon=at)
        assert meet(loss.delta(at), known)
        assert abs(Fraction(loss.delta(at).upper) - Fraction(known.upper)) < Fraction(1, 10**20)
    assert meet(
        loss.for_group(2).delta(1),
        PrivacyLoss.worst_case(epsilon=epsilon, delta=delta).for_group(2 * size).delta(1),
    )


@pytest.mark.parametrize(
    ("epsilon", "size", "at", "truth"),
    [
        (1, 150, "149.5", 0.28764913664496794),
        (1, 170, "169.5", 0.28764913664496794),
        (1, 178, "177", 0.46211715726000973),
        (50, 4, "190", 0.9999546000702375),
    ],
)
def test_large_groups_keep_relative_precision(
    epsilon: int, size: int, at: str, truth: float
) -> None:
    """Corners near e^−kε need relative rounding: absolute rounding understated these."""
    found = PrivacyLoss.worst_case(epsilon=epsilon).for_group(size).delta(at)
    assert float(found.upper) == pytest.approx(truth, abs=1e-15)
    known = group_curve(ApproxDP(epsilon=epsilon, delta=0), size=size).delta(epsilon=at)
    assert meet(found, known)


@pytest.mark.parametrize("delta", ["0", "1e-3", "0.4"])
def test_the_worst_case_of_epsilon_zero_leaks_delta_and_no_more(delta: str) -> None:
    loss, leak = PrivacyLoss.worst_case(epsilon=0, delta=delta), Fraction(delta)
    assert loss.delta(0) == loss.delta(3) == Interval.exactly(leak)
    assert loss.epsilon(leak) == Interval.exactly(0)
    assert float(loss.self_compose(3).delta("0.1").upper) == pytest.approx(
        float(1 - (1 - leak) ** 3), abs=1e-12
    )


def test_all_of_a_group_is_exactly_as_private_as_the_sum() -> None:
    assert float(PrivacyLoss.worst_case(epsilon=1).for_group(200).epsilon(0).upper) >= 200


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=4),
    st.integers(2, 4),
    st.fractions(0, 2, max_denominator=8),
)
def test_group_loss_of_finite_pairs_is_never_below_a_chain_of_such_pairs(
    pairs: list[tuple[int, int]], size: int, epsilon: Fraction
) -> None:
    """δ of a group is at least that of one person, and at most what the triangle rule allows."""
    p, q = dict(enumerate(a for a, _ in pairs)), dict(enumerate(b for _, b in pairs))
    loss = PrivacyLoss.of_laws(p, q)
    group, single = loss.for_group(size), loss.delta(epsilon / size)
    assert group.delta(epsilon).upper >= loss.delta(epsilon).lower
    triangle = sum(math.exp(float(epsilon) * i / size) for i in range(size)) * float(single.upper)
    assert float(group.delta(epsilon).lower) <= triangle + 1e-12


def test_randomized_response_one_hundred_times() -> None:
    """100 × 0.1-DP at δ = 1e-6 is 4.7746, exactly composed; basic composition says 10."""
    loss = PrivacyLoss.randomized_response(epsilon="0.1").self_compose(100)
    found = loss.epsilon("1e-6")
    assert found.width < Fraction(1, 10**10)
    assert abs(float(found) - 4.774567588108) < 1e-11
    assert loss.epsilon(0).upper == 10
    assert loss.delta(10) == Interval.exactly(0)


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_worst_case_composition_is_the_optimal_composition_theorem(count: int) -> None:
    """Kairouz–Oh–Viswanath: at (k−2i)ε, δ = 1 − (1−δ)^k(1−δᵢ)."""
    epsilon, delta = mpf("0.4"), mpf("0.001")
    loss = PrivacyLoss.worst_case(epsilon="0.4", delta="0.001").self_compose(count)
    for i in range(count // 2 + 1):
        partial = (
            sum(
                math.comb(count, j)
                * (exp((count - j) * epsilon) - exp((count - 2 * i + j) * epsilon))
                for j in range(i)
            )
            / (1 + exp(epsilon)) ** count
        )
        truth = 1 - (1 - delta) ** count * (1 - partial)
        assert abs(float(loss.delta(Fraction(2, 5) * (count - 2 * i))) - float(truth)) < 1e-14


@pytest.mark.parametrize("delta", ["1e-6", "1e-18", "1e-30", "1e-300"])
def test_gaussian_epsilon_at_tiny_delta(delta: str) -> None:
    mu = mpf(1)
    found = PrivacyLoss.gaussian(mu=1).epsilon(delta)
    e = mpf(found.upper.numerator) / found.upper.denominator  # type: ignore[union-attr]

    def cdf(x: mpf) -> mpf:
        return erfc(-x / sqrt(mpf(2))) / 2

    truth = cdf(mu / 2 - e / mu) - exp(e) * cdf(-mu / 2 - e / mu)
    assert abs(truth / mpf(delta) - 1) < 1e-9
    assert truth <= mpf(delta)


def test_laplace_closed_forms() -> None:
    loss, ratio = PrivacyLoss.laplace(epsilon="0.75"), mpf("0.75")
    assert float(loss.delta("0.25")) == pytest.approx(float(1 - exp((0.25 - ratio) / 2)), abs=1e-15)
    for order in (mpf("0.5"), mpf(1), mpf(2), mpf("7.5")):
        truth = _laplace_renyi(ratio, order)
        assert float(loss.renyi(str(order))) == pytest.approx(float(truth), rel=1e-13)


def _laplace_renyi(ratio: mpf, order: mpf) -> mpf:
    if order == 1:
        return ratio - 1 + exp(-ratio)
    atoms = exp((order - 1) * ratio) / 2 + exp(-(order - 1) * ratio - ratio) / 2
    density = mp.quad(lambda x: exp((x - ratio) / 2 + (order - 1) * x) / 4, [-ratio, ratio])
    return log(atoms + density) / (order - 1)


weights = st.lists(st.integers(0, 9), min_size=3, max_size=5)


@settings(max_examples=60, deadline=None)
@given(weights, weights, st.fractions(0, 3, max_denominator=16))
def test_finite_pairs_against_plain_sums(p: list[int], q: list[int], epsilon: Fraction) -> None:
    size = min(len(p), len(q))
    p, q = p[:size], q[:size]
    assume(any(p) and any(q))
    loss = PrivacyLoss.of_laws(dict(enumerate(p)), dict(enumerate(q)))
    factor = exp(mpf(epsilon.numerator) / epsilon.denominator)
    here = [mpf(a) / sum(p) for a in p]
    there = [mpf(b) / sum(q) for b in q]
    forth = sum(max(mpf(0), a - factor * b) for a, b in zip(here, there, strict=True))
    back = sum(max(mpf(0), b - factor * a) for a, b in zip(here, there, strict=True))
    assert abs(float(loss.delta(epsilon)) - float(max(forth, back))) < 1e-15


@examples(20, 80)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=4),
    st.fractions("0.02", "0.98", max_denominator=50),
)
@example([(1, 1), (1, 1), (1, 1), (1, 2)], Fraction(1, 4))  # a corner: the maximum is flat
def test_tradeoff_of_finite_pairs_is_neyman_pearson(
    pairs: list[tuple[int, int]], alarm: Fraction
) -> None:
    p_total, q_total = sum(p for p, _ in pairs), sum(q for _, q in pairs)
    p = [Fraction(a, p_total) for a, _ in pairs]
    q = [Fraction(b, q_total) for _, b in pairs]
    truth = min(_neyman_pearson(p, q, alarm), _neyman_pearson(q, p, alarm))
    found = PrivacyLoss.of_laws(dict(enumerate(p)), dict(enumerate(q))).tradeoff(alarm)
    assert found.lower - Fraction(1, 10**9) <= truth <= found.upper + Fraction(1, 10**9)
    assert found.width < Fraction(1, 10**6)


def _neyman_pearson(p: list[Fraction], q: list[Fraction], alarm: Fraction) -> Fraction:
    """Accuse on the outcomes most in favour of p until the false-alarm rate is used up."""
    detected, left = Fraction(0), alarm
    for a, b in sorted(zip(p, q, strict=True), key=lambda pair: -pair[0] / pair[1]):
        share = min(Fraction(1), left / b)
        detected, left = detected + share * a, left - share * b
    return 1 - detected


@pytest.mark.parametrize(
    "call",
    [
        lambda: PrivacyLoss.gaussian(mu=0),
        lambda: PrivacyLoss.gaussian(mu=math.nan),
        lambda: PrivacyLoss.laplace(epsilon=-1),
        lambda: PrivacyLoss.worst_case(epsilon=1, delta=1),
        lambda: PrivacyLoss.randomized_response(epsilon=1, categories=1),
        lambda: PrivacyLoss.of_laws({}, {0: 1}),
        lambda: PrivacyLoss.of_laws({0: -1}, {0: 1}),
        lambda: LOSSES["laplace"].delta(-1),
        lambda: LOSSES["laplace"].delta(math.inf),
        lambda: LOSSES["laplace"].epsilon(1),
        lambda: LOSSES["laplace"].epsilon(True),
        lambda: LOSSES["laplace"].renyi(0),
        lambda: LOSSES["laplace"].renyi(math.nan),
        lambda: LOSSES["laplace"].tradeoff("1.01"),
        lambda: LOSSES["laplace"].self_compose(0),
        lambda: LOSSES["laplace"].self_compose(2.0),  # type: ignore[arg-type]
        lambda: LOSSES["laplace"].for_group(0),
    ],
)
def test_bad_questions_are_refused(call: object) -> None:
    with pytest.raises(InvalidParameter):
        call()  # type: ignore[operator]


def test_releases_that_hide_next_to_nothing_are_refused_when_composed() -> None:
    """Their finite part is too small for floats; a search for a tilt went on for ever."""
    bare = PrivacyLoss.worst_case(epsilon=1, delta=1 - Fraction(1, 10**280))
    with pytest.raises(UnsupportedQuery):
        bare.compose(PrivacyLoss.laplace(epsilon=1)).delta(1)
