"""Totals of records: losses by value, unbiased estimates, units of large records."""

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from leastnoise.errors import InvalidParameter
from leastnoise.groupwise import Logarithm, RecordSum, Root, UnitSplitting
from leastnoise.privacy.per_record import PerRecordZCDP
from tests.scripted import NoEntropy

TRANSFORMS = [Root(1), Root(2), Root(2, "0.5"), Root(3, 7), Root(4), Root(8, 1), Logarithm(1000)]
transforms = st.sampled_from(TRANSFORMS)


def scale(transform: Root | Logarithm, q: int) -> Any:
    """The scale by mpmath."""
    exact = mpf(q) + mpf(transform.offset.numerator) / transform.offset.denominator
    if isinstance(transform, Logarithm):
        return mp.log(exact)
    return mp.root(exact, transform.degree) if exact else mpf(0)


@given(transforms, st.integers(0, 2**62), st.integers(0, 30))
def test_a_place_is_the_rounded_scale(transform: Root | Logarithm, total: int, bits: int) -> None:
    with mp.workdps(80):
        expected = int(mp.floor(scale(transform, total) * 2**bits + mpf("0.5")))
    assert transform.place(total, bits) == expected


@given(transforms, st.integers(0, 2**61), st.integers(0, 2**60))
def test_no_record_moves_a_total_further_than_its_reach(
    transform: Root | Logarithm, total: int, value: int
) -> None:
    bits = 20
    moved = transform.place(total + value, bits) - transform.place(total, bits)
    assert 0 <= moved <= transform.reach(value, bits)


@given(transforms, st.integers(1, 2**60))
def test_the_reach_is_that_of_an_empty_total_rounded_up(
    transform: Root | Logarithm, value: int
) -> None:
    with mp.workdps(80):
        exact = (scale(transform, value) - scale(transform, 0)) * 2**20
        # Roots of powers are whole: there, mpmath may err on either side of it.
        least, most = mp.ceil(exact - mpf(10) ** -40), mp.ceil(exact + mpf(10) ** -40)
    assert int(least) <= transform.reach(value, 20) <= int(most)
    assert transform.reach(value, 20) <= transform.reach(value + 1, 20)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_many_places_are_the_same_as_single_ones(transform: Root | Logarithm) -> None:
    mechanism = RecordSum(transform=transform, value=1000, rho="0.5")
    rng = np.random.default_rng(3)
    totals = np.concatenate(
        [rng.integers(0, top, 400) for top in (100, 10**6, 2**62)] + [np.arange(200) ** 4]
    )
    single = [transform.place(int(q), mechanism.bits) for q in totals]
    assert mechanism._places(totals).tolist() == single


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_the_typical_record_loses_what_was_said(transform: Root | Logarithm) -> None:
    mechanism = RecordSum(transform=transform, value=1000, rho="0.5")
    loss = mechanism.privacy(1000)
    assert Fraction(49999, 100000) < loss <= Fraction(1, 2)
    assert mechanism.privacy(0) == 0
    losses = [mechanism.privacy(c) for c in (1, 10, 999, 1000, 10**5, 10**9)]
    assert losses == sorted(losses)


@pytest.mark.parametrize(
    ("transform", "growth"),
    [(Root(1), 10**6), (Root(2), 10**3), (Root(4), 10**1.5),
     (Logarithm(1000), (math.log(1001) / math.log(2)) ** 2)],
)  # fmt: skip
def test_how_the_loss_grows(transform: Root | Logarithm, growth: float) -> None:
    mechanism = RecordSum(transform=transform, value=1000, rho="0.5")
    assert float(mechanism.privacy(10**6)) / 0.5 == pytest.approx(growth, rel=1e-4)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_groups_of_unit_records(transform: Root | Logarithm) -> None:
    mechanism = RecordSum(transform=transform, value=1000, rho="0.5")
    budgets = [mechanism.group_privacy(x) for x in (0, 1, 2, 3, 10, 100, 10**4, 10**8)]
    assert budgets == sorted(budgets, reverse=True)
    assert budgets[1] == mechanism.privacy(1)
    for x in (1, 2, 10, 1000):
        gap = float(scale(transform, x) - scale(transform, x - 1))
        # Rounding up to a whole step matters where there are few of them to a gap.
        width = gap * 2.0**mechanism.bits
        exact = gap**2 / (2 * float(mechanism.squared_sigma))
        assert exact <= float(mechanism.group_privacy(x)) * (1 + 1e-9)
        assert float(mechanism.group_privacy(x)) <= exact * (1 + 2 / width) ** 2


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_estimates_are_unbiased_with_the_stated_deviation(transform: Root | Logarithm) -> None:
    """Mean within 6 standard errors; the deviation within 5 %, and 10 % would be noticed."""
    mechanism = RecordSum(transform=transform, value=1000, rho=5)
    total, size = 10**6, 400_000
    drawn = mechanism.release(np.full(size, total)).value
    deviation = float(mechanism.standard_error(total))
    assert abs(float(mechanism.bias(total))) < 1e-3 * deviation
    assert abs(drawn.mean() - total) < 6 * deviation / math.sqrt(size)
    assert drawn.std() == pytest.approx(deviation, rel=0.05)


