"""Sparse vector: its law by enumeration, its price met exactly, known mistakes found, its error."""

import copy
import os
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest

from leastnoise.mechanisms import thresholds
from leastnoise.mechanisms.additive import gaussian, laplace
from leastnoise.mechanisms.thresholds import AboveThreshold, above_threshold, sparse_vector
from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import BudgetExceeded, InvalidInput
from leastnoise.optima.optimal import optimal
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from tests.mechanisms.transcripts import CASES, Case, Law, delta, loss, right

Play = Callable[..., None]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Hands out these numbers in the place of geometric draws."""
    left: Iterator[int] = iter(())

    def scripted(rate: Fraction, count: int, source: Source) -> Any:
        return np.array([next(left) for _ in range(count)], dtype=np.int64)

    def start(*draws: int) -> None:
        nonlocal left
        left = iter(draws)

    monkeypatch.setattr(thresholds, "geometric", scripted)
    return start


# What it answers


def test_above_means_value_and_noise_reach_threshold_and_noise(play: Play) -> None:
    for rho, nu, value in product(range(3), range(3), range(7, 13)):
        play(rho, nu)
        search = above_threshold(threshold=10, epsilon=1).start()
        assert search.ask(value) is (value + nu >= 10 + rho)


def test_the_threshold_is_drawn_once_and_answers_end(play: Play) -> None:
    play(5, *[0] * 6)
    search = above_threshold(threshold=0, epsilon=1, positives=3).start()
    assert [search.ask(value) for value in (4, 5, 4, 6, 4, 5)] == [
        False,
        True,
        False,
        True,
        False,
        True,
    ]
    assert search.left == 0
    with pytest.raises(BudgetExceeded, match="3 times"):
        search.ask(9)
    play(5, *[0] * 8)
    row = above_threshold(threshold=0, epsilon=1, positives=3).release([4, 5, 4, 6, 4, 5, 9, 9])
    assert row.value == (False, True, False, True, False, True) and row.guarantee == PureDP(
        epsilon=1
    )


@pytest.mark.parametrize("values", [(1, -1), (0, 2, -1)])
def test_its_answers_have_the_law_that_is_priced(play: Play, values: tuple[int, ...]) -> None:
    """Every draw that matters, weighted by its chance."""
    mechanism, most = AboveThreshold(threshold=0, epsilon=12, share="0.4", positives=2), 7
    rates = [float(mechanism.threshold_rate)] + [float(mechanism.query_rate)] * len(values)
    found: Counter[tuple[bool, ...]] = Counter()
    for draws in product(range(most), repeat=1 + len(values)):
        play(*draws)
        chance: Any = np.prod(
            [(1 - exp(-r)) * exp(-r * n) for r, n in zip(rates, draws, strict=True)]
        )
        found[mechanism.release(values).value] += float(chance)  # type: ignore[assignment]
    missing = 1 - sum(found.values())
    expected = right(mechanism, values)
    assert missing < 1e-4 and found.keys() == expected.keys()
    for said, p in expected.items():
        assert -1e-12 <= p - found[said] <= missing + 1e-12  # type: ignore[index]


def test_draws_are_those_of_the_law() -> None:
    """At most one false alarm in 10^10 for each comparison."""
    mechanism, runs = AboveThreshold(threshold=0, epsilon=2, share="0.4"), 4000
    found = Counter(mechanism.release([0, 1]).value for _ in range(runs))
    for said, p in right(mechanism, [0, 1]).items():
        assert abs(found[said] - runs * p) < 6.5 * (runs * p * (1 - p)) ** 0.5  # type: ignore[index]


# What it costs


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("positives", "sensitivity"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_the_price_is_met_exactly(positives: int, sensitivity: int, monotone: bool) -> None:
    """The values of docs/proofs/sparse_vector.md, section 3."""
    mechanism = AboveThreshold(
        threshold=0, epsilon=2, sensitivity=sensitivity, positives=positives, monotone=monotone
    )
    one = right(mechanism, [0] + [0] * positives)
    other = right(mechanism, [sensitivity] + [0 if monotone else -sensitivity] * positives)
    assert abs(loss(one, other) - 2) < 1e-9


@pytest.mark.parametrize("monotone", [False, True])
def test_no_neighbours_have_a_delta(monotone: bool) -> None:
    mechanism = AboveThreshold(threshold=0, epsilon=1, share="0.4", positives=2, monotone=monotone)
    worst = 0.0
    for values in product([-2, 0, 1], repeat=3):
        for moves in product([0, 1] if monotone else [-1, 0, 1], repeat=3):
            one = right(mechanism, values)
            other = right(mechanism, [v + m for v, m in zip(values, moves, strict=True)])
            assert delta(one, other, 1) < 1e-12
            worst = max(worst, loss(one, other))
    assert 0.99 < worst < 1 + 1e-9


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_known_mistakes_are_found(case: Case) -> None:
    """Each claims epsilon 1; the right form passes on the same values."""
    one, other = case.variant(case.mechanism, case.one), case.variant(case.mechanism, case.other)
    for each in (one, other):
        assert abs(sum(each.values()) - 1) < 1e-9
    assert loss(one, other) > 1.25 and delta(one, other, 1) > 1e-4
    honest = right(case.mechanism, case.one), right(case.mechanism, case.other)
    assert delta(*honest, 1) < 1e-12 and loss(*honest) < 1 + 1e-9


def test_prices_of_noisy_values_add_up() -> None:
    made: dict[str, Any] = {"threshold": 10, "epsilon": 1, "positives": 3}
    pure = sparse_vector(**made, answers=laplace(sensitivity=2, epsilon="0.5"))
    assert pure.tests.sensitivity == 2 and pure.guarantee == PureDP(epsilon="2.5")
    assert pure.privacy().delta("2.5").upper < 1e-12 < pure.privacy().delta("2.4").lower
    by_rho = sparse_vector(**made, answers=gaussian(sensitivity=1, rho="0.1")).guarantee
    by_mu = sparse_vector(**made, answers=gaussian(sensitivity=1, mu=1)).guarantee
    assert isinstance(by_rho, ZCDP) and isinstance(by_mu, ZCDP)
    assert abs(float(by_rho.rho) - 0.3 - 0.46211715726) < 1e-10
    assert by_mu.rho == by_rho.rho + Fraction(6, 5)
    approximate = sparse_vector(**made, answers=gaussian(sensitivity=1, epsilon=1, delta="1e-6"))
    assert approximate.guarantee == ApproxDP(epsilon=4, delta="3e-6")


def noisy_law(vector: Any, values: tuple[int, ...], noise: dict[int, float]) -> Law:
    """What `release` answers to two questions: tests on |value|, then value + noise."""
    found: Law = {}
    tests = right(vector.tests, [abs(value) for value in values])
    for said, chance in tests.items():
        for drawn in product(noise.items(), repeat=sum(map(bool, said))):
            left, p, shown = iter(drawn), chance, list[object]()
            for value, above in zip(values, (*said, False), strict=False):
                by, q = next(left) if above else (0, 1.0)
                p, shown = p * q, [*shown, ("noisy", value + by) if above else 0]
            found[tuple(shown)] = found.get(tuple(shown), 0.0) + p
    return found


def test_no_transcript_with_noisy_values_loses_more_than_the_sum() -> None:
    vector = sparse_vector(
        threshold=1, epsilon=1, positives=2, answers=laplace(sensitivity=1, epsilon=1)
    )
    noise = {k: float(vector.answers.law.pmf(k)) for k in range(-25, 26)}
    worst = 0.0
    for values in product([-2, 0, 1], repeat=2):
        for moves in product([-1, 1], repeat=2):
            other = tuple(v + m for v, m in zip(values, moves, strict=True))
            pair = noisy_law(vector, values, noise), noisy_law(vector, other, noise)
            assert delta(*pair, 3) < 1e-9
            worst = max(worst, delta(*pair, 1.5))
    assert worst > 1e-3


def test_noisy_values_replace_guesses_that_are_far_off(play: Play) -> None:
    exact = laplace(sensitivity=1, epsilon=1000)  # so sharp that it never errs
    play(1, *[0] * 9)
    search = sparse_vector(threshold=10, epsilon=1, answers=exact, positives=3).start()
    asked = [(10, 0), (11, 0), (3, 4), (-11, 0), (100, 95), (100, 111), (50, 7)]
    assert [search.ask(value, guess) for value, guess in asked] == [0, 11, 4, -11, 95, 100, 7]
    assert search.left == 0
    play(1, *[0] * 9)
    vector = sparse_vector(threshold=10, epsilon=1, answers=exact, positives=2)
    assert vector.release([10, -11, 0, 11, 50]).value == (0, -11, 0, 11, 0)


# How often it is wrong


def wrong(mechanism: AboveThreshold, queries: int, below: int, above: int) -> float:
    """The exact chance that some answer is wrong, for values that lie just so."""
    l1, l2 = float(mechanism.threshold_rate), float(mechanism.query_rate)
    r = np.arange(int(60 / l1) + above)
    silent = -np.expm1(-l2 * (below + r))
    loud = np.exp(-l2 * np.maximum(0, r - above))
    return float(
        (1 - exp(-l1)) * np.exp(-l1 * r) @ (1 - silent**queries * loud**mechanism.positives)
    )


@pytest.mark.parametrize(
    ("epsilon", "positives", "monotone", "queries", "confidence"),
    [(1, 1, False, 1000, "0.95"), (1, 1, True, 1000, "0.95"), (1, 5, False, 100, "0.9"),
     ("0.01", 1, False, 10, "0.99"), (20, 2, False, 10**6, "0.999"), (3, 1, False, 1, "0.5")],
)  # fmt: skip
def test_errors_hold_and_are_nearly_the_least(
    epsilon: Any, positives: int, monotone: bool, queries: int, confidence: str
) -> None:
    mechanism = above_threshold(
        threshold=0, epsilon=epsilon, positives=positives, monotone=monotone, queries=queries
    )
    found, risk = mechanism.error(queries=queries, confidence=confidence), 1 - float(confidence)
    assert wrong(mechanism, queries, found.below, found.above) <= risk
    # A gap that is 2 % smaller, wherever the threshold lies in it, is wrong too often.
    smaller = int(found.gap * 0.98) - 1
    if queries > 1:
        places = range(max(0, found.below - 40), min(found.below + 40, smaller) + 1)
        assert all(wrong(mechanism, queries, a, smaller - a) > risk for a in places)


def test_golden_gaps() -> None:
    """1000 questions at epsilon 1 and 95 %: 39 with one-sided noise, 24 if they are monotone."""
    gaps = [
        above_threshold(threshold=0, epsilon=1, monotone=monotone).error(queries=1000).gap
        for monotone in (False, True)
    ]
    assert gaps == [39, 24]


def test_no_other_share_is_much_better() -> None:
    for positives, queries in ((1, 10), (5, 1000)):
        made: dict[str, Any] = {"threshold": 0, "epsilon": 1, "positives": positives}
        best = above_threshold(**made, queries=queries).error(queries=queries).gap
        for share in (Fraction(n, 25) for n in range(1, 18)):
            assert best <= AboveThreshold(**made, share=share).error(queries=queries).gap * 1.01 + 1


# What is refused


def test_a_search_is_never_in_two_places(monkeypatch: pytest.MonkeyPatch) -> None:
    search = above_threshold(threshold=0, epsilon=1).start()
    noisy = sparse_vector(
        threshold=0, epsilon=1, answers=laplace(sensitivity=1, epsilon=1), positives=1
    ).start()
    for each, how in (
        (search, copy.copy),
        *product((search, noisy), (copy.deepcopy, pickle.dumps)),
    ):
        with pytest.raises(TypeError, match="copied"):
            how(each)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(InvalidInput, match="process"):
        search.ask(-9)


def test_bad_input_is_refused_and_secrets_are_not_shown() -> None:
    search = above_threshold(threshold=0, epsilon=1).start()
    for bad in (0.5, "31415", None, True, float("nan"), [1]):
        with pytest.raises(InvalidInput) as refused:
            search.ask(bad)  # type: ignore[arg-type]
        assert "31415" not in str(refused.value)
    assert search.left == 1
    for change in (
        {"threshold": "0.5"},
        {"epsilon": 0},
        {"positives": 0},
        {"sensitivity": 0},
        {"queries": 0},
    ):
        with pytest.raises(InvalidInput):
            above_threshold(**{"threshold": 0, "epsilon": 1, **change})  # type: ignore[arg-type]
    for error in ({"queries": 0}, {"queries": 9, "confidence": 1}):
        with pytest.raises(InvalidInput):
            above_threshold(threshold=0, epsilon=1).error(**error)
    made: dict[str, Any] = {"threshold": 0, "epsilon": 1, "positives": 1}
    other: tuple[Any, ...] = laplace(sensitivity=1, epsilon=1, step="0.5"), DiscreteLaplace(1), None
    for noise in other:
        with pytest.raises(InvalidInput, match="laplace"):
            sparse_vector(**made, answers=noise)
    with pytest.raises(InvalidInput, match="3 numbers"):  # before any question is above
        sparse_vector(**made, answers=optimal(sensitivity=1, epsilon=1, dimension=3))
    with pytest.raises(InvalidInput, match="whole number"):
        sparse_vector(
            threshold=0, epsilon=1, positives=1, answers=laplace(sensitivity=1, epsilon=1)
        ).start().ask(3, guess=0.5)  # type: ignore[arg-type]
