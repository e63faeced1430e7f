"""Repaired noise: the exact law of one and two columns, its price, its errors, and when it pays."""

import math
from fractions import Fraction as F
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chi2, norm

from leastnoise.mechanisms.thresholds import AboveThreshold
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.workloads.column_noise import BlockNoise, RepairedNoise, gaussian_noise
from leastnoise.workloads.one_way import one_way_marginals
from tests.scripted import Scripted

FALSE_ALARM = 1e-9
REACH = 18
Law = dict[tuple[int, ...], float]


def gaussians(columns: int, variance: F) -> BlockNoise:
    """Of this variance, which is columns over a square."""
    root = F(math.isqrt(variance.numerator * columns), columns)  # sqrt(variance/columns)
    assert columns * root**2 == variance
    return gaussian_noise(columns, 1 / root)


def small(columns: int, threshold: int = 6) -> RepairedNoise:
    """First noise of variance 8 or 9, one search, one fresh draw of variance 4."""
    first = gaussians(columns, F(9) if columns == 1 else F(8))
    search = AboveThreshold(threshold=threshold, epsilon=1, share="0.4")
    return RepairedNoise(first, search, gaussians(1, F(4)))


def bells(noise: BlockNoise) -> dict[int, float]:
    sigma = math.sqrt(noise.columns) / float(noise.mu)
    return {k: norm.cdf(k + 0.5, scale=sigma) - norm.cdf(k - 0.5, scale=sigma)
            for k in range(-REACH, REACH + 1)}  # fmt: skip


@cache
def exact_law(columns: int) -> Law:
    """The law of the noise with one repair, by summing over everything."""
    noise, law = small(columns), Law()
    first, fresh = bells(noise.first), bells(noise.fresh)
    fall = math.exp(-float(noise.search.threshold_rate))
    query = float(noise.search.query_rate)

    def fires(z: int, rho: int) -> float:
        """P(nu >= T + rho - |z|)."""
        return math.exp(-query * max(0, noise.search.threshold + rho - abs(z)))

    def add(y: tuple[int, ...], p: float) -> None:
        law[y] = law.get(y, 0.0) + p

    for rho in range(60):
        weight = fall**rho * (1 - fall)
        silent = {z: p * (1 - fires(z, rho)) for z, p in first.items()}
        fired = sum(p * fires(z, rho) for z, p in first.items())
        if columns == 1:
            for y in first:
                add((y,), weight * (silent[y] + fired * fresh[y]))
            continue
        for a, b in product(first, repeat=2):
            # The first fires, and the second is left as it is; or the first is silent.
            chance = fired * fresh[a] * first[b] + silent[a] * (silent[b] + fired * fresh[b])
            add((a, b), weight * chance)
    return law


@pytest.mark.parametrize("columns", [1, 2])
def test_no_move_of_a_row_loses_more_than_is_stated(columns: int) -> None:
    """The published noise is a function of what is priced, so its law may lose less."""
    law, noise = exact_law(columns), small(columns)
    assert sum(law.values()) == pytest.approx(1, abs=1e-6)
    for epsilon in ("0.3", "1", "2"):
        factor, stated = math.exp(float(epsilon)), float(noise.loss.delta(epsilon).upper)
        for by in product((-1, 0, 1), repeat=columns):
            lost = math.fsum(
                max(0.0, p - factor * law.get(tuple(np.subtract(y, by).tolist()), 0.0))
                for y, p in law.items()
            )
            assert lost <= stated + 1e-6


@pytest.mark.parametrize("columns", [1, 2])
def test_errors_hold_the_exact_ones(columns: int) -> None:
    law, noise = exact_law(columns), small(columns)
    for t in range(REACH):
        beyond = math.fsum(p for y, p in law.items() if max(map(abs, y)) > t)
        found = noise.exceeds(t)
        assert float(found.lower) - 1e-6 <= beyond <= float(found.upper) + 1e-6
    for order in (1, 2):
        mean = math.fsum(p * abs(y[0]) ** order for y, p in law.items())
        held = noise.moment(order)
        assert float(held.lower) <= mean <= float(held.upper)
    confidence = F(9, 10)
    worst = noise.worst(confidence)
    assert noise.exceeds(worst).upper <= 1 - confidence < noise.exceeds(worst - 1).upper


