"""What the checker cannot know exactly lies between two ends, and the safe end is used."""

import importlib
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb

from leastnoise.certificates import check_stairs
from leastnoise.certificates.check_canonical import _next, _price
from leastnoise.certificates.check_dual import _sums, _well_formed, dual_reach
from leastnoise.certificates.check_stairs import best_staircase_bound
from leastnoise.certificates.chord_cost import _power
from leastnoise.certificates.described_law import CanonicalNoise
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Multipliers, Rounded, Theorem
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.numeric.ball import ball, precision
from leastnoise.numeric.cost import Moment
from leastnoise.numeric.interval import Interval

checking = importlib.import_module("leastnoise.certificates.check")
check, _rounded_bound = checking.check, checking._rounded_bound

LESS = Fraction(999, 1000)


def test_a_price_lies_between_both_ends() -> None:
    problem = Problem(1, Fraction(1), Fraction(1, 100), Moment("1.5"))
    price = problem.price(2)
    assert price.lower < price.upper
    with precision(512):
        known = _price(problem, 2)
        assert known.contains(ball(Fraction(price.lower)))
        assert known.contains(ball(Fraction(price.upper)))


def test_a_tail_that_may_have_ended_is_put_between_nothing_and_its_upper_end() -> None:
    leak = arb(1) / 8
    tail = leak + arb(0, 1) / 1024
    following = _next(tail, arb(2), leak)
    assert following.contains(0)
    assert 0 < following.upper() < arb(1) / 1000


def test_canonical_noise_proves_its_own_cost_and_no_more() -> None:
    certificate = optimal_scalar(
        sensitivity=1, epsilon="0.5", delta="0.01", cost="absolute"
    ).certificate()
    assert isinstance(certificate.law, CanonicalNoise)
    proved = replace(certificate, witness=Theorem.CANONICAL, bound=certificate.bound * LESS)
    assert check(proved)
    assert not check(replace(proved, problem=replace(proved.problem, sensitivity=2)))
    assert not check(replace(proved, bound=proved.achieved / LESS))


def test_powers_are_rounded_up() -> None:
    assert _power(Fraction(2), Fraction(1, 2)) ** 2 > 2


def test_sums_of_multipliers_start_at_nothing() -> None:
    dual = Dual(Fraction(1), 4, (Multipliers(2, -1, (3, 0, 5), 7),))
    # y(−1) = 3, y(0) = 0, y(1) = 5, y(2) = y(3) = 7; a row is taken away two places further on.
    assert _sums(dual) == [(0, 0), (8, 3), (7, 0), (7, 5)]


def test_a_shift_has_one_row() -> None:
    problem = Problem(2, Fraction(1), Fraction(1, 100), Moment(1))
    row = Multipliers(1, 0, (1, 1))
    assert _well_formed(problem, Dual(Fraction(1), 4, (row, replace(row, shift=2))))
    assert not _well_formed(problem, Dual(Fraction(1), 4, (row, row)))


def test_ties_that_go_on_prove_no_more_than_the_least_cost_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The cost of no error is then all that is known, from below."""
    near = Interval(5, 5 + Fraction(1, 2**40))
    monkeypatch.setattr(check_stairs, "staircase_cost", lambda *_: near)
    monkeypatch.setattr(Problem, "price", lambda *_: Interval(1, 2))
    problem = Problem(100, Fraction(1), Fraction(0), Moment(1))
    assert best_staircase_bound(problem, 50) == 1


COARSE = Rounded(2, Fraction(1), Dual(Fraction(1), 4, (Multipliers(1, 0, (1, 1, 1)),)))


@pytest.mark.parametrize(
    ("witness", "proves"),
    [
        (COARSE, True),
        (replace(COARSE, step=Fraction(3, 4)), False),  # no multiple of the fine step
        (replace(COARSE, sensitivity=3), False),  # further than neighbours are apart
        (replace(COARSE, sensitivity=0), False),
        (replace(COARSE, dual=Dual(Fraction(1), 4, (Multipliers(1, 0, (1, 1)),))), False),
    ],
)
def test_a_coarse_witness_must_fit_the_fine_problem(
    witness: Rounded, proves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its chords may fall up to the cost's growth and two places on; multipliers must reach it."""
    monkeypatch.setattr(checking, "dual_is_feasible", lambda *_: True)
    monkeypatch.setattr(checking, "dual_bound", lambda *_: Fraction(7))
    problem = Problem(4, Fraction(1), Fraction(0), Moment(1), Fraction(1, 2))
    assert dual_reach(COARSE.dual) == problem.cost.growth + 2
    assert _rounded_bound(problem, witness) == (7 if proves else None)
