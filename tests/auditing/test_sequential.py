"""Sequential audits: fair bets, evidence at the right rate, and an end."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from leastnoise.auditing import Audit, audit
from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.bet_capital import BetCapital, PairCounts, best_stakes, log_growth
from leastnoise.auditing.limit import checked_limit
from leastnoise.auditing.sequential import _Run
from leastnoise.auditing.subject import OneByOne
from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteLaplace
from leastnoise.numeric import ball as balls
from tests.attacks.seeded import SeededSource

RISK = Fraction(1, 10**6)


def laplace(percent: int, seed: int, **options: Any) -> Audit:
    return audit(
        DiscreteLaplace(scale=10 * percent),
        neighbours=(0, 1000),
        epsilon=1,
        sequential=True,
        source=SeededSource(seed),
        **options,
    )


@given(
    epsilon=st.fractions(0, 5, max_denominator=20),
    delta=st.fractions(0, Fraction(1, 2), max_denominator=20),
    other=st.fractions(0, 1, max_denominator=20),
    counts=st.tuples(*[st.integers(0, 50)] * 4),
)
def test_every_bet_is_fair(
    epsilon: Fraction, delta: Fraction, other: Fraction, counts: tuple[int, int, int, int]
) -> None:
    """At the edge of the promise, p = e^ε·q + δ, the mean of a factor is at most 1; exactly."""
    with balls.precision(200):
        likely = float((balls.ball(epsilon).exp() * balls.ball(other) + balls.ball(delta)).mid())
        p = min(Fraction(1), Fraction(likely))
        for stake in best_stakes(PairCounts(*counts), AuditedPromise(epsilon, delta, RISK)):
            mean = sum(
                balls.ball((p if a else 1 - p) * (other if b else 1 - other))
                * log_growth(_case(a, b), stake, epsilon, delta).exp()
                for a, b in product((True, False), repeat=2)
            )
            assert bool(mean < 1 + 2.0**-45)  # p was rounded to a float


def _case(likely: bool, other: bool) -> PairCounts:
    return PairCounts(
        both=int(likely and other),
        likely=int(likely and not other),
        other=int(other and not likely),
        neither=int(not likely and not other),
    )


@pytest.mark.parametrize("epsilon", ["0", "0.01", "1", "8", "40"])
@pytest.mark.parametrize("delta", ["0", "1e-6", "0.9"])
def test_no_bet_can_be_lost_whole(epsilon: str, delta: str) -> None:
    promise = AuditedPromise(Fraction(epsilon), Fraction(delta), RISK)
    for counts in (PairCounts(likely=9), PairCounts(other=9), PairCounts(1, 5, 1, 1)):
        for stake in best_stakes(counts, promise):
            worst = log_growth(PairCounts(other=1), stake, promise.epsilon, promise.delta)
            assert worst.is_finite()


def test_wealth_is_the_mean_of_products() -> None:
    """Against a count by hand: two events, two stakes each, two blocks."""
    promise = AuditedPromise(Fraction(1), Fraction(0), RISK)
    learned = [PairCounts(1, 9, 1, 9), PairCounts(0, 5, 0, 15)]
    blocks = [[PairCounts(0, 3, 1, 6), PairCounts(1, 2, 0, 7)], [PairCounts(0, 5, 0, 1)] * 2]
    wealth, expected = BetCapital.against(promise, promise.epsilon), 1.0
    for counts in blocks:
        wealth.place(learned)
        products = []
        for known, count in zip(learned, counts, strict=True):
            for stake in map(float, best_stakes(known, promise)):
                factors = (1 + stake * (1 - math.e), 1 + stake, 1 - stake * math.e, 1.0)
                powers = (count.both, count.likely, count.other, count.neither)
                products.append(math.prod(f**n for f, n in zip(factors, powers, strict=True)))
        expected *= sum(products) / len(products)
        assert wealth.look(counts) == pytest.approx(math.log10(expected), rel=1e-9)
        wealth.settle(counts)


def test_a_claim_is_refuted_when_the_wealth_passes_one_over_the_risk() -> None:
    promise = AuditedPromise(Fraction(1), Fraction(0), Fraction(1, 100))
    for hits in range(1, 40):
        wealth = BetCapital.against(promise, promise.epsilon)
        wealth.place([PairCounts(likely=5, neither=5)])
        level = wealth.look([PairCounts(likely=hits)])
        assert wealth.refuted == (level > 2)


@pytest.mark.spread(2)
@pytest.mark.parametrize("seed", range(5))
def test_ten_percent_too_little_noise_is_found_early(seed: int) -> None:
    found = laplace(90, seed, samples=10**6)
    assert found.violated
    assert found.samples < 200_000
    assert "ε > 1 where ε = 1 was promised" in str(found) or found.epsilon_lower > 1


def test_more_violation_needs_fewer_samples() -> None:
    needed = [laplace(percent, 3, samples=10**6).samples for percent in (30, 60, 90)]
    assert needed == sorted(needed)
    assert needed[0] < 2_000


def test_enough_noise_is_left_in_peace_and_the_bound_is_near() -> None:
    quiet = laplace(100, 1, samples=300_000)
    assert not quiet.violated
    assert Fraction(3, 4) < quiet.epsilon_lower <= 1
    assert quiet.power is not None
    assert 1 < quiet.power.epsilon < 1.5


def response(chance: float, seed: int) -> Any:
    coins = np.random.default_rng(seed)
    return lambda data, size: coins.random(size) < (chance if data else 1 - chance)


def test_false_alarms_are_as_rare_as_promised() -> None:
    """Randomized response is at the edge of its promise: at risk 0.2, 60 audits of it."""
    edge = math.exp(1) / (1 + math.exp(1))
    alarms = sum(
        audit(
            response(edge, seed), neighbours=(0, 1), epsilon=1, samples=4_000, confidence="0.8",
            vectorised=True, sequential=True,
        ).violated
        for seed in range(60)
    )  # fmt: skip
    assert alarms <= binom.isf(1e-6, 60, 0.2)


def test_power_is_there_at_the_same_size() -> None:
    broken = response(math.exp(1.3) / (1 + math.exp(1.3)), 1)
    found = [
        audit(
            broken, neighbours=(0, 1), epsilon=1, samples=10_000, confidence="0.8",
            vectorised=True, sequential=True,
        ).violated
        for _ in range(20)
    ]  # fmt: skip
    assert sum(found) >= 18


def test_evidence_is_a_path_that_ends_at_the_threshold() -> None:
    found = laplace(50, 1, samples=10**5)
    evidence = found.evidence()
    assert evidence["samples"].size == evidence["log10_wealth"].size > 1
    assert evidence["samples"][-1] == found.samples
    assert evidence["log10_wealth"][-1] >= 6
    assert max(evidence["log10_wealth"][:-1].tolist()) < 6


def test_the_bound_stops_at_the_first_point_that_stands() -> None:
    """A point refuted above one that is not proves nothing: the risk was paid for one only."""
    promise = AuditedPromise(Fraction(1), Fraction(0), RISK)
    run = _Run(OneByOne(lambda x: x, (0, 1)), promise, checked_limit(10, None), lambda *_: None)
    run.grid[0].refuted = run.grid[1].refuted = run.grid[5].refuted = True
    assert run.report().epsilon_lower == run.grid[1].promise.epsilon > 0
    run.main.refuted = True
    assert run.report().epsilon_lower == 1


def test_limits_are_kept() -> None:
    assert laplace(100, 1, samples=999).samples == 998
    timed = laplace(100, 1, samples=None, seconds="0.2")
    assert not timed.violated
    assert audit(lambda x: x, neighbours=(0, 1), epsilon=1, samples=10, sequential=True).event
    with pytest.raises(InvalidParameter, match="must have a limit"):
        laplace(100, 1, samples=None)


def test_an_exception_is_found_at_once() -> None:
    def fails(data: int) -> int:
        if data:
            raise KeyError
        return 1

    found = audit(fails, neighbours=(0, 1), epsilon=1, sequential=True)
    assert found.violated
    assert found.samples < 1_000
    assert found.event.startswith("kind of output")
