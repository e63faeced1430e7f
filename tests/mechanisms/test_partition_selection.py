import math
import pickle
from copy import deepcopy
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfinv, exp, mp, mpf, sqrt
from scipy.stats import binom

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.partitions.coin_divergence import coins_keep
from leastnoise.mechanisms.partitions.concentrated_step import ConcentratedStep
from leastnoise.mechanisms.partitions.keep_choice import leak_of_one
from leastnoise.mechanisms.partitions.keep_step import (
    ApproximateStep,
    GaussianStep,
    KeepStep,
    _powers,
)
from leastnoise.mechanisms.partitions.keep_table import KeepTable, keep_table
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.numeric import ball as balls
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from tests.examples import examples
from tests.scripted import NoEntropy, ScriptedSource, words

FALSE_ALARM = 1e-6

epsilons = st.fractions(Fraction(1, 50), 4, max_denominator=60)
deltas = st.fractions(Fraction(1, 10**6), Fraction(1, 3), max_denominator=10**7).filter(bool)


def approx(epsilon: object, delta: object, **more: object) -> PartitionSelection:
    return PartitionSelection(ApproxDP(epsilon=epsilon, delta=delta), **more)  # type: ignore[arg-type]


def concentrated(rho: object, delta: object, **more: object) -> PartitionSelection:
    return PartitionSelection(ZCDP(rho=rho, delta=delta), **more)  # type: ignore[arg-type]


def exact_chances(step: KeepStep) -> list[Fraction]:
    table = keep_table(step)
    return [table.chance(n) for n in range(table.surely + 1)]


def at_most(one: Fraction, factor: arb, other: Fraction, leak: Fraction) -> bool:
    """Whether one ≤ factor·other + leak, decided."""
    return bool(balls.ball(one) <= factor * balls.ball(other) + balls.ball(leak))


# The rule for (ε, δ), one group per unit


@examples(24, 120)
@given(epsilons, deltas)
def test_every_step_keeps_the_promise_exactly(epsilon: Fraction, delta: Fraction) -> None:
    chances = exact_chances(ApproximateStep(epsilon, delta))
    assert chances[0] == 0
    assert chances[-1] == 1
    with balls.precision(400):
        power = balls.ball(epsilon).exp()
        for p, q in pairwise(chances):
            assert p < q
            assert at_most(q, power, p, delta)
            assert at_most(1 - p, power, 1 - q, delta)


@examples(20, 80)
@given(epsilons, deltas)
def test_nothing_is_given_away(epsilon: Fraction, delta: Fraction) -> None:
    """The closed form of the published rule, in many digits: rounding takes next to nothing."""
    chances = exact_chances(ApproximateStep(epsilon, delta))
    with mp.workdps(60):
        e, d = exp(mpf(epsilon.numerator) / epsilon.denominator), mpf(delta.numerator)
        d /= delta.denominator
        want = [mpf(0)]
        while want[-1] < 1:
            p = want[-1]
            want.append(min(e * p + d, 1 - (1 - p - d) / e, mpf(1)))
        for mine, best in zip(chances, want, strict=False):
            got = mpf(mine.numerator) / mine.denominator
            assert best * (1 - mpf(2) ** -40) <= got <= best
    assert abs(len(chances) - len(want)) <= 1


@given(epsilons, st.integers(64, 200))
def test_powers_are_rounded_to_the_safe_side(epsilon: Fraction, bits: int) -> None:
    (grown, shrunk), scale = _powers(epsilon, bits)
    with balls.precision(1000):
        power = balls.ball(epsilon).exp()
        assert balls.ball(grown) <= power * arb(2) ** scale < balls.ball(grown + 1)
        assert balls.ball(shrunk - 1) < arb(2) ** scale / power < balls.ball(shrunk)


def test_published_closed_form() -> None:
    """n ≤ n₁: δ·(e^(nε) − 1)/(e^ε − 1)."""
    chances = exact_chances(ApproximateStep(Fraction(1, 2), Fraction(1, 10**6)))
    e, d = math.exp(0.5), 1e-6
    first = 1 + math.floor(math.log((e + 2 * d - 1) / ((e + 1) * d)) / 0.5)
    for n in range(first + 1):
        assert float(chances[n]) == pytest.approx(d * (e**n - 1) / (e - 1), rel=1e-12)
    for n in range(first, len(chances) - 1):
        m = n - first
        late = (1 - e**-m) * (1 + d / (e - 1)) + e**-m * float(chances[first])
        assert float(chances[n]) == pytest.approx(late, rel=1e-12)


