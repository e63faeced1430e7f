"""One of T steps at random: check values, every choice enumerated, and sums in whole numbers."""

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import Uniform
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.edged_variable import EdgedVariable
from leastnoise.privacy.variables.loss_variable import LossVariable
from leastnoise.privacy.variables.product_variable import ProductVariable
from leastnoise.privacy.variables.sum_laws import (
    Bounds,
    RatioCells,
    SumLaw,
    pooled_law,
    spread_law,
)


def gaussian(sigma: str) -> PrivacyLoss:
    return PrivacyLoss.gaussian(mu=1 / Fraction(sigma))


def add(loss: PrivacyLoss) -> LossVariable:
    assert loss.backward is not None
    return loss.backward


@pytest.mark.parametrize(
    ("steps", "sigma", "epsilon", "removed", "added"),
    [
        (2, "1", "0.5", 0.149177523136, 0.142686965824),
        (2, "0.5", "1", 0.404577500378, 0.380339194397),
        (10, "1", "0.5", 0.02685035597, 0.01906411295),
        (100, "1", "0.5", 4.4089081e-5, 5.925284e-7),
        pytest.param(1000, "0.5", "0.5", 5.9432172e-3, 9.1979e-6, marks=pytest.mark.slow),
    ],
)
def test_one_of_so_many(steps: int, sigma: str, epsilon: str, removed: float, added: float) -> None:
    """30 digits for two steps, else a plain transform of 2^18 points (differences below 1e-5)."""
    loss = gaussian(sigma).randomly_allocated(steps)
    for variable, value in ((loss.forward, removed), (add(loss), added)):
        found = variable.delta(Fraction(epsilon))
        assert float(found.lower) <= value * (1 + 1e-5)
        assert float(found.upper) >= value * (1 - 1e-5)
        assert float(found.width) <= 3e-3 * value


@pytest.mark.parametrize(
    ("base", "steps", "delta"),
    [
        (gaussian("0.6"), 12, "1e-6"),
        (gaussian("1"), 3, "1e-20"),
        (PrivacyLoss.laplace(epsilon=1), 7, "1e-5"),
    ],
    ids=["gaussian", "deep", "laplace"],
)
def test_epsilon_is_where_delta_is(base: PrivacyLoss, steps: int, delta: str) -> None:
    loss = base.randomly_allocated(steps)
    for variable in (loss.forward, add(loss)):
        found = PrivacyLoss(variable).epsilon(delta)
        assert 0 < found.lower <= found.upper
        assert float(found.width) <= 1e-3 * float(found.upper)
        assert variable.delta(Fraction(found.upper)).lower <= Fraction(delta)
        assert variable.delta(Fraction(found.lower)).upper >= Fraction(delta)


Pair = list[tuple[Fraction, Fraction]]


def enumerated(pair: Pair, steps: int, times: int, epsilon: float) -> tuple[float, float]:
    """δ of removing and of adding, over all outputs and all choices of steps."""
    choices = list(combinations(range(steps), times))
    leaks = [0.0, 0.0]
    for outputs in product(pair, repeat=steps):
        without = math.prod(q for _, q in outputs)
        with_record = sum(
            math.prod(p if i in chosen else q for i, (p, q) in enumerate(outputs))
            for chosen in choices
        )
        one, other = float(with_record / len(choices)), float(without)
        leaks[0] += max(0.0, one - math.exp(epsilon) * other)
        leaks[1] += max(0.0, other - math.exp(epsilon) * one)
    return leaks[0], leaks[1]


def loss_of(pair: Pair) -> PrivacyLoss:
    one, other = dict(enumerate(p for p, _ in pair)), dict(enumerate(q for _, q in pair))
    return PrivacyLoss.of_laws(one, other)


weights = st.tuples(st.integers(0, 6), st.integers(0, 6))


@settings(max_examples=12, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(st.lists(weights, min_size=2, max_size=4), st.sampled_from([2, 3]))
def test_any_finite_pair_against_every_output(rows: list[tuple[int, int]], steps: int) -> None:
    first, second = sum(p for p, _ in rows), sum(q for _, q in rows)
    if not first or not second:
        return
    pair = [(Fraction(p, first), Fraction(q, second)) for p, q in rows]
    loss = loss_of(pair).randomly_allocated(steps, record="forward")
    for epsilon in ("0", "0.2", "1"):
        truth = enumerated(pair, steps, 1, float(epsilon))
        for variable, value in zip((loss.forward, add(loss)), truth, strict=True):
            found = variable.delta(Fraction(epsilon))
            assert float(found.lower) <= value + 1e-12
            assert float(found.upper) >= value - 1e-12
            assert float(found.width) <= 2e-3


RESPONSE: Pair = [(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))]


