"""Intervals of means, variances and quantiles: they hold the truth as often as said, and are no
wider than that takes."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import leastnoise as ln
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.quantile.summed_quantiles import SummedQuantiles, reaches
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.privacy.guarantee import ZCDP, Guarantee, PureDP
from leastnoise.randomness import Source
from leastnoise.release import gate
from leastnoise.release.draw.answered import answered, make_answers_ready, measured
from leastnoise.release.draw.drawn import drawn
from leastnoise.release.plan import Plan
from leastnoise.release.questions import noise_together
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.ratio_ends import ChordReach, ratio_ends, ratio_reach
from leastnoise.release.questions.variance_ends import variance_ends
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.grant import Grant
from tests.release.drawn_again import drawn_again

FINE = 1000  # steps of the lattice in a unit of noise: as good as none
LAPLACE, NORMAL = DiscreteLaplace(scale=FINE), DiscreteGaussian(variance=FINE**2)
PLACES = (1.0, 0.0), (-1.0, -1.0)
USUAL = Fraction(95, 100)


def together(*laws: LatticeLaw, units: tuple[float, ...] | None = None) -> NoiseTogether:
    given = [Grant(PureDP(epsilon=1), Fraction(1), noise=law) for law in laws]
    return NoiseTogether.of(given, units or (float(FINE),) * len(laws))


@pytest.mark.parametrize(
    ("place", "exact"), [(0, 2.995732), (0.1, 2.707339), (0.25, 2.334972), (0.5, 2.056502)]
)
def test_quantiles_of_two_laplace_noises(place: float, exact: float) -> None:
    found = together(LAPLACE, LAPLACE).quantile((1 - place, -place), 0.05)
    assert exact < found < 1.005 * exact


@pytest.mark.parametrize("place", [0.0, 0.1, 0.25, 0.5])
def test_quantiles_of_two_normal_noises(place: float) -> None:
    found = together(NORMAL, NORMAL).quantile((1 - place, -place), 0.05)
    assert 1.959 * np.hypot(1 - place, place) < found < 1.97 * np.hypot(1 - place, place)


@pytest.mark.parametrize(
    "law",
    [
        Staircase(epsilon=1, sensitivity=3, width=1),
        Staircase(epsilon=1, sensitivity=10**6, width=400000),
        DiscreteGaussian(variance="0.5"),
        DiscreteLaplace(scale=2),
        DiscreteGaussian(variance=30),
        TableLaw({0: 1}),
    ],
    ids=repr,
)
def test_one_number_alone_has_the_quantile_of_its_law(law: LatticeLaw) -> None:
    noise = together(law, units=(1.0,))
    for risk in ("0.5", "0.05", "0.004"):
        exact = law.quantile(1 - Fraction(risk))
        assert exact <= noise.quantile((1.0,), float(risk)) <= 1.04 * exact + 1


@pytest.mark.parametrize(
    ("law", "ends"), [(LAPLACE, (0.19058, 0.28528)), (NORMAL, (0.20790, 0.27050))]
)
def test_places_of_a_mean(law: LatticeLaw, ends: tuple[float, float]) -> None:
    reach = ratio_reach(together(law, law), PLACES, (0.0, 1.0), 0.05)
    found = ratio_ends(np.array([12.0]), np.array([50.0]), (0.0, 1.0), reach)
    assert ends[0] - 4e-4 < found[0][0] < ends[0] + 1e-6
    assert ends[1] - 1e-6 < found[1][0] < ends[1] + 4e-4


def test_a_quotient_of_two_sums() -> None:
    noise = together(NORMAL, NORMAL, units=(FINE / 10, FINE / 5))
    reach = ratio_reach(noise, ((1.0, 0.0), (0.0, -1.0)), (2.0, 4.0), 0.05)
    found = ratio_ends(np.array([300.0]), np.array([100.0]), (2.0, 4.0), reach)
    assert found[0][0] == pytest.approx(2.67285, abs=3e-3)
    assert found[1][0] == pytest.approx(3.38533, abs=3e-3)


def test_ends_where_little_is_known() -> None:
    flat = ChordReach(np.array([0.0, 1.0]), np.array([3.0, 3.0]))
    tops = np.array([-1.0, 2.0, -9.0, 59.0, 25.0])
    bottoms = np.array([0.0, -5.0, 50.0, 50.0, 50.0])
    lower, upper = ratio_ends(tops, bottoms, (0.0, 1.0), flat)
    assert lower == pytest.approx([0, 0, 0, 0.94, 0.44])
    assert upper == pytest.approx([1, 1, 0.06, 1, 0.56])


def _rows(size: int) -> np.ndarray:
    return np.round(np.random.default_rng(size).beta(2, 5, size) * 100)


def _asked(values: np.ndarray, others: int, ask: Callable[[Plan], Plan]) -> Plan:
    asked = ask(ln.plan(ln.read(pd.DataFrame({"x": values}), unit=None)))
    for place in range(others):
        asked = asked.count(where=ln.col("x") > place, name=f"above {place}")
    return asked


def mean(asked: Plan) -> Plan:
    return asked.mean("x", lower=0, upper=100)


def mean_of_all(asked: Plan) -> Plan:
    return asked.mean("x", lower=0, upper=100, missing="middle")


def variance(asked: Plan) -> Plan:
    return asked.variance("x", lower=0, upper=100)


def _missed(tables: list[ReleasedTable], truth: float) -> int:
    return sum(not each.lower[0] <= truth <= each.upper[0] for each in tables)


def _width(tables: list[ReleasedTable]) -> float:
    """Half-width in standard errors."""
    halves = [(each.upper[0] - each.lower[0]) / 2 / each.standard_error[0] for each in tables]
    return float(np.median(halves))


@pytest.mark.spread(3)
@pytest.mark.parametrize("ask", [mean, mean_of_all])
@pytest.mark.parametrize("others", [0, 4])
@pytest.mark.parametrize(
    ("size", "budget"),
    [(10, PureDP(epsilon=4)), (300, PureDP(epsilon="0.5")), (300, ZCDP(rho="0.1"))],
    ids=repr,
)
def test_means_are_held_as_often_as_said(
    ask: Callable[[Plan], Plan], others: int, size: int, budget: Guarantee
) -> None:
    """Of 460 intervals that are right with 94 to 97 % some are wrong, and not too many."""
    values, times = _rows(size), 460
    seen = [each[0] for each in drawn_again(_asked(values, others, ask), budget, times)]
    missed = _missed(seen, float(values.mean()))
    assert binom.sf(missed - 1, times, 0.06) > 1e-9
    assert binom.cdf(missed, times, 0.045) > 1e-9
    assert _width(seen) < 2.3
    assert all(each.lower[0] <= each.values[0] <= each.upper[0] for each in seen)


@pytest.mark.parametrize("budget", [PureDP(epsilon=2), ZCDP(rho="0.5")], ids=repr)
def test_variances_are_held_at_least_as_often_as_said(budget: Guarantee) -> None:
    values, times = _rows(1000), 50
    seen = [each[0] for each in drawn_again(_asked(values, 0, variance), budget, times)]
    assert binom.sf(_missed(seen, float(values.var())) - 1, times, 0.06) > 1e-9
    assert _width(seen) < 2.5
    few = _asked(_rows(5), 0, variance)
    for (table,) in drawn_again(few, PureDP(epsilon="0.1"), 2):
        assert (table.lower[0], table.upper[0]) == (0, 2500)


@pytest.mark.spread(6)
@pytest.mark.parametrize("law", [LAPLACE, NORMAL], ids=repr)
@pytest.mark.parametrize(("size", "most"), [(300, 0.995), (10**4, 0.965), (10**6, 0.965)])
@pytest.mark.parametrize(("middle", "true"), [(0.0, 0.2), (-0.7, 0.1)])
def test_variance_ends_by_many_draws(
    law: LatticeLaw, size: int, most: float, middle: float, true: float
) -> None:
    """Noises of 3, 3 and 1.5 units: the study's table."""
    times, units = 20000, (FINE / 3, FINE / 3, FINE / 1.5)
    drawn = [law.sample(times, Source()) / unit for unit in units]
    sums = size, size * middle, size * (true + middle**2 - 0.5)
    noisy = sums[0] + drawn[0], sums[1] + drawn[1], sums[2] + drawn[2]
    lower, upper = variance_ends(noisy, together(law, law, law, units=units), 0.5, 0.05)
    held = float(((lower <= true) & (true <= upper)).mean())
    assert 0.943 < held < most
    if size > 1000:
        slopes = 0.5 + middle**2 - true, -2 * middle, 1.0
        spread = np.std(np.stack(drawn).T @ slopes) / size
        assert float(np.median(upper - lower)) / 2 < 2.3 * spread


