"""Relative counts: exact privacy of what is drawn, the promised error at every size, bad input."""

import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

import leastnoise.relative.error as proofs
import leastnoise.relative.search as maker
from leastnoise.noise.source import Source
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.relative import GroupwiseZCDP, relative_counts
from leastnoise.relative.design import WORD, Chain, Channel, Design
from leastnoise.relative.error import DesignError
from tests.relative.laws import (
    DESIGNS,
    FALSE_ALARM,
    arrays,
    coarse,
    float_error,
    mean_error,
    p_value,
    place,
    released_law,
    renyi,
    walk_law,
)
from tests.scripted import Scripted, word

SECRET = 987654321
TENTH = relative_counts(relative_error="0.1")
TWENTIETH = relative_counts(relative_error="0.05")
CHAIN = Chain(3, tuple(int(u * WORD) for u in (0.05, 0.05, 0.1, 0.25, 0.3)))
WALKS = range(CHAIN.first, CHAIN.top)
GAPPED = DESIGNS["chain, table, logarithms"]


@pytest.fixture(params=DESIGNS, name="design")
def _design(request: pytest.FixtureRequest) -> Design:
    return DESIGNS[request.param]


def sizes(design: Design) -> range:
    return range(max(design.chain.first - 2, 0), design.channel.bend + 4)


# The chain: exact in fractions


@pytest.mark.parametrize("x", range(CHAIN.first + 1, CHAIN.top))
def test_neighbours_in_the_chain_are_one_coin(x: int) -> None:
    """The likelihood ratio takes two values, whatever the end: nothing else can be seen."""
    one, other, u = walk_law(CHAIN, x - 1), walk_law(CHAIN, x), CHAIN.chance(x)
    assert sum(one.values()) == sum(other.values()) == 1
    assert all(other[y] / one[y] == ((1 - u) / u if y >= x else u / (1 - u)) for y in one)
    assert float(CHAIN.epsilon(x)) == pytest.approx(math.log((1 - u) / u), rel=1e-14)


def test_the_way_up() -> None:
    for x in WALKS:
        law = walk_law(CHAIN, x)
        for y in range(x + 1, CHAIN.top + 1):
            assert CHAIN.chance_up(x, y) == sum(p for end, p in law.items() if end >= y)


def test_one_word_decides_each_step_exactly() -> None:
    up, down, onward = CHAIN.chances[2], CHAIN.chances[1], CHAIN.chances[3]
    stop = WORD // 2  # neither goes on nor is drawn again
    ends = {
        (up - 1, stop): 6, (up,): 5, (WORD - down - 1,): 5, (WORD - down, stop): 4, (WORD - 1, stop): 4,
        (0, onward - 1, stop): 7, (0, onward): 6, (0, WORD - up - 1): 6,
        (0, WORD - up, onward - 1, stop): 7,  # the word is one of those that are drawn again
        (WORD - 1, down - 1): 3, (WORD - 1, down): 4,
    }  # fmt: skip
    for script, end in ends.items():
        source = Scripted(*map(word, script))
        assert CHAIN.walk(np.array([5]), source).tolist() == [end] and not source.left, script
    assert CHAIN.walk(np.array([CHAIN.top - 1]), Scripted(word(0))).tolist() == [CHAIN.top]
    assert Chain(1, (1 << 60,)).sink(2, Scripted()).tolist() == [1, 1]


@pytest.mark.parametrize("x", [3, 5, 7])
def test_walks_fit_the_law_and_no_other(x: int) -> None:
    draws = CHAIN.walk(np.full(200_000, x), Source())
    for factor in (1, 0.9, 1.1):
        other = Chain(3, tuple(int(factor * chance) for chance in CHAIN.chances))
        law = {y: float(p) for y, p in walk_law(other, x).items()}
        assert (p_value(draws, law) > FALSE_ALARM) == (factor == 1)


# Designs on a coarse lattice: all of their laws


