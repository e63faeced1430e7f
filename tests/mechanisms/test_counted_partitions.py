"""One noise chooses groups and is published: exact laws, figures, draws, intervals."""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy.stats import binom

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.partitions.count_choice import count_step
from leastnoise.mechanisms.partitions.count_table import CountStep, count_noise, count_table
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep
from leastnoise.mechanisms.partitions.keep_table import keep_table
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.numeric import ball as balls
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.randomness.source import checked_source
from leastnoise.release.step.count_price import (
    _allows,
    _leak,
    _unclear,
    _vertices,
    keeps_step,
)

LESS = Fraction(99, 100)
FALSE_ALARM = 1e-6


def approx(epsilon: object, delta: object, **more: object) -> CountedPartitions:
    return CountedPartitions(ApproxDP(epsilon=epsilon, delta=delta), **more)  # type: ignore[arg-type]


def concentrated(rho: object, delta: object, **more: object) -> CountedPartitions:
    return CountedPartitions(ZCDP(rho=rho, delta=delta), **more)  # type: ignore[arg-type]


# Figures


def test_twice_as_likely_each_time() -> None:
    """e^ε = 2, δ = 1/100, worked out by hand in fractions: rising by 2, one between, falling."""
    golden = [16, 32, 64, 128, 256, 512, 304, 152, 76, 38, 19, 3]
    with balls.precision(300):
        two = Fraction(balls.interval(balls.ball(2).log()).lower)
    step = ApproximateStep(two, Fraction(1, 100))
    table = count_table(step)
    chances = [table.chance(n) - table.chance(n - 1) for n in range(1, table.surely + 1)]
    assert [round(1600 * float(chance), 8) for chance in chances] == golden
    assert sum(golden) == 1600
    assert count_noise(step).support == (6 - 12, 6 - 1)


def test_the_figures_that_are_promised() -> None:
    counts = approx(1, "1e-6")
    assert (counts.likely_kept("0.5"), counts.likely_kept("0.95")) == (14, 16)
    assert float(counts.noise.variance) == pytest.approx(1.904, abs=5e-4)
    assert float(counts.noise.moment(1)) == pytest.approx(0.88207, abs=1e-5)
    mean = sum(value * chance for value, chance in counts.noise.weights.items())
    assert float(mean) == pytest.approx(-0.0675, abs=1e-4)


@pytest.mark.parametrize(
    ("groups", "kind", "half", "variance"),
    [
        (2, ApproximateStep, 27, 8.0),
        (3, ApproximateStep, 40, 18.1),
        (5, ApproximateStep, 67, 50.1),
        (10, GaussianStep, 72, 183.6),
    ],
)
def test_several_groups_of_a_unit(groups: int, kind: type, half: int, variance: float) -> None:
    """The rule with ε/m for few groups, a Gaussian for many: both ends weighed together."""
    counts = approx(1, "1e-6", max_groups=groups)
    assert isinstance(counts.step, kind)
    assert counts.likely_kept("0.5") == half
    assert float(counts.noise.variance) == pytest.approx(variance, rel=0.005)


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "promise", [ApproxDP(epsilon=1, delta="1e-6"), ApproxDP(epsilon="0.1", delta="1e-4")]
)
@pytest.mark.parametrize("groups", [1, 2])
def test_groups_are_shown_as_by_the_choice_alone(promise: ApproxDP, groups: int) -> None:
    """To twelve digits, and never more often."""
    counts = CountedPartitions(promise, max_groups=groups)
    choice = PartitionSelection(promise, max_groups=groups)
    for n in range(choice.surely_kept + 2):
        one, other = counts.keep_probability(n), choice.keep_probability(n)
        assert other * (1 - Fraction(1, 10**11)) <= one <= other
        assert 1 - counts.shown_law(n)[None] == one


def test_zcdp_takes_the_gaussian_which_is_a_noise() -> None:
    counts = concentrated("0.005", "1e-6")
    assert counts.step == GaussianStep(Fraction(1, 100), Fraction(1, 10**6))
    assert counts.likely_kept("0.5") == 47
    assert float(counts.noise.variance) == pytest.approx(100, rel=0.001)


