"""Mechanisms: what they answer, what they refuse, and their laws by enumeration."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy.stats import beta, binom

from leastnoise import mechanisms
from leastnoise.mechanisms.additive import gaussian, laplace, staircase
from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.mechanisms.response import Frequencies, randomized_response
from leastnoise.mechanisms.selection import exponential_mechanism, permute_and_flip
from leastnoise.mechanisms.teaching import NameAndShame, mean_error
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from tests.scripted import Scripted, word

SECRET = "31415"

# The public names

GOOD: dict[str, dict[str, Any]] = {
    "laplace": {"sensitivity": 1, "epsilon": 1, "step": 1},
    "staircase": {"sensitivity": 2, "epsilon": 1, "width": 1, "step": 1},
    "gaussian": {"sensitivity": 1, "epsilon": 1, "delta": "1e-6", "step": 1},
    "randomized_response": {"epsilon": 1, "categories": 3},
    "exponential_mechanism": {"candidates": 3, "epsilon": 1, "sensitivity": 1, "monotone": False, "count": 2},
    "permute_and_flip": {"candidates": 3, "epsilon": 1, "sensitivity": 1, "monotone": True, "count": 1},
    "above_threshold": {"threshold": 9, "epsilon": 1, "sensitivity": 1, "positives": 1, "monotone": False,
                        "queries": 9, "share": "0.3"},
    "sparse_vector": {"threshold": 9, "epsilon": 1, "answers": laplace(sensitivity=1, epsilon=1),
                      "positives": 1, "queries": 9},
    "partition_rule": {"epsilon": 1, "delta": "1e-6", "max_groups": 1, "min_units": 1},
    "quantiles": {"levels": [0.5], "cells": 9, "epsilon": 1, "contribution": 1},
    "NameAndShame": {"delta": "1e-5"},
    "mean_error": {"frequency": "0.3", "records": 9, "epsilon": 1, "clipped": False},
}  # fmt: skip
MAY_BE_LEFT_OUT = {"share", "width"}


def test_public_names() -> None:
    assert GOOD.keys() - mechanisms.__all__ == {"above_threshold", "randomized_response"}
    assert set(mechanisms.__all__) <= GOOD.keys()
    for name in GOOD:
        assert ">>> " in (getattr(mechanisms, name).__doc__ or ""), f"{name} shows no example"


@pytest.mark.parametrize("name", GOOD)
def test_strange_parameters_are_refused_in_a_sentence(name: str) -> None:
    make = getattr(mechanisms, name)
    assert "Fraction" not in repr(make(**GOOD[name]))
    for key, good in GOOD[name].items():
        bad: list[Any] = [float("nan"), -1, "x", [], 1j, b"1", None]
        bad += (
            [0, 1.5]
            if isinstance(good, int) and key not in ("epsilon", "step", "threshold")
            else []
        )
        for each in bad:
            if (each is None and key in MAY_BE_LEFT_OUT) or (each == -1 and key == "threshold"):
                continue
            with pytest.raises(InvalidInput, match=r"^[^.]+[. ].*\.$") as refused:
                make(**{**GOOD[name], key: each})
            assert "\n" not in str(refused.value)


def test_what_follows_the_answer_sees_only_the_answer() -> None:
    mechanism: Mechanism[Any, Any] = laplace(sensitivity=1, epsilon=50)
    after = mechanism.then(lambda count: min(count, 5)).then(str)
    assert after.release(9).value == "5" and after.guarantee == mechanism.guarantee
    assert after.privacy(2).delta(100).upper < 1e-9
    assert repr(mechanism.then(round)).startswith("PostProcessed(before=<DiscreteLaplace(rate=50)")
    with pytest.raises(InvalidInput, match="no function"):
        mechanism.then(5)  # type: ignore[arg-type]


# Noise


def test_answers_keep_the_shape_of_the_secret() -> None:
    mechanism = laplace(sensitivity=1, epsilon=1)
    assert isinstance(mechanism.release(7).value, int)
    assert mechanism.release(np.int32(7)).guarantee == PureDP(epsilon=1)
    assert mechanism.release([[1, 2, 3], [4, 5, 6]]).value.shape == (2, 3)
    assert mechanism.then(str).release(7).value.lstrip("-").isdigit()


def test_values_lie_on_the_lattice_and_stay_there() -> None:
    mechanism = laplace(sensitivity=1, epsilon=1, step="0.25")
    for value in (1, 0.5, Fraction(3, 4)):
        assert (mechanism.release(value).value * 4).denominator == 1
    assert 3.5 < float(np.mean([float(mechanism.release(4).value) for _ in range(400)])) < 4.5


@pytest.mark.parametrize(
    ("value", "steps"),
    [(0.3, 3), (np.float64(-12.1), -121), (np.float32(2**30), 10 * 2**30), ("7/10", None),
     (2.0**70, 10 * 2**70), (0.1 + 0.2, None), (Fraction(1, 5), 2), (np.int8(100), 1000)],
)  # fmt: skip
def test_floats_stand_for_decimals_where_the_grid_is_decimal(value: Any, steps: int | None) -> None:
    """Above 2^53 they stand for themselves: so neighbours stay as far apart as they are."""
    for given in (value, np.array([value], dtype=object)):
        if steps is None:
            with pytest.raises(InvalidInput, match=r"whole multiples of 0\.1"):
                whole_numbers(given, Fraction(1, 10), "The secret")
        else:
            assert whole_numbers(given, Fraction(1, 10), "The secret").tolist() in (steps, [steps])


@pytest.mark.parametrize(
    "bad", [0.1, float("nan"), float("inf"), SECRET, None, True, [1, 0.3], [[1], [2, 3]], 1j]
)
def test_what_is_off_the_lattice_is_refused_and_not_shown(bad: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        laplace(sensitivity=1, epsilon=1).release(bad)
    assert SECRET not in str(refused.value) and "0.3" not in str(refused.value)


def test_noise_is_calibrated_to_what_is_promised() -> None:
    assert laplace(sensitivity=3, epsilon=2).law.rate == Fraction(2, 3)  # type: ignore[attr-defined]
    assert gaussian(sensitivity=2, rho="0.5").law.variance == 4  # type: ignore[attr-defined]
    by_mu = gaussian(sensitivity=2, mu="0.5")
    assert by_mu.law.variance == 16 and by_mu.guarantee == GDP(mu=0.5)  # type: ignore[attr-defined]
    both = gaussian(sensitivity=1, epsilon=1, delta="1e-6")
    assert abs(float(both.law.variance) ** 0.5 - 4.224679) < 1e-5  # type: ignore[attr-defined]
    assert both.guarantee == ApproxDP(epsilon=1, delta="1e-6")
    assert gaussian(sensitivity=1, rho=1).guarantee == ZCDP(rho=1)
    for wrong in ({}, {"epsilon": 1}, {"rho": 1, "mu": 1}, {"epsilon": 1, "delta": 0}):
        with pytest.raises(InvalidInput):
            gaussian(sensitivity=1, **wrong)


def test_the_staircase_is_better_than_laplace_noise() -> None:
    wide = staircase(sensitivity=10, epsilon=4)
    plain = laplace(sensitivity=10, epsilon=4)
    assert float(wide.expected_cost()) < 0.7 * float(plain.expected_cost())
    assert wide.within("0.9") <= plain.within("0.9")


@pytest.mark.parametrize(
    "mechanism", [laplace(sensitivity=2, epsilon=1), staircase(sensitivity=2, epsilon=1)]
)
def test_pure_noise_keeps_its_epsilon_exactly(mechanism: Any) -> None:
    assert mechanism.law.hockey_stick(1, 2).upper == 0
    assert mechanism.law.hockey_stick("0.999", 2).lower > 0
    assert mechanism.privacy().delta(1).upper < Fraction(1, 10**9)


# Randomized response


def test_the_chance_of_the_truth_is_the_greatest_that_epsilon_allows() -> None:
    mechanism = randomized_response(epsilon=2, categories=5)
    lie = mechanism.expected_cost()
    assert abs(float(lie) - 4 / (exp(2) + 4)) < 1e-15
    assert abs(float(mechanism.truth.interval()) - exp(2) / (exp(2) + 4)) < 1e-15


def test_answers_have_their_law() -> None:
    """3 sigma would fail once in 370 runs; 6.5 sigma once in 10^10."""
    mechanism, count = randomized_response(epsilon=1, categories=4), 40_000
    answers = Counter(mechanism.release(np.full(count, 2)).value.tolist())
    odds = exp(1) + 3
    for category in range(4):
        p = (exp(1) if category == 2 else 1) / odds
        assert abs(answers[category] - count * p) < 6.5 * (count * p * (1 - p)) ** 0.5


def test_frequencies_are_unbiased() -> None:
    """Over all answers of three people, weighted by their chances."""
    mechanism = randomized_response(epsilon=1, categories=3)
    odds, truths = exp(1) + 2, (0, 0, 1)
    mean = 0.0
    for answers in product(range(3), repeat=3):
        chance = 1.0
        for truth, answer in zip(truths, answers, strict=True):
            chance *= (exp(1) if truth == answer else 1) / odds
        mean += chance * float(mechanism.frequencies(answers).estimate(0))
    assert abs(mean - 2 / 3) < 1e-12


def test_intervals_of_frequencies_hold_the_estimate_and_nest() -> None:
    found = Frequencies(Fraction(1), (60, 30, 10))
    for category in range(3):
        narrow, wide = found.interval(category, level="0.9"), found.interval(category, level="0.99")
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
    assert Frequencies(Fraction(1), (5, 0)).interval(1).lower == 0


@pytest.mark.parametrize("ones", [0, 3, 12])
def test_intervals_hold_the_frequency_as_often_as_stated(ones: int) -> None:
    """By the exact law of the answers of a sample of 12 people."""
    mechanism, people, truth = randomized_response(epsilon=1), 12, exp(1) / (1 + exp(1))
    f = ones / people
    sample = binom(people, f * truth + (1 - f) * (1 - truth)).pmf(range(people + 1))
    held = 0.0
    for count in range(people + 1):
        found = Frequencies(mechanism.epsilon, (people - count, count))
        held += sample[count] * (f in found.interval(1, level="0.9"))
    assert held >= 0.9


def test_the_squared_error_is_that_of_the_law() -> None:
    f, people, truth = 0.3, 7, exp(1) / (exp(1) + 2)
    mechanism, lie = randomized_response(epsilon=1, categories=3), (1 - truth) / 2
    shares = binom(people, f * truth + (1 - f) * lie).pmf(range(people + 1))
    errors = [(float(mechanism.frequencies([0] * k + [1] * (people - k)).estimate(0)) - f) ** 2
              for k in range(people + 1)]  # fmt: skip
    stated = mechanism.squared_error(frequency="0.3", records=people)
    assert abs(float(shares @ errors) - float(stated)) < 1e-12


def test_frequencies_print_what_people_look_for() -> None:
    shown = repr(Frequencies(Fraction(1), (600, 300, 100))).splitlines()
    assert shown[0] == "Frequencies from 1000 answers, with 95 % intervals"
    shares = beta.ppf(0.025, 300, 701), 0.3, beta.ppf(0.975, 301, 700)  # Clopper and Pearson
    low, middle, high = (f"{(s * (exp(1) + 2) - 1) / (exp(1) - 1):.4f}" for s in shares)
    assert shown[2].split() == ["1", middle, low, "to", high]
    assert repr(Frequencies(Fraction(1), (1,) * 25)).endswith("and 5 more categories")


def test_the_loss_of_a_response_counts_all_categories() -> None:
    """The total variation of two answers is (e^epsilon - 1) / (e^epsilon + categories - 1)."""
    for categories in (2, 3, 10):
        loss = randomized_response(epsilon=1, categories=categories).privacy()
        assert abs(float(loss.delta(0)) - (exp(1) - 1) / (exp(1) + categories - 1)) < 1e-12
        assert loss.delta(1).upper == 0 < loss.delta("0.99").lower


def test_strange_categories_are_refused_without_being_shown() -> None:
    mechanism = randomized_response(epsilon=1)
    for bad in (2, -1, [0, 31415], "1", 0.5):
        with pytest.raises(InvalidInput) as refused:
            mechanism.release(bad)
        assert SECRET not in str(refused.value)
    for answers in ([], [2], [0.5]):
        with pytest.raises(InvalidInput):
            mechanism.frequencies(answers)


# Selection

UTILITIES = [5, 4, 4, 1]


def chances(rate: float, *, flips: bool) -> list[float]:
    """The law of the choice, by the definition of each mechanism."""
    heads = [exp(-rate * (max(UTILITIES) - u)) for u in UTILITIES]
    if not flips:
        return [p / sum(heads) for p in heads]
    found = [0.0] * len(heads)
    for coins in product((0, 1), repeat=len(heads)):
        chance = np.prod([p if c else 1 - p for p, c in zip(heads, coins, strict=True)])
        for place, coin in enumerate(coins):
            if coin:
                found[place] += float(chance) / sum(coins)
    return found


@pytest.mark.parametrize("flips", [False, True])
def test_choices_have_their_law(flips: bool) -> None:
    """At most one false alarm in 10^10 for each of eight comparisons."""
    make, count = (permute_and_flip if flips else exponential_mechanism), 10_000
    mechanism, source, gaps = make(candidates=4, epsilon=2), Source(), 5 - np.array(UTILITIES)
    chosen = Counter(mechanism._pick(gaps, source) for _ in range(count))
    for place, p in enumerate(chances(1.0, flips=flips)):
        assert abs(chosen[place] - count * p) < 6.5 * (count * p * (1 - p)) ** 0.5
    worst = sum(p * (5 - u) for p, u in zip(chances(1.0, flips=flips), UTILITIES, strict=True))
    assert abs(float(mechanism.expected_error(UTILITIES)) - worst) < 1e-9


@pytest.mark.parametrize("flips", [False, True])
def test_neighbours_choose_alike_up_to_epsilon(flips: bool) -> None:
    """The law's own formula for every vector of utilities that one unit can lead to."""

    def law(utilities: tuple[int, ...]) -> list[float]:
        heads = [exp(-0.5 * (max(utilities) - u)) for u in utilities]
        if not flips:
            return [p / sum(heads) for p in heads]
        found = [0.0] * 3
        for coins in product((0, 1), repeat=3):
            chance = float(np.prod([p if c else 1 - p for p, c in zip(heads, coins, strict=True)]))
            for place, coin in enumerate(coins):
                found[place] += chance / sum(coins) if coin else 0
        return found

    for before in product(range(4), repeat=3):
        for step in product((-1, 0, 1), repeat=3):
            after = tuple(u + s for u, s in zip(before, step, strict=True))
            for p, q in zip(law(before), law(after), strict=True):
                assert p <= exp(1) * q * (1 + 1e-12)


