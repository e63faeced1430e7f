"""Counts with a promised relative error: figures, promises for every size, releases, bad input."""

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import leastnoise.groupwise.make_relative_design as maker
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.groupwise import (
    GroupwiseCounts,
    LogGaussianCounts,
    RelativeCounts,
    SpacedCounts,
    compare,
    relative_counts,
)
from leastnoise.groupwise.chain_design import chain_chances
from leastnoise.groupwise.design_error import DesignError
from leastnoise.numeric import ball as balls
from leastnoise.privacy.groupwise import GroupwiseZCDP
from leastnoise.randomness.source import Source
from tests.scripted import CountingSource, NoEntropy

HALF = 0.05
MECHANISM = RelativeCounts(relative_error="0.05", smallest=1)
SETTINGS: list[dict[str, Any]] = [
    {"relative_error": "0.05"},
    {"relative_error": "0.1"},
    {"relative_error": "0.01"},
    {"relative_error": "0.3"},
    {"relative_error": "0.8"},
    {"relative_error": "0.05", "smallest": 10},
    {"relative_error": "0.05", "smallest": 1000},
    {"relative_error": "0.1", "smallest": 0, "slack": "0.5"},
    {"relative_error": "0.05", "smallest": 0, "slack": 100},
]


def float_error(mechanism: RelativeCounts, x: int) -> float:
    """E|x̂ − x| by adding up chances beyond every border in floats: an independent computation."""
    design = mechanism.design
    sigma, a = float(design.channel.squared_sigma) ** 0.5, float(mechanism.slack)
    counts = design.channel.map
    unit = 2.0**design.channel.bits
    if x < design.top:
        return _float_chain_error(mechanism, x, _float_up(design, design.top, sigma, a))
    place = counts.place(x) / unit
    up = _float_up(design, x, sigma, a)
    listed = np.array(design.rounded.listed_borders[: x - counts.first]) / unit
    natural = np.log(np.arange(counts.bend, x) + 0.5 + a) + sigma**2
    below = ndtr((np.concatenate([listed, natural]) - place) / sigma).sum()
    if not design.chain.chances:
        return up + float(below)
    sunk = float(ndtr((design.threshold / unit - place) / sigma))
    return up + float(below) + sunk * float(design.chain.levels_down()[-1])


def _float_up(design: Any, x: int, sigma: float, a: float) -> float:
    counts, unit = design.channel.map, 2.0**design.channel.bits
    place = counts.place(x) / unit
    listed = np.array(design.rounded.listed_borders[x - counts.first :]) / unit
    first = max(x, counts.bend)
    last = int((x + a) * math.exp(12 * sigma)) + 100
    natural = np.log(np.arange(first, min(last, first + 10**6)) + 0.5 + a) + sigma**2
    return float(ndtr((place - np.concatenate([listed, natural])) / sigma).sum())


def _float_chain_error(mechanism: RelativeCounts, x: int, up: float) -> float:
    """By the matrix of the walk's transitions: solve for the law of its end."""
    chain = mechanism.design.chain
    beyond = up / (1 - float(mechanism.design.sunk))
    total, here = 0.0, float(chain.chance(x + 1))
    for j in range(x + 1, chain.top + 1):
        on = 0.0 if j == chain.top else float(chain.chance(j + 1) / (1 - chain.chance(j)))
        total += here * (1 - on) * (j - x + (beyond if j == chain.top else 0))
        here *= on
    if x > chain.first:
        here = float(chain.chance(x))
        for j in range(x - 1, chain.first - 1, -1):
            low = chain.chance(j) if j > chain.first else Fraction(0)
            on = float(low / (1 - chain.chance(j + 1)))
            total += here * (1 - on) * (x - j)
            here *= on
    return total


# Figures.


def test_large_groups_approach_log_gaussian_noise() -> None:
    """r²x²·v → r²/(2σ²) with 2Φ(σ) − 1 = r; the least possible is 0.3103 at r = 0.1."""
    for size in (10**4, 10**6, 10**8):
        value = 0.01 * size**2 * float(RelativeCounts(relative_error="0.1").privacy(size))
        assert value == pytest.approx(0.3167, abs=0.0005)