def test_golden_even_chance() -> None:
    assert approx("0.1", "1e-6").likely_kept("0.5") == 109
    assert approx(1, "1e-6").likely_kept("0.5") == 14


def test_no_other_rule_shows_more() -> None:
    """A linear program over all rules of one count, for small numbers of units."""
    from scipy.optimize import linprog

    epsilon, delta, most = 0.5, 0.01, 12
    e, rows, limits = math.exp(epsilon), [], []
    for n in range(most):
        for low, high in ((n, n + 1), (n + 1, n)):
            kept = np.zeros(most + 1)
            kept[high], kept[low] = 1, -e
            rows += [kept, -kept]
            limits += [delta, delta + e - 1]
    table = keep_table(ApproximateStep(Fraction(1, 2), Fraction(1, 100)))
    for n in range(1, most + 1):
        goal = np.zeros(most + 1)
        goal[n] = -1
        found = linprog(goal, rows, limits, bounds=[(0, 0)] + [(0, 1)] * most)
        assert -found.fun == pytest.approx(float(table.chance(n)), rel=1e-7)


# The Gaussian rule


@settings(deadline=None, max_examples=25)
@given(st.fractions(Fraction(1, 400), 4, max_denominator=500), deltas)
def test_gaussian_steps_round_down_and_little(mu_squared: Fraction, delta: Fraction) -> None:
    chances = exact_chances(GaussianStep(mu_squared, delta))
    assert chances[0] == 0
    assert chances[1] <= delta
    with mp.workdps(50):
        mu = sqrt(mpf(mu_squared.numerator) / mu_squared.denominator)
        d = mpf(delta.numerator) / delta.denominator
        for p, q in pairwise(chances[1:]):
            share = mpf(p.numerator) / p.denominator / (1 - d)
            if share >= 1:
                assert q == 1
                continue
            place = sqrt(2) * erfinv(2 * share - 1) + mu
            best = d + (1 - d) * (1 + mp.erf(place / sqrt(2))) / 2
            got = mpf(q.numerator) / q.denominator
            assert best - d * mpf(2) ** -20 <= got <= best
            assert p < q


@pytest.mark.parametrize("mu_squared", [Fraction(1, 100), Fraction(1), Fraction(9)])
def test_gaussian_chances_of_neighbours_are_dominated_by_the_loss(mu_squared: Fraction) -> None:
    step = GaussianStep(mu_squared, Fraction(1, 1000))
    chances, worst = exact_chances(step), step.loss(1)
    for p, q in pairwise(chances):
        pair = PrivacyLoss.of_laws({1: p, 0: 1 - p}, {1: q, 0: 1 - q})
        for epsilon in (0, "0.01", "0.1", "0.5", 1, 3):
            assert pair.delta(epsilon).lower <= worst.delta(epsilon).upper


def test_never_less_than_a_noisy_threshold() -> None:
    """Normal noise of the same ρ with the threshold that one unit passes with chance δ."""
    from scipy.stats import norm

    for rho, delta in ((0.5, 1e-6), (0.005, 1e-6), (0.0005, 1e-9)):
        choice, mu = concentrated(rho, delta), math.sqrt(2 * rho)
        threshold = 1 - norm.ppf(delta) / mu
        for n in range(1, choice.surely_kept + 1):
            noisy = norm.cdf((n - threshold) * mu)
            assert float(choice.keep_probability(n)) >= noisy * (1 - 1e-9)


# The greatest rule under zCDP


def greatest_rho(low: mpf, high: mpf) -> mpf:
    """The ρ of two coins, by many orders."""
    orders = [1 + mpf(10) ** (mpf(i) / 12) for i in range(-48, 60)]

    def divergence(a: mpf, b: mpf, alpha: mpf) -> mpf:
        total = a**alpha * b ** (1 - alpha) + (1 - a) ** alpha * (1 - b) ** (1 - alpha)
        return mp.log(total) / (alpha - 1)

    return max(
        divergence(a, b, alpha) / alpha for alpha in orders for a, b in ((low, high), (high, low))
    )


