"""Consistent tables: the same as generalised least squares by matrices."""

from itertools import product

import numpy as np
import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.marginal_tables import Table, consistent, deviations, marginals

SIZES = {"a": 2, "b": 3, "c": 2}
CELLS = list(product(*(range(n) for n in SIZES.values())))
DEVIATIONS = {("a", "b"): 1.0, ("b", "c"): 2.0, ("a", "c"): 0.5, ("a",): 3.0, (): 1.5}


def matrix(columns: tuple[str, ...]) -> np.ndarray:
    """The sums that a table takes of the cells of all columns."""
    names = list(SIZES)
    keys = list(product(*(range(SIZES[name]) for name in columns)))
    return np.array([
        [float(all(cell[names.index(n)] == k for n, k in zip(columns, key, strict=True))) for cell in CELLS]
        for key in keys
    ])  # fmt: skip


def test_tables_are_those_of_least_squares() -> None:
    random = np.random.default_rng(1)
    noisy = {
        c: matrix(c) @ random.normal(size=len(CELLS)) + random.normal(size=len(matrix(c)))
        for c in DEVIATIONS
    }
    stacked = np.vstack([matrix(c) / d for c, d in DEVIATIONS.items()])
    observed = np.concatenate([noisy[c] / d for c, d in DEVIATIONS.items()])
    pseudo = np.linalg.pinv(stacked)
    shaped = {c: Table(noisy[c].reshape([SIZES[n] for n in c]), d) for c, d in DEVIATIONS.items()}
    found = consistent(shaped)
    for columns in DEVIATIONS:
        expected = matrix(columns) @ pseudo @ observed
        covariance = matrix(columns) @ pseudo @ pseudo.T @ matrix(columns).T
        assert np.allclose(found[columns].values.ravel(), expected)
        assert np.allclose(np.diag(covariance), found[columns].deviation ** 2)


def test_sums_agree() -> None:
    random = np.random.default_rng(2)
    tables = {c: Table(random.normal(size=[SIZES[n] for n in c]), 1.0) for c in DEVIATIONS}
    found = consistent(tables)
    assert np.allclose(found["a", "b"].values.sum(axis=1), found["a",].values)
    assert np.allclose(found["a", "c"].values.sum(axis=1), found["a",].values)
    assert np.allclose(found["b", "c"].values.sum(), found[()].values)


def test_all_tables_by_two_of_ten_bits() -> None:
    """45 tables of 4 cells: least squares takes the standard deviation from 1 to 0.558."""
    names = [f"bit{i}" for i in range(10)]
    pairs = marginals(names, ways=2).sets
    assert len(pairs) == 45
    found = deviations(dict.fromkeys(names, 2), dict.fromkeys(pairs, 1.0))
    assert abs(found["bit0", "bit1"] - 0.55777) < 1e-5


def test_what_makes_no_tables_is_refused() -> None:
    for columns, ways in (
        ("abc", 2),
        (["a"], 2),
        (["a", 1], 1),
        (["a", "b"], 0),
        ([f"c{i}" for i in range(80)], 3),
    ):
        with pytest.raises(InvalidInput):
            marginals(columns, ways=ways)  # type: ignore[arg-type]