def test_the_law_adds_up_and_never_leaves_the_counts(design: Design) -> None:
    assert design.is_sound
    for x in sizes(design):
        law = released_law(design, x)
        assert (
            math.fsum(law.values()) == pytest.approx(1, abs=1e-12)
            and min(law) >= design.chain.first
        )


def test_no_divergence_of_any_order_exceeds_the_lesser_v(design: Design) -> None:
    """Both directions, and v of both sizes: the definition speaks of ordered pairs (errata E13)."""
    laws = {x: released_law(design, x) for x in sizes(design)}
    for x in sizes(design)[1:]:
        v = float(min(design.rho(x), design.rho(x - 1)))
        for order in (1.001, 1.1, 1.5, 2, 3, 5, 10, 20):
            if order * math.sqrt(2 * v) < 25:  # floats reach 38 deviations
                for one, other in ((laws[x - 1], laws[x]), (laws[x], laws[x - 1])):
                    assert renyi(one, other, order) <= order * v * (1 + 1e-9) + 1e-13


def test_v_never_grows(design: Design) -> None:
    found = [design.rho(x) for x in [*sizes(design), 100, 10**4, 10**9, 2**62]]
    assert found == sorted(found, reverse=True)


def test_the_v_of_the_chain_is_met() -> None:
    """Near order 1 the divergence is all that is promised: a v a thousandth smaller would be false."""
    for x in range(GAPPED.chain.first + 1, GAPPED.top):
        met = renyi(released_law(GAPPED, x - 1), released_law(GAPPED, x), 1.001) / 1.001
        assert met == pytest.approx(float(GAPPED.rho(x)), rel=1e-3)


def test_losses_are_those_of_the_law(design: Design) -> None:
    laws = {x: released_law(design, x) for x in sizes(design)}
    for x in range(design.chain.first + 1, sizes(design)[-1] + 1):
        for epsilon in (0.2, 1.0):
            promised = float(design.loss(x).delta(epsilon).upper)
            for pair in ((laws[x - 1], laws[x]), (laws[x], laws[x - 1])):
                p, q = arrays(*pair)
                found = float(np.maximum(0, p - math.exp(epsilon) * q).sum())
                assert found <= promised + 1e-12
                assert x >= design.top or found == pytest.approx(promised, abs=1e-9)


def test_brackets_hold_the_error_of_the_law(design: Design) -> None:
    errors = DesignError(design)
    for x in (*sizes(design), 3 * design.channel.bend, 20 * design.channel.bend):
        exact, found = mean_error(released_law(design, x), x), errors.at(x)
        assert float(found.lower) <= exact * (1 + 1e-9) and exact <= float(found.upper) * (1 + 1e-9)
        assert found.upper - found.lower <= F(x, 15) + F(1, 5)


@pytest.mark.parametrize("terms", [1, 3, 12, 48])
def test_fewer_terms_widen_the_bracket_and_keep_it_true(terms: int) -> None:
    errors = DesignError(GAPPED)
    for x in (30, 100, 300):
        exact = mean_error(released_law(GAPPED, x), x)
        low, high = (float(errors.bound(x, side, terms)) for side in (-1, 1))
        assert low <= exact <= high and high - low <= 0.06 * x + 0.25


def test_borders_that_are_skipped_are_accounted_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """If sums stop at one deviation instead of nine, upper bounds widen and remain bounds."""
    monkeypatch.setattr(proofs, "_FAR", 1)
    errors = DesignError(GAPPED)
    for x in (9, 12, 30, 100):
        exact = mean_error(released_law(GAPPED, x), x)
        assert float(errors.bound(x, -1, 48)) <= exact <= float(errors.bound(x, 1, 48))


def test_chances_of_large_releases_are_not_understated(design: Design) -> None:
    errors = DesignError(design)
    for x in sizes(design)[3:]:
        law = released_law(design, x)
        for y in (x + 1, x + 2, x + 5, design.top + 3):
            exact = math.fsum(p for end, p in law.items() if end >= y)
            found = float(errors.chance_above(max(x, design.chain.first), F(y)))
            assert exact <= found + 1e-12 and (y <= x or found <= exact * 1.2 + 1e-12)


