"""Accuracy of sparse vectors: exact sums against brute force, and the figures to reach."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, expm1, mpf, nsum
from scipy.stats import binomtest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms import (
    ThresholdNoise,
    above_threshold,
    least_gap_share,
    least_variance_share,
)
from leastnoise.mechanisms.thresholds import threshold_accuracy
from leastnoise.mechanisms.thresholds.threshold_accuracy import failure
from leastnoise.numeric.interval import Interval

BETA = "0.95"


def mp_failure(noise: ThresholdNoise, queries: int, below: int, above: int) -> mpf:
    first, second = (
        mpf(rate.numerator) / rate.denominator for rate in (noise.threshold_rate, noise.query_rate)
    )

    def term(rho: mpf) -> mpf:
        silent = (1 - exp(-second * (below + rho))) ** (mpf(queries) / noise.runs)
        found = exp(-second * noise.positives_per_run * max(0, rho - above))
        return -expm1(-first) * exp(-first * rho) * (1 - silent * found)

    return 1 - (1 - nsum(term, [0, int(80 / first) + above])) ** noise.runs


noises = st.builds(
    ThresholdNoise,
    epsilon=st.fractions(Fraction(1, 2), 5, max_denominator=10),
    sensitivity=st.integers(1, 3),
    positives=st.integers(1, 4),
    monotone=st.booleans(),
    restart=st.booleans(),
)


@settings(deadline=None, max_examples=20)
@given(noises, st.integers(1, 50), st.integers(0, 20), st.integers(0, 15))
def test_failure_agrees_with_mpmath(
    noise: ThresholdNoise, queries: int, below: int, above: int
) -> None:
    found = failure(noise, queries=queries, below=below, above=above)
    expected = mp_failure(noise, queries, below, above)
    assert float(found.lower) == pytest.approx(float(expected), rel=1e-12)
    assert found.width < Fraction(1, 2**90)


def test_the_bracket_holds_the_closed_form() -> None:
    """One question of each kind, to 50 digits: what lies beyond the last block is not forgotten."""
    noise = ThresholdNoise(epsilon=3, sensitivity=1, threshold_share="0.3")
    first, second = (
        exp(-mpf(rate.numerator) / rate.denominator)
        for rate in (noise.threshold_rate, noise.query_rate)
    )
    right = (1 - first) * (1 / (1 - first * second) - second**2 / (1 - first * second**2))
    found = failure(noise, queries=1, below=2, above=0)
    lower, upper = (mpf(end.numerator) / end.denominator for end in _fractions(found))
    assert lower <= 1 - right <= upper
    assert upper - lower < mpf(10) ** -28


def _fractions(interval: Interval) -> tuple[Fraction, Fraction]:
    return Fraction(interval.lower), Fraction(interval.upper)


def test_wide_lattices_are_bracketed_by_blocks() -> None:
    """The sum in blocks contains the exact one, and is within a percent of it."""
    noise = ThresholdNoise(epsilon=1, sensitivity=600, threshold_share="0.28")
    below, above = 27 * 600, 12 * 600
    found = failure(noise, queries=1000, below=below, above=above)
    first, second = float(noise.threshold_rate), float(noise.query_rate)
    rho = np.arange(200_000)
    silent = 1000 * np.log1p(-np.exp(-second * (below + rho)))
    wrong = -np.expm1(silent - second * np.maximum(0, rho - above))
    expected = float((-np.expm1(-first) * np.exp(-first * rho)) @ wrong)
    assert found.lower < expected < found.upper
    assert found.width < Fraction(1, 100) * Fraction(expected)


@pytest.mark.parametrize(
    ("monotone", "queries", "gap"),
    [
        (False, 10, 25),
        (False, 1000, 39),
        (False, 10**6, 57),
        (True, 10, 17),
        (True, 1000, 24),
        (True, 10**6, 34),
    ],
)
def test_figures_to_reach(monotone: bool, queries: int, gap: int) -> None:
    """The line has 24.9, 38.3, 56.9 and (monotone) 24.0, 34.4; the integers are next to it."""
    search = above_threshold(
        threshold=0, epsilon=1, sensitivity=1, monotone=monotone, queries=queries
    )
    found = search.accuracy(queries=queries, confidence=BETA)
    assert found.gap <= gap
    assert found.failure.upper <= Fraction(1, 20)
    assert found.queries == queries


def best_by_brute_force(noise: ThresholdNoise, queries: int, risk: Fraction) -> int:
    gap = 0
    while True:
        for below in range(gap + 1):
            if failure(noise, queries=queries, below=below, above=gap - below).upper <= risk:
                return gap
        gap += 1


@pytest.mark.parametrize(
    ("epsilon", "positives", "monotone", "queries", "confidence"),
    [
        (1, 1, False, 10, "0.9"),
        (2, 1, True, 100, "0.95"),
        (4, 2, False, 30, "0.5"),
        (3, 3, True, 5, "0.99"),
        (8, 1, False, 1, "0.999"),
        (5, 1, False, 1, "0.05"),
    ],
)
def test_no_smaller_gap_exists(
    epsilon: int, positives: int, monotone: bool, queries: int, confidence: str
) -> None:
    search = above_threshold(
        threshold=0, epsilon=epsilon, sensitivity=1, positives=positives, monotone=monotone
    )
    found = search.accuracy(queries=queries, confidence=confidence)
    least = best_by_brute_force(search.noise, queries, 1 - Fraction(confidence))
    assert found.gap == least


def test_a_guess_that_is_too_hopeful_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    search = above_threshold(threshold=0, epsilon=2, sensitivity=1)
    expected = search.accuracy(queries=5, confidence=BETA).gap
    monkeypatch.setattr(threshold_accuracy._Search, "least_gap", lambda *_: 1)
    found = search.accuracy(queries=5, confidence=BETA)
    assert found.gap == expected
    assert found.failure.upper <= Fraction(1, 20)


@pytest.mark.spread(2)
@pytest.mark.parametrize(("positives", "restart"), [(1, False), (2, False), (2, True)])
def test_the_stated_failures_happen(positives: int, restart: bool) -> None:
    """Run it on the worst values: wrong answers are as frequent as stated, not more, not less.

    In so many runs a right statement fails with a chance of some 1e-10, here and where a statement
    that is a third off must be noticed.
    """
    queries, runs = 20, 10_000
    made: dict[str, Any] = {"threshold": 0, "epsilon": 2, "sensitivity": 1}
    made |= {"positives": positives, "restart": restart}
    found = above_threshold(**made).accuracy(queries=queries, confidence="0.8")
    low, high = -int(found.below), int(found.above)
    values = [low] * queries + [high] * positives
    if restart:
        values = ([low] * (queries // positives) + [high]) * positives
    right = [value == high for value in values]
    wrong = sum(
        above_threshold(**made).ask_all(values).above.tolist() != right for _ in range(runs)
    )
    stated = float(found.failure)
    assert binomtest(wrong, runs, stated).pvalue > 1e-10
    assert binomtest(wrong, runs, stated * 1.3).pvalue < 1e-3
    assert binomtest(wrong, runs, stated / 1.3).pvalue < 1e-3


@pytest.mark.parametrize("restart", [False, True])
def test_mixed_questions_fail_no_more_often_than_stated(restart: bool) -> None:
    """Exact transcripts of rows in any order, with questions in between."""
    noise = ThresholdNoise(epsilon=4, sensitivity=1, positives=2, restart=restart)
    below, above, lows = 3, 2, 2
    bound = float(failure(noise, queries=lows, below=below, above=above).upper)
    worst = 0.0
    for row in product([-3, 0, 2], repeat=4):
        if sum(value <= -below for value in row) <= lows:
            worst = max(worst, wrong_answers(noise, list(row), below, above))
    assert bound * (1 - 1e-9) < worst < bound * (1 + 1e-9)


def wrong_answers(noise: ThresholdNoise, row: list[int], below: int, above: int) -> float:
    from leastnoise.mechanisms import HonestMachine
    from leastnoise.numeric import ball as balls

    with balls.precision(128):
        law = HonestMachine(noise, 0).law(row)
    return sum(
        float(chance)
        for transcript, chance in law.chances.items()
        if any(
            (told and value <= -below) or (not told and value >= above)
            for value, (told, _) in zip(row, transcript, strict=False)
        )
    )


@pytest.mark.parametrize(("threshold", "level"), [("0.36", 1), ("0.4", 2), ("-0.4", -2)])
def test_lattices_and_thresholds_beside_them(threshold: str, level: int) -> None:
    """Numbers in steps of 1/4, and a threshold that lies on no step."""
    search = above_threshold(
        threshold=threshold, epsilon=1, sensitivity=1, granularity="0.25", threshold_share="0.3"
    )
    whole = above_threshold(threshold=0, epsilon=1, sensitivity=4, threshold_share="0.3")
    fine = search.accuracy(queries=50, confidence=BETA)
    coarse = whole.accuracy(queries=50, confidence=BETA)
    assert fine.failure == coarse.failure
    assert fine.gap == coarse.gap / 4
    place, question = search.question.place, search.question
    assert question.level == level
    lowest, highest = question.threshold - fine.below, question.threshold + fine.above
    assert place(lowest) == question.level - coarse.below
    assert place(highest) == question.level + coarse.above
    assert place(highest - Fraction(1, 100)) >= question.level + coarse.above - 1


@pytest.mark.parametrize(
    ("sensitivity", "epsilon", "positives", "queries", "confidence"),
    [
        (10**6, "0.1", 5, 100, "0.999"),
        (10**15, "0.1", 5, 10**9, "0.999999999"),
        (1, "1e-9", 3, 10, "0.9"),
        (1, 1000, 1, 1, "0.5"),
        (1, 1, 1000, 10**5, "0.9"),
        (1, 1, 1, 2**63, "0.5"),
    ],
)
def test_extremes_are_near_the_closed_form(
    sensitivity: int, epsilon: object, positives: int, queries: int, confidence: str
) -> None:
    made: dict[str, Any] = {"threshold": 0, "epsilon": epsilon, "sensitivity": sensitivity}
    search = above_threshold(**made, positives=positives, queries=queries)
    found = search.accuracy(queries=queries, confidence=confidence)
    risk = 1 - float(confidence)
    terms = (
        math.log(queries / risk) / float(search.noise.query_rate),
        math.log(positives / risk) / float(search.noise.threshold_rate),
    )
    assert float(found.gap) <= sum(terms) * 1.001 + 2
    assert found.failure.upper <= 1 - Fraction(confidence)


def test_restarts_are_better_for_many_positives_under_zcdp() -> None:
    """At equal ρ, for 100 positives: a quarter of the gap."""
    made: dict[str, Any] = {"threshold": 0, "sensitivity": 1, "positives": 100, "queries": 1000}
    once = above_threshold(**made, epsilon="1.05")
    often = above_threshold(**made, epsilon="0.1", restart=True)
    assert often.concentrated.rho < once.concentrated.rho
    gaps = [search.accuracy(queries=1000, confidence=BETA).gap for search in (once, often)]
    assert gaps[1] < gaps[0] / 3


def test_shares() -> None:
    assert least_variance_share() == Fraction(39, 100)
    assert least_variance_share(monotone=True) == Fraction(1, 2)
    assert least_variance_share(positives=10**6) == Fraction("6.3e-5")
    assert least_gap_share(queries=1000) == Fraction(28, 100)
    assert least_gap_share(queries=1, confidence="1e-9", positives=2) == Fraction(99, 100)
    noise = ThresholdNoise(epsilon=1, sensitivity=1, threshold_share="0.3")
    assert noise.threshold_rate + 2 * noise.query_rate == 1
    made: dict[str, Any] = {"threshold": 0, "epsilon": 1, "sensitivity": 1, "queries": 1001}
    each = above_threshold(**made, positives=10, restart=True).noise.threshold_share
    assert each == least_gap_share(queries=101, confidence="0.995") != least_gap_share(queries=1001)


@pytest.mark.spread(3)
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("queries", "positives"), [(10, 1), (1000, 1), (1000, 5)])
def test_no_other_share_is_much_better(queries: int, positives: int, monotone: bool) -> None:
    def gap(share: Fraction | None) -> int:
        search = above_threshold(
            threshold=0,
            epsilon=1,
            sensitivity=1,
            positives=positives,
            monotone=monotone,
            queries=queries if share is None else None,
            threshold_share=share,
        )
        return int(search.accuracy(queries=queries, confidence=BETA).gap)

    others = [gap(Fraction(share, 50)) for share in range(2, 35)]
    assert gap(None) <= min(others) * 1.01 + 1


@pytest.mark.parametrize("share", ["0.2", "0.5"])
def test_least_variance_share_is_least(share: str) -> None:
    def variance(noise: ThresholdNoise) -> float:
        rates = float(noise.threshold_rate), float(noise.query_rate)
        return sum(1 / (4 * math.sinh(rate / 2) ** 2) for rate in rates)

    for count, monotone in ((1, False), (4, True)):
        made: dict[str, Any] = {"epsilon": "0.1", "sensitivity": 1, "positives": count}
        best = ThresholdNoise(**made, monotone=monotone)
        other = ThresholdNoise(**made, monotone=monotone, threshold_share=share)
        assert variance(best) < variance(other)


@pytest.mark.parametrize(
    "bad",
    [
        {"queries": 0, "confidence": "0.9"},
        {"queries": -1, "confidence": "0.9"},
        {"queries": 1.5, "confidence": "0.9"},
        {"queries": 2**63 + 1, "confidence": "0.9"},
        {"queries": 1, "confidence": 0},
        {"queries": 1, "confidence": 1},
        {"queries": 1, "confidence": 95},
        {"queries": 1, "confidence": math.nan},
    ],
    ids=str,
)
def test_bad_questions_are_refused(bad: dict[str, Any]) -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    with pytest.raises(InvalidParameter):
        search.accuracy(**bad)
    with pytest.raises(InvalidParameter):
        least_gap_share(**bad)


def test_what_floats_cannot_search_is_said() -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    with pytest.raises(UnsupportedQuery, match="risk"):
        search.accuracy(queries=1, confidence=1 - Fraction(1, 10**250))
