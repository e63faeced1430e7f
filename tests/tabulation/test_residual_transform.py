"""Axis by axis against matrices that are built in full."""

from fractions import Fraction
from functools import reduce
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from leastnoise.tabulation.residuals.residual_axis import ResidualAxis
from leastnoise.tabulation.residuals.residual_transform import residuals_of, table_of

sizes = st.lists(st.integers(2, 5), min_size=0, max_size=4)


def image(size: int) -> NDArray[np.int64]:
    """B as a matrix, from its definition."""
    if size == 2:
        return np.array([[1, -1]])
    return size * np.eye(size, dtype=np.int64) - 1


@pytest.mark.parametrize("size", [2, 3, 7])
def test_the_maps_of_one_axis(size: int) -> None:
    axis, matrix = ResidualAxis(size), image(size)
    assert matrix.shape == (axis.kept, size)
    assert np.array_equal(axis.contrast(np.eye(size, dtype=np.int64), 0), matrix)
    back = axis.recover(np.eye(axis.kept), 0)
    assert np.allclose(back, np.linalg.pinv(matrix))
    assert np.allclose(np.diag(back @ back.T), float(axis.spread))
    products = matrix.T @ matrix
    assert set(np.diag(products)) == {axis.product(same=True)}
    assert set(products[~np.eye(size, dtype=bool)]) == {axis.product(same=False)}
    assert np.abs(matrix).max() == axis.growth


@settings(deadline=None, max_examples=60)
@given(sizes, st.integers(0, 2**32))
def test_residuals_are_kronecker_products(shape: list[int], seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 50, shape)
    found = residuals_of(table, [ResidualAxis(size) for size in shape])
    every = range(len(shape))
    subsets = {a for k in range(len(shape) + 1) for a in combinations(every, k)}
    assert set(found) == subsets
    for places in subsets:
        factors = [
            image(size) if i in places else np.ones((1, size), dtype=np.int64)
            for i, size in enumerate(shape)
        ]
        matrix = reduce(np.kron, factors, np.ones((1, 1), dtype=np.int64))
        assert np.array_equal(found[places].ravel(), matrix @ table.ravel())
        assert found[places].dtype == np.int64


def test_a_stack_is_a_list_of_tables() -> None:
    axes = [ResidualAxis(3), ResidualAxis(2)]
    stack = np.random.default_rng(3).integers(0, 50, (4, 3, 2))
    together = residuals_of(stack, axes)
    for number, table in enumerate(stack):
        for places, residual in residuals_of(table, axes).items():
            assert np.array_equal(together[places][number], residual)


@settings(deadline=None, max_examples=60)
@given(sizes, st.integers(0, 2**32))
def test_tables_come_back_exactly(shape: list[int], seed: int) -> None:
    axes = [ResidualAxis(size) for size in shape]
    table = np.random.default_rng(seed).integers(-(10**12), 10**12, shape)
    found = residuals_of(table, axes)
    exact = {places: part.astype(object) * Fraction(1) for places, part in found.items()}
    assert np.array_equal(table_of(exact, axes), table)
    floats = {places: part.astype(np.float64) for places, part in found.items()}
    assert np.allclose(table_of(floats, axes), table, rtol=0, atol=0.1)  # of 10**12
