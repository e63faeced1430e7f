"""Eigenvalues of a diagonal matrix plus rank one: from below, near, and no guess is believed."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.numeric import rank_one
from leastnoise.numeric.rank_one import Row, eigenvalues_below
from tests.examples import examples

sizes = st.fractions(min_value=0, max_value=100, max_denominator=1000)
rows = st.dictionaries(sizes, sizes.filter(bool), min_size=1, max_size=6).map(
    lambda found: list(found.items())
)


def true_values(entries: list[Row]) -> list[float]:
    vector = np.array([float(square) ** 0.5 for _, square in entries])
    matrix = np.diag([float(entry) for entry, _ in entries]) + np.outer(vector, vector)
    return sorted(np.linalg.eigvalsh(matrix).tolist(), reverse=True)


@examples(32, 160)
@given(rows)
def test_they_are_near_and_below(entries: list[Row]) -> None:
    scale = float(sum(entry + square for entry, square in entries))
    for found, true in zip(eigenvalues_below(entries), true_values(entries), strict=True):
        assert true - 1e-6 * scale <= found <= true + 1e-12 * scale


@examples(20, 100)
@given(rows)
def test_their_signs_are_decided_in_exact_numbers(entries: list[Row]) -> None:
    """f(x) ≤ 0 in fractions wherever an eigenvalue is claimed to be above x."""
    for found in eigenvalues_below(entries):
        if all(found != entry for entry, _ in entries):
            assert 1 + sum(square / (entry - found) for entry, square in entries) <= 0


def test_exact_values() -> None:
    assert float(eigenvalues_below([(Fraction(0), Fraction(2))])[0]) == pytest.approx(2, rel=1e-9)
    golden = (1 + 5**0.5) / 2  # of the matrix with rows 2, 1 and 1, 1
    found = eigenvalues_below([(Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))])
    assert [float(each) for each in found] == pytest.approx([golden**2, golden**-2], rel=1e-9)
    assert eigenvalues_below([]) == []


@pytest.mark.parametrize("factor", [Fraction(101, 100), Fraction(10), Fraction(-1), Fraction(0)])
def test_wrong_guesses_are_not_believed(factor: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(Fraction(k), Fraction(1, 2)) for k in range(5)]
    guesses = rank_one._guesses

    def wrong(found: list[Row], places: list[int]) -> list[Fraction]:
        return [guess * factor for guess in guesses(found, places)]

    monkeypatch.setattr(rank_one, "_guesses", wrong)
    for found, true in zip(eigenvalues_below(entries), true_values(entries), strict=True):
        assert found <= true + 1e-12


def test_many_rows_lose_little() -> None:
    entries = [(Fraction(k * k % 997, 997), Fraction(1 + k % 7, 50)) for k in range(498)]
    entries = list(dict(entries).items())
    found = [float(each) ** 0.5 for each in eigenvalues_below(entries)]
    true = [each**0.5 for each in true_values(entries)]
    assert 0.999 * sum(true) < sum(found) <= sum(true)