@pytest.mark.parametrize("epsilon", [2, 3, 4, 6, 9, 13, 20, 40])
def test_large_epsilons_do_not_leave_half_a_unit_of_error(epsilon: int) -> None:
    """The whole leak may put half of the noise on each of two integers."""
    counts = approx(epsilon, "1e-6")
    separate = 1 / math.sinh(epsilon / 2)  # a choice and Laplace noise with half of ε each
    assert float(counts.noise.moment(1)) < separate + 2e-6  # δ itself is an error
    whole = PartitionSelection(counts.promise)
    assert counts.likely_kept("0.5") == whole.likely_kept("0.5")


# Privacy, by going through all that may be shown


def joint(counts: CountedPartitions, units: tuple[int, ...]) -> dict[Any, Fraction]:
    laws = [counts.shown_law(n).items() for n in units]
    return {
        tuple(number for number, _ in shown): math.prod(
            (chance for _, chance in shown), start=Fraction(1)
        )
        for shown in product(*laws)
    }


def leak(one: dict[Any, Fraction], other: dict[Any, Fraction], power: Fraction) -> Fraction:
    outputs = {*one, *other}
    zero = Fraction(0)
    return sum((max(one.get(y, zero) - power * other.get(y, zero), zero) for y in outputs), zero)


def neighbours(counts: CountedPartitions, most: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    joins = counts.max_groups
    for start in product(range(most), repeat=joins):
        if not counts.replace:
            yield start, tuple(n + 1 for n in start)
            continue
        for left in product(range(most), repeat=joins):
            yield (*start, *(n + 1 for n in left)), (*(n + 1 for n in start), *left)


@pytest.mark.parametrize(
    ("epsilon", "delta", "groups", "replaced"),
    [
        (1, "0.01", 1, False),
        (1, "0.05", 1, True),
        (2, "0.1", 2, False),
        ("0.5", "0.2", 2, False),
        (0, "0.1", 1, False),
        (6, "1e-4", 1, False),
    ],
)
def test_all_neighbours_keep_the_promise(
    epsilon: object, delta: str, groups: int, replaced: bool
) -> None:
    counts = approx(epsilon, delta, max_groups=groups, replace=replaced)
    power = Fraction(balls.enclosure(lambda: balls.ball(Fraction(str(epsilon))).exp()).lower)
    most = min(counts.surely_kept + 1, (40, 6)[counts.changes - 1])
    found = max(
        leak(joint(counts, a), joint(counts, b), power)
        for pair in neighbours(counts, most)
        for a, b in (pair, pair[::-1])
    )
    assert found <= Fraction(delta)
    if counts.changes == 1 and epsilon != 6:
        assert found >= Fraction(delta) * (1 - Fraction(1, 10**11))  # and it is met


@pytest.mark.parametrize("rho", ["0.01", "0.5", "8"])
def test_gaussian_steps_keep_their_curve(rho: str) -> None:
    """At every ε the noise leaks no more than N(0, 1) against N(μ, 1) with the leak beside it."""
    counts = concentrated(rho, "1e-3")
    step = counts.step
    assert isinstance(step, GaussianStep)
    mu = mp.sqrt(mp.mpf(step.mu_squared.numerator) / step.mu_squared.denominator)
    for epsilon in ("0.05", "0.2", "1", "3"):
        x = mp.mpf(epsilon)
        normal = mp.ncdf(mu / 2 - x / mu) - mp.exp(x) * mp.ncdf(-mu / 2 - x / mu)
        limit = float(step.delta) + (1 - float(step.delta)) * float(normal)
        assert float(counts.noise.delta(epsilon, 1).upper) <= limit * (1 + 1e-9)


def test_rounding_alone_would_break_the_promise() -> None:
    """The choice's own table, rounded with 64 bits: the coins keep δ, all of W together not."""
    step = ApproximateStep(Fraction(1), Fraction(1, 10**6))
    plain = keep_table(step)
    weights = [b - a for a, b in zip(plain.chances, plain.chances[1:], strict=False)]
    noise = TableLaw({-n: weight for n, weight in enumerate(weights, 1)})
    assert _leak(noise, step.epsilon) > step.delta
    assert _leak(count_noise(step), step.epsilon) <= step.delta


# What the gate finds out by itself


def stated(noise: CountStep, step: CountStep, lower: int = 0) -> Any:
    """A mechanism that draws one thing and says another."""
    least = count_table(noise).least(Fraction(1, 2))
    return SimpleNamespace(noise=count_noise(noise), step=step, least_shown=least - lower, unseen=0)


STEPS = [
    ApproximateStep(Fraction(1), Fraction(1, 10**6)),
    ApproximateStep(Fraction(1, 50), Fraction(1, 10**4)),
    ApproximateStep(Fraction(0), Fraction(1, 50)),
    ApproximateStep(Fraction(30), Fraction(1, 10**9)),
    GaussianStep(Fraction(1, 10), Fraction(1, 10**6)),
    GaussianStep(Fraction(4), Fraction(1, 100)),
    GaussianStep(Fraction(0), Fraction(1, 100)),
]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_honest_noise_keeps_its_step(step: CountStep) -> None:
    assert keeps_step(stated(step, step))


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_hundredth_less_noise_does_not(step: CountStep) -> None:
    assert not keeps_step(stated(replace(step, delta=step.delta / LESS), step))
    assert not keeps_step(stated(step, step, lower=1))  # nobody's group would show
    if isinstance(step, GaussianStep) and step.mu_squared:
        loud = replace(step, mu_squared=step.mu_squared / LESS)
        assert not keeps_step(stated(loud, step))
    if isinstance(step, ApproximateStep) and 0 < step.epsilon < 10:
        assert not keeps_step(stated(replace(step, epsilon=step.epsilon / LESS), step))


@given(st.dictionaries(st.integers(-9, 9), st.integers(1, 5), min_size=1))
def test_the_best_tests_come_first_whatever_the_law(weights: dict[int, int]) -> None:
    """A chord after another, each as steep as the one before or less: from 0 to all of it."""
    vertices = [(fmpq(0), fmpq(0)), *_vertices(TableLaw(weights))]
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(vertices)]
    assert all(a[1] * b[0] >= b[1] * a[0] for a, b in pairwise(steps))
    assert vertices[-1] == (fmpq(1), fmpq(1))
    assert len(steps) == len({*weights, *(value + 1 for value in weights)})


