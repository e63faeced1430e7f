"""Bets are fair under every promise, cannot ruin, and may be watched all the time."""

import math
from fractions import Fraction as F
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from leastnoise.auditing.audit import audit
from leastnoise.auditing.black_box import Bet, best_stake, implied, settled
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP

CLAIMS = [
    ApproxDP(epsilon=e, delta=d) for e in ("0", "0.1", "1", "5") for d in ("0", "1e-6", "0.3")
]
UNIT = np.eye(4, dtype=np.int64)


def factors(claim: ApproxDP, stake: F) -> list[float]:
    """What one pair of each kind makes of a capital of 1."""
    return [math.exp(float(Bet(0, claim, stake).log_growth(case[None]).mid())) for case in UNIT]


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_a_bet_is_fair_at_the_edge_of_the_promise_and_loses_inside(claim: ApproxDP) -> None:
    epsilon, delta = float(claim.epsilon), float(claim.delta)
    for q in (0.001, 0.3, 0.9):
        edge = math.exp(epsilon) * q + delta
        for p in (edge, 0.7 * edge):
            if p > 1:
                continue
            chances = [p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)]
            for part in (0.1, 0.98):
                after = factors(claim, F(part / (math.exp(epsilon) + delta)))
                mean = sum(c * f for c, f in zip(chances, after, strict=True))
                assert mean == pytest.approx(1, abs=1e-12) if p == edge else mean < 1


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_no_bet_can_be_lost_whole(claim: ApproxDP) -> None:
    for counts in (*UNIT * 1000, np.array([1, 5, 1, 1]), np.array([0, 10**6, 0, 0])):
        stake, _ = best_stake(claim, counts)
        assert min(factors(claim, stake)) > 0


def test_the_capital_is_the_mean_of_the_products() -> None:
    claim = ApproxDP(epsilon=0)
    bets = [Bet(0, claim, F(1, 2)), Bet(1, claim, F(1, 4))]
    counts = np.array([[1, 3, 2, 4], [0, 5, 1, 4]])
    log, best = settled(bets, counts)
    products = [1.5**3 * 0.5**2, 1.25**5 * 0.75]
    assert math.exp(float(log.mid())) == pytest.approx(sum(products) / 2, rel=1e-12)
    assert best is bets[1]


def test_a_promise_of_mu_or_rho_is_bet_against_by_what_it_implies() -> None:
    for promise in (GDP(mu=1), ZCDP(rho="0.5")):
        claims = implied(promise)
        assert [float(each.delta) for each in claims] == pytest.approx([0.1, 0.01, 0.001, 1e-6])
        assert all(a.epsilon < b.epsilon for a, b in pairwise(claims))
    assert implied(PureDP(epsilon=2)) == [ApproxDP(epsilon=2)]


def noise(rate: float, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    fall = -math.expm1(-rate)
    return lambda x, size: x + rng.geometric(fall, size) - rng.geometric(fall, size)


def used(rate: float, samples: int = 60_000) -> tuple[bool, int]:
    found = audit(
        noise(rate, 4),
        neighbours=(0, 1),
        epsilon=1,
        samples=samples,
        vectorised=True,
        sequential=True,
    )
    assert found.samples <= samples and repr(found).startswith(
        "violation: epsilon > 1" if found.violated else "no"
    )
    return found.violated, found.samples


def test_more_violation_needs_fewer_outputs() -> None:
    assert used(1) == (False, 60_000)
    found = [used(rate) for rate in (1.3, 1.6, 4)]
    assert all(violated for violated, _ in found)
    assert found[0][1] > found[1][1] > found[2][1] == 1024  # two blocks of 256 pairs


def test_too_few_outputs_are_never_evidence() -> None:
    found = audit(lambda x: x, neighbours=(0, 1), epsilon=1, samples=100, sequential=True)
    assert not found.violated and found.samples == 100 and "none yet" in found.where