def test_releases_fit_the_law(design: Design) -> None:
    for x in {design.chain.first, design.top - 1, design.top, design.channel.bend + 3}:
        draws = design.draw(np.full(100_000, max(x, 0), dtype=np.int64), Source())
        assert p_value(draws, released_law(design, x)) > FALSE_ALARM


def test_places_are_rounded_logarithms_and_gaps_are_never_understated() -> None:
    channel = Channel(40, F(1, 3), 1 << 36, 1)
    counts = [1, 2, 3, 10**6, 10**12, 2**62]
    with balls.precision(400):
        logs = [(balls.ball(x + channel.offset).log() * 2**40 + 0.5).floor() for x in counts]
    assert channel.places(counts) == [int(each.unique_fmpz()) for each in logs]
    for coarser in (Channel(6, F(0), 9, 1), GAPPED.channel):
        pairs = [
            (x, place(coarser, x) - place(coarser, x - 1)) for x in range(coarser.first + 1, 90)
        ]
        assert all(gap <= coarser.gap(x) for x, gap in pairs)
        assert coarser.places([x for x, _ in pairs]) == [place(coarser, x) for x, _ in pairs]


def test_a_promise_is_proved_just_above_the_greatest_error_and_not_below() -> None:
    errors = DesignError(coarse(smallest=30, chances=(), bits=30, sigma=0.2))
    real = F(math.erf(0.2 / math.sqrt(2)))  # 2*Phi(0.2) - 1
    assert errors.is_at_most(real * F(1001, 1000)) and not errors.is_at_most(real * F(999, 1000))


@pytest.mark.parametrize("factor", [1, 2])
def test_a_chain_with_too_much_noise_is_refused(factor: int) -> None:
    chances = tuple(factor * u for u in (0.1, 0.1, 0.12, 0.2))
    errors = DesignError(coarse(chances=chances, bits=30, sigma=0.25))
    kept = all(errors.at(x).upper <= F(x, 5) for x in (1, 2, 3, 4))
    assert errors.is_at_most(F(1, 5)) == kept == (factor == 1)


@pytest.mark.parametrize(
    "unsound",
    [
        Design(GAPPED.chain, GAPPED.channel, GAPPED.channel.table[0] + 1),
        Design(Chain(1, (5, 4, 6, 7)), GAPPED.channel, GAPPED.threshold),
        Design(Chain(1, (0, 4, 6, 7)), GAPPED.channel, GAPPED.threshold),
        Design(Chain(1, (4, 6, 7, (1 << 63) + 1)), GAPPED.channel, GAPPED.threshold),
        Design(Chain(2, GAPPED.chain.chances), GAPPED.channel, GAPPED.threshold),
        coarse(gaps=(70, 92, 60)),
        coarse(gaps=(92, 80, 1)),
    ],
)
def test_unsound_designs_prove_nothing(unsound: Design) -> None:
    assert not unsound.is_sound and not DesignError(unsound).is_at_most(F(99, 100))


