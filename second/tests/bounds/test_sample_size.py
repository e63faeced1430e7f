"""How many records: the example of the docs, exactness, inverses, the published rule, refusals."""

import math
from fractions import Fraction
from typing import Any

import pytest
from scipy import special, stats

from leastnoise.bounds import least_epsilon, least_error, norm_of, sample_size
from leastnoise.bounds.question import Objective
from leastnoise.bounds.sample_size import SampleSize
from leastnoise.bounds.upper import CubeNorm
from leastnoise.noise import DiscreteLaplace, RoundedGaussian, TruncatedLaplace
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy import gaussian_sigma

ASKED: Any = {"dimension": 100, "error": "0.1", "epsilon": 1, "objective": "max"}


def asked(**changed: Any) -> SampleSize:
    return sample_size(**ASKED | changed)


def test_the_table_of_a_hundred_means() -> None:
    """On the line cube noise needs 2*GammaInv(0.95; 100)/0.1 = 2339.8, Laplace noise 15,151.3.

    Errors of counts come in whole steps, that is of 20 records.
    """
    found = asked(confidence="0.95")
    assert dict(found.options) == {"cube noise": 2340, "independent Laplace": 15_160}
    assert math.ceil(2 * special.gammainccinv(100, 0.05) / 0.1) == 2340
    line = -100 * math.log(-math.expm1(math.log(0.95) / 100))
    assert 15_151 < 2 * line / 0.1 < 15_152
    assert (found.records, found.impossible_below, found.bounds[0].theorem) == (
        2340,
        720,
        "packing",
    )
    assert found.published is not None and found.published.records == 4000
    assert float(found.published.failure) == pytest.approx(1.8e-15, rel=0.03)
    assert float(found.published.failure) == pytest.approx(special.gammaincc(100, 200), rel=1e-9)
    assert repr(asked()) == repr(found) == repr(asked(delta="0", error=0.1))


def test_twice_the_error_of_bits_is_that_of_signs() -> None:
    assert asked(error="0.05", values=(0, 1)).options == asked().options
    assert asked(error=7, values=(-20, 120)).options == asked().options
    assert asked(error="0.05").records == 4680


@pytest.mark.parametrize(("dimension", "truth"), [(2, 0.0916), (10, 0.0050)])
def test_how_often_the_published_rule_fails(dimension: int, truth: float) -> None:
    """Errata B4: at most (2/e)^d, and more often than (2e)^-d."""
    rule = asked(dimension=dimension, error="0.05").published
    assert rule is not None
    failure = float(rule.failure)
    assert failure == pytest.approx(stats.gamma.sf(2 * dimension, dimension))
    assert failure == pytest.approx(truth, abs=6e-5)
    assert (2 * math.e) ** -dimension < failure < (2 / math.e) ** dimension
    rounded_up = asked(dimension=3, error="0.7").published
    assert rounded_up is not None and rounded_up.records == 18  # 12/0.7 = 17.1
    assert float(rounded_up.failure) == pytest.approx(stats.gamma.sf(0.35 * 18, 3))
    assert asked(delta="1e-9").published is None and asked(objective="average").published is None


# One record fewer is not enough


@pytest.mark.parametrize("dimension", [2, 7, 40])
@pytest.mark.parametrize("error", ["0.02", "3/7"])
@pytest.mark.parametrize("confidence", ["0.5", "0.999"])
def test_every_mechanism_needs_exactly_so_many(dimension: int, error: str, confidence: str) -> None:
    found = asked(dimension=dimension, error=error, epsilon=3, delta="1e-4", confidence=confidence)
    sigma = Fraction(gaussian_sigma(epsilon=3, delta="1e-4", sensitivity=1).upper)
    laws = {
        "cube noise": CubeNorm(dimension, Fraction(3)),
        "independent Laplace": norm_of(DiscreteLaplace(Fraction(3, dimension)), dimension),
        "Gaussian": norm_of(RoundedGaussian(sigma**2 * dimension), dimension),
    }
    assert found.options == tuple(sorted(found.options, key=lambda option: option[1]))
    for name, records in found.options:
        for people, is_enough in ((records, True), (records - 1, records == 1)):
            beyond = laws[name].tail(math.floor(Fraction(error) * people / 2) + 1)
            assert (float(beyond) <= 1 - float(confidence)) == is_enough, name


