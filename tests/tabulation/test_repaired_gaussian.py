import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, chi2

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.noise import DiscreteGaussian
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.privacy.implications import rho_of_pure
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.tabulation import IndependentNoise, RepairedGaussian
from leastnoise.tabulation.error_laws import single_error, worst_error
from leastnoise.tabulation.gaussian_calibration import gaussian_perturbation
from leastnoise.tabulation.repaired_calibration import repaired_perturbation
from tests.tabulation.brute_force import gaussian_law, hockey_stick, shifted

FALSE_ALARM = 1e-6
REACH = 24


def small(columns: int, repairs: int = 1) -> RepairedGaussian:
    return RepairedGaussian(
        columns=columns,
        law=DiscreteGaussian(9),
        threshold=6,
        gate=ThresholdNoise(epsilon=1, sensitivity=1, threshold_share="0.4"),
        fresh=DiscreteGaussian(4),
        repairs=repairs,
    )


def exact_law(noise: RepairedGaussian) -> dict[tuple[int, ...], float]:
    """The law of the noise for one or two columns and one repair, by summing over everything."""
    first = gaussian_law(float(noise.law.sigma_squared), REACH)
    fresh = gaussian_law(float(noise.fresh.sigma_squared), REACH)
    threshold_rate, query_rate = float(noise.gate.threshold_rate), float(noise.gate.query_rate)
    thresholds = {
        r: math.exp(-threshold_rate * r) * (1 - math.exp(-threshold_rate)) for r in range(100)
    }

    def fires(z: int, rho: int) -> float:
        """P(ν ≥ T + ρ − |z|)."""
        return math.exp(-query_rate * max(0, noise.threshold + rho - abs(z)))

    law: dict[tuple[int, ...], float] = {}

    def add(y: tuple[int, ...], p: float) -> None:
        law[y] = law.get(y, 0.0) + p

    for rho, weight in thresholds.items():
        silent = {z: p * (1 - fires(z, rho)) for z, p in first.items()}
        fired = sum(p * fires(z, rho) for z, p in first.items())
        if noise.columns == 1:
            for y in range(-REACH, REACH + 1):
                add((y,), weight * (silent[y] + fired * fresh[y]))
            continue
        for a, b in product(range(-REACH, REACH + 1), repeat=2):
            # The first fires, and the second is left as it is; or the first is silent.
            chance = fired * fresh[a] * first[b] + silent[a] * (silent[b] + fired * fresh[b])
            add((a, b), weight * chance)
    return law


@pytest.mark.parametrize("columns", [1, 2])
def test_privacy_against_the_exact_law(columns: int) -> None:
    noise = small(columns)
    law = exact_law(noise)
    assert sum(law.values()) == pytest.approx(1, abs=1e-9)
    for epsilon in (0.3, 1.0, 2.0):
        stated = float(noise.privacy(1).delta(epsilon).upper)
        for by in product((-1, 0, 1), repeat=columns):
            moved = shifted(law, by)
            assert hockey_stick(law, moved, epsilon) <= stated
            assert hockey_stick(moved, law, epsilon) <= stated


@pytest.mark.parametrize("columns", [1, 2])
def test_errors_against_the_exact_law(columns: int) -> None:
    noise = small(columns)
    law = exact_law(noise)
    for t in range(REACH):
        worst = sum(p for y, p in law.items() if max(map(abs, y)) <= t)
        one = sum(p for y, p in law.items() if abs(y[0]) <= t)
        for found, exact in (
            (noise.worst_within(t, None), worst),
            (noise.one_within(t, None), one),
        ):
            assert float(found.lower) <= exact + 1e-9
            assert float(found.upper) >= exact - 1e-9
    for found, order in ((noise.absolute_mean, 1), (noise.variance, 2)):
        exact = sum(p * abs(y[0]) ** order for y, p in law.items())
        assert float(found.lower) <= exact <= float(found.upper)


