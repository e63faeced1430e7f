"""Discrete Laplace noise: one number or a vector; its law, and its price by the worst move."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.noise import laplace, vector_laplace
from leastnoise.noise.joint_pure import Block, Box, Diamond, Simplex
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers.errors import InvalidInput
from tests.noise.chi_square import contradicts

F = Fraction
Floats = NDArray[np.float64]


def beyond(scale: float) -> Callable[[Floats], Floats]:
    """P(X > x) at half-integers: p^k / (1 + p) for k = x + 1/2 > 0."""
    p = exp(-1 / scale)

    def tail(x: Floats) -> Floats:
        far = p ** (np.abs(x) + 0.5) / (1 + p)
        return np.where(x > 0, far, 1 - far)

    return tail


@pytest.mark.parametrize("scale", [F(1, 2), F(5), F(22, 7), F(10**6)])
def test_the_law_is_a_discrete_laplace(scale: Fraction) -> None:
    """False alarm 1e-9 each. A scale off by 10 % is refused by the same test."""
    drawn = discrete_laplace(scale, 1 << 17, Source())
    assert not contradicts(drawn, beyond(float(scale)))
    assert contradicts(drawn, beyond(float(scale) * 1.1))
    assert contradicts(drawn, beyond(float(scale) / 1.1))


def test_it_is_the_difference_of_two_geometric_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    source, drawn = Source(), iter([np.array([5, 0, 2**70]), np.array([3, 4, 1])])
    asked: list[Any] = []

    def geometric(*arguments: Any) -> Any:
        asked.append(arguments)
        return next(drawn)

    monkeypatch.setattr(laplace, "geometric", geometric)
    assert discrete_laplace(F(3, 2), 3, source).tolist() == [2, -4, 2**70 - 1]
    assert asked == [(F(2, 3), 3, source)] * 2


# Vectors


def moves(reach: Block) -> list[tuple[int, ...]]:
    """All moves that a block allows, by trying."""
    if isinstance(reach, Box):
        return list(product(range(reach.low, reach.high + 1), repeat=reach.cells))
    least = 0 if isinstance(reach, Simplex) else -reach.total
    every = product(range(least, reach.total + 1), repeat=reach.cells)
    return [move for move in every if sum(map(abs, move)) <= reach.total]


@pytest.mark.parametrize(
    "reach",
    [Box(0, 2, cells=3), Box(-3, 1, cells=2), Box(-1, 3), Box(0, 0), Simplex(3, 4), Diamond(2, 3)],
)
def test_the_price_of_a_vector_is_that_of_its_worst_move(reach: Block) -> None:
    noise = LaplaceNoise(7, Box(0, 1, cells=reach.cells))
    assert noise.blocks == (Box(0, 1, cells=reach.cells),)
    assert noise.epsilon([reach]) == F(max(sum(map(abs, move)) for move in moves(reach)), 7)


def test_every_number_gets_noise_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    source, asked = Source(), list[Any]()

    def stub(*arguments: Any) -> Any:
        asked.append(arguments)
        return np.array([4, -1, 0])

    monkeypatch.setattr(vector_laplace, "discrete_laplace", stub)
    (drawn,) = LaplaceNoise(9, Diamond(3, 2)).draw(source)
    assert drawn == [4, -1, 0] and {type(each) for each in drawn} == {int}
    assert asked == [(F(9), 3, source)]


def test_what_makes_no_sense_is_refused() -> None:
    for scale in (0, -1, 1.0, True):
        with pytest.raises(InvalidInput, match="scale of LaplaceNoise"):
            LaplaceNoise(scale, Box(0, 1))  # type: ignore[arg-type]
    for reach in ([], [Box(0, 1)] * 2, [Box(0, 1, cells=2)]):
        with pytest.raises(InvalidInput, match="one vector"):
            LaplaceNoise(1, Box(0, 1)).epsilon(reach)
