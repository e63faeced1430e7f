import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import BernoulliMean, laplace_mean_error
from tests.scripted import NoEntropy

SECRET = 987654321


def binomial(n: int, p: float, s: int) -> float:
    return math.comb(n, s) * p**s * (1 - p) ** (n - s)


def summed_error(n: int, p: float, epsilon: float, *, clipped: bool) -> float:
    """The squared error by summing over bits and noise."""
    b = math.exp(-epsilon)
    reach = math.ceil(50 / epsilon) + n
    noise = np.arange(-reach, reach + 1)
    mass = (1 - b) / (1 + b) * b ** np.abs(noise)
    total = 0.0
    for s in range(n + 1):
        share = (np.clip(s + noise, 0, n) if clipped else s + noise) / n
        total += binomial(n, p, s) * float(mass @ (share - p) ** 2)
    return total


def integrated_error(n: int, p: float, epsilon: float) -> float:
    """The clipped squared error with Laplace noise on the line, by quadrature."""

    def given_sum(s: int) -> mpmath.mpf:
        def density(y: mpmath.mpf) -> mpmath.mpf:
            return epsilon / 2 * mpmath.exp(-epsilon * abs(y - s)) * (y / n - p) ** 2

        ends = mpmath.exp(-epsilon * s) / 2 * p**2
        ends += mpmath.exp(-epsilon * (n - s)) / 2 * (1 - p) ** 2
        return mpmath.quad(density, [0, s, n]) + ends

    return float(sum(binomial(n, p, s) * given_sum(s) for s in range(n + 1)))


# Golden values: n = 10, p = 0.3, epsilon = 0.1


def test_golden_laplace() -> None:
    plain = laplace_mean_error(frequency="0.3", records=10, epsilon="0.1", clipped=False)
    assert Fraction("2.021") in plain.total
    assert plain.total.width < Fraction(1, 10**20)
    assert plain.sampling.upper == Fraction("0.021")
    assert plain.privacy.upper == 2
    cut = laplace_mean_error(frequency="0.3", records=10, epsilon="0.1", clipped=True)
    assert float(cut.total) == pytest.approx(0.1947, abs=5e-5)
    assert float(cut.total) == pytest.approx(integrated_error(10, 0.3, 0.1), rel=1e-12)


def test_golden_discrete() -> None:
    plain = BernoulliMean(epsilon="0.1", records=10, clipped=False)
    assert float(plain.squared_error(frequency="0.3").total) == pytest.approx(2.0193, abs=5e-5)
    cut = BernoulliMean(epsilon="0.1", records=10)
    assert float(cut.squared_error(frequency="0.3").total) == pytest.approx(0.19502, abs=5e-6)


# Closed forms against sums


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 30), st.fractions(0, 1, max_denominator=50), st.sampled_from([0.05, 0.5, 3]))
def test_closed_form_equals_the_sum(n: int, p: Fraction, epsilon: float) -> None:
    for clipped in (False, True):
        mechanism = BernoulliMean(epsilon=epsilon, records=n, clipped=clipped)
        split = mechanism.squared_error(frequency=p)
        expected = summed_error(n, float(p), epsilon, clipped=clipped)
        assert float(split.total) == pytest.approx(expected, rel=1e-9)
        together = float(split.sampling) + float(split.privacy) - float(split.saved)
        assert together == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert split.sampling.upper == p * (1 - p) / n
        assert (split.saved.lower > 0) == clipped


@pytest.mark.parametrize(("n", "p", "epsilon"), [(1, 0.5, 1.0), (4, 0.1, 0.3), (25, 0.9, 0.02)])
def test_laplace_on_the_line_against_quadrature(n: int, p: float, epsilon: float) -> None:
    cut = laplace_mean_error(frequency=p, records=n, epsilon=epsilon, clipped=True)
    assert float(cut.total) == pytest.approx(integrated_error(n, p, epsilon), rel=1e-10)


def test_the_privacy_part_vanishes_faster_than_the_sampling_part() -> None:
    """And a saving with a billion digits after the point is not written out."""
    few, many = (
        BernoulliMean(epsilon=1, records=n).squared_error(frequency="0.5") for n in (10**3, 10**9)
    )
    assert float(many.privacy) / float(many.sampling) < 1e-5 * float(few.privacy) / float(
        few.sampling
    )