@pytest.mark.parametrize(("size", "most"), [(2, 7.9), (5, 3.5), (10, 1.35)])
def test_small_groups_lose_far_less_than_with_spaced_gaussians(size: int, most: float) -> None:
    spaced = SpacedCounts(relative_error="0.05", largest=40)
    assert spaced.privacy(size) <= most
    assert MECHANISM.privacy(size) < spaced.privacy(size) * 3 / 4


@pytest.mark.parametrize(("size", "loss"), [(2, 61.09), (5, 6.332), (10, 1.4116)])
def test_log_gaussian_noise_at_small_sizes(size: int, loss: float) -> None:
    sigma = ndtri(0.525)
    assert math.log(size / (size - 1)) ** 2 / (2 * sigma**2) == pytest.approx(loss, rel=1e-3)
    plain = LogGaussianCounts(relative_error="0.05")
    assert float(plain.privacy(size)) == pytest.approx(loss, rel=1e-3)


@pytest.mark.spread(4)
@pytest.mark.parametrize("error", ["0.001", "0.01", "0.05", "0.1", "0.2", "0.4", "0.7", "0.95"])
def test_never_worse_than_logarithms(error: str) -> None:
    mechanism, plain = RelativeCounts(relative_error=error), LogGaussianCounts(relative_error=error)
    bend = mechanism.design.channel.map.bend
    for size in [*range(bend + 3), 10 * bend, 10**6, 10**9, 2**62]:
        assert mechanism.privacy(size) <= plain.privacy(size)


@pytest.mark.parametrize(("error", "largest"), [("0.01", 300), ("0.05", 160), ("0.2", 40)])
def test_never_worse_than_spacing(error: str, largest: int) -> None:
    mechanism = RelativeCounts(relative_error=error)
    spaced = SpacedCounts(relative_error=error, largest=largest)
    for size in range(largest + 1):
        assert mechanism.privacy(size) <= spaced.privacy(size)


# Promises for every size.


@pytest.mark.spread(4)
@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_errors_are_below_what_is_promised(parameters: dict[str, Any]) -> None:
    mechanism = RelativeCounts(**parameters)
    sizes = [*range(mechanism.smallest, mechanism.smallest + 40), 150, 1000, 10**6, 10**12, 2**62]
    for size in sizes:
        if size >= mechanism.smallest:
            promised = mechanism.relative_error * (size + mechanism.slack)
            assert mechanism.expected_error(size).upper <= promised


@pytest.mark.parametrize("parameters", SETTINGS[:5] + SETTINGS[7:8], ids=str)
def test_brackets_of_errors_hold_an_independent_computation(parameters: dict[str, Any]) -> None:
    mechanism = RelativeCounts(**parameters)
    top, bend = mechanism.design.top, mechanism.design.channel.map.bend
    sizes = {mechanism.smallest, 2, top - 1, top, top + 1, bend - 1, bend, bend + 1, 2 * bend, 700}
    for size in sorted(size for size in sizes if size >= mechanism.smallest):
        bracket, exact = mechanism.expected_error(size), float_error(mechanism, size)
        assert float(bracket.lower) <= exact * (1 + 1e-9)
        assert exact <= float(bracket.upper) * (1 + 1e-9)
        assert float(bracket.upper) <= exact * (1 + 1e-3)


@pytest.mark.parametrize("terms", [1, 10])
def test_integrals_in_the_place_of_sums_bound_them(terms: int) -> None:
    """Much noise, where the density falls over many counts and rounding costs something."""
    mechanism = RelativeCounts(relative_error="0.63")
    errors = DesignError(mechanism.design)
    for size in (20, 60, 200):
        exact = float_error(mechanism, size)
        with balls.precision(128):
            low, high = (float(errors.error(size, side, terms)) for side in (-1, 1))
        assert low <= exact * (1 + 1e-9)
        assert exact <= high * (1 + 1e-9)


def test_no_size_up_to_three_thousand_breaks_the_promise() -> None:
    """The independent computation at every size, not only where the proof looks."""
    ratios = [float_error(MECHANISM, x) / (HALF * x) for x in range(1, 3000)]
    assert max(ratios) <= 1
    assert min(ratios[3:]) > 0.95  # and little is given away