def test_the_search_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances that are far too large are made smaller, or dropped, until the proof succeeds."""
    usual = maker.chain_chances
    monkeypatch.setattr(
        maker, "chain_chances", lambda *given: np.minimum(1.2 * usual(*given), 0.45)
    )
    maker.find_design.cache_clear()
    try:
        counts = relative_counts(relative_error="0.07")
        assert all(counts.expected_error(x).upper <= F(7 * x, 100) for x in range(1, 60))
    finally:
        maker.find_design.cache_clear()


# What is promised

SETTINGS: list[dict[str, Any]] = [
    {"relative_error": "0.05"}, {"relative_error": "0.1"}, {"relative_error": "0.01"},
    {"relative_error": "0.3"}, {"relative_error": "0.8"}, {"relative_error": "0.05", "smallest": 10},
    {"relative_error": "0.05", "smallest": 1000}, {"relative_error": "0.1", "smallest": 0, "slack": "0.5"},
    {"relative_error": "0.05", "smallest": 0, "slack": 100}, {"relative_error": "1e-6", "smallest": 10**7},
    {"relative_error": "1e-8", "smallest": 10**9},
]  # fmt: skip


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_the_error_is_as_promised_and_v_never_grows(parameters: dict[str, Any]) -> None:
    counts = relative_counts(**parameters)
    least = counts.smallest
    for x in (*range(least, least + 25), 150, 1000, 10**6, 10**12, 2**62):
        if x >= least:
            assert counts.expected_error(x).upper <= counts.relative_error * (x + counts.slack)
    found = [counts.privacy(x) for x in [*range(150), 10**3, 10**6, 10**11, 10**13, 2**62]]
    assert found == sorted(found, reverse=True) and found[0] == counts.privacy(least + 1)


def test_no_size_up_to_1000_breaks_the_promise() -> None:
    """An independent computation in floats, at every size."""
    ratios = [float_error(TWENTIETH, x) / (0.05 * x) for x in range(1, 1000)]
    assert max(ratios) <= 1 and min(ratios[3:]) > 0.95  # and little is given away


@pytest.mark.parametrize("parameters", [SETTINGS[i] for i in (1, 3, 4, 7)], ids=str)
def test_brackets_hold_an_independent_computation(parameters: dict[str, Any]) -> None:
    counts = relative_counts(**parameters)
    top, bend = counts.design.top, counts.design.channel.bend
    for x in {counts.smallest, 2, top - 1, top, top + 1, bend - 1, bend, bend + 1, 2 * bend, 700}:
        if x >= counts.smallest:
            found, exact = counts.expected_error(x), float_error(counts, x)
            assert float(found.lower) <= exact * (1 + 1e-9)
            assert exact * (1 - 1e-9) <= float(found.upper) <= exact * 1.001


def test_large_groups_approach_log_gaussian_noise() -> None:
    """v*(r*x)^2 is r^2/(2*sigma^2) with 2*Phi(sigma) - 1 = r; it tends to 1/pi = 0.318 as r falls."""
    for r in (0.01, 0.05, 0.1):
        counts = relative_counts(relative_error=r)
        limit = r**2 / (2 * ndtri((1 + r) / 2) ** 2)
        assert limit == pytest.approx(0.318, abs=0.0015)
        for x in (10**4, 10**6, 10**8):
            assert float(counts.privacy(x)) * (r * x) ** 2 == pytest.approx(limit, rel=5e-4)


def test_the_printed_table() -> None:
    table = """\
