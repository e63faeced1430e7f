"""Answers from noisy totals: quantiles of sums of noise, and how often intervals hold the truth."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from leastnoise.ledger.meters import Family
from leastnoise.release.estimate import Linear, Measured, Ratio, quantile, tail
from leastnoise.tables.expressions import Column
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Present, Rows

X = Column("x", Type.NUMBER)
ROWS, PRESENT = Rows(), Present(None, X)
FAMILIES: list[Family] = ["laplace", "gaussian"]
DRAWS = 40_000


def draw(family: Family, size: float, count: int = DRAWS) -> Any:
    random = np.random.default_rng()
    return random.laplace(0, size, count) if family == "laplace" else random.normal(0, size, count)


@pytest.mark.parametrize(
    "scales", [[1.0], [1.0, 3.0], [2.0, 2.0], [1.0, 1.0005], [1.0, 1e-9], [1.0, 2.0, 5.0]]
)
@pytest.mark.parametrize("x", [0.0, 0.3, 2.0, 20.0])
def test_the_tail_of_a_sum_of_laplace_noise(scales: list[float], x: float) -> None:
    """By its characteristic function; too large by 0.4 % of the argument at most."""
    found = float(tail("laplace", np.array(scales), np.array(x)))
    wide = _by_inversion([1.004 * scale for scale in scales], x)
    assert _by_inversion(scales, x) * (1 - 1e-4) - 1e-7 <= found <= wide * (1 + 1e-4) + 1e-7


def _by_inversion(scales: list[float], x: float) -> float:
    if len(scales) == 1:
        return float(0.5 * np.exp(-x / scales[0]))

    def density(t: float) -> float:
        return float(np.prod([1 / (1 + (scale * t) ** 2) for scale in scales]))

    found, _ = integrate.quad(lambda t: density(t) * np.sin(t * x) / t, 0, 4000, limit=20_000)
    return float(0.5 - found / np.pi)


def test_quantiles_are_where_the_tail_is_the_risk() -> None:
    for sizes in ([2.0], [2.0, 3.0], [1.0, 1.0, 4.0]):
        for risk in (0.01, 0.04, 0.25):
            for family in FAMILIES:
                at = quantile(family, sizes, risk)
                assert float(tail(family, np.array(sizes), np.array(at))) == pytest.approx(
                    risk, rel=1e-6
                )
    assert quantile("laplace", [1.0], 0.01) == pytest.approx(3.9120, abs=1e-4)
    assert quantile("laplace", [1.0], 0.04) == pytest.approx(2.5257, abs=1e-4)
    assert quantile("gaussian", [1.0], 0.01) == pytest.approx(2.3263, abs=1e-4)
    assert quantile("gaussian", [1.0], 0.04) == pytest.approx(1.7507, abs=1e-4)


def share_is(count: int, expected: float) -> bool:
    """Whether a share of draws is what is expected, with a false alarm of 1e-6."""
    return bool(stats.binomtest(count, DRAWS, expected).pvalue > 1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_count_is_held_with_four_parts_of_the_risk_below(family: Family) -> None:
    measured = Measured(family, {ROWS: 1000 + draw(family, 7)}, {ROWS: 7.0}, limited=True)
    found = Linear.of(ROWS, sign=1).answers(measured, 0.95)
    assert share_is((found.low > 1000).sum(), 0.04)
    assert share_is((found.high < 1000).sum(), 0.01)
    even = Linear.of(ROWS, sign=1).answers(
        Measured(family, measured.values, measured.sizes, limited=False), 0.9
    )
    assert share_is((even.low > 1000).sum(), 0.05)
    assert share_is((even.high < 1000).sum(), 0.05)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("sign", "risks"), [(1, (0.04, 0.01)), (0, (0.025, 0.025)), (-1, (0.01, 0.04))]
)
def test_a_sum_of_one_sign_is_uneven(family: Family, sign: int, risks: tuple[float, float]) -> None:
    truth = {1: 5000.0, 0: 100.0, -1: -5000.0}[sign]
    values = {PRESENT: 100 + draw(family, 3), ROWS: (truth - 300) / 2 + draw(family, 5)}
    linear = Linear({PRESENT: Fraction(3), ROWS: Fraction(2)}, sign)
    found = linear.answers(Measured(family, values, {PRESENT: 3.0, ROWS: 5.0}, limited=True), 0.95)
    assert share_is((found.low > truth).sum(), risks[0])
    assert share_is((found.high < truth).sum(), risks[1])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("truth", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("rows", [100, 2000])
def test_a_ratio_is_held_in_95_per_cent(family: Family, truth: float, rows: int) -> None:
    values = {PRESENT: rows + draw(family, 9), ROWS: rows * (2 * truth - 1) + draw(family, 9)}
    half = Fraction(1, 2)
    ratio = Ratio({PRESENT: half, ROWS: half}, {PRESENT: Fraction(1)}, Fraction(0), Fraction(1))
    found = ratio.answers(Measured(family, values, {PRESENT: 9.0, ROWS: 9.0}, limited=True), 0.95)
    held = ((found.low <= truth) & (truth <= found.high)).sum()
    assert held / DRAWS > 0.945
    if rows == 2000:
        assert share_is(int(held), 0.95) or held / DRAWS > 0.95


@pytest.mark.parametrize("family", FAMILIES)
def test_a_ratio_of_nothing_is_the_whole_range(family: Family) -> None:
    values = {PRESENT: np.array([-5.0, 0.0, 3.0]), ROWS: np.array([100.0, 0.0, -4.0])}
    ratio = Ratio({ROWS: Fraction(1)}, {PRESENT: Fraction(1)}, Fraction(-20), Fraction(120))
    found = ratio.answers(Measured(family, values, {PRESENT: 9.0, ROWS: 90.0}, limited=True), 0.95)
    assert (found.low[:2] == -20).all()
    assert (found.high[:2] == 120).all()
    assert np.isfinite([found.value, found.standard_error]).all()
    assert ((found.low <= found.value) & (found.value <= found.high)).all()


def test_answers_are_rounded_to_four_digits_of_their_error() -> None:
    measured = Measured(
        "gaussian", {ROWS: np.array([57612.3456789])}, {ROWS: 1783.123}, limited=True
    )
    found = Linear.of(ROWS, sign=1).answers(measured, 0.95).rounded()
    assert (found.value[0], found.standard_error[0]) == (57612, 1783)
