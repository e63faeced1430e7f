"""`CountsNoise`: the proof it demands, its release with and without a half, and its errors."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms import CountsNoise
from leastnoise.noise import CountsLaw, NormLaplace
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from tests.scripted import NoEntropy


def noise(law: Any = None, **changes: Any) -> CountsNoise:
    arguments: dict[str, Any] = {"sensitivity": 1, "guarantee": PureDP(epsilon=1)}
    return CountsNoise(law or CountsLaw(dimension=3, epsilon=1), **(arguments | changes))


def test_the_law_must_prove_the_promise() -> None:
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        noise(guarantee=PureDP(epsilon="0.999999"))
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        noise(sensitivity=2)
    law = CountsLaw(dimension=3, epsilon=1, radius=6, edge="1/2")
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        noise(law)
    leak = Fraction(law.delta(1).upper)
    assert noise(law, guarantee=ApproxDP(epsilon=1, delta=leak)).verification.holds
    with pytest.raises(InvalidParameter):
        noise(law, guarantee=ApproxDP(epsilon=1, delta=leak * (1 - Fraction(1, 10**9))))
    with pytest.raises(InvalidParameter, match="must be a CountsLaw"):
        noise(NormLaplace(3, 1, "linf"))


def test_whole_answers_without_and_halves_with_an_odd_start() -> None:
    values = np.arange(3) * 10**6
    whole = noise(CountsLaw(dimension=3, epsilon=1, start=2)).release(values).value
    assert whole.dtype == np.int64
    assert np.abs(whole - values).max() < 100
    half = noise(CountsLaw(dimension=3, epsilon=1, start=1)).release(values).value
    assert (half % 1 == 0.5).all()
    assert np.abs(half - values).max() < 100


def test_halves_have_mean_zero() -> None:
    """The mean of 3000 errors within six standard errors; half a step off is noticed."""
    law = CountsLaw(dimension=1000, epsilon=1000, start=1)
    mechanism = noise(law, guarantee=PureDP(epsilon=1000))
    drawn = np.concatenate([mechanism.release(np.zeros(1000, dtype=int)).value for _ in range(3)])
    slack = 6 * np.sqrt(float(law.variance) / drawn.size)
    assert abs(drawn.mean()) < slack < 0.25


def test_real_answers_are_rounded_first() -> None:
    law = CountsLaw(dimension=2, sensitivity=10, epsilon=1, start=3)
    mechanism = noise(law, sensitivity="2.5", granularity="0.25")
    released = mechanism.release([1.3, 7.0]).value
    assert ((released * 8) % 2 == 1).all()  # odd multiples of an eighth
    assert mechanism.expected_cost().lower < mechanism.expected_cost().upper


def test_errors_are_those_of_the_law_in_half_steps() -> None:
    law = CountsLaw(dimension=3, epsilon=1, start=1)
    mechanism = noise(law, cost="squared")
    assert mechanism.error("0.95") == Fraction(law.cell.quantile("0.95"), 2)
    assert mechanism.simultaneous("0.95") == Fraction(law.quantile("0.95"), 2)
    assert float(mechanism.expected_cost()) == pytest.approx(float(law.variance))
    with pytest.raises(UnsupportedQuery, match="below 1"):
        mechanism.error(1)


def test_bad_values_are_refused_before_anything_is_drawn() -> None:
    for value in ([1, 2], [1, 2, float("nan")], "abc"):
        with pytest.raises(InvalidParameter):
            noise().release(value, NoEntropy())


def test_groups_pay_for_each_unit() -> None:
    assert float(noise().privacy(3).epsilon(0).upper) == pytest.approx(3)