people         v  error  epsilon at delta 1e-06
     1     1.931  0.098                     2.4
    10    0.3344    1.0                     3.9
   100    0.0032   10.0                    0.32
 1,000  0.000032  100.0                   0.027"""
    assert repr(TENTH.table([1, 10, 100, 1000])) == table
    rows = TENTH.table([1, 10], delta="1e-9").rows
    assert rows[1][1:3] == (TENTH.privacy(10), TENTH.expected_error(10).upper)


def test_small_groups_lose_no_more_than_before() -> None:
    """v of the smallest groups at 5 %; logarithms alone would lose 61.1 at 2 and 1.412 at 10."""
    for x, v in ((1, 2.7297), (5, 1.7613), (10, 0.94712), (20, 0.31832), (100, 0.0128445)):
        assert float(TWENTIETH.privacy(x)) == pytest.approx(v, rel=1e-4)
    sigma = ndtri(0.525)
    assert math.log(2) ** 2 / (2 * sigma**2) == pytest.approx(61.09, rel=1e-3)


@pytest.mark.parametrize("size", [2, 5, 12, 14, 15, 30, 100, 10**5])
def test_v_and_the_whole_loss_agree(size: int) -> None:
    loss, v = TWENTIETH.loss(size), float(TWENTIETH.privacy(size))
    ratios = [float(loss.renyi(a).upper) / float(a) / v for a in (F("1.0001"), F(2), F(8), F(64))]
    assert max(ratios) <= 1 + 1e-9
    assert size == TWENTIETH.design.top or max(ratios) == pytest.approx(1, rel=1e-3)


def test_epsilon_compares_with_both_neighbours() -> None:
    for size in (0, 1, 2, 13, 14, 20, 100):
        x = max(size, 1)
        worst = max(TWENTIETH.loss(each).epsilon(F("1e-6")).upper for each in (x, x + 1))
        assert TWENTIETH.approx(size, delta="1e-6").epsilon == worst
    assert TWENTIETH.loss(2).epsilon(F(0)).upper < 3.02  # pure
    assert TWENTIETH.loss(100).epsilon(F(0)).upper == math.inf


def test_an_error_relative_to_nothing_is_refused() -> None:
    """Errata E9: E|error| < r*0 allows no noise; x >= 1 or slack is asked for."""
    with pytest.raises(InvalidInput, match="slack"):
        relative_counts(relative_error="0.1", smallest=0)
    slack = relative_counts(relative_error="0.1", smallest=0, slack=10)
    assert 0 < slack.expected_error(0).upper <= 1 and slack.privacy(0) > 0


def test_sizes_below_the_smallest_are_released_alike() -> None:
    ten = relative_counts(relative_error="0.05", smallest=10)
    assert int(ten.release(np.array([0, 3, 9, 10] * 200)).value.min()) == 10
    assert ten.expected_error(3).upper == 7 + ten.expected_error(10).upper
    assert ten.loss(10).epsilon(F(0)).upper == 0 and ten.privacy(0) == ten.privacy(11)
    source = [Scripted(word(1 << 63) * 9) for _ in range(2)]
    one, other = (ten.release(x, each).value for x, each in zip((0, 10), source, strict=True))
    assert one == other and source[0].left == source[1].left


# What may be published


@pytest.mark.parametrize("size", [1, 5, 13, 14, 20, 200])
def test_a_lower_limit_is_right_as_often_as_it_says(size: int) -> None:
    """The chance of all releases whose limit exceeds the size is at most 1 - confidence."""
    reach = range(size, 2 * size + 12)
    limits = [TWENTIETH.lower_limit(y, confidence="0.95") for y in reach]
    assert limits == sorted(limits)
    wrong = [y for y, limit in zip(reach, limits, strict=True) if limit > size]
    errors = DesignError(TWENTIETH.design)
    assert wrong and float(errors.chance_above(size, F(min(wrong)))) <= 0.05
    assert float(errors.chance_above(size, F(min(wrong) - 1))) > 0.05 or size == 1


def test_lower_limits_are_close() -> None:
    limit = TWENTIETH.lower_limit(10_000)
    assert limit == pytest.approx(10_000 * math.exp(0.0627**2 - 1.645 * 0.0627), rel=1e-2)
    assert TWENTIETH.lower_limit(1) == TWENTIETH.lower_limit(-5) == 0
    assert TWENTIETH.lower_limit(10**30, confidence="0.5") == 2**62
    promise = TWENTIETH.promise_at_release(10_000, confidence="0.95")
    assert promise.promise.rho == TWENTIETH.privacy(limit) and promise.size == limit
    assert repr(promise).endswith(f"if the group has {limit:,} or more records (95 % sure)")


def test_the_guarantee_is_the_curve() -> None:
    guarantee = TWENTIETH.guarantee
    assert guarantee.at(100) == ZCDP(rho=TWENTIETH.privacy(100))
    assert guarantee.self_compose(3).at(100).rho == 3 * TWENTIETH.privacy(100)
    assert (
        guarantee.approx(100, delta="1e-6").epsilon >= TWENTIETH.approx(100, delta="1e-6").epsilon
    )


def test_definition_1() -> None:
    """Errata E13: both v(D) and v(D') bind, so curves that grow are refused."""
    steps = GroupwiseZCDP(v={0: 2, 10: "0.5"}, xi={0: 1, 4: 0})
    assert [steps.at(x).rho for x in (0, 3, 4, 9, 10, 10**9)] == [3, 3, 2, 2, F(1, 2), F(1, 2)]
    both = steps.compose(ZCDP(rho=1)).compose(steps)
    assert both.at(3).rho == 7 and both == steps.compose(ZCDP(rho=1)).compose(steps)
    assert steps.self_compose(0).at(3).rho == 0
    # xi adds to epsilon: D_a <= a*v + xi for all a > 1 is zCDP moved by xi.
    assert (
        steps.approx(3, delta="1e-6").epsilon
        == 1 + GroupwiseZCDP(v=2).approx(0, delta="1e-6").epsilon
    )
    assert GroupwiseZCDP(v=0, xi=1).approx(5, delta="1e-9").epsilon == 1
    assert steps.at_lower_limit(F(19, 2), confidence="0.9").promise == ZCDP(rho="0.5")
    assert repr(GroupwiseZCDP(v=1)) == "GroupwiseZCDP(v + xi: 1 at 1, 1 at 100, 1 at 10,000)"
    bad: list[Any] = [
        -1, {}, {1: 2}, {0: 1, 5: 2}, {0: 1, -1: 2}, lambda x: F(x), lambda x: F(-1), "x", math.nan, None,
    ]  # fmt: skip
    for v in bad:
        with pytest.raises(InvalidInput):
            GroupwiseZCDP(v=v)


# Releases


def test_counts_come_back_as_they_were_arranged() -> None:
    named = TENTH.release({"a": 3, ("b", 2): 10**6, 7: 0})
    assert list(named.value) == ["a", ("b", 2), 7]
    assert all(type(value) is int for value in named.value.values()) and named.value["a"] >= 1
    assert TENTH.release(np.ones((2, 3), dtype=np.uint8)).value.shape == (2, 3)
    assert type(TENTH.release(5).value) is int and type(TENTH.release(np.int32(5)).value) is int
    assert TENTH.release([]).value.shape == (0,) and TENTH.release({}).value == {}
    large = TENTH.release([2**62] * 100).value
    assert large.min() > 2**61 and large.max() <= 2**63 - 1
    assert len(set(TENTH.release([10**9] * 100).value.tolist())) == 100  # noise of their own


@pytest.mark.parametrize(
    "counts",
    [-1, -SECRET, [1, -SECRET], [1.5, SECRET], [SECRET, None], "987654321", 2**62 + SECRET,
     [SECRET, "1"],
     {"a": -SECRET}, {"a": [SECRET]}, math.nan, None],
)  # fmt: skip
def test_bad_counts_are_refused_and_never_shown(counts: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        TENTH.release(counts, Scripted())
    assert str(SECRET) not in str(caught.value)


@pytest.mark.parametrize(
    "parameters",
    [{"relative_error": bad} for bad in (0, 1, -0.1, 5, math.nan, "5%", None, "1e-9", "1e-7")]
    + [{"relative_error": "0.05", "smallest": bad} for bad in (-1, 1.5, True, 2**63, "x")]
    + [{"relative_error": "0.05", "slack": bad} for bad in (-1, math.inf, 10**30)],
    ids=str,
)
def test_bad_parameters_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        relative_counts(**parameters)


@pytest.mark.parametrize("bad", [-1, 1.5, True, "x", None, 2**62 + 1])
def test_bad_sizes_are_refused(bad: Any) -> None:
    for question in (TENTH.privacy, TENTH.loss, TENTH.expected_error, lambda x: TENTH.table([x])):
        with pytest.raises(InvalidInput):
            question(bad)


@pytest.mark.parametrize("bad", [0, 1, 2, -1, math.nan, "x"])
def test_bad_chances_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidInput):
        TENTH.approx(5, delta=bad)
    with pytest.raises(InvalidInput):
        TENTH.lower_limit(5, confidence=bad)


def test_it_is_a_value() -> None:
    again = relative_counts(relative_error=F(1, 10))
    assert again == TENTH and hash(again) == hash(TENTH)
    assert repr(TENTH) == "relative_counts(relative_error=0.1, smallest=1, slack=0)"
