"""How many records: exact least numbers per mechanism, the published rule, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import gammaincc, gammainccinv

from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteLaplace, NormLaplace
from leastnoise.planning import PublishedRule, SampleSize, sample_size
from leastnoise.sizes.sample_size import _root_up
from leastnoise.tabulation.objective import ObjectiveName
from tests.attacks.seeded import SeededSource


def by_name(result: SampleSize) -> dict[str, int]:
    return {option.mechanism: option.records for option in result.options}


def test_a_hundred_means() -> None:
    """The continuous law needs 2·GammaInv(0.95; 100)/0.05 = 4679.6; so does the lattice, rounded.

    Independent Laplace noise needs 30 303 on the real line and 30 320 on the lattice, where errors
    come in steps of one count, that is of 40 records.
    """
    result = sample_size(dimension=100, error="0.05", epsilon=1, objective="max", confidence="0.95")
    assert by_name(result) == {"cube noise": 4680, "independent Laplace": 30_320}
    assert math.ceil(2 * gammainccinv(100, 0.05) / 0.05) == 4680
    tail = brentq(lambda x: (1 - math.exp(-x / 100)) ** 100 - 0.95, 1, 10_000)
    assert math.ceil(2 * tail / 0.05) == 30_303  # 30302.5
    assert result.published is not None
    assert result.published.records == 8000
    assert result.impossible_below == 1440
    assert result.gap == Fraction(13, 4)
    assert result.best.mechanism == "cube noise"


@pytest.mark.parametrize(
    ("dimension", "ours", "exact_tail"), [(2, 0.0916, 0.0915781944), (10, 0.0050, 0.0049954123)]
)
def test_published_rule_fails_as_often_as_the_errata_say(
    dimension: int, ours: float, exact_tail: float
) -> None:
    rule = PublishedRule(dimension, Fraction(1), Fraction(1, 20))
    assert float(rule.failure) == pytest.approx(exact_tail, rel=1e-8)
    assert float(rule.failure) == pytest.approx(gammaincc(dimension, 2 * dimension), rel=1e-9)
    assert float(rule.failure) == pytest.approx(ours, abs=6e-5)
    assert float(rule.bound) == pytest.approx((2 / math.e) ** dimension)
    assert rule.failure.upper < rule.bound.lower
    assert float(rule.failure) > (2 * math.e) ** -dimension  # the plausible guess is false


def test_published_rule_rounds_records_up_and_then_fails_less() -> None:
    rule = PublishedRule(3, Fraction(1), Fraction(7, 10))
    assert rule.records == 18  # 12/0.7 = 17.14
    assert float(rule.failure) == pytest.approx(gammaincc(3, 0.35 * 18))


# Exact: one record fewer is not enough.


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 40),
    st.sampled_from(["0.3", "1", "4"]),
    st.fractions("1/50", "9/10", max_denominator=50),
    st.sampled_from(["0.5", "0.9", "0.999"]),
)
def test_cube_noise_needs_exactly_so_many(
    dimension: int, epsilon: str, error: Fraction, confidence: str
) -> None:
    result = sample_size(
        dimension=dimension, error=error, epsilon=epsilon, objective="max", confidence=confidence
    )
    law = NormLaplace(dimension=dimension, scale=1 / Fraction(epsilon), norm="linf")
    needed = by_name(result)["cube noise"]

    def within(records: int) -> bool:
        return law.cdf(math.floor(error * records / 2)).lower >= Fraction(confidence)

    assert within(needed)
    assert needed == 1 or not within(needed - 1)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 30), st.sampled_from(["0.3", "2"]), st.sampled_from(["0.5", "0.99"]))
def test_independent_laplace_needs_exactly_so_many(
    dimension: int, epsilon: str, confidence: str
) -> None:
    error = Fraction(1, 10)
    result = sample_size(
        dimension=dimension, error=error, epsilon=epsilon, objective="max", confidence=confidence
    )
    law = DiscreteLaplace(scale=dimension / Fraction(epsilon))
    needed = by_name(result)["independent Laplace"]

    def within(records: int) -> bool:
        outside = 2 * float(law.tail(math.floor(error * records / 2) + 1))
        return (1 - outside) ** dimension >= float(confidence)

    assert within(needed)
    assert needed == 1 or not within(needed - 1)


@pytest.mark.parametrize("objective", ["average", "squared"])
def test_expectations_need_exactly_so_many(objective: ObjectiveName) -> None:
    result = sample_size(dimension=7, error="0.03", epsilon="0.5", objective=objective)
    law = DiscreteLaplace(scale=14)
    count = float(law.moment(1)) if objective == "average" else math.sqrt(float(law.moment(2)))
    assert by_name(result)["independent Laplace"] == math.ceil(2 * count / 0.03)
    assert result.published is None
    # Half of the sum of magnitudes is saved by one radius for all columns.
    assert result.best.mechanism == "cube noise"


@pytest.mark.parametrize(("square", "root"), [(Fraction(9), 3), (Fraction(91, 10), 4), (0, 0)])
def test_roots_are_rounded_up(square: Fraction, root: int) -> None:
    assert _root_up(Fraction(square)) == root
    assert _root_up(Fraction(10**30 + 1)) == 10**15 + 1


def test_draws_keep_the_promise() -> None:
    """4000 draws at the planned number: 95 % within; 6 standard errors are 0.021 either way."""
    result = sample_size(dimension=20, error="0.1", epsilon=1, objective="max", confidence="0.95")
    law = NormLaplace(dimension=20, scale=1, norm="linf")
    worst = np.abs(law.sample(4000, SeededSource(31))).max(axis=1) * 2 / result.records
    assert (worst <= 0.1).mean() >= 0.95 - 0.021
    fewer = np.abs(law.sample(4000, SeededSource(32))).max(axis=1) * 2 / (0.9 * result.records)
    assert (fewer <= 0.1).mean() < 0.95 - 0.021


# Approximate privacy


def test_a_thousand_means_with_delta() -> None:
    result = sample_size(
        dimension=1000, error="0.1", epsilon=1, delta="1e-6", objective="max", confidence="0.95"
    )
    needed = by_name(result)
    assert result.best.mechanism == "median of uniforms"
    assert result.best.certain is not None
    assert needed["median of uniforms"] < result.best.certain < needed["discrete Gaussian"]
    assert needed["discrete Gaussian"] < needed["cube noise"] < needed["independent Laplace"]
    assert needed["median of uniforms"] < needed["repaired Gaussian"]
    assert result.impossible_below == 300
    assert result.reason == "fingerprinting"


def test_average_with_delta_is_gaussian() -> None:
    """2·σ·√(2/π)/0.1 with σ = 4.2247·√1000 is 2132; see gaussian_sigma."""
    result = sample_size(dimension=1000, error="0.1", epsilon=1, delta="1e-6", objective="average")
    assert result.best.mechanism == "discrete Gaussian"
    assert result.records == pytest.approx(2132, abs=2)


def test_one_mean_with_delta_has_canonical_noise() -> None:
    result = sample_size(
        dimension=1, error="0.01", epsilon="0.1", delta="0.01", objective="average"
    )
    assert result.best.mechanism == "canonical"
    assert result.records == math.ceil(2 * 6.495 / 0.01)


@pytest.mark.spread(5)
@pytest.mark.parametrize("objective", ["max", "average", "squared"])
@pytest.mark.parametrize("delta", ["0", "1e-6"])
@pytest.mark.parametrize("dimension", [1, 60])
def test_the_impossible_is_never_achieved(
    dimension: int, delta: str, objective: ObjectiveName
) -> None:
    result = sample_size(
        dimension=dimension,
        error="0.02",
        epsilon="0.7",
        delta=delta,
        objective=objective,
        confidence="0.9" if objective == "max" else None,
    )
    assert 1 < result.impossible_below <= result.records
    assert [option.records for option in result.options] == sorted(by_name(result).values())


@pytest.mark.spread(8)
@pytest.mark.parametrize("objective", ["max", "average"])
@pytest.mark.parametrize("dimension", [1, 3, 30, 10**5])
@pytest.mark.parametrize("epsilon", ["0.001", "0.5", "60"])
def test_the_impossible_is_never_achieved_without_delta(
    dimension: int, epsilon: str, objective: ObjectiveName
) -> None:
    for error in ("0.001", "0.9"):
        result = sample_size(
            dimension=dimension,
            error=error,
            epsilon=epsilon,
            objective=objective,
            confidence="0.99" if objective == "max" else None,
        )
        assert 1 <= result.impossible_below <= result.records


def test_bits_need_twice_as_many_as_signs_for_the_same_number() -> None:
    def records(error: str, values: tuple[int, int]) -> int:
        return sample_size(
            dimension=5,
            error=error,
            epsilon=1,
            objective="max",
            confidence="0.9",
            values=values,
        ).records

    assert records("0.05", (0, 1)) == records("0.1", (-1, 1)) == records("0.5", (0, 10))


def test_text_and_html() -> None:
    result = sample_size(dimension=1, error="0.1", epsilon=1, objective="average", values=(0, 1))
    assert repr(result).splitlines() == [
        "SampleSize: 1 mean of bits, mean error 0.1, ε = 1, δ = 0",
        "                     records",
        "impossible below           8  (one column)",
        "achievable with",
        "cube noise                 9",
        "independent Laplace        9",
    ]
    assert "<td>cube noise</td><td>9</td>" in result._repr_html_()
    assert "<caption>SampleSize: 1 mean of bits" in result._repr_html_()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dimension": 0}, "`dimension` must be an integer in 1..1000000000; got dimension=0"),
        ({"dimension": 2.5}, "`dimension` must be an integer"),
        ({"error": 0}, "`error` must be positive"),
        ({"error": -1}, "`error` must be positive"),
        ({"error": 1}, "`error` must be below 1, half the range of an attribute; got error=1"),
        ({"error": math.nan}, "`error` must be a finite number"),
        ({"error": "0.5", "values": (0, 1)}, "`error` must be below 0.5"),
        ({"epsilon": 0}, "`epsilon` must be positive"),
        ({"delta": 1}, r"`delta` must lie in \[0, 1\)"),
        ({"confidence": 1}, "`confidence` must lie in"),
        ({"confidence": 0}, "`confidence` must lie in"),
        ({"confidence": 95}, "`confidence` must lie in"),
        ({"confidence": None}, "`confidence` must be given for objective='max'"),
        ({"objective": "average"}, "`confidence` must be left out for objective='average'"),
        ({"objective": "worst"}, "`objective` must be"),
        ({"values": (1, 0)}, "`values` must be a pair of numbers, the lesser one first"),
        ({"values": 1}, "`values` must be a pair"),
    ],
)
def test_bad_questions(change: dict[str, object], message: str) -> None:
    asked = {
        "dimension": 3,
        "error": "0.1",
        "epsilon": 1,
        "objective": "max",
        "confidence": "0.9",
    }
    with pytest.raises(InvalidParameter, match=message):
        sample_size(**(asked | change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "records", "impossible"),
    [
        ({"dimension": 10**9, "error": "0.5"}, 4_000_208_060, 1_386_294_366),
        ({"dimension": 3, "error": "1e-300"}, 12 * 10**300, 5 * 10**300),
        ({"dimension": 3, "error": "0.1", "epsilon": 1000}, 1, 1),
        ({"dimension": 3, "error": "0.1", "epsilon": "1e-9"}, 125_915_872_440, 54_228_815_960),
        ({"dimension": 3, "error": "0.999999", "confidence": "1e-6"}, 1, 1),
    ],
)
def test_far_out(question: dict[str, object], records: int, impossible: int) -> None:
    asked = {"epsilon": 1, "objective": "max", "confidence": "0.95"} | question
    result = sample_size(**asked)  # type: ignore[arg-type]
    assert (result.records, result.impossible_below) == (records, impossible)


@pytest.mark.slow
def test_many_means() -> None:
    result = sample_size(
        dimension=100_000, error="0.01", epsilon=1, delta="1e-6", objective="max", confidence="0.95"
    )
    assert result.best.mechanism == "median of uniforms"
    assert result.gap < 20
