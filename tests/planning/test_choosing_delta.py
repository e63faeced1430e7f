"""Choosing δ: the exposure of name-and-shame, and a suggestion that keeps it small."""

import warnings
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.planning import (
    DeltaTooLarge,
    exposure_probability,
    judge_delta,
    suggest_delta,
)
from tests.privacy.reference import brackets, number


@pytest.mark.parametrize("delta", ["1e-300", "1e-9", "0.01", "0.5", "0.999999"])
@pytest.mark.parametrize("records", [1, 2, 1000, 10**9])
def test_exposure(delta: str, records: int) -> None:
    truth = -mpf_expm1(records, number(delta))
    assert brackets(exposure_probability(delta=delta, records=records), truth)


def mpf_expm1(records: int, delta: mpf) -> mpf:
    from mpmath import expm1, log1p

    return expm1(records * log1p(-delta))


def test_exposure_at_the_ends() -> None:
    assert exposure_probability(delta=0, records=9) == Interval.exactly(0)
    assert exposure_probability(delta=1, records=9) == Interval.exactly(1)


@pytest.mark.parametrize(
    ("records", "power", "expected"),
    [(10**5, 1.0, 0.632), (10**5, 1.1, 0.271), (10**7, 1.1, 0.181)],
)
def test_errata_a9(records: int, power: float, expected: float) -> None:
    """Errata A9: δ = 1/n leaks with probability 0.632, and n^−1.1 is not yet small."""
    exposure = exposure_probability(delta=records**-power, records=records)
    assert float(exposure) == pytest.approx(expected, abs=5e-4)


@given(st.integers(1, 10**12))
def test_suggestion_is_the_largest_power_of_ten(records: int) -> None:
    choice = suggest_delta(records)
    assert choice.exposure.upper <= Fraction(1, 10**6) < 10 * records * choice.delta
    assert choice.warning is None
    assert choice.records == records
    assert set(str(choice.delta.denominator)) == {"0", "1"}


def test_suggestion_by_another_measure() -> None:
    assert suggest_delta(records=100_000).delta == Fraction(1, 10**11)
    assert suggest_delta(records=100_000, exposure="0.001").delta == Fraction(1, 10**8)
    assert "publish records as they are" in str(suggest_delta(7))


@pytest.mark.parametrize(("delta", "warns"), [("1e-5", True), ("0.99e-5", False), ("0.5", True)])
def test_warning_from_one_over_n_on(delta: str, warns: bool) -> None:
    choice = judge_delta(delta=delta, records=100_000)
    assert (choice.warning is not None) == warns


def test_the_warning_can_be_warned_with() -> None:
    warning = judge_delta(delta="1e-5", records=100_000).warning
    assert warning is not None
    with pytest.warns(
        DeltaTooLarge, match=r"^`delta` must be far below 1/records; got delta=0.00001"
    ):
        warnings.warn(warning, stacklevel=1)


@pytest.mark.parametrize("records", [0, -1])
def test_bad_records(records: int) -> None:
    for call in (suggest_delta, lambda n: exposure_probability(delta="0.1", records=n)):
        with pytest.raises(InvalidParameter, match="`records` must be an integer at least 1; got"):
            call(records)


def test_bad_exposure() -> None:
    with pytest.raises(InvalidParameter, match=r"^`exposure` must lie in \(0, 1\)"):
        suggest_delta(10, exposure=0)
