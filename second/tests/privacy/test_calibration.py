"""The least noise: published constants, the classical rule's range (errata A3), proved searches."""

import math
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian, TableLaw
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.privacy.calibration import calibrate, classical_range, gaussian_sigma, verify
from leastnoise.privacy.loss import PrivacyLoss


def test_sigmas() -> None:
    """Golden: 4.224679 (Balle and Wang), 5.298803 (Dwork and Roth, constant 1.25) at (1, 1e-6)."""
    asked: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "sensitivity": 1}
    assert float(gaussian_sigma(**asked)) == pytest.approx(4.224679, abs=5e-7)
    classical = gaussian_sigma(**asked, rule="classical", constant="1.25")
    assert float(classical) == pytest.approx(5.298803, abs=5e-7)
    doubled = gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=2)
    assert float(doubled) == pytest.approx(2 * 4.224679, abs=1e-6)
    assert gaussian_sigma(epsilon=0, delta="0.1", sensitivity=1).width < Fraction(1, 10**12)


def test_sigma_is_the_least() -> None:
    found = gaussian_sigma(epsilon="0.5", delta="1e-5", sensitivity=1)
    for sigma, holds in ((found.upper, True), (found.lower * Fraction("0.9999999"), False)):
        delta = PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).delta("0.5")
        assert (delta.upper <= Fraction(1, 10**5) * (1 + Fraction(1, 10**15))) is holds


@pytest.mark.parametrize(
    ("asked", "truth"),
    [
        ({"epsilon": "0.1"}, 0.99992), ({"epsilon": "0.5"}, 0.99653), ({"epsilon": 1}, 0.98033),
        ({"delta": "1e-6"}, 8.339), ({"delta": "1e-12"}, 9.829), ({"delta": "0.5"}, 3.534),
        ({"epsilon": 1, "constant": "1.25"}, 1.0),
    ],
)  # fmt: skip
def test_where_the_classical_rule_is_true(asked: dict[str, str], truth: float) -> None:
    assert float(classical_range(**asked)) == pytest.approx(truth, abs=6e-4 if truth > 2 else 6e-6)


def test_the_classical_rule_is_refused_where_it_is_false() -> None:
    with pytest.raises(InvalidInput, match=r"holds up to 8\.33"):
        gaussian_sigma(epsilon=10, delta="1e-6", sensitivity=1, rule="classical")
    with pytest.raises(InvalidInput, match="one of them"):
        classical_range()
    with pytest.raises(InvalidInput, match="1 or more"):
        classical_range(epsilon=1, constant="0.5")


def test_a_search_is_proved_on_both_sides() -> None:
    found = calibrate(
        lambda sigma: PrivacyLoss.gaussian(mu=1 / sigma).self_compose(10), epsilon=1, delta="1e-6"
    )
    truth = math.sqrt(10) * 4.22467888932683
    assert float(found.parameter.lower) < truth < float(found.parameter.upper) * (1 + 1e-12)
    assert float(found.parameter.width) < 1e-7


def test_lattice_noise_is_calibrated() -> None:
    found = calibrate(lambda v: RoundedGaussian(variance=v), epsilon=1, delta="1e-5")
    assert repr(found).startswith("RoundedGaussian(variance=13.9")
    assert repr(found).endswith("(1, 1e-05)-DP at distance 1")
    assert verify(found.noise, sensitivity=1, epsilon=1, delta="1e-5")
    # Rounding never hurts: the continuous Gaussian needs a little more.
    assert (
        float(found.parameter) < float(gaussian_sigma(epsilon=1, delta="1e-5", sensitivity=1)) ** 2
    )


def test_what_cannot_be_calibrated_ends() -> None:
    with pytest.raises(Undecided, match="Every parameter"):
        calibrate(lambda _: PrivacyLoss.gaussian(mu="0.001"), epsilon=1, delta="1e-5")


def test_verification() -> None:
    assert verify(DiscreteLaplace(1), sensitivity=1, epsilon=1)
    refuted = verify(DiscreteLaplace(1), sensitivity=2, epsilon=1)
    assert not refuted and refuted.shift == 2
    lopsided = TableLaw({0: 3, 1: 1})  # moved up it is worse than moved down
    assert Fraction(3, 4) in verify(lopsided, sensitivity=1, epsilon=1).delta