@pytest.mark.slow
def test_every_size_up_to_a_million_by_balls() -> None:
    """E|x̂ − x| ≤ r·x for each x in 1..10⁶, computed in balls."""
    errors, share = DesignError(MECHANISM.design), balls.ball(MECHANISM.relative_error)
    with balls.precision(balls.FIRST_PRECISION):
        assert all(
            any(errors.error(x, 1, terms) <= share * x for terms in (0, 3, 48))
            for x in range(1, 10**6 + 1)
        )


@settings(max_examples=12, deadline=None)
@given(
    st.fractions(Fraction(1, 200), Fraction(99, 100), max_denominator=1000),
    st.integers(1, 60),
    st.fractions(0, 5, max_denominator=10),
)
def test_any_promise_is_kept(error: Fraction, smallest: int, slack: Fraction) -> None:
    mechanism = RelativeCounts(relative_error=error, smallest=smallest, slack=slack)
    for size in (smallest, smallest + 1, smallest + 5, 3 * smallest + 7, 10**5):
        assert mechanism.expected_error(size).upper <= error * (size + slack)
        assert mechanism.privacy(size + 1) <= mechanism.privacy(size)


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_v_is_exact_and_never_grows(parameters: dict[str, Any]) -> None:
    mechanism = RelativeCounts(**parameters)
    budgets = [mechanism.privacy(x) for x in [*range(200), 10**3, 10**6, 10**11, 10**13, 2**62]]
    assert all(isinstance(v, Fraction) for v in budgets)
    assert budgets == sorted(budgets, reverse=True)
    assert budgets[0] == mechanism.privacy(mechanism.smallest + 1)


def test_sizes_below_the_smallest_are_released_alike() -> None:
    mechanism = RelativeCounts(relative_error="0.05", smallest=10)
    draws = mechanism.release(np.array([0] * 1000 + [9] * 1000 + [10] * 1000)).value
    assert draws.min() == 10
    assert mechanism.expected_error(3).upper == 7 + mechanism.expected_error(10).upper
    with pytest.raises(UnsupportedQuery, match="alike"):
        mechanism.loss(10)