@pytest.mark.parametrize(("objective", "order"), [("average", 1), ("squared", 2), ("l2", 2)])
def test_means_need_exactly_so_many(objective: Objective, order: int) -> None:
    error = "0.03" if objective != "l2" else 0.03 * math.sqrt(7)
    found = asked(dimension=7, error=error, epsilon="0.5", objective=objective)
    count = float(DiscreteLaplace("1/14").moment(order)) ** (1 / order)
    assert dict(found.options)["independent Laplace"] == math.ceil(2 * count / 0.03)
    cube = float(CubeNorm(7, Fraction(1, 2)).part(order)) ** (1 / order)
    assert found.options[0] == ("cube noise", math.ceil(2 * cube / 0.03))


@pytest.mark.parametrize(
    ("epsilon", "error", "records"), [(1, "0.05", 35), (1, "0.001", 1702), (3, "0.05", 4)]
)
def test_one_column_is_settled(epsilon: int, error: str, records: int) -> None:
    """Geometric noise has 2/sinh(epsilon) on a sum of signs, and nothing has less."""
    found = asked(dimension=1, error=error, epsilon=epsilon, objective="average")
    assert found.records == found.impossible_below == records
    assert records == math.ceil(2 / math.sinh(epsilon) / float(error))


def test_truncated_laplace_is_the_best_for_one_column_with_delta() -> None:
    found = asked(dimension=1, error="0.01", delta="0.01", objective="average")
    assert [name for name, _ in found.options] == ["truncated Laplace", "Laplace", "Gaussian"]
    assert found.records == math.ceil(200 * float(TruncatedLaplace(1, 1, "0.01").moment(1)))


def test_moves_of_a_mean_query() -> None:
    """Errata A6 and A8: values in [0, 1], Delta_1 = k/n and Delta_2 = sqrt(k)/n."""
    found = asked(dimension=9, error="0.05", values=(0, 1))
    one, two = found.sensitivity
    assert one == Fraction(9, found.records) and float(two) == pytest.approx(3 / found.records)
    signs = asked(dimension=9)
    assert signs.records == found.records and signs.sensitivity[0] == 2 * one


def test_gaussian_noise_gains_a_root_of_columns_and_loses_for_few() -> None:
    """Errata A7: root mean square length; the gain is sqrt(k/log(1/delta)), below 1 for few columns.

    The printed variance 2*log(1/delta) would give 0.93, 9.3 and 93 at delta 1e-5; ours is least.
    """
    gains = []
    for dimension in (10, 10**3, 10**5):
        found = dict(asked(dimension=dimension, error="0.1", delta="1e-5", objective="l2").options)
        gains.append(found["independent Laplace"] / found["Gaussian"])
        printed = math.sqrt(dimension / math.log(1e5))
        assert printed == pytest.approx({10: 0.93, 10**3: 9.3, 10**5: 93}[dimension], rel=5e-3)
        assert printed < gains[-1] < 1.5 * printed
    assert gains[1] / gains[0] == pytest.approx(10, rel=0.02)
    assert gains[2] / gains[1] == pytest.approx(10, rel=0.02)


# Inverses