def test_samples_have_the_exact_law() -> None:
    """Pearson's test on the joint law of two columns; the same with less noise is rejected."""
    noise = small(2)
    law = exact_law(noise)
    draws = 20_000
    cells: dict[tuple[int, int], float] = {}
    for (a, b), p in law.items():
        cell = (min(abs(a) // 2, 4), min(abs(b) // 2, 4))
        cells[cell] = cells.get(cell, 0.0) + p

    def statistic(sampled: RepairedGaussian) -> float:
        counts = dict.fromkeys(cells, 0)
        for _ in range(draws):
            a, b = (min(abs(int(part)) // 2, 4) for part in sampled.sample())
            counts[a, b] += 1
        return sum((counts[c] - draws * p) ** 2 / (draws * p) for c, p in cells.items())

    assert chi2.sf(statistic(noise), len(cells) - 1) >= FALSE_ALARM
    other = RepairedGaussian(
        columns=2,
        law=noise.law,
        threshold=noise.threshold + 2,
        gate=noise.gate,
        fresh=noise.fresh,
        repairs=1,
    )
    assert chi2.sf(statistic(other), len(cells) - 1) < FALSE_ALARM


def test_at_most_so_many_columns_are_repaired() -> None:
    noise = RepairedGaussian(
        columns=5000,
        law=DiscreteGaussian(10**4),
        threshold=1,
        gate=ThresholdNoise(epsilon=10, sensitivity=1),
        fresh=DiscreteGaussian("1e-6"),  # always 0
        repairs=7,
    )
    drawn = noise.sample()
    assert 7 <= np.count_nonzero(drawn == 0) < 7 + 60  # a first draw is 0 once in 250 times
    assert (drawn[:7] == 0).sum() >= 5  # the first columns are nearly all above the threshold


def test_the_price_is_the_sum_of_its_parts() -> None:
    noise = small(5, repairs=3)
    search = Fraction(rho_of_pure(1).upper)
    parts = Fraction(5, 18) + 3 * (search + Fraction(1, 8))
    assert parts * (1 - Fraction(1, 10**12)) <= noise.rho <= parts * (1 + Fraction(1, 10**12))
    more = small(5, repairs=4)
    assert more.privacy(1).delta(2).lower >= noise.privacy(1).delta(2).upper * Fraction(99, 100)


def test_the_search_is_paid_for() -> None:
    """With next to no cost of the Gaussians, the loss is that of two ε₀-DP releases."""
    noise = RepairedGaussian(
        columns=2,
        law=DiscreteGaussian(10**8),
        threshold=6,
        gate=ThresholdNoise(epsilon=1, sensitivity=1),
        fresh=DiscreteGaussian(10**8),
        repairs=2,
    )
    search = PrivacyLoss.worst_case(epsilon=1).self_compose(2)
    for epsilon in ("0.5", "1.5"):
        found = noise.privacy(1).delta(epsilon)
        assert found.upper >= search.delta(epsilon).lower
        assert float(found.upper) == pytest.approx(float(search.delta(epsilon)), abs=1e-3)


def test_a_value_passes_unseen_as_rarely_as_stated() -> None:
    """P(t + 1 + ν < T + ρ), nearly reached if ν is nearly always 0."""
    noise = RepairedGaussian(
        columns=3,
        law=DiscreteGaussian(9),
        threshold=6,
        gate=ThresholdNoise(epsilon=20, sensitivity=1, threshold_share="0.05"),
        fresh=DiscreteGaussian(4),
        repairs=1,
    )
    first, second = float(noise.gate.threshold_rate), float(noise.gate.query_rate)
    for t in (6, 7, 9):
        exact = sum(
            math.exp(-second * nu) * (1 - math.exp(-second)) * math.exp(-first * (t + 2 - 6 + nu))
            for nu in range(50)
        )
        assert exact <= float(noise._missed(t)) <= 1.001 * exact


def test_exhausted_repairs_are_not_forgotten() -> None:
    """With one repair and fifty columns above the threshold, only one can be mended."""
    noise = RepairedGaussian(
        columns=50,
        law=DiscreteGaussian(100),
        threshold=1,
        gate=ThresholdNoise(epsilon=10, sensitivity=1),
        fresh=DiscreteGaussian(1),
        repairs=1,
    )
    for t in (10, 15, 20, 25):
        most = binom.cdf(1, 50, float(noise.law.shape.outside(t).interval()))
        assert float(noise.worst_within(t, None).lower) <= most


# Calibrated


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("target", [ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.02")], ids=repr)
def test_calibrated_noise_keeps_the_promise(target: ApproxDP | ZCDP, centred: bool) -> None:
    found = repaired_perturbation(3000, target, centred=centred)
    assert found.keeps(target)
    assert (found.offset is not None) == centred
    if isinstance(target, ApproxDP):
        assert found.privacy(1).delta(target.epsilon).upper <= target.delta


def test_repairs_pay_for_many_columns_and_not_for_few() -> None:
    """95 % errors under zCDP: worse than Gaussian noise for 2**10 columns, better for 2**17."""
    target = ZCDP(rho="0.5")
    for columns, better in ((1 << 10, False), (1 << 17, True)):
        repaired = repaired_perturbation(columns, target, centred=False)
        plain = gaussian_perturbation(columns, target, centred=False)
        errors = [found.worst.quantile("0.95").upper for found in (repaired, plain)]
        assert (errors[0] < errors[1]) == better


def test_draws_stay_within_the_stated_error() -> None:
    found = repaired_perturbation(1 << 14, ZCDP(rho="0.5"), centred=False)
    noise, draws = found.noise, 200
    high = int(found.worst.quantile("0.9").upper)
    low = int(found.worst.quantile("0.5").lower)
    worst = [int(np.abs(noise.sample()).max()) for _ in range(draws)]
    within = sum(error <= high for error in worst)
    assert binom.cdf(within, draws, 0.9) >= FALSE_ALARM
    below = sum(error < low for error in worst)
    assert binom.sf(below - 1, draws, 0.5) >= FALSE_ALARM


def test_an_offset_only_widens_the_bracket() -> None:
    found = repaired_perturbation(500, ZCDP(rho="0.5"), centred=True)
    plain = IndependentNoise(found.noise.law, 500)  # type: ignore[attr-defined]
    assert worst_error(found.noise, found.offset).mean.lower >= 0
    single = single_error(found.noise, found.offset).quantile("0.9")
    alone = single_error(plain, found.offset).quantile("0.9")
    assert single.lower <= alone.upper
    assert single.upper >= alone.lower


def test_bad_parameters_are_refused() -> None:
    good = {
        "columns": 5,
        "law": DiscreteGaussian(9),
        "threshold": 6,
        "gate": ThresholdNoise(epsilon=1, sensitivity=1),
        "fresh": DiscreteGaussian(4),
        "repairs": 1,
    }
    RepairedGaussian(**good)  # type: ignore[arg-type]
    for bad in (
        {"columns": 0},
        {"threshold": 0},
        {"repairs": 0},
        {"gate": ThresholdNoise(epsilon=1, sensitivity=2)},
        {"gate": ThresholdNoise(epsilon=1, sensitivity=1, positives=2)},
        {"gate": ThresholdNoise(epsilon=1, sensitivity=1, monotone=True)},
    ):
        with pytest.raises(InvalidParameter):
            RepairedGaussian(**(good | bad))  # type: ignore[arg-type]