def test_rounding_leaves_intervals() -> None:
    values, times = _rows(300), 200
    asked = _asked(values, 0, mean)
    seen = [each[0] for each in drawn_again(asked, PureDP(epsilon="0.5"), times)]
    for changed in ([each.rounded() for each in seen], [each.non_negative() for each in seen]):
        missed = _missed(changed, float(values.mean()))
        assert missed == _missed(seen, float(values.mean()))
        assert binom.sf(missed - 1, times, 0.06) > 1e-9


@pytest.mark.parametrize("promise", [PureDP(epsilon="0.5"), ZCDP(rho="0.1")], ids=repr)
def test_quantiles_of_sums_are_held_and_near(promise: PureDP | ZCDP) -> None:
    levels, times = [Fraction(k, 20) for k in range(1, 20)], 400
    mechanism = Quantiles(levels, cells=256, contribution=1, promise=promise, grouped=True)
    counts = np.bincount(np.random.default_rng(5).integers(40, 200, 600), minlength=256)
    truth = np.searchsorted(np.cumsum(counts), [float(level) * 600 for level in levels])
    found = mechanism.release_with_ends(np.tile(counts, (times, 1)), USUAL).value
    missed = ((found[:, :, 1] > truth) | (found[:, :, 2] < truth)).sum(axis=0)
    assert binom.sf(int(missed.max()) - 1, times, 0.05) > 1e-9
    assert missed.sum() > 0  # a bound for all cells at once would hold nearly always
    assert isinstance(mechanism.way, SummedQuantiles)
    # In standard errors of a sum of counts less its part of all counts: 1.96 of a normal law, and
    # at most what one Laplace law has, ln(20)/√2.
    spread = np.array(mechanism.way.usual_errors) * math.sqrt(math.pi / 2)
    ratio = reaches(mechanism.way, USUAL).max(axis=1) / spread
    assert 1.9 < ratio.min() <= ratio.max() < (1.97 if isinstance(promise, ZCDP) else 2.12)


def test_what_intervals_need_is_found_before_the_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between charge and answers a killed process loses what was paid for."""
    rows = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [3.0, 1.0, 2.0]})
    asked = ln.plan(ln.read(rows, unit=None)).mean("x", lower=0, upper=7)
    asked = asked.mean("y", lower=0, upper=9, missing="middle").variance("x", lower=0, upper=7)
    priced = asked._priced(ln.PureDP(epsilon="1.37"))
    make_answers_ready(priced)
    monkeypatch.setattr(noise_together, "_points", lambda _: pytest.fail("found too late"))
    noise_together._known.cache_clear()
    admitted = priced.admitted(ln.PureDP(epsilon="1.37"))
    secrets = measured(admitted, Source())
    paid = gate.Paid(admitted.steps, Entry(1, "", Charge((), "", {}, "")), gate._SEAL)
    assert len(list(answered(priced, drawn(paid, secrets, Source())))) == 3
