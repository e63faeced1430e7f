"""The least error for so many records, and the least ε for an error: inverses of the number."""

import math
from fractions import Fraction

import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import Canonical, DiscreteLaplace, NormLaplace
from leastnoise.planning import LeastEpsilon, least_epsilon, least_error, sample_size
from leastnoise.tabulation.objective import ObjectiveName


@pytest.mark.parametrize("objective", ["max", "average", "squared"])
@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_error_undoes_sample_size(objective: ObjectiveName, delta: str) -> None:
    level = "0.9" if objective == "max" else None
    planned = sample_size(
        dimension=30, error="0.05", epsilon=1, delta=delta, objective=objective, confidence=level
    )
    found = least_error(
        dimension=30,
        records=planned.records,
        epsilon=1,
        delta=delta,
        objective=objective,
        confidence=level,
    )
    assert found.best.mechanism == planned.best.mechanism
    assert found.error.upper <= Fraction(1, 20)
    assert found.error.lower > Fraction(48, 1000)
    assert found.impossible_below <= found.error.lower
    assert [o.error.upper for o in found.options] == sorted(o.error.upper for o in found.options)


def test_error_is_that_of_the_law() -> None:
    found = least_error(dimension=4, records=500, epsilon=2, objective="squared", values=(0, 1))
    law = DiscreteLaplace(scale=2)
    errors = {option.mechanism: option.error for option in found.options}
    exact = math.sqrt(float(law.moment(2))) / 500
    assert float(errors["independent Laplace"]) == pytest.approx(exact, rel=1e-12)
    assert errors["independent Laplace"].width < 1e-15


def test_without_data_the_error_is_half_the_range() -> None:
    found = least_error(
        dimension=1000, records=10, epsilon="0.1", objective="max", confidence="0.9", values=(0, 1)
    )
    assert found.best.mechanism == "the middle, without data"
    assert found.error.upper == found.impossible_below == Fraction(1, 2)


@pytest.mark.parametrize("objective", ["max", "average", "squared"])
def test_epsilon_undoes_sample_size(objective: ObjectiveName) -> None:
    level = "0.9" if objective == "max" else None
    planned = sample_size(
        dimension=30, error="0.05", epsilon=1, objective=objective, confidence=level
    )
    found = least_epsilon(
        dimension=30, records=planned.records, error="0.05", objective=objective, confidence=level
    )
    assert found.best.mechanism == planned.best.mechanism
    assert Fraction(95, 100) < found.epsilon <= 1
    assert 0 < found.impossible_below < found.epsilon
    again = sample_size(
        dimension=30, error="0.05", epsilon=found.epsilon, objective=objective, confidence=level
    )
    assert again.records <= planned.records


def test_epsilon_of_cube_noise_is_the_least() -> None:
    """A little less ε, and the quantile of the law exceeds what the records allow."""
    found = least_epsilon(
        dimension=50, records=2000, error="0.1", objective="max", confidence="0.95"
    )
    for factor, enough in ((1, True), (Fraction(999, 1000), False)):
        law = NormLaplace(dimension=50, scale=1 / (found.epsilon * factor), norm="linf")
        assert (law.quantile("0.95") <= 100) == enough


def mechanisms(found: LeastEpsilon) -> list[str]:
    return [option.mechanism for option in found.options]


@pytest.mark.slow
def test_epsilon_with_delta() -> None:
    planned = sample_size(
        dimension=300, error="0.1", epsilon=1, delta="1e-6", objective="max", confidence="0.95"
    )
    found = least_epsilon(
        dimension=300,
        records=planned.records,
        error="0.1",
        delta="1e-6",
        objective="max",
        confidence="0.95",
    )
    assert found.best.mechanism == planned.best.mechanism == "median of uniforms"
    assert Fraction(97, 100) < found.epsilon <= 1
    assert sorted(mechanisms(found)) == [
        "cube noise",
        "discrete Gaussian",
        "independent Laplace",
        "median of uniforms",
    ]
    assert found.best.noise.privacy(1).delta(found.epsilon).upper <= Fraction(1, 10**6)


def test_one_column_knows_canonical_noise() -> None:
    found = least_epsilon(
        dimension=1, records=2600, error="0.01", delta="0.01", objective="average"
    )
    assert mechanisms(found)[0] == "canonical"
    for factor, enough in ((1, True), (Fraction(999, 1000), False)):
        law = Canonical(epsilon=found.epsilon * factor, delta="0.01")
        assert (law.moment(1).upper <= 13) == enough
    assert "median of uniforms" in mechanisms(found)


def test_no_room_for_noise() -> None:
    with pytest.raises(UnsupportedQuery, match="must leave room for noise of one count"):
        least_epsilon(dimension=3, records=1, error="1e-1900", objective="average")


def test_texts() -> None:
    error = least_error(dimension=2, records=100, epsilon=1, objective="average")
    assert repr(error).startswith(
        "LeastError: 2 means of ±1, mean error, 100 records, ε = 1, δ = 0"
    )
    assert "the middle, without data" in error._repr_html_()
    epsilon = least_epsilon(dimension=2, records=100, error="0.2", objective="average")
    assert repr(epsilon).startswith(
        "LeastEpsilon: 2 means of ±1, mean error 0.2, 100 records, δ = 0"
    )
    assert "impossible below" in epsilon._repr_html_()


@pytest.mark.parametrize("records", [0, -1, 2.0, True])
def test_bad_records(records: object) -> None:
    with pytest.raises(InvalidParameter, match="`records`"):
        least_error(dimension=2, records=records, epsilon=1, objective="average")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="`records`"):
        least_epsilon(dimension=2, records=records, error="0.1", objective="average")  # type: ignore[arg-type]


def test_bad_error() -> None:
    with pytest.raises(InvalidParameter, match="`error` must be below 1"):
        least_epsilon(dimension=2, records=9, error=2, objective="average")
