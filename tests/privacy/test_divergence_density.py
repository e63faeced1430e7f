"""Rigorous quadrature agrees with closed forms and says what it does not know."""

import math
from fractions import Fraction

import pytest
from flint import acb, arb

from leastnoise import Interval, InvalidParameter
from leastnoise.privacy.divergence import hockey_stick, kl, renyi, total_variation
from leastnoise.privacy.laws.density import Density
from leastnoise.privacy.laws.laplace import Laplace
from leastnoise.privacy.laws.normal import Normal
from leastnoise.privacy.laws.sign_cells import sign_cells


def normal(mean: int, variance: int) -> Density:
    def log_density(x: acb, _: bool) -> acb:
        return -((x - mean) ** 2) / (2 * variance) - (2 * acb.pi() * variance).log() / 2

    return Density(log_density, [-40, 40], "1e-80")


def laplace(mean: int) -> Density:
    def log_density(x: acb, analytic: bool) -> acb:
        return -(x - mean).real_abs(analytic=analytic) - acb(2).log()

    return Density(log_density, [-80, mean, 80], "1e-30", greatest_loss=1)


def overlap(one: Interval, other: Interval, width: float = 1e-15) -> bool:
    narrow = max(one.width, other.width) < width
    return narrow and one.lower <= other.upper and other.lower <= one.upper


@pytest.mark.parametrize("epsilon", ["-1", "0", "1"])
@pytest.mark.parametrize("variance", [1, 2])
def test_normal_hockey_stick(epsilon: str, variance: int) -> None:
    ours = hockey_stick(normal(0, variance), normal(1, 1), epsilon)
    assert overlap(ours, hockey_stick(Normal(0, variance), Normal(1, 1), epsilon))


def test_laplace_everything() -> None:
    p, q, exact = laplace(0), laplace(1), (Laplace(0, 1), Laplace(1, 1))
    assert overlap(renyi(p, q, 2), renyi(*exact, 2))
    assert overlap(renyi(p, q, "0.5"), renyi(*exact, "0.5"))
    assert overlap(kl(p, q), kl(*exact))
    assert overlap(hockey_stick(p, q, "0.3"), hockey_stick(*exact, "0.3"))


def test_what_lies_outside_leaves_the_upper_end_open() -> None:
    answer, exact = renyi(normal(0, 1), normal(1, 1), 2), Fraction(1)
    assert answer.upper == math.inf
    assert exact - Fraction(1, 10**12) < answer.lower <= exact
    half = renyi(normal(0, 1), normal(1, 1), "0.5")
    assert overlap(half, Interval.exactly(Fraction(1, 4)))


def test_polynomial_densities() -> None:
    flat = Density(lambda _, __: acb(0), [0, 1])
    ramp = Density(lambda x, analytic: (x + 0.5).log(analytic=analytic), [0, 1])
    assert Fraction(1, 8) in total_variation(flat, ramp)
    assert total_variation(flat, ramp).width < 1e-15
    assert float(renyi(flat, ramp, 2)) == pytest.approx(math.log(math.log(3)), rel=1e-12)
    assert float(kl(ramp, flat)) == pytest.approx(9 * math.log(1.5) / 8 + math.log(2) / 8 - 0.5)


def test_windows_may_differ() -> None:
    short = Density(lambda _, __: acb(0), [0, 1])
    long = Density(lambda _, __: -acb(2).log(), [0, 2])
    assert Fraction(1, 2) in total_variation(long, short)
    assert Fraction(1, 2) in total_variation(short, long)
    assert float(kl(short, long)) == pytest.approx(math.log(2))
    assert kl(long, short).upper == math.inf
    with pytest.raises(InvalidParameter, match="must overlap"):
        kl(short, Density(lambda _, __: acb(0), [3, 4]))


def test_equal_densities_give_a_sound_bracket() -> None:
    answer = total_variation(normal(0, 1), normal(0, 1))
    assert answer.lower == 0
    assert answer.upper < Fraction(1, 20)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"must integrate .*; got 2\.0"):
        Density(lambda _, __: acb(2).log(), [0, 1])
    with pytest.raises(InvalidParameter, match=r"must integrate .*; got 0\.5"):
        Density(lambda _, __: -acb(2).log(), [0, 1])
    for breaks in ([0], [0, 0], [1, 0]):
        with pytest.raises(InvalidParameter, match="`breaks` must be at least two increasing"):
            Density(lambda _, __: acb(0), breaks)
    flat = Density(lambda _, __: acb(0), [0, 1])
    with pytest.raises(InvalidParameter, match="`order` must be finite"):
        renyi(flat, flat, math.inf)


def test_sign_cells_cover_what_is_positive() -> None:
    def wave(x: arb) -> arb:
        return (5 * x).sin()

    above, unclear = sign_cells(wave, (Fraction(0), Fraction(3)))
    length = float(sum(high - low for low, high in above))
    assert length == pytest.approx(3 - 2 * math.pi / 5, rel=1e-9)
    assert len(above) == 3
    assert sum(high - low for low, high in unclear) < 1e-9