@pytest.mark.parametrize(("steps", "times"), [(4, 2), (5, 2), (6, 3), (6, 6)])
def test_several_participations_are_bounded(steps: int, times: int) -> None:
    loss = loss_of(RESPONSE).randomly_allocated(steps, times, record="forward")
    for epsilon in ("0.1", "0.7", "1.5"):
        truth = enumerated(RESPONSE, steps, times, float(epsilon))
        for variable, value in zip((loss.forward, add(loss)), truth, strict=True):
            assert float(variable.delta(Fraction(epsilon)).upper) >= value - 1e-12
            if times == steps:
                assert float(variable.delta(Fraction(epsilon))) == pytest.approx(value, abs=5e-4)


def test_epochs_add_up() -> None:
    """Two epochs of one of two, all sixteen outputs; and of Gaussian noise, one epoch by sums."""
    once = loss_of(RESPONSE).randomly_allocated(2, record="forward")
    twice = once.self_compose(2)
    means = [
        ((p1 * q2 + q1 * p2) / 2, q1 * q2) for (p1, q1), (p2, q2) in product(RESPONSE, repeat=2)
    ]
    for epsilon in (Fraction(1, 5), Fraction(1)):
        rise = math.exp(epsilon)
        for variable, one, other in ((twice.forward, 0, 1), (add(twice), 1, 0)):
            truth = sum(
                max(0.0, float(a[one] * b[one]) - rise * float(a[other] * b[other]))
                for a, b in product(means, repeat=2)
            )
            found = variable.delta(epsilon)
            assert float(found.lower) - 1e-9 <= truth <= float(found.upper) + 1e-9
            assert float(found.width) < 8e-4
    loss = gaussian("1").randomly_allocated(4)
    two = loss.self_compose(2).epsilon("1e-5")
    assert loss.epsilon("1e-5").upper < two.lower
    assert float(two.width) < 1e-3 * float(two.upper)


def test_divergences_of_whole_orders_are_exact() -> None:
    loss = gaussian("1").randomly_allocated(10).forward
    assert float(loss.renyi(Fraction(2))) == pytest.approx(math.log1p(math.expm1(1) / 10), rel=1e-9)
    third = (10 * math.exp(3) + 3 * 90 * math.exp(1) + 720) / 1000  # E M³
    assert float(loss.renyi(Fraction(3))) == pytest.approx(math.log(third) / 2, rel=1e-9)
    between = loss.renyi(Fraction(5, 2))
    assert loss.renyi(Fraction(2)).upper <= between.upper <= loss.renyi(Fraction(3)).upper
    told = gaussian("1").renyi(2)
    assert add(gaussian("1").randomly_allocated(10)).renyi(Fraction(2)).upper == told.upper


def test_one_step_and_all_steps_are_the_release_itself() -> None:
    base = gaussian("2")
    assert base.randomly_allocated(1).delta("0.1") == base.delta("0.1")
    assert base.randomly_allocated(3, 3).delta("0.1") == base.self_compose(3).delta("0.1")
    # Far out nothing is left of it.
    assert base.randomly_allocated(3).delta(600).upper <= base.delta(600).upper


def test_bad_allocations_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="steps"):
        gaussian("1").randomly_allocated(0)
    with pytest.raises(InvalidParameter, match="participations"):
        gaussian("1").randomly_allocated(3, 4)
    with pytest.raises(InvalidParameter, match="record="):
        PrivacyLoss.of_laws({0: 1, 1: 2}, {0: 1, 1: 1}).randomly_allocated(2)
    with pytest.raises(UnsupportedQuery, match="sum by grids"):
        PrivacyLoss.laplace(epsilon="0.2").self_compose(5).randomly_allocated(2).delta("0.1")


BITS = 20


def cells(rows: list[tuple[int, int]]) -> RatioCells:
    """Cells of one step, with their masses, and how high their mean lies, in sixteenths."""
    masses = [mass for mass, _ in rows]
    rises = [mass * height / 16 for mass, height in rows]
    return RatioCells(
        BITS,
        list(range(len(rows) + 1)),
        masses,
        [round(rise) for rise in rises],
        [math.ceil(mass - rise) for mass, rise in zip(masses, rises, strict=True)],
        [math.ceil(rise) for rise in rises],
        [],
        0,
        0,
    )


def puts(law: SumLaw, strike: float) -> float:
    grain = 1 << law.level
    return sum(m * max(0.0, strike - grain * (law.first + i)) for i, m in enumerate(law.mass))