@pytest.mark.parametrize("n", [1, 2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_expected_cost_brackets_the_worst_bits(n: int, epsilon: float) -> None:
    b = math.exp(-epsilon)
    noise = np.arange(-math.ceil(60 / epsilon), math.ceil(60 / epsilon) + 1)
    mass = (1 - b) / (1 + b) * b ** np.abs(noise)
    costs = [float(mass @ (np.clip(s + noise, 0, n) - s) ** 2) / n**2 for s in range(n + 1)]
    cost = BernoulliMean(epsilon=epsilon, records=n).expected_cost()
    assert float(cost.lower) <= max(costs) * (1 + 1e-12)
    assert float(cost.upper) >= max(costs) * (1 - 1e-12)
    plain = BernoulliMean(epsilon=epsilon, records=n, clipped=False).expected_cost()
    assert float(plain) == pytest.approx(float(mass @ noise**2) / n**2, rel=1e-9)


# Release and privacy


def test_releases_are_noisy_shares() -> None:
    bits = np.array([1, 0, 1, 1], dtype=bool)
    plain = BernoulliMean(epsilon="0.5", records=4, clipped=False)
    values = [plain.release(bits).value for _ in range(2000)]
    assert all((value * 4).denominator == 1 for value in values)
    assert min(values) < 0
    assert max(values) > 1
    spread = float(plain.expected_cost()) ** 0.5
    assert abs(float(sum(values)) / 2000 - 0.75) < 6 * spread / 2000**0.5
    cut = BernoulliMean(epsilon="0.5", records=4)
    cuts = [cut.release(bits).value for _ in range(2000)]
    assert set(cuts) == {Fraction(s, 4) for s in range(5)}


@pytest.mark.parametrize("distance", [1, 2, 4])
def test_clipping_leaves_the_loss_as_it_is(distance: int) -> None:
    """The cut law's divergence, summed over its n + 1 values, is the loss's own."""
    n, epsilon = 5, 0.7
    b = math.exp(-epsilon)

    def law(s: int) -> list[float]:
        inside = [(1 - b) / (1 + b) * b ** abs(y - s) for y in range(1, n)]
        return [b**s / (1 + b), *inside, b ** (n - s) / (1 + b)]

    loss = BernoulliMean(epsilon=epsilon, records=n).privacy(distance)
    for s in range(n - distance + 1):
        one, other = law(s), law(s + distance)
        assert sum(one) == pytest.approx(1)
        for level in (0.0, 0.3, 0.7, 1.5):
            for p, q in ((one, other), (other, one)):
                leak = sum(max(0.0, x - math.exp(level) * y) for x, y in zip(p, q, strict=True))
                assert float(loss.delta(level)) == pytest.approx(leak, abs=1e-12)


def test_more_replaced_bits_than_records_is_all_of_them() -> None:
    mechanism = BernoulliMean(epsilon=1, records=3)
    assert mechanism.privacy(10).delta(1) == mechanism.privacy(3).delta(1)


# Refusals


@pytest.mark.parametrize(
    "bad",
    [
        [0, 1, SECRET],
        [0, 1, -1],
        [0.5, 1, 1],
        ["0", "1", str(SECRET)],
        [0, 1],
        [0, 1, 1, 1],
        [[0, 1, 1]],
        [],
        1,
        [math.nan, 1, 1],
        [None, 1, 1],
        [[1], [0, SECRET], [1]],
    ],
)
def test_bad_bits_are_refused_and_never_shown(bad: object) -> None:
    with pytest.raises(InvalidParameter) as caught:
        BernoulliMean(epsilon=1, records=3).release(bad, NoEntropy())  # type: ignore[arg-type]
    assert str(SECRET) not in str(caught.value)
    assert "-1" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"epsilon": 0, "records": 3},
        {"epsilon": math.nan, "records": 3},
        {"epsilon": 1, "records": 0},
        {"epsilon": 1, "records": 3.0},
        {"epsilon": -1, "records": 3},
    ],
)
def test_bad_parameters_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(InvalidParameter):
        BernoulliMean(**settings)  # type: ignore[arg-type]


def test_bad_frequencies_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="frequency"):
        BernoulliMean(epsilon=1, records=3).squared_error(frequency="1.5")