def real(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


chances = st.fractions(Fraction(1, 10**6), Fraction(10**6 - 1, 10**6), max_denominator=10**6)


@settings(deadline=None, max_examples=60)
@given(chances, chances)
def test_coins_are_proved_exactly_where_they_keep_zcdp(one: Fraction, other: Fraction) -> None:
    low, high = min(one, other), max(one, other)
    if high - low < Fraction(1, 10**5):
        return
    with mp.workdps(60):
        rho = greatest_rho(real(low), real(high))
        above, below = Fraction(str(rho * mpf("1.02"))), Fraction(str(rho * mpf("0.999")))
    assert coins_keep(low, high, above)
    assert not coins_keep(low, high, below)


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("rho", "delta"), [("0.5", "1e-6"), ("0.02", "1e-8"), ("3", "0.01"), ("0.05", "0.2")]
)
def test_steps_of_zcdp_keep_it_and_are_the_greatest(rho: str, delta: str) -> None:
    step = ConcentratedStep(Fraction(rho), Fraction(delta))
    chances, leak = exact_chances(step), step.delta
    with mp.workdps(50):
        for p, q in pairwise(chances[1:]):
            low, high = real(p / (1 - leak)), real((q - leak) / (1 - leak))
            if low >= 1 or low >= high:
                continue
            assert greatest_rho(low, high) <= real(step.rho)
            odds = [mp.log(x / (1 - x)) for x in (low, high)] if high < 1 else [0, mpf(0)]
            more = 1 / (1 + exp(-odds[1] - (odds[1] - odds[0]) / 50))
            if q < 1:
                assert greatest_rho(low, more) > real(step.rho)


def test_golden_steps_of_zcdp() -> None:
    choice = concentrated("0.005", "1e-6")
    assert isinstance(choice.step, ConcentratedStep)
    assert (choice.likely_kept("0.5"), choice.likely_kept("0.95")) == (41, 55)
    gaussian = keep_table(choice.step.gaussian)
    assert (gaussian.least(Fraction(1, 2)), gaussian.least(Fraction(95, 100))) == (47, 63)
    for n in range(choice.surely_kept):
        assert choice.keep_probability(n) >= gaussian.chance(n)
    with pytest.raises(UnsupportedQuery, match="zCDP"):
        choice.privacy()


def test_many_steps_are_left_to_the_gaussian() -> None:
    choice = concentrated("1e-5", "1e-6")
    assert isinstance(choice.step, GaussianStep)
    assert choice.step.mu_squared == Fraction(2, 10**5)


# Several groups per unit: exact laws of whole outputs


