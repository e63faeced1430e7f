"""Tardos' numbers, and that his threshold keeps its promise."""

import math
from fractions import Fraction

import pytest
from mpmath import asin, mpf, sqrt

from leastnoise.attacks import TardosDesign, most_copies_to_one
from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.group import group_privacy


@pytest.mark.parametrize(
    ("coalition", "risk", "rounds"), [(1, "0.5", 1), (3, "1e-6", 14), (20, "0.001", 7)]
)
def test_numbers(coalition: int, risk: str, rounds: int) -> None:
    """Tardos2008: m = 100·c²·k, Z = 20·c·k, t = 1/(300c), k = ⌈ln(1/ε)⌉."""
    design = TardosDesign(coalition=coalition, false_accusation=risk)
    assert design.rounds == rounds == math.ceil(math.log(1 / float(risk)))
    assert design.length == 100 * coalition**2 * rounds
    assert design.threshold == 20 * coalition * rounds
    assert design.cut_off == Fraction(1, 300 * coalition)
    assert float(design.angle) == pytest.approx(float(asin(sqrt(mpf(1) / (300 * coalition)))))


@pytest.mark.parametrize("bias", ["1/300", "0.2", "0.5", "0.9"])
def test_scores_have_mean_0_and_mean_square_1(bias: str) -> None:
    design, p = TardosDesign(coalition=1, false_accusation="0.1"), float(Fraction(bias))
    one, zero = (float(design.score(bit, bias=bias)) for bit in (1, 0))
    assert one == pytest.approx(math.sqrt((1 - p) / p))
    assert p * one + (1 - p) * zero == pytest.approx(0, abs=1e-14)
    assert p * one**2 + (1 - p) * zero**2 == pytest.approx(1)


def test_exact_scores() -> None:
    design = TardosDesign(coalition=1, false_accusation="0.1")
    assert design.score(1, bias="0.2") == Interval.exactly(2)
    assert design.score(0, bias="0.2") == Interval.exactly(Fraction(-1, 2))


@pytest.mark.parametrize("coalition", [1, 2, 10])
@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_the_proof_at_each_bias(coalition: int, place: float) -> None:
    """E e^(αU) ≤ e^(α²) at α = 1/(10c), from cut-off to cut-off."""
    design = TardosDesign(coalition=coalition, false_accusation="0.01")
    least = float(design.cut_off)
    p = least + place * (1 - 2 * least)
    alpha = 1 / (10 * coalition)
    one, zero = math.sqrt((1 - p) / p), -math.sqrt(p / (1 - p))
    mean = p * math.exp(alpha * one) + (1 - p) * math.exp(alpha * zero)
    assert mean <= math.exp(alpha**2)
    assert design.length * alpha**2 - alpha * design.threshold == pytest.approx(-design.rounds)


def test_refusals() -> None:
    design = TardosDesign(coalition=3, false_accusation="0.1")
    with pytest.raises(InvalidParameter, match="`bias` must lie between the cut-off"):
        design.score(1, bias="0.001")
    with pytest.raises(InvalidParameter, match="`bit`"):
        design.score(2, bias="0.5")
    with pytest.raises(InvalidParameter, match="false_accusation"):
        TardosDesign(coalition=3, false_accusation=0)


@pytest.mark.parametrize("epsilon", ["0.0001", "0.01", "0.1", "0.37", "1"])
def test_copies_of_fact_2_3(epsilon: str) -> None:
    """Errata B8: ln(1 + (e^ε − 1)/ε)/ε, 7.19 at ε = 0.1."""
    loss = float(epsilon)
    most = most_copies_to_one(epsilon=epsilon)
    assert most == math.floor(math.log1p(math.expm1(loss) / loss) / loss)
    assert most * loss <= 1
    tiny = Fraction(1, 10**9)
    for copies, kept in ((most, True), (most + 1, False)):
        leak = group_privacy(epsilon=epsilon, delta=tiny, size=copies)
        assert (leak.upper <= tiny / Fraction(epsilon)) == kept


def test_fact_2_3_is_about_small_epsilon() -> None:
    assert most_copies_to_one(epsilon="0.1") == 7
    with pytest.raises(InvalidParameter, match="`epsilon` must be at most 1"):
        most_copies_to_one(epsilon=2)
