"""The exact law of a sparse vector's answers: its promise, recomputed instead of believed."""

import math
from fractions import Fraction
from itertools import product

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, mpf, nsum

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import HonestMachine, ThresholdNoise, greatest_loss
from leastnoise.mechanisms.thresholds.threshold_transcripts import Transcript
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialSum

TINY = Fraction(1, 10**30)

noises = st.builds(
    ThresholdNoise,
    epsilon=st.fractions(2, 8, max_denominator=20),
    sensitivity=st.integers(1, 3),
    positives=st.integers(1, 2),
    restart=st.booleans(),
    threshold_share=st.fractions(Fraction(1, 5), Fraction(4, 5), max_denominator=20),
)


def neighbours(noise: ThresholdNoise, moves: list[int]) -> list[int]:
    reach = noise.sensitivity
    least = 0 if noise.monotone else -reach
    return [max(least, min(reach, move)) for move in moves]


@settings(deadline=None, max_examples=30)
@given(
    noises,
    st.booleans(),
    st.lists(st.tuples(st.integers(-6, 4), st.integers(-3, 3)), min_size=1, max_size=3),
    st.integers(0, 2),
    st.integers(-2, 2),
)
def test_no_transcript_of_any_neighbours_loses_more_than_epsilon(
    noise: ThresholdNoise,
    monotone: bool,
    questions: list[tuple[int, int]],
    gaps: int,
    threshold: int,
) -> None:
    noise = ThresholdNoise(**{**noise.parameters, "monotone": monotone})
    one = [value for value, _ in questions]
    moves = neighbours(noise, [move for _, move in questions])
    other = [value + move for value, move in zip(one, moves, strict=True)]
    loss = greatest_loss(HonestMachine(noise, threshold, gaps), one, other)
    assert loss.upper <= noise.guarantee.epsilon + TINY


def worst_pair(noise: ThresholdNoise) -> tuple[list[int], list[int]]:
    """The values of docs/proofs/sparse_vector.md, section 4."""
    reach, count = noise.sensitivity, noise.positives
    last = 0 if noise.monotone else -reach
    return [0] + [0] * count, [reach] + [last] * count


