"""Regressions, cumulative distributions and covariances: held as often as said."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import leastnoise as ln
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.quantile.count_tree import CountTree
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.randomness import Source
from leastnoise.release.plan import Plan
from leastnoise.release.questions import noise_together
from leastnoise.release.questions.band import band_reach
from leastnoise.release.questions.covariance_ends import covariance_ends
from leastnoise.release.questions.question import Preparing
from leastnoise.release.questions.regression import Regression
from leastnoise.release.step.grant import Allotment
from tests.release.drawn_again import drawn_again
from tests.release.test_tight_intervals import FINE, together

LARGE, PURE = PureDP(epsilon=10**6), PureDP(epsilon=1)
SMOOTH = ApproxDP(epsilon=1, delta="1e-6")
_MADE = np.random.default_rng(9)


def made(count: int) -> pd.DataFrame:
    age = np.round(_MADE.uniform(18, 90, count))
    rows = pd.DataFrame(
        {"who": np.arange(count) // 2, "age": age, "smoker": _MADE.random(count) < 0.3}
    )
    rows["weight"] = 60 + 0.2 * age - 4 * rows.smoker + _MADE.normal(0, 5, count)
    rows["city"] = np.where(rows.who % 3, "Oslo", "Bergen")
    rows.loc[::29, "age"] = np.nan
    rows.loc[::31, "weight"] = np.nan
    return rows


ROWS = made(4000)
PARTS: dict[str, Any] = {"on_lower": [18, 0], "on_upper": [90, 1], "lower": 30, "upper": 110}


def people(rows: pd.DataFrame = ROWS) -> Plan:
    return ln.plan(ln.read(rows, unit="who"), max_groups=1, max_rows=2)


def explained(asked: Plan, **more: Any) -> Plan:
    return asked.regression("weight", ["age", "smoker"], **PARTS | more)


def exact(rows: pd.DataFrame) -> np.ndarray:
    whole = rows.dropna()
    ones = np.column_stack([np.ones(len(whole)), whole.age, whole.smoker])
    return np.asarray(np.linalg.lstsq(ones, whole.weight.clip(30, 110), rcond=None)[0])


def test_with_little_noise_coefficients_are_those_of_least_squares() -> None:
    asked = explained(explained(people()), by="city", keys=["Oslo", "Bergen"])
    ((whole, groups),) = drawn_again(asked, LARGE, 1)
    assert [row[-1] for row in whole.rows] == ["intercept", "age", "smoker"]
    assert whole.values == pytest.approx(exact(ROWS), rel=1e-3)
    assert groups.columns == ("city", "coefficient")
    for place, city in enumerate(["Oslo", "Bergen"]):
        own = groups.values[3 * place : 3 * place + 3]
        assert own == pytest.approx(exact(ROWS[ROWS.city == city]), rel=1e-3)


@pytest.mark.spread(2)
@pytest.mark.parametrize("budget", [PURE, SMOOTH, ln.ZCDP(rho="0.1")], ids=repr)
def test_coefficients_are_held_as_often_as_said(budget: Guarantee) -> None:
    """The spread of 200 draws is known to 6 %: two fifths are six standard errors and more."""
    times, truth = 200, exact(ROWS)
    seen = [each for (each,) in drawn_again(explained(people()), budget, times)]
    known = [each for each in seen if not np.isnan(each.values).any()]
    assert len(known) == times
    missed = np.sum([(each.lower > truth) | (each.upper < truth) for each in known], axis=0)
    assert binom.sf(int(missed.max()) - 1, times, 0.06) > 1e-10
    spread = np.std([each.values for each in known], axis=0)
    told = np.median([each.standard_error for each in known], axis=0)
    assert spread == pytest.approx(told, rel=0.4)
    halves = np.median([(each.upper - each.lower) / 2 for each in known], axis=0)
    assert (halves < 2.3 * told).all()


def test_intervals_about_a_population_hold_its_coefficients() -> None:
    """Tables of 4000 rows from one population; read as about a table they miss it often."""
    truth, times, missed = np.array([60, 0.2, -4]), 12, 0
    for _ in range(times):
        asked = explained(people(made(4000)), population=True)
        ((found,),) = drawn_again(asked, ln.PureDP(epsilon=1000), 1)
        missed += int(((found.lower > truth) | (found.upper < truth)).sum())
    assert binom.sf(missed - 1, 3 * times, 0.06) > 1e-7
    ((alone,),) = drawn_again(explained(people()), ln.PureDP(epsilon=1000), 1)
    assert ((found.upper - found.lower) > 5 * (alone.upper - alone.lower)).all()
    assert "population" in found.notes[0]
    assert "this table" in alone.notes[0]


def test_too_few_rows_are_flagged_before_and_not_known_after() -> None:
    asked = explained(people(ROWS.head(60)), expected=60)
    told = str(asked.preview(PURE))
    assert "too few rows: 60 are expected" in told
    assert "too few rows" not in str(explained(people(), expected=10**5).preview(PURE))
    assert "rows are needed" in str(explained(people()).preview(PURE))
    for (found,) in drawn_again(asked, ln.PureDP(epsilon="0.5"), 3):
        assert np.isnan([found.values, found.lower, found.upper, found.standard_error]).all()
        assert any("too few rows for so many columns" in note for note in found.notes)
        assert "not known" in str(found)


def test_regressions_with_the_same_columns_share_their_sums() -> None:
    both = explained(people()).regression(
        "age", ["weight", "smoker"], lower=18, upper=90, on_lower=[30, 0], on_upper=[110, 1]
    )
    alone = len(explained(people())._priced(PURE).drawn_steps)
    assert alone == 9  # of ten moments less two squares, of 0 or 1 and what is explained; one cut
    assert len(both._priced(PURE).drawn_steps) == alone + 1


def allotted(asked: Plan, budget: Guarantee) -> tuple[Regression, Allotment]:
    ((question, given),) = asked._priced(budget).allotted()
    assert isinstance(question, Regression)
    return question, given


def test_factors_are_what_a_product_has_of_each_sum() -> None:
    question, given = allotted(explained(people(), population=True), PURE)
    moments = question._moments(given.table)
    sums = _MADE.normal(size=(5, len(moments.aggregates)))
    left, right = _MADE.normal(size=(2, 5, moments.size))
    whole = np.einsum("gi,gij,gj->g", left, moments.matrices(sums), right)
    assert (moments.factors(left, right) * sums).sum(axis=1) == pytest.approx(whole)


def test_sums_are_weighed_by_their_reach_and_by_what_their_noise_does() -> None:
    """√Δ·g^(3/4): the number of rows, two sums, a square of half the reach, and products."""
    question, _ = allotted(explained(people()), PURE)
    shown = {(0, 0): 1 / 8, (0, 1): 8**-0.75, (0, 2): 8**-0.75, (1, 1): 0.5**0.5 / 8}
    shown |= {(1, 2): 8**-0.75, (2, 2): 0.5**0.5 / 8, (0, 3): 1, (1, 3): 1, (2, 3): 1}
    found = {pair: float(question._weight(pair)) for pair in shown}
    assert found == pytest.approx(shown, rel=2e-3)


def test_the_rows_needed_grow_with_noise_and_with_the_root_of_the_columns() -> None:
    for budget in (PURE, ln.ZCDP(rho="0.1")):
        question, given = allotted(explained(people()), budget)
        (told,) = question.forecast(given, Fraction(95, 100)).advice
        noise = max(question._noise(given).spreads(np.eye(len(given.grants))))
        needed = 32 * 3 * noise * 3**0.5  # an intercept and two columns
        assert float(told.split()[1].replace(",", "")) == pytest.approx(needed, rel=1e-6, abs=1)


def test_what_noises_are_together_is_found_before_the_charge() -> None:
    question, given = allotted(explained(people()), PURE)
    found = noise_together._known, noise_together._second_moments
    for each in found:
        each.cache_clear()
    question.make_ready(given, Fraction(95, 100))
    assert [each.cache_info().misses for each in found] == [1, 1]
    sums = _MADE.normal(1000, 10, (2, len(given.grants)))
    question._fitted(given, sums, Fraction(95, 100))
    assert [each.cache_info().misses for each in found] == [1, 1]


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"on": ["age", "age"]}, "must differ"),
        ({"on": ["age", "weight"]}, "must differ"),
        ({"on": "age"}, "must be lists"),
        ({"on": ["age"]}, "each with a lower and an upper bound"),
        ({"population": "yes"}, "population"),
        ({"on_lower": [18, 2]}, "`lower` must be below `upper`"),
        ({"on": ["age", "city"]}, "city"),
    ],
)
def test_refused_regressions(parts: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        people().regression(**{"column": "weight", "on": ["age", "smoker"], **PARTS, **parts})
    assert told in str(refused.value)


@pytest.mark.spread(6)
@pytest.mark.parametrize("law", [DiscreteLaplace(scale=FINE), DiscreteGaussian(variance=FINE**2)])
@pytest.mark.parametrize(("size", "most"), [(300, 0.999), (10**4, 0.968), (10**6, 0.965)])
@pytest.mark.parametrize("moments", [(0.0, 0.0, 0.2), (-0.7, 0.5, -0.1)])
def test_covariance_ends_by_many_draws(
    law: LatticeLaw, size: int, most: float, moments: tuple[float, float, float]
) -> None:
    """Noises of 3 units; both means and the covariance."""
    one, two, true = moments
    times, units = 5000, (FINE / 3,) * 4
    drawn = [law.sample(times, Source()) / unit for unit in units]
    sums = size, size * one, size * two, size * (true + one * two)
    first, second, third, fourth = (a + b for a, b in zip(sums, drawn, strict=True))
    noise = together(law, law, law, law, units=units)
    lower, upper = covariance_ends((first, second, third, fourth), noise, 0.05)
    held = int(((lower <= true) & (true <= upper)).sum())
    assert binom.cdf(held, times, 0.945) > 1e-6
    assert binom.sf(held - 1, times, most) > 1e-6
    if size > 1000:
        slopes = one * two - true, -two, -one, 1.0
        spread = np.std(np.stack(drawn).T @ slopes) / size
        assert float(np.median(upper - lower)) / 2 < 2.35 * spread


def test_of_few_rows_no_covariance_is_known() -> None:
    law, few = DiscreteLaplace(scale=FINE), np.array([5.0])
    ends = covariance_ends((few, few, few, few), together(law, law, law, law), 0.05)
    assert (ends[0][0], ends[1][0]) == (-1, 1)


@pytest.mark.spread(4)
@pytest.mark.parametrize("budget", [PURE, SMOOTH], ids=repr)
@pytest.mark.parametrize("parts", [2, 7, 48, 50])
def test_bands_rise_and_hold_all_at_once(budget: Guarantee, parts: int) -> None:
    ages = ROWS.age.dropna().to_numpy()
    ends = np.linspace(18, 90, parts + 1)[1:-1]
    truth = np.array([(ages < end).mean() for end in ends])
    asked = people().cumulative("age", lower=18, upper=90, parts=parts, expected=4000)
    seen = [each for (each,) in drawn_again(asked, budget, 20)]
    for each in seen:
        assert [row[0] for row in each.rows] == pytest.approx(ends)
        assert (np.diff([each.lower, each.values, each.upper], axis=1) >= 0).all()
        assert (each.lower <= each.values).all()
        assert (each.values <= each.upper).all()
    missed = sum(not ((e.lower <= truth) & (truth <= e.upper)).all() for e in seen)
    assert binom.sf(missed - 1, 20, 0.05) > 1e-7
    (told,) = asked.preview(budget)
    assert told.interval is not None
    widest = max(float((e.upper - e.lower).max()) for e in seen) / 2
    assert 0.5 * float(told.interval) < widest < 1.5 * float(told.interval)
    ((exactly,),) = drawn_again(asked, LARGE, 1)
    assert exactly.values == pytest.approx(truth, abs=1e-3)


@pytest.mark.parametrize("scale", [2, 5000])
@pytest.mark.parametrize(("shape", "ends"), [((2, 1), (0, 1, 1)), ((3, 2), (0, 8, 1))])
def test_bands_of_laplace_noise_by_many_draws(
    scale: int, shape: tuple[int, int], ends: tuple[int, int, int]
) -> None:
    """All ends at once, at shares that nobody knows before: half as wide as added risks have it."""
    branching, height = shape
    tree, law, times = CountTree(branching**height, *shape), DiscreteLaplace(scale=scale), 3000
    widths = [branching**level for level in range(1, height + 1)]
    drawn = [law.sample(times * width, Source()).reshape(times, width) for width in widths]
    sums, at = tree.cumulated(drawn), slice(*ends)
    reach = band_reach(tree, ends, law, 0.05)
    assert reach is not None
    worst = np.zeros(times)
    for share in np.linspace(0, 1, 21):
        spread = np.sqrt(tree.variances(share, at) * float(law.moment(2)))
        off = np.abs(sums[:, at] - share * sums[:, -1:]) / spread
        worst = np.maximum(worst, off.max(axis=1))
    held = int((worst <= reach).sum())
    assert binom.cdf(held, times, 0.95) > 1e-6
    assert binom.sf(held - 1, times, 0.985) > 1e-6  # shares beyond 0..1 are held too
    assert reach < (3 if height == 1 else 3.6)
    assert band_reach(CountTree(2**10, 2, 10), (0, 9, 1), law, 0.05) is None


def test_bands_are_ready_before_the_charge() -> None:
    asked = people().cumulative("age", lower=18, upper=90, parts=6)
    ((question, given),) = asked._priced(PURE).allotted()
    assert isinstance(question, Preparing)
    band_reach.cache_clear()
    question.make_ready(given, Fraction(95, 100))
    assert band_reach.cache_info().misses == 1
    question.forecast(given, Fraction(95, 100))
    assert band_reach.cache_info().misses == 1


def test_bands_by_group() -> None:
    keys = ["Oslo", "Bergen", "Bodø"]
    asked = people().cumulative("age", lower=18, upper=90, parts=9, by="city", keys=keys)
    found, *others = (each for (each,) in drawn_again(asked, LARGE, 30))
    assert found.columns == ("city", "age_below")
    for place, city in enumerate(keys[:2]):
        ages = ROWS[ROWS.city == city].age.dropna()
        truth = [(ages < end).mean() for end in np.linspace(18, 90, 10)[1:-1]]
        assert found.values[8 * place : 8 * place + 8] == pytest.approx(truth, abs=1e-3)
    # Of nobody nothing is known; once in 40 times the noise of a total is taken for a number.
    unknown = [(each.lower[-8:] == 0).all() and (each.upper[-8:] == 1).all() for each in others]
    assert sum(unknown) >= 18


def test_refused_bands() -> None:
    with pytest.raises(InvalidParameter, match="2 or more"):
        people().cumulative("age", lower=0, upper=9, parts=1)
    with pytest.raises(UnsupportedQuery, match="public keys"):
        people().cumulative("age", lower=0, upper=9, parts=3, by="city", keys="private")