def law_of(table: KeepTable, counts: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    chances = [table.chance(n) for n in counts]
    return {
        shown: math.prod(
            (c if s else 1 - c for s, c in zip(shown, chances, strict=True)), start=Fraction(1)
        )
        for shown in product((0, 1), repeat=len(counts))
    }


def greatest_delta(choice: PartitionSelection, epsilon: Fraction, most: int) -> Fraction:
    """Over all pairs of neighbours with counts up to `most` in the groups that change."""
    groups, worst = choice.max_groups, Fraction(0)
    entered = (1,) * groups
    left = (0,) * groups if choice.replace else ()
    with balls.precision(300):
        power = Fraction(balls.interval(balls.ball(epsilon).exp()).lower)
    for start in product(range(most), repeat=len(entered + left)):
        after = tuple(n + step for n, step in zip(start, entered + left, strict=True))
        before = tuple(n + 1 - step for n, step in zip(start, entered + left, strict=True))
        if not choice.replace:
            before = start
        one, other = law_of(choice.table, before), law_of(choice.table, after)
        for p, q in ((one, other), (other, one)):
            worst = max(worst, sum((max(p[x] - power * q[x], Fraction(0)) for x in p), Fraction(0)))
    return worst


@pytest.mark.parametrize(
    ("epsilon", "delta", "groups", "replace"),
    [
        (1, "0.01", 1, False),
        (1, "0.01", 1, True),
        ("0.5", "0.05", 2, False),
        (2, "0.05", 2, False),
        (3, "0.02", 2, True),
        (2, "0.1", 3, False),
    ],
)
def test_all_neighbours_keep_the_promise(
    epsilon: object, delta: str, groups: int, replace: bool
) -> None:
    choice = approx(epsilon, delta, max_groups=groups, replace=replace)
    most = min(choice.surely_kept, (20, 9, 5, 3)[choice.changes - 1])
    found = greatest_delta(choice, choice.promise.epsilon, most)  # type: ignore[union-attr]
    assert found <= Fraction(delta)
    if choice.changes == 1:
        assert found >= Fraction(delta) * (1 - Fraction(1, 2**40))  # and it is met


@pytest.mark.parametrize("replace", [False, True])
def test_concentrated_promise_of_all_neighbours(replace: bool) -> None:
    """Given no leak, Rényi divergences of whole outputs stay below ρ·α."""
    choice = concentrated("0.4", "0.05", max_groups=1, replace=replace)
    table, leak = choice.table, choice.step.delta
    for n in range(table.surely):
        p, q = table.chance(n), table.chance(n + 1)
        low, high = min(p / (1 - leak), Fraction(1)), max((q - leak) / (1 - leak), Fraction(0))
        low = min(low, high)  # the leak need not be used whole
        for alpha in (1.01, 1.5, 2, 5, 20, 100):
            for a, b in ((low, high), (high, low)):
                terms = [(a, b), (1 - a, 1 - b)]
                total = sum(
                    float(x) ** alpha * float(y) ** (1 - alpha) for x, y in terms if x > 0 and y > 0
                )
                spent = math.log(total) / (alpha - 1)
                assert spent <= 0.4 * alpha / choice.changes * (1 + 1e-9) + 1e-12


@pytest.mark.spread(4)
@pytest.mark.parametrize("groups", [1, 2, 3, 10])
@pytest.mark.parametrize("replace", [False, True])
def test_the_loss_keeps_the_promise(groups: int, replace: bool) -> None:
    choice = approx(1, "1e-6", max_groups=groups, replace=replace)
    assert choice.privacy().delta(1).lower <= Fraction(1, 10**6)
    assert choice.privacy().delta(1).upper <= Fraction(1, 10**6) * (1 + Fraction(1, 10**3))


def test_the_kind_with_the_smaller_groups_is_taken() -> None:
    two = approx(1, "1e-6", max_groups=2)
    many = approx(1, "1e-6", max_groups=10)
    assert isinstance(two.step, ApproximateStep)
    assert isinstance(many.step, GaussianStep)
    rival = keep_table(ApproximateStep(Fraction(1, 10), leak_of_one(Fraction(1, 10**6), 10)))
    assert many.likely_kept("0.5") < rival.least(Fraction(1, 2))
    assert approx(1, "1e-6", max_groups=5, replace=True).likely_kept("0.5") == many.likely_kept(
        "0.5"
    )


@settings(deadline=None)
@given(deltas, st.integers(1, 200))
def test_leaks_add_up_to_no_more(leak: Fraction, count: int) -> None:
    one = leak_of_one(leak, count)
    assert 1 - (1 - one) ** count <= leak
    assert one >= leak / count * (1 - Fraction(1, 2**60))


# Drawing


def test_draws_have_the_stated_chances_and_others_are_found() -> None:
    choice, size = approx("0.5", "0.001"), 1 << 18
    for n in range(5, choice.surely_kept, 3):
        shown = int(choice.select(np.full(size, n)).sum())
        chance = float(choice.keep_probability(n))

        def surprising(p: float, shown: int = shown) -> bool:
            tail = min(binom.cdf(shown, size, p), binom.sf(shown - 1, size, p))
            return bool(2 * tail < FALSE_ALARM)

        assert not surprising(chance)
        if 0.05 < chance < 0.9:
            assert surprising(chance * 0.9)
            assert surprising(chance * 1.1)


def test_coins_are_read_to_the_last_bit() -> None:
    table = KeepTable((0, (5 << 6) + 17, 1 << 70), 70)
    counts = np.array([1, 0, 7, 1, 1, 1], dtype=np.int64)
    drawn = words(4, 6, 5, 5) + bytes([16 << 2, 17 << 2])
    assert table.select(counts, ScriptedSource(drawn)).tolist() == [
        True,
        False,
        True,
        False,
        True,
        False,
    ]


def test_absent_and_large_groups_need_no_coin() -> None:
    choice = approx(1, "1e-6")
    counts = [0, choice.surely_kept, 10**9, 0, 2**61]
    assert choice.select(counts, NoEntropy()).tolist() == [False, True, True, False, True]
    assert choice.select([], NoEntropy()).shape == (0,)


def test_the_order_of_groups_does_not_matter_to_others() -> None:
    """Chances of one group are the same whatever stands beside it."""
    choice, size = approx(1, "0.01"), 1 << 14
    beside = np.tile([5, 10**6, 0, 1], size)
    shown = choice.select(beside).reshape(-1, 4)
    assert shown[:, 1].all()
    assert not shown[:, 2].any()
    chance = float(choice.keep_probability(5))
    assert abs(shown[:, 0].mean() - chance) < 5.5 * math.sqrt(chance / size)


# Answers and refusals


def test_likely_kept_is_the_least_count() -> None:
    choice = concentrated("0.1", "1e-6", max_groups=3)
    for confidence in ("0.001", "0.5", "0.95", 1):
        n = choice.likely_kept(confidence)
        assert choice.keep_probability(n) >= Fraction(confidence)
        assert choice.keep_probability(n - 1) < Fraction(confidence)
    assert choice.likely_kept(1) == choice.surely_kept
    assert choice.keep_probability(10**12) == 1


def test_value_semantics_and_words() -> None:
    choice = approx(1, "1e-6", max_groups=2, replace=True)
    assert choice == approx(1, "1e-6", max_groups=2, replace=True)
    assert hash(choice) == hash(approx(1, "1e-6", max_groups=2, replace=True))
    assert "max_groups=2" in repr(choice)
    released = choice.release([0, 10**6])
    assert released.value.tolist() == [False, True]
    assert released.guarantee == ApproxDP(epsilon=1, delta="1e-6")


@pytest.mark.parametrize(
    "counts",
    [
        [-1],
        [1.0],
        ["3"],
        [None],
        [True],
        [[1, 2]],
        np.ma.array([1], mask=[True]),
        [2**62],
        [2**64],
        np.array([2**63], dtype=np.uint64),
        np.full(5, 2**60),
        3,
    ],
)
def test_hostile_counts_are_refused_without_showing_them(counts: object) -> None:
    with pytest.raises(InvalidParameter, match="not shown"):
        approx(1, "1e-6").select(counts)  # type: ignore[arg-type]


def test_hostile_parameters() -> None:
    with pytest.raises(InvalidParameter, match="delta above 0"):
        PartitionSelection(ZCDP(rho=1))
    with pytest.raises(InvalidParameter, match="ApproxDP or a ZCDP"):
        PartitionSelection(PureDP(epsilon=1))  # type: ignore[arg-type]
    for groups in (0, -1, 1.5, True, 1 << 30):
        with pytest.raises(InvalidParameter, match="max_groups"):
            approx(1, "1e-6", max_groups=groups)
    with pytest.raises(InvalidParameter, match="confidence"):
        approx(1, "1e-6").likely_kept(95)
    with pytest.raises(InvalidParameter, match="count"):
        approx(1, "1e-6").keep_probability(-1)


@pytest.mark.parametrize(
    "choice", [approx(0, "1e-9"), approx("1e-9", "1e-12"), concentrated("1e-14", "1e-9")]
)
def test_prices_that_show_nothing_are_refused_before_data(choice: PartitionSelection) -> None:
    with pytest.raises(UnsupportedQuery, match="even chance"):
        choice.select([1, 2, 3])


@pytest.mark.parametrize(
    "choice",
    [approx(100, "0.5"), approx(0, "0.01"), approx("1000", "1e-30"), concentrated(50, "1e-40")],
)
def test_extreme_prices(choice: PartitionSelection) -> None:
    assert choice.keep_probability(0) == 0
    assert choice.keep_probability(1) <= choice.promise.delta
    assert choice.keep_probability(choice.surely_kept) == 1


def test_a_step_that_was_used_can_be_copied() -> None:
    step = GaussianStep(Fraction(1), Fraction(1, 100))
    told = step.after(1 << 60, 64)
    for copied in (pickle.loads(pickle.dumps(step)), deepcopy(step)):
        assert copied == step
        assert copied.after(1 << 60, 64) == told