def test_the_search_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances that are far too large are made smaller, or dropped, until the proof succeeds."""
    maker.make_relative_design.cache_clear()

    def reckless(error: float, first: float, sigma: float) -> Any:
        return np.minimum(1.2 * chain_chances(error, first, sigma), 0.45)

    monkeypatch.setattr(maker, "chain_chances", reckless)
    try:
        mechanism = RelativeCounts(relative_error="0.07")
        for size in range(1, 60):
            assert mechanism.expected_error(size).upper <= Fraction(7 * size, 100)
    finally:
        maker.make_relative_design.cache_clear()


# Privacy in other words.


def test_the_loss_of_small_groups_is_pure() -> None:
    epsilon = MECHANISM.loss(2).epsilon(delta=0)
    assert float(epsilon) == pytest.approx(3.0121, abs=1e-3)
    assert math.isinf(MECHANISM.loss(100).epsilon(delta=0).upper)


@pytest.mark.parametrize("size", [2, 5, 12, 14, 15, 30, 100, 10**5])
def test_v_and_the_whole_loss_agree(size: int) -> None:
    """D_α/α of the loss is at most v(x) at every order, and reaches it at some."""
    loss, v = MECHANISM.loss(size), float(MECHANISM.privacy(size))
    ratios = [float(loss.renyi(order).upper) / float(order) / v for order in ("1.0001", 2, 8, 64)]
    assert max(ratios) <= 1 + 1e-9
    if size != MECHANISM.design.top:
        assert max(ratios) == pytest.approx(1, rel=1e-3)


def test_epsilon_compares_with_both_neighbours() -> None:
    for size in (1, 2, 13, 14, 20, 100):
        pairs = [x for x in (size, size + 1) if x > 1]
        worst = max(MECHANISM.loss(x).epsilon(delta="1e-6").upper for x in pairs)
        assert MECHANISM.epsilon(size, delta="1e-6").upper == worst


def test_one_loss_says_nothing_of_larger_changes() -> None:
    with pytest.raises(UnsupportedQuery, match="one record"):
        MECHANISM.loss(50).for_group(2)


def test_the_guarantee_is_the_curve() -> None:
    guarantee = MECHANISM.guarantee
    assert isinstance(guarantee, GroupwiseZCDP)
    assert guarantee.at(100).rho == MECHANISM.privacy(100)
    assert guarantee.self_compose(3).at(100).rho == 3 * MECHANISM.privacy(100)
    assert guarantee.for_all_sizes().rho == MECHANISM.privacy(0)


@pytest.mark.parametrize(
    "mechanism",
    [
        MECHANISM,
        LogGaussianCounts(relative_error="0.1", smallest=0, slack="0.5"),
        SpacedCounts(relative_error="0.1", largest=50),
    ],
    ids=repr,
)
def test_the_curve_at_many_sizes_is_rounded_up(mechanism: GroupwiseCounts) -> None:
    sizes = np.concatenate([np.arange(1, 120), np.geomspace(120, 2**62, 200).astype(np.int64)])
    bounds = mechanism.guarantee.upper_bounds(sizes)
    for size, bound in zip(sizes.tolist(), bounds.tolist(), strict=True):
        exact = mechanism.privacy(size)
        assert exact <= Fraction(bound)
        assert bound <= float(exact) * (1 + 1e-9) or size > 10**5
    assert mechanism.guarantee.upper_bounds(np.arange(1, 400_000)).shape == (399_999,)


def test_the_curve_is_data() -> None:
    curve = MECHANISM.curve([1, 10, 10**3], delta="1e-6")
    assert curve.budgets == tuple(MECHANISM.privacy(x) for x in (1, 10, 1000))
    columns = curve.columns()
    assert list(columns) == ["size", "v", "error", "epsilon"]
    assert all(Fraction(v) >= exact for v, exact in zip(columns["v"], curve.budgets, strict=True))
    assert "epsilon" not in MECHANISM.curve().columns()
    assert str(curve).count("\n") == 3
    assert MECHANISM.curve().sizes[:4] == (1, 2, 5, 10)


# What may be published.


@pytest.mark.parametrize("size", [1, 5, 13, 14, 20, 200])
def test_a_lower_limit_is_right_as_often_as_it_says(size: int) -> None:
    """The chance of all releases whose limit exceeds the size is at most 1 − confidence."""
    doubt = Fraction(1, 20)
    drawn = np.unique(MECHANISM.release(np.full(100_000, size)).value)
    limits = {int(y): MECHANISM.lower_limit(int(y), confidence=1 - doubt) for y in drawn}
    wrong = [y for y, limit in limits.items() if limit > size]
    if wrong:
        chance = MECHANISM._chance_above(size, Fraction(min(wrong)))
        assert float(chance) <= float(doubt)
    assert [limits[y] for y in sorted(limits)] == sorted(limits.values())


def test_lower_limits_are_close() -> None:
    limit = MECHANISM.lower_limit(10_000, confidence="0.95")
    assert limit == pytest.approx(10_000 * math.exp(0.0627**2 - 1.645 * 0.0627), rel=1e-2)
    assert MECHANISM.lower_limit(1, confidence="0.95") == 0
    assert MECHANISM.lower_limit(2**63 - 1, confidence="0.5") <= 2**62


def test_a_promise_may_be_published_at_a_release() -> None:
    promise = MECHANISM.promise_at_release(10_000, confidence="0.95")
    assert promise.promise.rho == MECHANISM.privacy(promise.size)


# Releases.


def test_counts_come_back_as_they_were_arranged() -> None:
    counts = {"a": 3, ("b", 2): 10**6, 7: 0}
    released = MECHANISM.release(counts).value
    assert list(released) == list(counts)
    assert all(isinstance(value, int) for value in released.values())
    assert MECHANISM.release(np.ones((2, 3), dtype=np.uint8)).value.shape == (2, 3)
    assert isinstance(MECHANISM.release(5).value, int)
    assert isinstance(MECHANISM.release(np.int32(5)).value, int)
    assert MECHANISM.release([]).value.size == 0
    assert MECHANISM.release({}).value == {}


def test_a_release_carries_its_promise() -> None:
    release = MECHANISM.release([1, 2])
    assert release.guarantee == MECHANISM.guarantee
    assert release.mechanism == "RelativeCounts(relative_error='0.05', smallest=1, slack=0)"
    assert not release.value.flags.writeable


def test_public_zeros_are_released_as_they_are() -> None:
    released = MECHANISM.release({"a": 10**6, "b": 12345}, zeros=["b"]).value
    assert released["b"] == 0
    assert released["a"] > 0
    mask = np.array([[True, False], [False, True]])
    values = MECHANISM.release(np.full((2, 2), 1000), zeros=mask).value
    assert (values == 0).tolist() == mask.tolist()


@pytest.mark.parametrize(
    ("counts", "zeros"),
    [
        ({"a": 1}, ["b"]),
        ({"a": 1}, "a"),
        ({"a": 1}, np.array([True])),
        ([1, 2], [0, 1]),
        ([1, 2], [True]),
        ([1, 2], np.array([[True, False]])),
    ],
)
def test_zeros_must_name_groups(counts: Any, zeros: Any) -> None:
    with pytest.raises(InvalidParameter, match="zeros"):
        MECHANISM.release(counts, NoEntropy(), zeros=zeros)


def test_counts_of_every_size_are_taken() -> None:
    counts = np.array([0, 1, 2**31, 2**53 + 1, 2**62 - 1, 2**62], dtype=np.uint64)
    released = MECHANISM.release(counts).value
    assert np.all(released >= 1)
    assert np.all(np.abs(released[2:] / counts[2:].astype(float) - 1) < 0.7)


def test_huge_estimates_are_cut_not_wrapped() -> None:
    noisy = RelativeCounts(relative_error="0.99")
    released = noisy.release(np.full(20_000, 2**62)).value
    assert released.min() >= 1
    assert released.max() == 2**63 - 1


@pytest.mark.parametrize(
    "counts",
    [
        [1, -1],
        [1.0, 2.0],
        [math.nan],
        [True, False],
        [1, True],
        np.array([True]),
        np.array([1.5]),
        np.array([2**62 + 1]),
        np.array([2**70], dtype=object),
        np.array(["5"]),
        np.ma.masked_array([1, 2], mask=[False, True]),
        [[1, 2], [3]],
        ["5"],
        None,
        "5",
        3.5,
        -1,
        2**70,
        {"a": -1},
        {"a": 1.0},
        {"a": math.nan},
        {"a": True},
        {"a": None},
        {"a": 2**63},
        {math.nan: 1},
        {None: 1},
        {"a": [1, 2]},
    ],
    ids=repr,
)
def test_anything_else_is_refused_unseen(counts: Any) -> None:
    """Nothing is drawn, and the message holds no number but those of the rule."""
    with pytest.raises(InvalidParameter) as caught:
        MECHANISM.release(counts, NoEntropy())
    text = str(caught.value).replace("0..2**62", "")
    assert not any(character.isdigit() for character in text)
    assert caught.value.__cause__ is None


def test_a_seed_is_no_source() -> None:
    with pytest.raises(InvalidParameter, match="source"):
        MECHANISM.release([1], 42)  # type: ignore[arg-type]


def test_entropy_is_drawn_for_every_group() -> None:
    source = CountingSource()
    MECHANISM.release(np.full(1000, 10**6), source)
    assert source.given >= 1000 * 4


@pytest.mark.parametrize("size", [1, 3, 13, 14, 15, 40, 5000])
def test_releases_have_the_error_that_is_stated(size: int) -> None:
    """Six standard errors (false alarms below 1e-8), and a tenth more or less is noticed."""
    number = 200_000
    drawn = MECHANISM.release(np.full(number, size), Source()).value
    errors = np.abs(drawn - size)
    stated, deviation = float(MECHANISM.expected_error(size)), errors.std() / math.sqrt(number)
    assert abs(errors.mean() - stated) <= 6 * deviation
    assert abs(errors.mean() - 1.1 * stated) > 6 * deviation
    assert abs(errors.mean() - 0.9 * stated) > 6 * deviation


# Comparison.


def test_mechanisms_side_by_side() -> None:
    """Only one of the six is best at every size, and all but two of them never improve."""
    found = compare(relative_error="0.1", delta="1e-6", smallest=2, sizes=(2, 10, 1000))
    budgets = {c.name: [float(v) for v in c.budgets] for c in found.contenders}
    best = budgets.pop("relative counts")
    assert all(
        mine <= other * (1 + 1e-12)
        for row in budgets.values()
        for mine, other in zip(best, row, strict=True)
    )
    assert budgets["constant"][0] == pytest.approx(1 / (math.pi * 0.04))
    assert budgets["algorithm 1"] == [budgets["algorithm 1"][0]] * 3
    for contender in found.contenders:
        assert all(
            error.lower <= Fraction(x, 10)
            for x, error in zip(found.sizes, contender.errors, strict=True)
        )
        assert bool(contender.orders) == (contender.name == "algorithm 2")
    assert str(found).count("| relative counts |") == 3
    assert "orders 1.17" not in str(found)


@pytest.mark.parametrize("bad", [{"sizes": (1,)}, {"delta": 0}, {"relative_error": 1}])
def test_bad_comparisons_are_refused(bad: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"relative_error": "0.1", "delta": "1e-6", "smallest": 2, "sizes": (5,)}
    with pytest.raises(InvalidParameter):
        compare(**(usual | bad))


# Options, parameters.


def test_the_door_chooses_the_mechanism() -> None:
    assert isinstance(relative_counts(relative_error=0.05, smallest=1), RelativeCounts)
    real = relative_counts(relative_error="0.05", integers=False)
    assert real == LogGaussianCounts(relative_error="0.05")
    unbiased = relative_counts(relative_error="0.05", smallest=3, slack=2, unbiased=True)
    assert unbiased == LogGaussianCounts(relative_error="0.05", smallest=3, slack=2, unbiased=True)


@pytest.mark.parametrize(
    "parameters",
    [
        {"relative_error": 0},
        {"relative_error": 1},
        {"relative_error": -0.1},
        {"relative_error": 5},
        {"relative_error": math.nan},
        {"relative_error": "5%"},
        {"relative_error": "0.05", "smallest": 0},
        {"relative_error": "0.05", "smallest": -1},
        {"relative_error": "0.05", "smallest": 1.0},
        {"relative_error": "0.05", "smallest": True},
        {"relative_error": "0.05", "smallest": 2**63},
        {"relative_error": "0.05", "slack": -1},
        {"relative_error": "0.05", "slack": math.inf},
        {"relative_error": "0.05", "slack": 10**30},
        {"relative_error": "1e-9", "smallest": 10**12},
        {"relative_error": "1e-9"},
        {"relative_error": "0.05", "integers": 1},
        {"relative_error": "0.05", "unbiased": "yes"},
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        relative_counts(**parameters)


def test_a_tiny_error_is_fine_for_large_groups() -> None:
    mechanism = RelativeCounts(relative_error="1e-6", smallest=10**7)
    assert mechanism.expected_error(10**7).upper <= 10
    assert not mechanism.design.chain.chances


@pytest.mark.parametrize("size", [-1, 1.5, True, "5", None])
def test_bad_sizes_are_refused(size: Any) -> None:
    for question in (MECHANISM.privacy, MECHANISM.loss, MECHANISM.expected_error):
        with pytest.raises(InvalidParameter):
            question(size)


def test_mechanisms_are_values() -> None:
    again = RelativeCounts(relative_error=Fraction(1, 20))
    assert again == MECHANISM
    assert hash(again) == hash(MECHANISM)
    assert pickle.loads(pickle.dumps(MECHANISM)) == MECHANISM
    assert copy.deepcopy(MECHANISM) == MECHANISM
    assert eval(repr(MECHANISM)) == MECHANISM
    assert MECHANISM.parameters["smallest"] == 1
    with pytest.raises(AttributeError):
        MECHANISM.least = 5  # type: ignore[misc]


@pytest.mark.parametrize("size", [0, 1, 2, 50, 10**6])
def test_all_kinds_answer_the_same_questions(size: int) -> None:
    kinds: list[GroupwiseCounts] = [
        MECHANISM,
        LogGaussianCounts(relative_error="0.1", unbiased=True),
        SpacedCounts(relative_error="0.1", largest=20),
    ]
    for mechanism in kinds:
        assert mechanism.guarantee.at(size).rho == mechanism.privacy(size)
        assert mechanism.epsilon(size, delta="1e-6").upper > 0
        assert mechanism.lower_limit(size, confidence="0.9") <= max(size, 20)