def test_errors_at_a_level_hold_for_the_worst_utilities() -> None:
    for make in (exponential_mechanism, permute_and_flip):
        mechanism = make(candidates=50, epsilon=1)
        gap = mechanism.error(level="0.95")
        heads = arb(-(mechanism.rate * gap).numerator / (mechanism.rate * gap).denominator).exp()
        assert float(mechanism._missed(heads).mid()) <= 0.05
        before = (-arb(float(mechanism.rate * (gap - 1)))).exp()
        assert float(mechanism._missed(before).mid()) > 0.05
    assert permute_and_flip(candidates=50, epsilon=1).error() <= exponential_mechanism(
        candidates=50, epsilon=1).error()  # fmt: skip


def test_several_are_chosen_once_each() -> None:
    mechanism = exponential_mechanism(candidates=5, epsilon=1, count=3)
    assert len(set(mechanism.release([1, 2, 3, 4, 5]).value)) == 3
    assert mechanism.guarantee == PureDP(epsilon=3) and mechanism.concentrated == ZCDP(rho="3/8")
    with pytest.raises(InvalidInput):
        exponential_mechanism(candidates=2, epsilon=1, count=3)
    with pytest.raises(InvalidInput, match="5 utilities"):
        mechanism.release([1, 2])


def test_huge_utilities_are_no_trouble() -> None:
    assert permute_and_flip(candidates=2, epsilon=1).release([2**70, 0]).value == (0,)