@pytest.mark.spread(6)
@pytest.mark.parametrize("gaps", [0, 1])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("positives", "sensitivity"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_the_price_is_met_exactly(
    positives: int, sensitivity: int, monotone: bool, gaps: int
) -> None:
    noise = ThresholdNoise(
        epsilon=2,
        sensitivity=sensitivity,
        positives=positives,
        monotone=monotone,
        threshold_share="0.3",
    )
    loss = greatest_loss(HonestMachine(noise, 0, gaps), *worst_pair(noise))
    assert 2 - TINY < loss.lower <= loss.upper < 2 + TINY


@pytest.mark.parametrize("monotone", [False, True])
def test_the_worst_loss_of_all_short_questions_is_epsilon(monotone: bool) -> None:
    """All neighbouring values in a window: the greatest loss lies in [0.999, 1.000] of ε."""
    noise = ThresholdNoise(epsilon=1, sensitivity=1, monotone=monotone, threshold_share="0.4")
    moves = [0, 1] if monotone else [-1, 0, 1]
    worst = 0.0
    for one in product([-2, 0, 1], repeat=2):
        for move in product(moves, repeat=2):
            other = [a + b for a, b in zip(one, move, strict=True)]
            worst = max(worst, float(greatest_loss(HonestMachine(noise, 0), one, other).upper))
    assert 0.999 <= worst <= 1 + 1e-15


@pytest.mark.parametrize("monotone", [False, True])
def test_the_price_of_restarts_is_met_exactly(monotone: bool) -> None:
    noise = ThresholdNoise(
        epsilon=2,
        sensitivity=1,
        positives=2,
        monotone=monotone,
        restart=True,
        threshold_share="0.3",
    )
    last = 0 if monotone else -1
    loss = greatest_loss(HonestMachine(noise, 0), [0, 0, 0, 0], [1, last, 1, last])
    assert 4 - TINY < loss.lower <= loss.upper < 4 + TINY


def test_restarts_by_hand() -> None:
    """P(⊥⊤⊤) with two runs is P(⊥⊤) times P(⊤)."""
    many = ThresholdNoise(epsilon=3, sensitivity=1, positives=2, restart=True)
    once = ThresholdNoise(epsilon=3, sensitivity=1)
    with balls.precision(128):
        law = HonestMachine(many, 0).law([-1, 1, 2])
        first, second = HonestMachine(once, 0).law([-1, 1]), HonestMachine(once, 0).law([2])
        silence, above = (False, None), (True, "more")
        product_ = first.chances[(silence, above)] * second.chances[(above,)]
        assert float(law.chances[(silence, above, above)]) == pytest.approx(float(product_))
        assert float(sum(law.chances.values(), arb(0))) == pytest.approx(1, abs=1e-30)
        assert len(law.chances) == 7


def test_a_decreasing_monotone_step_costs_less() -> None:
    """With falling values only the share of the questions is lost."""
    noise = ThresholdNoise(epsilon=1, sensitivity=1, monotone=True, threshold_share="0.4")
    with balls.precision(256):
        machine = HonestMachine(noise, 0)
        high, low = machine.law([1, 0, 0]), machine.law([0, -1, -1])
        for transcript in high.chances:
            ratio = high.ends(transcript)[1] / low.ends(transcript)[0]
            assert ratio.log() <= balls.ball(Fraction(6, 10)) + arb("1e-60")


def brute_force(noise: ThresholdNoise, values: list[int], transcript: Transcript) -> mpf:
    """The infinite sum over ρ, by mpmath."""
    first, second = (mpf(r.numerator) / r.denominator for r in _rates(noise))

    def term(rho: mpf) -> mpf:
        chance = (1 - exp(-first)) * exp(-first * rho)
        for value, (above, _) in zip(values, transcript, strict=False):
            passes = exp(-second * max(0, rho - value))
            chance *= passes if above else 1 - passes
        return chance

    return nsum(term, [0, 400])


def _rates(noise: ThresholdNoise) -> tuple[Fraction, Fraction]:
    return noise.threshold_rate, noise.query_rate


def test_probabilities_agree_with_mpmath_and_sum_to_1() -> None:
    noise = ThresholdNoise(epsilon=3, sensitivity=1, positives=2, threshold_share="0.4")
    values = [1, -2, 0]
    with balls.precision(256):
        law = HonestMachine(noise, 0).law(values)
        assert len(law.chances) == 7  # all rows of three answers, two of which end early
        total = sum(law.chances.values(), arb(0))
        assert abs(float(total - 1)) < 1e-40
        for transcript, chance in law.chances.items():
            expected = brute_force(noise, values, transcript)
            assert float(chance) == pytest.approx(float(expected), rel=1e-13)


def test_gaps_split_the_answer_above() -> None:
    noise = ThresholdNoise(epsilon=3, sensitivity=1)
    with balls.precision(128):
        plain = HonestMachine(noise, 0).law([1])
        told = HonestMachine(noise, 0, gaps=4).law([1])
        above = sum((c for t, c in told.chances.items() if t[0][0]), arb(0))
        assert float(above) == pytest.approx(float(plain.chances[((True, "more"),)]), rel=1e-25)
        assert len(told.chances) == 6


def test_two_questions_in_closed_form_are_exactly_tight() -> None:
    """P(⊥⊤) for two neighbours as sums of exponentials: their quotient is e^ε, decided."""
    first, second = Fraction(3, 10), Fraction(7, 20)  # ε₁ = 0.3, ε₂ = 0.7, Δ = c = 1

    def chance(shift: int, drop: int) -> ExponentialSum:
        """(1 − b₁b₂)(1 − b₁b₂²)/(1 − b₁) · Σ_{r>shift} b₁^r·(1 − b₂^(r−shift))·b₂^(r+drop)."""
        b = ExponentialSum.exp
        head = b(-first * (shift + 1) - second * (shift + 1 + drop))
        one = ExponentialSum.of(1) - b(-first - 2 * second)
        two = b(-second) - b(-second) * b(-first - second)
        return head * (one - two)

    ratio = chance(0, 0) - ExponentialSum.exp(1) * chance(1, 1)
    assert ratio.sign() == 0
    noise = ThresholdNoise(epsilon=1, sensitivity=1, threshold_share=first)
    assert 1 <= greatest_loss(HonestMachine(noise, 0), [0, 0], [1, -1]).upper < 1 + TINY


def test_distance_is_what_loses() -> None:
    machine = HonestMachine(ThresholdNoise(epsilon=1, sensitivity=1), 0)
    assert greatest_loss(machine, [3, -1], [3, -1]).upper < TINY
    assert greatest_loss(machine, [], []).upper < TINY
    assert greatest_loss(machine, [0, 0], [2, -2]).lower > Fraction(19, 10)


def test_values_are_integers() -> None:
    machine = HonestMachine(ThresholdNoise(epsilon=1, sensitivity=1), 0)
    with pytest.raises(InvalidParameter, match="values"):
        greatest_loss(machine, [0.5], [1])  # type: ignore[list-item]


def test_what_was_not_summed_is_not_forgotten() -> None:
    """Silence at 2000 needs a ρ beyond all levels looked at: rare, but not impossible."""
    machine = HonestMachine(ThresholdNoise(epsilon=1, sensitivity=1), 0)
    loss = greatest_loss(machine, [2000], [0])
    assert 50 < loss.lower < 2000 * Fraction("0.39")
    assert loss.upper == math.inf
