"""Where the checker gives up: it says so, soon, and accepts nothing."""

import json
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.certificates import check_canonical, strict_json
from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.check import check
from leastnoise.certificates.check_canonical import canonical_cost
from leastnoise.certificates.check_law import law_cost
from leastnoise.certificates.check_stairs import best_staircase_bound, staircase_cost
from leastnoise.certificates.claim import Claim
from leastnoise.certificates.described_law import CutSteps, DescribedLaw, Steps, WeightTable
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Theorem
from leastnoise.errors import CertificateRejected, UnsupportedQuery
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.numeric.cost import Moment, TabulatedCost, TailProbability
from leastnoise.numeric.interval import Interval

ONE = Fraction(1)
NOTHING = Dual(Fraction(0), 3, ())


def finding(problem: Problem, law: DescribedLaw) -> str:
    """What is found, though the claim promises as little as can be."""
    verdict = check(Claim(problem, law, Fraction(10**99), Fraction(0), NOTHING))
    assert not verdict
    return verdict.finding


def test_a_table_with_too_many_pairs_of_places() -> None:
    """It rises once, so that every shift would have to be looked at."""
    weights = (*range(5000, 1, -1), 2, 3)
    assert "at every shift" in finding(
        Problem(5000, ONE, ONE / 100, Moment(1)), WeightTable(weights)
    )


def test_a_cut_staircase_with_too_many_steps() -> None:
    problem = Problem(1, ONE, ONE / 100, TailProbability(1))
    assert "limited number of places" in finding(problem, CutSteps(1, 2**20 + 2))


def test_a_cut_staircase_with_too_many_prices() -> None:
    problem = Problem(2**10, ONE, ONE / 2, Moment("2.5"))
    assert "limited number of places" in finding(problem, CutSteps(1, 2**18))


@pytest.mark.parametrize("sensitivity", [1, 2**18])
def test_an_endless_staircase_whose_rest_is_not_bounded(sensitivity: int) -> None:
    problem = Problem(sensitivity, ONE / 10**9, Fraction(0), Moment("2.5"))
    with pytest.raises(UnsupportedQuery, match="limited number of places"):
        staircase_cost(problem, 1)


def test_canonical_noise_that_does_not_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_canonical, "_MOST_TERMS", 64)
    problem = Problem(1, Fraction(0), ONE / 128, Moment(1))
    canonical_cost.cache_clear()
    with pytest.raises(UnsupportedQuery, match="limited number of places"):
        canonical_cost(problem)
    assert canonical_cost(Problem(1, Fraction(0), ONE / 64, Moment(1))) == Interval.exactly(16)


def test_ties_that_go_on_are_bounded_by_the_least_cost() -> None:
    """A threshold far out: all widths near the middle cost about the same, which proves nothing."""
    problem = Problem(100, ONE / 100, Fraction(0), TailProbability(10**6))
    assert best_staircase_bound(problem, 50) == 0
    claim = Claim(problem, Steps(50), ONE, ONE / 10**9, Theorem.STAIRCASE)
    assert check(claim).finding == "the witness proves less than the stated bound"


def test_places_without_weight_cost_nothing() -> None:
    assert law_cost(Problem(1, ONE, ONE / 2, Moment(2)), WeightTable((2, 0, 1))) == Fraction(
        2 * 4, 4
    )


def test_a_text_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "_MOST_CHARACTERS", 100)
    with pytest.raises(CertificateRejected, match="reasonable length"):
        Certificate.from_json("[" * 101)


@pytest.mark.parametrize("part", ["law", "witness"])
def test_kinds_nobody_knows(part: str) -> None:
    data: dict[str, Any] = json.loads(
        optimal_scalar(sensitivity=1, epsilon=1).certificate().to_json()
    )
    data[part]["kind"] = "another"
    with pytest.raises(CertificateRejected, match="all fields"):
        Certificate.from_json(json.dumps(data))


def test_a_tabulated_cost_survives_as_text() -> None:
    cost = TabulatedCost((Fraction(0), ONE, ONE * 3), ONE)
    problem = Problem(1, ONE, ONE / 10, cost)
    made = Certificate(problem, WeightTable((3, 1)), Fraction(2, 5), Fraction(0), NOTHING)
    assert Certificate.from_json(made.to_json()) == made