# Teaching


def test_the_same_coin_publishes_the_record_of_either_table() -> None:
    """So two tables with another record are exactly delta apart: 0.3 is 19660.8 of 2^16."""
    bad = NameAndShame(delta="0.3")
    for head, shown in ((0, True), (19_659, True), (19_661, False), (65_535, False)):
        for record in ("a", "b"):
            answer = bad.release([record], Scripted(word(head, 16))).value
            assert answer == ({0: record} if shown else {})
    for delta in (0, 1, "nan"):
        with pytest.raises(InvalidInput):
            NameAndShame(delta=delta)
    with pytest.raises(InvalidInput, match="no list"):
        bad.release(31415)  # type: ignore[arg-type]


def test_name_and_shame_keeps_its_promise_and_exposes_people() -> None:
    bad = NameAndShame(delta="1e-5")
    assert abs(float(bad.exposure(records=100_000)) - 0.632122) < 1e-6
    assert bad.guarantee == ApproxDP(epsilon=0, delta="1e-5")
    assert abs(float(bad.privacy().delta(0)) - 1e-5) < 1e-12
    assert set(NameAndShame(delta="0.5").release(list(range(200))).value) != set(range(200))


def test_the_error_of_a_mean_of_bits() -> None:
    """Golden values: 2.021 without clipping and 0.1947 with it at p = .3, n = 10, epsilon = .1."""
    plain = mean_error(frequency="0.3", records=10, epsilon="0.1")
    clipped = mean_error(frequency="0.3", records=10, epsilon="0.1", clipped=True)
    assert abs(float(plain.total) - 2.021) < 1e-9 and abs(float(clipped.total) - 0.1947) < 5e-5
    # By simulation of the definition, with numbers that only this test needs.
    random = np.random.default_rng(1)
    noisy = (random.binomial(10, 0.3, 400_000) + random.laplace(0, 10, 400_000)) / 10
    assert abs(np.mean((np.clip(noisy, 0, 1) - 0.3) ** 2) - float(clipped.total)) < 0.002