def calls(law: SumLaw, strike: float) -> float:
    grain = 1 << law.level
    return sum(m * max(0.0, grain * (law.first + i) - strike) for i, m in enumerate(law.mass))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10**5), st.integers(0, 16)), min_size=1, max_size=6),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([4, 100]),
)
def test_sums_lie_on_their_sides(rows: list[tuple[int, int]], copies: int, longest: int) -> None:
    """The true law has each cell's mass at its mean; sums of copies by enumeration."""
    if not any(mass for mass, _ in rows):
        return
    bounds = Bounds(10**6, 0, longest, copies)
    cut = cells(rows)
    above = spread_law(cut, bounds)
    truth = [(Fraction(mass), i + Fraction(h, 16)) for i, (mass, h) in enumerate(rows) if mass]
    unit = Fraction(2**BITS)
    for lifted in (True, False):
        below = pooled_law(cut, bounds, lifted=lifted)
        for strike in (0.5, 1.0, 2.5, 5.0, 11.0):
            put = call = 0.0
            for terms in product(truth, repeat=copies):
                mass = float(math.prod(m / unit for m, _ in terms) * unit)
                where = float(sum(y for _, y in terms))
                put += mass * max(0.0, strike - where)
                call += mass * max(0.0, where - strike)
            assert puts(above, strike) >= put - 1e-6
            if lifted:
                assert puts(below, strike) <= put + below.moved + 1e-6
            else:
                assert calls(below, strike) <= call + below.moved + 1e-6


def test_outputs_that_only_the_law_without_the_record_has_are_counted_as_lost() -> None:
    """In nearly every epoch all steps show that the record is not there."""
    one = PrivacyLoss.of_laws({"y": 1}, {"n": 999, "y": 1})
    found = one.randomly_allocated(4, 2, record="forward").backward
    assert found is not None
    assert found.delta(Fraction(1)).upper >= Fraction(999996, 10**6)


def test_composed_laws_with_edges_are_listed_like_their_outcomes() -> None:
    one = Uniform(sensitivity=1, delta="0.1").privacy(1).self_compose(2)
    assert isinstance(one.forward, EdgedVariable)
    chances = {k: Fraction(1 if abs(k) == 5 else 2, 20) for k in range(-5, 6)}
    pairs = {(k, m): chances[k] * chances[m] for k in chances for m in chances}
    moved = {(k + 1, m + 1): chance for (k, m), chance in pairs.items()}
    listed = PrivacyLoss.of_laws(
        *({str(pair): chance for pair, chance in law.items()} for law in (pairs, moved))
    )
    for epsilon in ("0", "0.2", "1"):
        found = one.randomly_allocated(3).delta(epsilon)
        known = listed.randomly_allocated(3, record="forward").delta(epsilon)
        assert found.upper - found.lower < 1e-9
        assert found.lower <= known.upper
        assert known.lower <= found.upper


@pytest.mark.parametrize(
    "asked",
    [
        lambda: PrivacyLoss.gaussian(mu=25).randomly_allocated(10).delta(1),
        lambda: PrivacyLoss.gaussian(mu=50).randomly_allocated(10).delta(1),
        lambda: PrivacyLoss.gaussian(mu=1).randomly_allocated(10).delta(60),
    ],
    ids=["little noise", "hardly any", "a tiny delta"],
)
def test_where_no_law_can_be_listed_the_step_is_taken_for_known(asked: Any) -> None:
    found = asked()
    assert 0 <= found.lower <= found.upper <= 1


def test_a_tiny_delta_has_an_epsilon() -> None:
    found = PrivacyLoss.gaussian(mu=1).randomly_allocated(3).epsilon("1e-150")
    known = PrivacyLoss.gaussian(mu=1).epsilon("1e-150")
    assert found.lower <= found.upper <= known.upper + Fraction(1, 10**6)


def test_little_noise_hides_added_records_over_epochs_too() -> None:
    """Rare ratios are thousands there, and have the least losses: they are not infinite ones."""
    added = add(gaussian("1/2").randomly_allocated(100))
    by_grid = PrivacyLoss(ProductVariable(((added, 1),))).epsilon("1e-5")
    exact = PrivacyLoss(added).epsilon("1e-5")
    assert by_grid.lower <= exact.upper
    assert exact.lower <= by_grid.upper <= exact.upper * Fraction("1.001")
    assert PrivacyLoss(added).self_compose(2).epsilon("1e-5").upper < 2.1


def test_what_lies_above_the_greatest_strike_is_counted_below_it() -> None:
    added = add(gaussian("1/2").randomly_allocated(100))
    high = added.cells(0.01).pessimistic()
    assert float(high.mass.sum()) + high.infinite >= 1  # nothing is left out
    assert high.infinite < 1e-9
    assert high.first * high.step >= -math.log(8) - 0.03