@pytest.mark.parametrize(
    ("objective", "delta"), [("max", "1e-6"), ("average", "0"), ("squared", "1e-6"), ("l2", "0")]
)
def test_the_three_answers_agree(objective: Objective, delta: str) -> None:
    wide = 4 if objective == "l2" else 1
    plan: Any = {"dimension": 16, "delta": delta, "objective": objective}
    found = sample_size(error=Fraction(wide, 10), epsilon=1, **plan)
    for name, records in found.options:
        enough = dict(least_error(records=records, epsilon=1, **plan).options)[name]
        fewer = dict(least_error(records=records - 1, epsilon=1, **plan).options)[name]
        assert enough.upper <= Fraction(wide, 10) < fewer.upper
    best, records = found.options[0]
    least = least_epsilon(records=records, error=Fraction(wide, 10), **plan)
    level = dict(least.options)[best]
    assert level <= 1 + Fraction(1, 2**20)
    again = sample_size(error=Fraction(wide, 10), epsilon=level, **plan)
    assert dict(again.options)[best] <= records
    assert 0 <= least.impossible_below <= least.epsilon <= level
    below = least_error(records=found.impossible_below, epsilon=1, **plan).impossible_below
    assert below <= Fraction(wide, 10)


def test_printed_errors_and_epsilons_suffice() -> None:
    """They are rounded up: 3.0244 would be printed as 3.024, which is too little."""
    found = least_epsilon(dimension=100, records=10_000, error="0.05", objective="max")
    assert "independent Laplace    3.025" in repr(found)
    needed = dict(asked(error="0.05", epsilon="3.024").options)["independent Laplace"]
    assert (
        needed > 10_000 >= dict(asked(error="0.05", epsilon="3.025").options)["independent Laplace"]
    )


@pytest.mark.parametrize("records", [777, 1234, 9999])
def test_printed_errors_are_rounded_up(records: int) -> None:
    found = least_error(dimension=3, records=records, epsilon="0.3", objective="max")
    printed = {line[:20].strip(): float(line.split()[-1]) for line in repr(found).splitlines()[3:]}
    for name, error in found.options[:2]:
        assert error.upper <= printed[name[:20]] <= float(error) * 1.001
    assert printed["impossible below"] <= found.impossible_below


def test_with_few_records_the_middle_is_best() -> None:
    found = least_error(dimension=100, records=10, epsilon="0.1", objective="max")
    assert found.options[0][0] == "the middle, without data" and found.error.upper == 1
    assert 0 < found.impossible_below <= 1
    vast = least_epsilon(dimension=2, records=10**9, error="0.5", objective="max")
    assert vast.impossible_below < vast.epsilon < Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dimension": 0}, "dimension is 0. Give a whole number"),
        ({"dimension": 2.5}, "dimension is 2.5. Give a whole number"),
        ({"dimension": 10**7}, "dimension is 10000000. Give at most 1,000,000"),
        ({"error": 0}, "error is 0. Give a number above 0"),
        ({"error": "1e-20"}, "error is 1e-20. Give a larger one"),
        ({"error": 1}, "error is 1: to publish the middle"),
        ({"error": "0.5", "values": (0, 1)}, "without data, is as good"),
        ({"error": float("nan")}, "finite number"),
        ({"epsilon": 0}, "epsilon is 0. Give a number from 1e-9 to 1000"),
        ({"epsilon": "inf"}, "finite number"),
        ({"epsilon": True}, "epsilon is True"),
        ({"delta": 1}, "delta is 1. Give 0 or a number"),
        ({"delta": "-0.1"}, "delta is -0.1. Give 0 or a number"),
        ({"objective": "worst"}, "objective is 'worst'. Give \"max\""),
        ({"confidence": 1}, "confidence is 1. Give a number between 0 and 1"),
        ({"objective": "l2", "confidence": "0.9"}, "Leave it out"),
        ({"values": (1, 0)}, "no pair of numbers, the lesser first"),
        ({"values": [0, 1]}, "no pair of numbers"),
    ],
)
def test_bad_input_is_refused_in_words(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        asked(**wrong)
    assert message in str(refused.value)


def test_bad_input_of_the_inverses() -> None:
    for records in (0, 1.5, "many"):
        with pytest.raises(InvalidInput, match="records is"):
            least_error(dimension=2, records=records, epsilon=1, objective="max")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no room for noise"):
        least_epsilon(dimension=2000, records=1, error="0.001", objective="max")