GAUSSIAN_STEPS = [step for step in STEPS if isinstance(step, GaussianStep)]


def allowed(step: GaussianStep, one: Fraction, *, above: Fraction) -> tuple[fmpq, fmpq]:
    """A corner beside the curve of a step: `above` it, or below."""
    sound = 1 - step.delta
    with mp.workprec(400):
        share, square = (
            mp.mpf(x.numerator) / x.denominator for x in (one / sound, step.mu_squared)
        )
        place = mp.sqrt(2) * mp.erfinv(2 * share - 1) + mp.sqrt(square)
        chance = Fraction(int(mp.ncdf(place) * 2**300), 2**300)
    other = step.delta + sound * chance + above
    return fmpq(one.numerator, one.denominator), fmpq(other.numerator, other.denominator)


@pytest.mark.parametrize("step", GAUSSIAN_STEPS, ids=str)
def test_few_bits_are_enough_for_honest_noise(step: GaussianStep) -> None:
    """At the ends of the curve there is less to spare."""
    vertices = list(_vertices(count_noise(step)))
    unclear = _unclear(step, vertices)
    assert len(unclear) <= 3
    assert all(_allows(step, *vertex) for vertex in vertices)


@pytest.mark.parametrize("one", ["1e-9", "0.001", "0.5", "0.97"])
@pytest.mark.parametrize("step", GAUSSIAN_STEPS, ids=str)
def test_what_few_bits_cannot_tell_is_decided_by_more(step: GaussianStep, one: str) -> None:
    for bits in (20, 45, 60, 90, 150):
        hair = step.delta / 2**bits
        below, above = (allowed(step, Fraction(one), above=each) for each in (-hair, hair))
        assert _allows(step, *below)
        assert not _allows(step, *above)
        assert above in _unclear(step, [below, above])
    assert _unclear(step, [allowed(step, Fraction(one), above=-step.delta / 2**40)]) == []


def test_the_ends_of_the_curve_are_known_exactly() -> None:
    step = GaussianStep(Fraction(1, 10), Fraction(1, 50))
    leak, hair, sound = fmpq(1, 50), fmpq(1, 2**200), fmpq(49, 50)
    ends = [(fmpq(0), leak), (sound, fmpq(1)), (sound + hair, fmpq(1)), (fmpq(1), fmpq(1))]
    beyond = [(fmpq(0), leak + hair), (sound - hair, fmpq(1)), (hair, 2 * leak)]
    assert all(_allows(step, *vertex) for vertex in ends)
    assert not any(_allows(step, *vertex) for vertex in beyond)
    assert set(beyond) <= set(_unclear(step, [*ends, *beyond]))