def test_draws_have_the_exact_law() -> None:
    """Pearson's test of two columns, and another threshold is noticed."""
    cells: dict[tuple[int, ...], float] = {}

    def cell(y: Any) -> tuple[int, ...]:
        return tuple(min(abs(int(each)) // 2, 4) for each in y)

    for y, p in exact_law(2).items():
        cells[cell(y)] = cells.get(cell(y), 0.0) + p
    words = np.random.default_rng(12).integers(0, 256, (3000, 512), np.uint8)

    def statistic(noise: RepairedNoise) -> float:
        counts = dict.fromkeys(cells, 0)
        for each in words:
            counts[cell(noise.sample(Scripted(bytes(each))))] += 1
        return sum((counts[c] - len(words) * p) ** 2 / (len(words) * p) for c, p in cells.items())

    assert chi2.sf(statistic(small(2)), len(cells) - 1) >= FALSE_ALARM
    assert chi2.sf(statistic(small(2, threshold=9)), len(cells) - 1) < FALSE_ALARM


def test_only_so_many_columns_are_repaired() -> None:
    """All columns are above the threshold: the first seven are drawn anew, the others stay."""
    first, fresh = gaussian_noise(50, F(1, 10**6)), gaussian_noise(7, F(10**9))  # always 0
    noise = RepairedNoise(first, AboveThreshold(threshold=1, epsilon=10), fresh)
    drawn = noise.sample(Scripted(bytes(np.random.default_rng(1).integers(0, 256, 1 << 14, np.uint8))))  # fmt: skip
    assert not drawn[:7].any() and drawn[7:].all()


def test_the_price_is_the_sum_of_its_parts() -> None:
    search = AboveThreshold(threshold=6, epsilon="0.8")
    noise = RepairedNoise(gaussian_noise(5, F(1, 2)), search, gaussian_noise(3, F(1, 4)))
    parts = [PrivacyLoss.gaussian(mu="0.5"), PrivacyLoss.gaussian(mu="0.25")]
    searches = PrivacyLoss.worst_case(epsilon="0.8").self_compose(3)
    for epsilon in ("1", "2.5"):
        expected = parts[0].compose(parts[1], searches).delta(epsilon)
        assert noise.loss.delta(epsilon) == expected
        less = parts[0].compose(parts[1], PrivacyLoss.worst_case(epsilon="0.8").self_compose(2))
        assert noise.loss.delta(epsilon).lower > less.delta(epsilon).upper


def test_a_large_value_passes_unseen_as_rarely_as_stated() -> None:
    """With so rare a query noise, P(error > t) is P(|z| > t) times that of a high threshold, nearly."""
    search = AboveThreshold(threshold=6, epsilon=20, share="0.05")
    noise = RepairedNoise(gaussian_noise(1, F(1, 10**6)), search, gaussian_noise(1, F(10)))
    for t in (6, 7, 9):
        truth = math.exp(-float(search.threshold_rate) * (t + 2 - 6))  # z is far above t
        assert float(noise.exceeds(t).upper) >= min(1, truth)
        assert float(noise.moment(1).upper) > 0
    assert noise.exceeds(10).lower == 0


def test_more_hits_than_repairs_are_not_forgotten() -> None:
    """One repair and fifty columns: only one can be mended."""
    search = AboveThreshold(threshold=1, epsilon=10)
    noise = RepairedNoise(gaussians(50, F(200)), search, gaussian_noise(1, F(1)))
    for t in (15, 25, 35):
        one = 2 * norm.sf((t + 0.5) / math.sqrt(200))
        assert float(noise.exceeds(t).lower) == pytest.approx(binom.sf(1, 50, one))
        assert noise.exceeds(t).lower <= noise.exceeds(t).upper


@pytest.mark.parametrize("threshold", [1, 4, 30, 200])
def test_what_reaches_the_threshold_is_bounded_closely(threshold: int) -> None:
    """Against the sum over the integers."""
    search = AboveThreshold(threshold=threshold, epsilon="0.3", share="0.4")
    noise = RepairedNoise(gaussians(2, F(800)), search, gaussian_noise(1, F(1)))
    rate, sigma = float(search.query_rate), math.sqrt(800)
    truth = math.fsum(
        (norm.cdf(k + 0.5, scale=sigma) - norm.cdf(k - 0.5, scale=sigma)) * math.exp(-rate * max(0, threshold - abs(k)))
        for k in range(-400, 401)
    )  # fmt: skip
    assert truth <= float(noise._reaching) <= 1.1 * truth


# Made for a promise


@pytest.mark.parametrize("columns", [3, 3000])
def test_what_is_made_keeps_its_promise_and_wastes_little(columns: int) -> None:
    made = one_way_marginals((9, columns), epsilon=1, delta="1e-6", mechanism="repaired")
    assert made.guarantee == ApproxDP(epsilon=1, delta="1e-6")
    assert F(8, 10**7) < made.privacy().delta(1).upper <= F(1, 10**6)


@pytest.mark.parametrize(
    ("power", "gaussian", "repaired"), [(10, 548, 626), (14, 2521, 2636), (17, 7760, 7357)]
)
def test_repairs_pay_for_many_columns_and_not_for_few(
    power: int, gaussian: int, repaired: int
) -> None:
    """Errors of counts in 95 % of draws, (1, 1e-6)-DP: figures of docs/proofs/one_way_marginals.md."""
    found: list[int] = [
        one_way_marginals((9, 1 << power), epsilon=1, delta="1e-6", mechanism=kind).noise.worst(F(19, 20))
        for kind in ("gaussian", "repaired")
    ]  # fmt: skip
    assert found == pytest.approx([gaussian, repaired], rel=2e-3)
    assert one_way_marginals((9, 1 << power), epsilon=1, delta="1e-6").kind == ("gaussian" if power < 17 else "repaired")  # fmt: skip


def test_draws_stay_within_the_stated_error() -> None:
    """60 draws of 2^12 columns: more than so many beyond would be a false alarm in 1e-9 of runs."""
    noise = one_way_marginals((9, 1 << 12), epsilon=1, delta="1e-6", mechanism="repaired").noise
    assert isinstance(noise, RepairedNoise)
    words = np.random.default_rng(4).integers(0, 256, (60, 1 << 18), np.uint8)
    worst = [int(np.abs(noise.sample(Scripted(bytes(each)))).max()) for each in words]
    high = noise.worst(F(9, 10))
    assert binom.sf(sum(each > high for each in worst) - 1, 60, 0.1) >= FALSE_ALARM
    least = max(t for t in range(0, high, 10) if noise.exceeds(t).lower >= F(9, 10))
    assert binom.sf(sum(each <= least for each in worst) - 1, 60, 0.1) >= FALSE_ALARM


def test_fresh_noise_may_be_larger_than_what_it_replaces() -> None:
    """Every column is surely above this threshold, so its error is the fresh noise."""
    noise = RepairedNoise(gaussian_noise(1, F(1)), AboveThreshold(threshold=-50, epsilon=9), gaussian_noise(1, F(1, 10)))  # fmt: skip
    for order in (1, 2):
        assert noise.moment(order).upper >= noise.fresh.moment(order).lower


def test_certain_hits_are_no_division_by_zero() -> None:
    noise = RepairedNoise(gaussian_noise(3, F(1)), AboveThreshold(threshold=0, epsilon=1), gaussian_noise(2, F(1)))  # fmt: skip
    assert noise._reaching == 1
    assert isinstance(noise.exceeds(3), Interval) and noise.exceeds(40).upper < F(1, 10**9)