def test_estimates_of_roots_are_hermite_polynomials() -> None:
    places = np.array([0.5, 3.0, 12.0])
    sigma = 2.0
    square, fourth = Root(2, 3).estimates(places, sigma), Root(4).estimates(places, sigma)
    assert square == pytest.approx(places**2 - 4 - 3)
    assert fourth == pytest.approx(places**4 - 24 * places**2 + 48)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 8])
def test_moments_of_the_estimates_by_quadrature(degree: int) -> None:
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    root, place, sigma = Root(degree, 2), 1.7, 0.6
    estimates = root.estimates(place + sigma * nodes, sigma)
    mean = float((weights * estimates).sum())
    variance = float((weights * (estimates - mean) ** 2).sum())
    assert mean == pytest.approx(float(root.mean(Fraction(place))), rel=1e-9)
    assert variance == pytest.approx(
        float(root.variance(Fraction(place), Fraction(sigma) ** 2)), rel=1e-9
    )


def test_totals_above_the_largest_are_lowered_to_it() -> None:
    mechanism = RecordSum(transform=Root(1), value=1, rho=1000, largest=50)
    drawn = mechanism.release({"a": 10**9, "b": 3}).value
    assert abs(drawn["a"] - 50) < 20
    assert mechanism.privacy(10**9) == mechanism.privacy(50)


def test_the_whole_loss_of_a_record() -> None:
    mechanism = RecordSum(transform=Root(2), value=100, rho="0.5")
    epsilon = mechanism.loss(100).epsilon(delta="1e-6")
    assert float(epsilon) == pytest.approx(4.886, abs=2e-3)  # Gaussian, μ = 1


def test_the_guarantee_is_the_curve() -> None:
    mechanism = RecordSum(transform=Root(2), value=100, rho="0.5")
    release = mechanism.release([5, 6])
    assert isinstance(release.guarantee, PerRecordZCDP)
    assert release.guarantee.at(100).rho == mechanism.privacy(100)
    twice = release.guarantee.compose(mechanism.guarantee)
    assert twice.at(7).rho == 2 * mechanism.privacy(7)
    assert twice.approx(0, delta="1e-6").epsilon == 0
    assert twice.approx(100, delta="1e-6").epsilon > 5


def test_only_like_promises_are_added() -> None:
    promise = RecordSum(transform=Root(2), value=100, rho="0.5").guarantee
    with pytest.raises(InvalidParameter, match="per-record"):
        promise.compose(0.5)  # type: ignore[arg-type]


def test_values_travel_through_pickles_and_reprs() -> None:
    mechanism = RecordSum(transform=Root(4, "0.5"), value=10, rho="0.1", largest=10**6)
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert "Root(4, offset='0.5')" in repr(mechanism)


@pytest.mark.parametrize(
    "settings",
    [
        {"transform": "sqrt"},
        {"transform": Root},
        {"value": 0},
        {"value": 1.5},
        {"rho": 0},
        {"rho": math.nan},
        {"largest": 0},
        {"largest": 2**63},
        {"value": 100, "largest": 50},
        {"transform": Root(2), "rho": 10**12, "value": 1},
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"transform": Root(2), "value": 1000, "rho": "0.5"}
    with pytest.raises(InvalidParameter):
        RecordSum(**(usual | settings))


@pytest.mark.parametrize(
    "make",
    [lambda: Root(0), lambda: Root(9), lambda: Root(2, -1), lambda: Logarithm(0),
     lambda: Logarithm(math.inf), lambda: UnitSplitting(unit=0, rho=1),
     lambda: UnitSplitting(unit=1, rho=0)],
)  # fmt: skip
def test_bad_scales_are_refused(make: Any) -> None:
    with pytest.raises(InvalidParameter):
        make()


@pytest.mark.parametrize("totals", [[-1], [1.5], [math.nan], [True], ["5"], [2**63], None])
def test_bad_totals_are_refused_before_anything_is_drawn(totals: Any) -> None:
    mechanism = RecordSum(transform=Root(2), value=1000, rho="0.5")
    with pytest.raises(InvalidParameter) as caught:
        mechanism.release(totals, NoEntropy())
    assert "1.5" not in str(caught.value)


# Units.


@given(st.lists(st.integers(0, 5000), max_size=30), st.integers(1, 700))
def test_units_are_the_records_in_pieces(values: list[int], unit: int) -> None:
    policy = UnitSplitting(unit=unit, rho="0.1")
    parts, owners = policy.split(np.array(values, dtype=np.int64))
    assert all(0 <= part <= unit for part in parts.tolist())
    for number, value in enumerate(values):
        mine = parts[owners == number]
        assert mine.sum() == value
        assert mine.size == policy.units(value)
        assert policy(value) == Fraction(1, 10) * mine.size**2


def test_a_policy_is_a_promise_about_records() -> None:
    policy = UnitSplitting(unit=100, rho="0.1")
    assert policy.guarantee.at(1000).rho == 10
    losses = [policy(c) for c in range(0, 2000, 37)]
    assert losses == sorted(losses)


def test_plain_noise_is_no_worse_than_its_policy() -> None:
    """Gaussian noise on the total loses c²/(2σ²), which the policy of its units bounds."""
    mechanism = RecordSum(transform=Root(1), value=100, rho="0.1")
    policy = UnitSplitting(unit=100, rho="0.1")
    assert all(mechanism.privacy(c) <= policy(c) for c in (0, 1, 50, 100, 101, 250, 10**6))