@pytest.mark.parametrize("sign", [1, -1])
def test_noise_that_is_private_in_one_order_only_is_refused(sign: int) -> None:
    """Chances that fall by 1/2 from a great one: only towards that end is a unit told apart."""
    noise = TableLaw({sign * n: Fraction(1, 2**n) for n in range(1, 40)})
    for step in (
        ApproximateStep(Fraction(1), Fraction(1, 100)),
        GaussianStep(Fraction(1), Fraction(1, 100)),
    ):
        assert not keeps_step(SimpleNamespace(noise=noise, step=step, least_shown=50, unseen=0))  # type: ignore[arg-type]


@settings(deadline=None, max_examples=25)
@given(
    st.fractions(Fraction(1, 20), 12),
    st.integers(1, 12),
    st.integers(1, 6),
    st.booleans(),
)
def test_whatever_is_chosen_passes(
    size: Fraction, digits: int, groups: int, concentrates: bool
) -> None:
    delta = Fraction(1, 10**digits)
    promise = ZCDP(rho=size, delta=delta) if concentrates else ApproxDP(epsilon=size, delta=delta)
    counts = CountedPartitions(promise, max_groups=groups)
    assert keeps_step(counts)
    assert counts.step.delta * groups <= delta * (1 + delta) * (1 + Fraction(1, 10**6))


# Draws


def test_draws_have_the_stated_chances_and_others_are_found() -> None:
    counts, size = approx("0.5", "0.001"), 1 << 18
    for n in range(5, counts.surely_kept, 4):
        places, numbers = counts.draw(np.full(size, n), checked_source(None))
        chance, shown = float(counts.keep_probability(n)), len(places)

        def surprising(p: float, shown: int = shown) -> bool:
            tail = min(binom.cdf(shown, size, p), binom.sf(shown - 1, size, p))
            return bool(2 * tail < FALSE_ALARM)

        assert not surprising(chance)
        assert shown == 0 or numbers.min() >= counts.least_shown
        if 0.05 < chance < 0.9:
            assert surprising(chance * 0.9)
            assert surprising(chance * 1.1)


def test_numbers_of_groups_that_always_show_have_the_noise() -> None:
    counts, size = approx(1, "0.01"), 1 << 16
    _, numbers = counts.draw(np.full(size, 1000), checked_source(None))
    assert len(numbers) == size
    for value, chance in counts.noise.weights.items():
        seen = int((numbers == 1000 + value).sum())
        tail = min(binom.cdf(seen, size, float(chance)), binom.sf(seen - 1, size, float(chance)))
        assert 2 * tail >= FALSE_ALARM


def test_a_least_number_of_units() -> None:
    plain, late = approx(1, "0.01"), approx(1, "0.01", fewest=10)
    assert late.keep_probability(9) == 0
    assert late.keep_probability(10) == plain.keep_probability(1) > 0
    assert late.likely_kept("0.5") == plain.likely_kept("0.5") + 9
    assert late.surely_kept == plain.surely_kept + 9
    assert late.least_shown == plain.least_shown + 9
    moved = {None if y is None else y + 9: c for y, c in plain.shown_law(4).items()}
    assert late.shown_law(13) == moved
    places, _ = late.draw(np.full(10_000, 9), checked_source(None))
    assert not places.size
    choice = PartitionSelection(late.promise, fewest=10)
    assert not choice.select(np.full(10_000, 9)).any()
    assert choice.select([late.surely_kept]).all()
    assert choice.keep_probability(14) == PartitionSelection(late.promise).keep_probability(5)


# Intervals


@pytest.mark.parametrize(
    "counts",
    [
        approx(1, "1e-6"),
        approx("0.3", "0.01", fewest=4),
        approx(3, "1e-6"),
        concentrated(1, "1e-4"),
    ],
    ids=repr,
)
def test_intervals_hold_given_that_a_group_is_shown(counts: CountedPartitions) -> None:
    for n in range(counts.fewest, 3 * counts.surely_kept):
        law = {y: c for y, c in counts.shown_law(n).items() if y is not None}
        lower, upper = counts.ends(np.array(list(law), np.int64), "0.95")
        whole = sum(law.values())
        above = sum(c for c, low in zip(law.values(), lower, strict=True) if low > n)
        below = sum(c for c, high in zip(law.values(), upper, strict=True) if high < n)
        assert above <= Fraction(1, 40) * whole
        assert below <= Fraction(1, 40) * whole


