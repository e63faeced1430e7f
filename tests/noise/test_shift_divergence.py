"""Divergences of lattice laws from their shifts, against sums over a window."""

import math
from fractions import Fraction

import pytest
from mpmath import log, mp, mpf

from leastnoise import Interval, InvalidParameter, UnsupportedQuery
from leastnoise.noise import (
    Canonical,
    DiscreteLaplace,
    LatticeLaw,
    Staircase,
    TableLaw,
    TruncatedLaplace,
    Uniform,
)
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.median_of_uniforms import MedianOfUniforms
from leastnoise.noise.shapes.shift_divergence import shift_kl, shift_renyi, shift_total_variation
from leastnoise.privacy.divergence import renyi
from tests.noise import brute_force

INFINITE = Interval(math.inf, math.inf)
ENDLESS = [
    (DiscreteLaplace(2), 250),
    (Staircase(sensitivity=5, epsilon=2, width=2), 200),
    (Staircase(sensitivity=3, epsilon=1, width=3), 300),
    (DiscreteGaussian("0.1"), 20),
    (DiscreteGaussian(3), 40),
    (DiscreteGaussian(50), 120),
]
BOUNDED: list[LatticeLaw] = [
    Canonical(epsilon=1, delta="1e-3"),
    TruncatedLaplace(sensitivity=4, epsilon=1, delta="1e-2"),
    Uniform(sensitivity=3, delta="0.2"),
    MedianOfUniforms(2, 9),
]


def window_sum(law: LatticeLaw, order: Fraction, shift: int, window: int) -> mpf:
    with mp.workdps(40):
        chances = brute_force.pmf(law, window)
        pairs = [(p, chances.get(k - shift, mpf(0))) for k, p in chances.items()]
        shared = [(p, q) for p, q in pairs if p > 0 and q > 0]
        if order == 1:
            return sum(p * log(p / q) for p, q in shared)
        alpha = brute_force.number(order)
        return log(sum(p**alpha * q ** (1 - alpha) for p, q in shared)) / (alpha - 1)


def near(answer: Interval, truth: mpf) -> bool:
    return bool(abs(brute_force.middle(answer) - truth) < mpf(10) ** -15 * (1 + abs(truth)))


@pytest.mark.spread(12)
@pytest.mark.parametrize(("law", "window"), ENDLESS, ids=str)
@pytest.mark.parametrize("order", ["0.3", "0.5", "1", "1.75", "2"])
def test_endless_laws_against_a_window(law: LatticeLaw, window: int, order: str) -> None:
    for shift in (1, -2, 3, 7):
        truth = window_sum(law, Fraction(order), shift, window)
        answer = shift_renyi(law, order, shift)
        assert near(answer, truth), (shift, answer, truth)
        assert answer.width <= answer.upper / 2**70


@pytest.mark.parametrize("law", BOUNDED, ids=str)
def test_bounded_laws(law: LatticeLaw) -> None:
    assert law.support is not None
    radius = law.support[1]
    for shift in (1, -2, radius, 2 * radius):
        for order in ("0.25", "0.5", "0.8"):
            truth = window_sum(law, Fraction(order), shift, radius)
            assert near(shift_renyi(law, order, shift), truth)
        for high in (1, 3, math.inf):
            assert shift_renyi(law, high, shift) == INFINITE
    assert shift_renyi(law, "0.5", 2 * radius + 1) == INFINITE
    assert shift_renyi(law, 7, 0) == Interval.exactly(0)


def test_tables_with_gaps_are_finite_laws() -> None:
    table = {-2: 1, 0: 3, 5: 2}
    for shift in (1, 2, -5, 7):
        moved = {value + shift: weight for value, weight in table.items()}
        ours, theirs = shift_renyi(TableLaw(table), "0.4", shift), renyi(table, moved, "0.4")
        assert ours.lower <= theirs.upper
        assert theirs.lower <= ours.upper
    assert shift_renyi(TableLaw(table), "0.4", 1) == INFINITE


def test_discrete_gaussian_beside_the_continuous_one() -> None:
    law = DiscreteGaussian(variance="0.4")
    plain = Fraction(9, 1) / Fraction("0.8")
    assert shift_renyi(law, 4, 3) == Interval.exactly(4 * plain)
    assert shift_renyi(law, "5/3", 3) == Interval.exactly(Fraction(5, 3) * plain)
    assert shift_kl(law, 3) == Interval.exactly(plain)
    assert shift_renyi(law, "1.5", 3).upper < Fraction(3, 2) * plain
    assert shift_renyi(law, "0.5", 3).lower > Fraction(1, 2) * plain
    assert shift_renyi(law, math.inf, 1) == INFINITE


@pytest.mark.parametrize("variance", ["1e-5", "3", str(2**70)])
def test_discrete_gaussian_at_every_scale(variance: str) -> None:
    answer = shift_renyi(DiscreteGaussian(variance), "2.5", 1)
    bound = Fraction("2.5") / (2 * Fraction(variance))
    assert answer.lower <= bound
    assert answer.width <= answer.upper / 2**70
    assert answer.lower > bound / 2


def test_large_shifts_and_scales_cost_nothing() -> None:
    law = Staircase(sensitivity=2**60, epsilon=1, width=2**59)
    assert shift_renyi(law, 2, 2**60).upper <= 1
    assert shift_renyi(law, math.inf, 2**60) == Interval.exactly(1)
    wide = shift_renyi(DiscreteLaplace(10**9), "2.5", 10**8)
    loss = 0.1
    smooth = (2.5 * math.exp(1.5 * loss) + 1.5 * math.exp(-2.5 * loss)) / 4
    assert float(wide) == pytest.approx(math.log(smooth) / 1.5, rel=1e-6)


@pytest.mark.parametrize("law", [law for law, _ in ENDLESS] + BOUNDED, ids=str)
def test_relations_between_divergences(law: LatticeLaw) -> None:
    for shift in (1, 4):
        half, most = shift_renyi(law, "0.5", shift), shift_total_variation(law, shift)
        # Hellinger: 1 − e^(−D½/2) ≤ TV; Pinsker, its relative of order 1/2: TV² ≤ D½.
        assert 1 - math.exp(-float(half) / 2) <= float(most) + 1e-12
        assert float(most) ** 2 <= float(half) + 1e-12
        assert shift_renyi(law, "0.3", shift).lower <= half.upper
        assert half.lower <= shift_renyi(law, "0.7", shift).upper


def test_questions_without_an_answer() -> None:
    with pytest.raises(UnsupportedQuery, match="at most 65536 points"):
        shift_renyi(MedianOfUniforms(1, 10**6), "0.5", 1)
    with pytest.raises(InvalidParameter, match="`order` must be positive"):
        shift_renyi(DiscreteLaplace(1), 0, 1)
    with pytest.raises(InvalidParameter, match="`shift` must be an integer"):
        shift_renyi(DiscreteLaplace(1), 2, 0.5)  # type: ignore[arg-type]
