"""Noise over time: its law, its price by enumeration, and numbers that agree for ever."""

import math

import numpy as np
import pytest

from leastnoise.certificates.over_time.integer_stream import IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.over_time.running_totals import running_totals
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.randomness.source import Source


def renyi_of_transcript(matrix: np.ndarray, moved: list[int], variance: int, order: float) -> float:
    """By adding up both laws of all measurements over a box that holds nearly everything."""
    shift = matrix @ np.array(moved)
    width = 40
    places = np.arange(-width, width + 1)
    law = DiscreteGaussian(variance)
    total = 0.0
    for each in shift:
        one = np.array([float(law.pmf(int(k)).upper) for k in places])
        other = np.array([float(law.pmf(int(k - each)).upper) for k in places])
        total += math.log(float((one**order * other ** (1 - order)).sum())) / (order - 1)
    return total


@pytest.mark.parametrize(("moved", "expected"), [([1, 0], 1.0), ([0, 1], 0.8)])
def test_the_price_is_that_of_the_column(moved: list[int], expected: float) -> None:
    matrix = np.array([[2, 0], [1, 2]])
    assert renyi_of_transcript(matrix, moved, 5, 2.0) == pytest.approx(expected, abs=1e-6)
    # ρ = S/(2V) with S the greatest column: order 2 costs S/V.
    assert Participation().squared_reach(matrix) / 5 == 1.0


def year(groups: int = 1) -> StreamNoise:
    return StreamNoise(stream=running_totals(365).stream, parameter=2**48, groups=groups)


def test_the_price_of_a_year_is_that_of_one_unit() -> None:
    assert float(year().guarantee.rho) == pytest.approx(1 / 2, rel=1e-6)
    twice = StreamNoise(stream=year().stream, parameter=2**48, reach=4)
    assert twice.guarantee.rho == 4 * year().guarantee.rho


def test_errors_are_those_that_are_promised() -> None:
    noise = year(groups=400)
    exact = np.random.default_rng(3).integers(0, 50, (365, 400))
    found = noise.release(exact, Source()).value - np.cumsum(exact, axis=0)
    for step in (0, 50, 364):
        # Of 400 normal numbers: beyond a quarter once in 10^11 runs.
        spread = float(np.sqrt((found[step].astype(float) ** 2).mean()))
        assert spread == pytest.approx(float(noise.errors[step]), rel=0.25)


def test_later_measurements_revise_nothing() -> None:
    noise, exact = year(), np.random.default_rng(1).integers(0, 50, (365, 1))
    source = Source()
    measured = np.array([noise.measure(exact[: t + 1], source) for t in range(30)])
    whole = noise.running(measured)
    for t in (1, 7, 29):
        assert np.array_equal(noise.running(measured[:t]), whole[:t])


def test_without_noise_totals_are_exact() -> None:
    noise, exact = year(), np.random.default_rng(2).integers(-(10**6), 10**6, (365, 1))
    rows = noise.stream.matrix
    measured = (rows @ exact).astype(object)
    assert np.array_equal(noise.running(measured), np.cumsum(exact, axis=0))


def test_sums_that_overflow_64_bits_are_exact() -> None:
    noise = StreamNoise(stream=year().stream, parameter=2**24)
    exact = np.full((365, 1), 1 << 36)
    drawn = int(noise.measure(exact, Source())[0])
    whole = sum(int(c) for c in noise.stream.matrix[364]) << 36
    assert abs(drawn - whole) < 100 * 2**12


@pytest.mark.parametrize(
    "totals", [[1, 2], [[1.5]], [[1, 2]], np.zeros((366, 1), int), [[1 << 61]], [], "ten"]
)
def test_what_is_refused_is_not_shown(totals: object) -> None:
    with pytest.raises(InvalidParameter, match="a row for each of 1") as refusal:
        year().measure(totals)  # type: ignore[arg-type]
    assert str(1 << 61) not in str(refusal.value)


@pytest.mark.parametrize(
    "wrong", [{"stream": 5}, {"parameter": 1}, {"allowed": 3}, {"reach": 0}, {"groups": 0}]
)
def test_arguments(wrong: dict[str, object]) -> None:
    right = {"stream": IntegerStream.of_matrix(np.array([[2]])), "parameter": 2**30}
    with pytest.raises(InvalidParameter):
        StreamNoise(**(right | wrong))  # type: ignore[arg-type]


def test_the_loss_of_a_year() -> None:
    loss = year().privacy()
    # ρ = 1/2 is μ = 1: δ(1) of N(0, 1) against N(1, 1) is 0.12693…
    assert float(loss.delta(1).upper) == pytest.approx(0.126936, abs=1e-5)
