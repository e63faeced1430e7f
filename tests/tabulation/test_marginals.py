"""The whole way, from a table to noisy counts."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import DiscreteLaplace
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.tabulation import (
    ColumnSums,
    CubeNoise,
    IndependentNoise,
    MarginalsRelease,
    NoisyMarginals,
    Objective,
    Perturbation,
    ReplaceOne,
    cube_records,
    cube_tail_bound,
    marginals,
    marginals_mechanism,
    worst_case_error,
)
from leastnoise.tabulation.mean_band import hidden_shares
from leastnoise.tabulation.noise_family import NoiseFamily
from leastnoise.tabulation.ranking import ranking
from tests.scripted import CountingSource, NoEntropy
from tests.tabulation.arrow_stand_in import ArrowArray, ArrowTable

FALSE_ALARM = 1e-6
SECRET = 987654321
BITS = np.random.default_rng(11).integers(0, 2, (400, 12)).astype(bool)


# Figures


def test_pure_worst_error_is_nine_times_smaller_than_laplace() -> None:
    errors = {
        kind: worst_case_error(columns=1000, confidence="0.95", epsilon=1, mechanism=kind)
        for kind in ("cube", "laplace")
    }
    assert errors["cube"].upper == 1052
    assert errors["laplace"].lower >= 9 * errors["cube"].upper


def test_rows_for_a_hundred_means() -> None:
    """α = β = 0.05, d = 100, ε = 1, ±1 data: 4680 rows against 30 302 with Laplace noise."""
    alpha = Fraction("0.05")
    cube = worst_case_error(columns=100, confidence="0.95", epsilon=1)
    laplace = worst_case_error(columns=100, confidence="0.95", epsilon=1, mechanism="laplace")
    assert math.ceil(2 * cube.upper / alpha) == 4680
    assert 2 * laplace.upper / alpha == pytest.approx(30_302, rel=1e-3)
    assert cube_records(columns=100, epsilon=1, error=alpha) == 8000


def test_few_columns_want_cube_noise_even_with_delta() -> None:
    """At ε = 1, δ = 1e-6 one radius for all beats independent draws up to about 150 columns."""
    for columns, best in ((2, "cube"), (100, "cube"), (300, "bounded")):
        target = ApproxDP(epsilon=1, delta="1e-6")
        ranked = ranking(columns, target, ReplaceOne(records=1), Objective.MAX)
        assert ranked[0].family.value == best


# Choice


@pytest.mark.spread(8)
@pytest.mark.parametrize("objective", list(Objective))
@pytest.mark.parametrize(
    "target", [PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")], ids=repr
)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_the_least_expected_error_is_chosen(
    objective: Objective, target: PureDP | ApproxDP | ZCDP, neighbours: Any
) -> None:
    release = marginals(
        ColumnSums([5] * 30, records=99),
        guarantee=target,
        objective=objective,
        neighbours=neighbours,
    )
    assert release.guarantee == target
    assert release.mechanism.perturbation.keeps(target)
    costs = [ranked.cost.upper for ranked in release.ranking]
    assert costs == sorted(costs)
    assert release.expected_error.upper == costs[0]
    for (name, ratio), ranked in zip(release.runners_up, release.ranking[1:], strict=True):
        assert name == ranked.family.value
        assert ratio.upper >= 1
        assert float(ratio) == pytest.approx(
            float(ranked.cost) / float(release.expected_error), rel=0.05
        )
    assert (release.records == 99) == (neighbours == "replace") or neighbours == "add_remove"


def test_cube_noise_beats_laplace_for_every_objective() -> None:
    for columns in (2, 3, 10, 500):
        for objective in Objective:
            ranked = ranking(columns, PureDP(epsilon="0.3"), ReplaceOne(records=1), objective)
            assert [found.family for found in ranked] == [NoiseFamily.CUBE, NoiseFamily.LAPLACE]
            assert ranked[1].ratio_to(ranked[0]).lower > 1


def test_few_columns_may_keep_the_rows_secret() -> None:
    small = marginals(ColumnSums([5, 6], records=99), epsilon=1, neighbours="add_remove")
    assert small.records is None
    with pytest.raises(UnsupportedQuery, match="number of rows"):
        _ = small.means
    with pytest.raises(UnsupportedQuery, match="number of rows"):
        small.mean_band("0.9")
    large = marginals(ColumnSums([5] * 20, records=99), epsilon=1, neighbours="add_remove")
    assert large.records is not None
    assert large.means.shape == (20,)


def test_every_kind_can_be_named() -> None:
    sums = ColumnSums([7] * 40, records=99)
    for name in ("cube", "laplace", "gaussian", "bounded", "repaired"):
        release = marginals(sums, epsilon=1, delta="1e-6", mechanism=name)
        assert [ranked.family.value for ranked in release.ranking] == [name]
        assert release.runners_up == ()
    assert marginals(sums, epsilon=1, mechanism=NoiseFamily.LAPLACE).guarantee == PureDP(epsilon=1)


def test_very_many_columns_under_zcdp_are_repaired() -> None:
    ranked = ranking(1 << 20, ZCDP(rho="0.5"), ReplaceOne(records=1), Objective.MAX)
    assert [found.family for found in ranked] == [NoiseFamily.REPAIRED, NoiseFamily.GAUSSIAN]
    errors = [found.perturbation.worst.quantile("0.95") for found in ranked]
    assert errors[0].upper < Fraction("0.89") * errors[1].lower


# Values


def test_counts_are_the_true_ones_plus_bounded_noise() -> None:
    release = marginals(BITS, epsilon=1, delta="1e-6", mechanism="bounded")
    limit = release.error(confidence=1).upper
    noise = release.counts - BITS.sum(axis=0)
    assert release.counts.dtype == np.int64
    assert np.abs(noise).max() <= limit
    assert len(set(noise.tolist())) > 3


def test_means_follow_from_counts() -> None:
    release = marginals(BITS, epsilon=10)
    assert release.records == 400
    assert np.allclose(release.means, release.counts / 400)
    assert release.mean(3) == Fraction(int(release.counts[3]), 400)
    signs = marginals(2 * BITS.astype(np.int8) - 1, epsilon=10, signs=True)
    assert np.allclose(signs.means, 2 * signs.counts / 400 - 1)
    assert signs.mean(3) == 2 * Fraction(int(signs.counts[3]), 400) - 1
    assert np.abs(signs.clipped_means).max() <= 1


def test_clipping_moves_into_the_possible_range() -> None:
    for value in (0, 1):
        table = np.full((50, 300), value, dtype=bool)
        release = marginals(table, epsilon="0.1")
        clipped = release.clipped_counts
        assert clipped.min() >= 0
        assert clipped.max() <= 50
        assert np.all(np.abs(clipped - 50 * value) <= np.abs(release.counts - 50 * value))
        assert (release.counts < 0).any()
        assert 0 <= release.clipped_means.min() <= release.clipped_means.max() <= 1
    hidden = marginals(np.zeros((50, 300), dtype=bool), epsilon="0.1", neighbours="add_remove")
    assert hidden.clipped_counts.min() == 0
    assert 0 <= hidden.clipped_means.min() <= hidden.clipped_means.max() <= 1


def test_halves_are_exact() -> None:
    release = marginals(BITS, epsilon=1, neighbours="add_remove")
    assert np.all(release.counts * 2 == release.noisy.numerators)
    count = Fraction(int(release.noisy.numerators[0]), 2)
    assert release.mean(0) == count / max(1, release.records or 0)


def test_an_empty_table_is_like_any_other_where_rows_are_added() -> None:
    release = marginals(np.zeros((0, 9), dtype=bool), epsilon=1, neighbours="add_remove")
    assert release.counts.shape == (9,)
    assert release.means.shape == (9,)
    with pytest.raises(InvalidParameter, match="records"):
        marginals(np.zeros((0, 9), dtype=bool), epsilon=1)


def test_names_of_columns_are_kept() -> None:
    table = ArrowTable({"smoker": ArrowArray([True, False]), "b": ArrowArray([1, 1], "int8")}, 2)
    release = marginals(table, epsilon=1)
    assert release.names == ("smoker", "b")
    assert marginals(BITS, epsilon=1).names is None


def test_what_is_shown_is_public() -> None:
    sums = ColumnSums([SECRET] * 3, records=SECRET + 1)
    release = marginals(sums, epsilon=1, neighbours="add_remove")
    assert isinstance(release, MarginalsRelease)
    assert "PureDP(epsilon=1)" in repr(release)
    assert str(SECRET) not in repr(release.mechanism)


# Bands: they hold all true values at once, as often as they say


def coverage(confidence: str, draws: int, **how: Any) -> tuple[int, int]:
    """How often the bands of counts and of means hold every true value."""
    sums = ColumnSums(BITS.sum(axis=0), records=400)
    truth = BITS.sum(axis=0)
    counts = means = 0
    for _ in range(draws):
        release = marginals(sums, **how)
        low, high = release.band(confidence)
        counts += bool(np.all((low <= truth) & (truth <= high)))
        low, high = release.mean_band(confidence)
        means += bool(np.all((low <= truth / 400) & (truth / 400 <= high)))
    return counts, means


@pytest.mark.spread(2)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_bands_cover_as_often_as_they_say(neighbours: str, delta: str) -> None:
    draws = 400
    counts, means = coverage("0.8", draws, epsilon=1, delta=delta, neighbours=neighbours)
    assert binom.cdf(counts, draws, 0.8) >= FALSE_ALARM
    assert binom.cdf(means, draws, 0.8) >= FALSE_ALARM
    # Not much more often, either: the error is a quantile, and on a lattice of steps.
    assert binom.sf(counts - 1, draws, 0.9) >= FALSE_ALARM


def test_a_band_of_means_holds_all_that_is_possible() -> None:
    """Whatever n and S are within their margins, the mean lies in the band."""
    noise = Perturbation(CubeNoise(4, 2), DiscreteLaplace(4))
    noisy = NoisyMarginals(np.array([10, 90, 150, 260]), 2, records=100)
    low, high = hidden_shares(noisy, noise, "0.9")
    rows = DiscreteLaplace(4).quantile("0.99")
    sums = int(Perturbation(CubeNoise(4, 2)).worst.quantile("0.91").upper)
    for n in (100 - rows, 100, 100 + rows):
        for step in (-sums, 0, sums):
            shares = (1 + (noisy.numerators - 100 + step) / n) / 2
            assert np.all((low <= shares) & (shares <= high))
    narrower = (1 + (noisy.numerators - 100 + sums + 1) / (100 - rows)) / 2
    assert (narrower > high)[1:].all()


def test_hidden_rows_do_not_limit_counts() -> None:
    plan = marginals_mechanism(columns=9, epsilon=1, neighbours="add_remove")
    noisy = NoisyMarginals(np.arange(-20, 61, 10), 2, records=7)
    release = MarginalsRelease(noisy, plan, Objective.MAX, (), None, signs=False)
    assert release.clipped_counts.tolist() == [0, 0, 0, 5, 10, 15, 20, 25, 30]
    low, high = release.band("0.9")
    assert low.min() == 0
    assert high.max() > 30


def test_a_band_for_certainty_is_the_hard_limit() -> None:
    release = marginals(BITS, epsilon=1, delta="1e-6", mechanism="bounded")
    low, high = release.band(1)
    truth = BITS.sum(axis=0)
    assert np.all((low <= truth) & (truth <= high))


# Nothing is drawn, nothing is read too early


def test_the_mechanism_is_fixed_before_an_entry_is_read() -> None:
    seen: list[str] = []

    class Column(ArrowArray):
        def to_numpy(self, zero_copy_only: bool = True) -> Any:
            seen.append("read")
            return super().to_numpy(zero_copy_only)

        def slice(self, start: int, length: int) -> "Column":
            return Column(self.values[start : start + length], self.dtype)

    table = ArrowTable({str(k): Column([True, False]) for k in range(3)}, 2)
    with pytest.raises(UnsupportedQuery):
        marginals(table, epsilon=1, mechanism="gaussian", source=NoEntropy())
    assert seen == []
    marginals(table, epsilon=1)
    assert seen == ["read"] * 3


@pytest.mark.parametrize(
    "bad",
    [
        np.array([[0, 1], [1, SECRET]]),
        np.array([[0, math.nan]]),
        np.array([[0, None]]),
        [[0, 1], [1]],
        [],
        np.zeros((4, 0), dtype=bool),
        np.zeros((0, 4), dtype=bool),
        np.zeros(4, dtype=bool),
        None,
    ],
    ids=lambda bad: type(bad).__name__,
)
def test_bad_tables_are_refused_before_anything_is_drawn(bad: Any) -> None:
    with pytest.raises(InvalidParameter) as caught:
        marginals(bad, epsilon=1, source=NoEntropy())
    assert str(SECRET) not in str(caught.value)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"epsilon": -1},
        {"epsilon": 1, "delta": 2},
        {"epsilon": 1, "neighbours": "unbounded"},
        {"epsilon": 1, "neighbours": None},
        {"epsilon": 1, "objective": "min"},
        {"epsilon": 1, "objective": None},
        {"epsilon": 1, "mechanism": "best"},
        {"epsilon": 1, "signs": "no"},
        {"guarantee": GDP(mu=1)},
        {"epsilon": 1, "source": 7},
    ],
    ids=str,
)
def test_bad_arguments_are_refused(how: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        marginals(BITS, **({"source": NoEntropy()} | how))


def test_noise_comes_from_the_given_source() -> None:
    source = CountingSource()
    marginals(BITS, epsilon=1, source=source)
    assert source.given > 0


# The bound of the paper, with its condition


def test_tail_bound_holds_where_it_claims_to() -> None:
    for columns in (1, 2, 10, 100):
        noise = CubeNoise(columns, 10**6)
        for ratio in ("1", "1.2", "2", "5"):
            error = Fraction(ratio) * columns * 10**6
            bound = cube_tail_bound(columns=columns, epsilon="1e-6", error=error)
            assert noise.law.tail(int(error)).lower <= bound.upper
    assert float(cube_tail_bound(columns=2, epsilon=1, error=4)) == pytest.approx((2 / math.e) ** 2)


def test_tail_bound_is_refused_where_it_is_none() -> None:
    """d = 10, a·ε/Δ = 5: the formula gives 0.145 and the truth is 0.968."""
    with pytest.raises(InvalidParameter, match="at least"):
        cube_tail_bound(columns=10, epsilon=1, error=5)
    formula = (5 / 10) ** 10 * math.exp(10 - 5)
    assert formula == pytest.approx(0.145, abs=1e-3)
    truth = 1 - float(CubeNoise(10, 10**5).worst_within(500_000, None))
    assert truth == pytest.approx(0.968, abs=1e-3)


def test_the_failure_probability_of_the_theorem_is_not_the_other_one() -> None:
    """At a = 2dΔ/ε the truth lies above (2e)^−d, which is no bound, and below (2/e)^d."""
    for columns, exact in ((2, 0.0916), (10, 0.0050)):
        truth = 1 - float(CubeNoise(columns, 10**5).worst_within(2 * columns * 10**5, None))
        assert truth == pytest.approx(exact, abs=1e-4)
        assert (2 * math.e) ** -columns < truth < (2 / math.e) ** columns


# Size


def test_a_million_columns() -> None:
    sums = ColumnSums(np.full(10**6, 7), records=10)
    release = marginals(sums, epsilon=1)
    assert release.counts.shape == (10**6,)
    assert release.error("0.95").upper == 1_001_645
    hidden = marginals_mechanism(columns=10**6, epsilon=1, neighbours="add_remove")
    assert hidden.error("0.95").upper < 0.502 * 1_001_645


@pytest.mark.slow
def test_a_million_columns_with_delta() -> None:
    sums = ColumnSums(np.full(10**6, 7), records=10)
    release = marginals(sums, epsilon=1, delta="1e-6")
    noise = release.mechanism.perturbation.noise
    assert isinstance(noise, IndependentNoise)
    assert np.abs(release.counts - 7).max() <= release.error(1).upper < 14_000
