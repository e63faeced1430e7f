"""Additive noise on a lattice: exact quantisation, a proof at construction, honest errors."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.noise import Canonical, DiscreteLaplace, TableLaw
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.privacy import ApproxDP, PureDP

STILL = TableLaw({0: 1})


@given(x=st.floats(allow_nan=False, allow_infinity=False, width=64), power=st.integers(-20, 3))
def test_floats_go_to_their_exact_place(x: float, power: int) -> None:
    step = Fraction(2) ** power
    exact = math.floor(Fraction(x) / step + Fraction(1, 2))
    lattice = Lattice(step)
    if abs(exact) >= 2**62:
        with pytest.raises(InvalidParameter):
            lattice.places(x)
    else:
        assert int(lattice.places(x)) == exact
        assert int(lattice.places(np.array([x]))[0]) == exact


@pytest.mark.parametrize(
    "x", [0.49999999999999994, 0.5, -0.5, 1.5, 2.5, -1e-20, 4503599627370497.5]
)
def test_half_way_cases(x: float) -> None:
    assert int(Lattice(1).places(x)) == math.floor(Fraction(x) + Fraction(1, 2))


@given(
    x=st.fractions(-1000, 1000),
    move=st.fractions(-1, 1),
    sensitivity=st.fractions(Fraction(1, 100), 10),
    step=st.fractions(Fraction(1, 50), 3),
)
def test_neighbours_stay_within_reach(
    x: Fraction, move: Fraction, sensitivity: Fraction, step: Fraction
) -> None:
    lattice = Lattice(step)
    here, there = (int(lattice.places(value)) for value in (x, x + move * sensitivity))
    assert abs(here - there) <= lattice.reach(sensitivity)
    assert abs(here * step - x) <= step / 2


@pytest.mark.parametrize("step", ["1", "0.25", "3", "0.1", "1/3"])
def test_values_come_back(step: str) -> None:
    lattice = Lattice(step)
    places = np.array([[-3, 0], [7, 2**40]])
    values = lattice.values(places)
    assert values.shape == places.shape
    expected = [float(int(place) * lattice.step) for place in places.ravel()]
    assert values.ravel().astype(float).tolist() == expected
    assert (values.dtype.kind == "i") == (lattice.step.denominator == 1)


def test_sums_never_wrap() -> None:
    places = np.array([2**62 - 1])
    for noise in (np.array([2**62]), np.array([-(2**63)]), np.array([2**70], dtype=object)):
        assert int(exact_sum(places, noise)[0]) == 2**62 - 1 + int(noise[0])
    assert int(Lattice(2**10).values(np.array([2**60]))[0]) == 2**70


def test_a_law_must_prove_the_promise() -> None:
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        AdditiveNoise(DiscreteLaplace(scale=1), sensitivity=2, guarantee=PureDP(epsilon=1))
    with pytest.raises(InvalidParameter, match="REFUTED"):
        AdditiveNoise(STILL, sensitivity=1, guarantee=ApproxDP(epsilon=9, delta="0.5"))
    mechanism = AdditiveNoise(
        DiscreteLaplace(scale=2560), sensitivity="2.5", guarantee=PureDP(epsilon=1),
        granularity=Fraction(1, 1024),
    )  # fmt: skip
    assert mechanism.steps == 2560
    assert mechanism.verification.holds


def test_a_finer_lattice_asks_for_more_noise() -> None:
    promise = ApproxDP(epsilon=1, delta="0.01")
    law = Canonical(epsilon=1, delta="0.01")
    assert AdditiveNoise(law, sensitivity=1, guarantee=promise).steps == 1
    with pytest.raises(InvalidParameter, match="must keep"):  # 1 is two steps of 0.5
        AdditiveNoise(law, sensitivity=1, guarantee=promise, granularity="0.5")


def test_releases_have_the_shape_of_what_was_asked() -> None:
    promise = PureDP(epsilon=1)
    whole = AdditiveNoise(DiscreteLaplace(scale=1), sensitivity=1, guarantee=promise)
    assert isinstance(whole.release(42).value, int)
    array = whole.release(np.zeros((2, 3), dtype=np.int32)).value
    assert isinstance(array, np.ndarray)
    assert array.shape == (2, 3)
    assert not array.flags.writeable
    real = AdditiveNoise(
        DiscreteLaplace(scale=4), sensitivity=1, guarantee=promise, granularity="0.25"
    )
    assert isinstance(real.release(0.3).value, float)
    assert isinstance(real.release(Fraction(1, 3)).value, float)
    assert real.rounding == Fraction(1, 8)
    assert real.error("0.5") == real.law.quantile("0.5") * Fraction(1, 4) + Fraction(1, 8)


def test_expected_cost_counts_rounding() -> None:
    real = AdditiveNoise(
        DiscreteLaplace(scale=4), sensitivity=1, guarantee=PureDP(epsilon=1),
        granularity="0.25", cost="squared",
    )  # fmt: skip
    noise = float(real.law.moment(2)) / 16
    cost = real.expected_cost()
    assert float(cost.lower) == pytest.approx(noise)
    more = noise + 2 * float(real.law.moment(1)) / 4 / 8 + 1 / 64
    assert float(cost.upper) == pytest.approx(more)


@pytest.mark.parametrize(
    "secret",
    ["7", None, math.nan, math.inf, 1e300, [1.0, math.nan], np.ma.masked_array([1], [True]), 1j,
     np.array(["x"]), True, {1: 2}],
)  # fmt: skip
def test_bad_secrets(secret: Any) -> None:
    mechanism = AdditiveNoise(
        DiscreteLaplace(scale=4), sensitivity=1, guarantee=PureDP(epsilon=1), granularity="0.25"
    )
    with pytest.raises(InvalidParameter, match="not shown"):
        mechanism.release(secret)


def test_price_for_groups() -> None:
    mechanism = AdditiveNoise(DiscreteLaplace(scale=2), sensitivity=2, guarantee=PureDP(epsilon=1))
    assert mechanism.privacy(3).epsilon(0).upper == 3
    assert mechanism.certificate() is None
    assert "DiscreteLaplace(scale=2)" in repr(mechanism)