def test_the_least_number_says_only_that_a_group_is_small() -> None:
    counts = approx(1, "1e-6")
    lower, upper = counts.ends(np.array([14, 15, 30, 10**12]), "0.95")
    assert lower.tolist() == [1, 2, 27, 10**12 - 3]
    assert upper.tolist() == [17, 18, 33, 10**12 + 3]


def test_golden_intervals_of_noise_that_falls_on_integers() -> None:
    """δ = P(X = 14) of Laplace noise on −14 … 14, where the greatest rule is this noise."""
    counts = approx(1, "3.8426385971998e-7")
    assert counts.least_shown == 15
    assert float(counts.noise.moment(1)) == pytest.approx(0.851, abs=5e-4)
    lower, upper = counts.ends(np.array([15, 19, 30]), "0.95")
    assert lower.tolist() == [1, 16, 27]
    assert upper.tolist() == [17, 22, 33]
    assert float(counts.keep_probability(16)) == pytest.approx(0.901, abs=5e-4)


@pytest.mark.parametrize(
    ("n", "held"), [(10, 0.982), (12, 0.982), (14, 0.982), (16, 0.985), (20, 0.975), (30, 0.973)]
)
def test_golden_coverage_given_that_a_group_is_shown(n: int, held: float) -> None:
    counts = approx(1, "3.8426385971998e-7")
    law = {y: c for y, c in counts.shown_law(n).items() if y is not None}
    lower, upper = counts.ends(np.array(list(law), np.int64), "0.95")
    inside = sum(
        c for c, low, high in zip(law.values(), lower, upper, strict=True) if low <= n <= high
    )
    assert float(inside / sum(law.values())) == pytest.approx(held, abs=1e-3)


# Answers and refusals


def test_value_semantics_and_words() -> None:
    counts = approx(1, "1e-6", max_groups=2, replace=True, fewest=3)
    assert counts == approx(1, "1e-6", max_groups=2, replace=True, fewest=3)
    assert "fewest=3" in repr(counts)
    released = counts.release([0, 10**6])
    assert list(released.value) == [1]
    assert released.guarantee == ApproxDP(epsilon=1, delta="1e-6")


def test_the_loss_keeps_the_promise() -> None:
    for groups in (1, 3, 12):
        counts = approx(1, "1e-6", max_groups=groups)
        assert counts.privacy().delta(1).lower <= Fraction(1, 10**6)
    assert approx(1, "0.01").privacy(2).delta(2).upper < Fraction(5, 100)


@pytest.mark.parametrize("counts", [[-1], [1.0], ["3"], [True], [[1]], [2**62], 3])
def test_hostile_counts_are_refused_without_showing_them(counts: object) -> None:
    with pytest.raises(InvalidParameter, match="not shown"):
        approx(1, "1e-6").release(counts)  # type: ignore[arg-type]


def test_hostile_parameters() -> None:
    for fewest in (0, -1, 1.5, True, 1 << 50):
        with pytest.raises(InvalidParameter, match="fewest"):
            approx(1, "1e-6", fewest=fewest)
    with pytest.raises(UnsupportedQuery, match="even chance"):
        approx("1e-9", "1e-12").release([1, 2, 3])
    with pytest.raises(InvalidParameter, match="delta above 0"):
        CountedPartitions(ZCDP(rho=1))


@pytest.mark.parametrize(
    "counts",
    [
        approx(100, "0.5"),
        approx("1e400", "1e-30"),
        approx("1e-400", "0.01"),
        concentrated(50, "1e-40"),
        concentrated("1e10", "1e-6"),
    ],
    ids=lambda each: repr(each)[:50],
)
def test_extreme_prices(counts: CountedPartitions) -> None:
    assert counts.keep_probability(0) == 0
    assert counts.keep_probability(1) <= counts.promise.delta
    assert counts.keep_probability(counts.surely_kept) == 1
    assert keeps_step(counts)


def test_the_choice_of_a_step_is_made_once() -> None:
    promise = ApproxDP(epsilon=1, delta="1e-6")
    assert count_step(promise, 3) is count_step(ApproxDP(epsilon=1, delta="1e-6"), 3)
