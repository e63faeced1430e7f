"""Quantiles as ranks: golden errors, how far a unit moves what is measured, laws by enumeration."""

from fractions import Fraction
from itertools import product
from math import exp, log, prod
from typing import Any

import numpy as np
import pytest

from leastnoise.mechanisms.quantiles import Signs, Tree, _searched, distances, quantiles
from leastnoise.mechanisms.selection import exponential_mechanism
from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import ZCDP, PureDP

HALF, QUARTILES = Fraction(1, 2), (0.25, 0.5, 0.75)
PERCENTILES = [Fraction(i, 100) for i in range(1, 100)]


class Silent(DiscreteLaplace):
    """No noise at all."""

    def sample(self, size: int, source: Source | None = None) -> Any:
        return np.zeros(size, dtype=np.int64)


# Errors


@pytest.mark.parametrize(
    ("levels", "cells", "promise", "error"),
    [([0.5], 1 << 16, {"epsilon": 1}, 14), (QUARTILES, 1 << 16, {"epsilon": 1}, 51),
     (QUARTILES, 110, {"epsilon": 1}, 29), (PERCENTILES, 1 << 10, {"rho": "0.1"}, 21),
     (PERCENTILES, 1 << 14, {"rho": "0.1"}, 27), (PERCENTILES, 1 << 10, {"epsilon": 1}, 61)],
)  # fmt: skip
def test_golden_errors(levels: Any, cells: int, promise: Any, error: int) -> None:
    """All but the last have been published; for that, a sharper bound of the same tree says 57."""
    assert quantiles(levels=levels, cells=cells, **promise).error() == error


def test_the_median_of_16384_parts() -> None:
    """12, where 26 has been published: for two choices on ranks, as by the exponential mechanism.

    A median moves by half a rank, so that differences of distances move by 1 and not by 2.
    """
    made: dict[str, Any] = {"levels": [0.5], "cells": 1 << 14, "epsilon": 1}
    assert quantiles(**made).error() == round(log((1 << 14) / 0.1)) == 12
    assert quantiles(**made, contribution=2).error() == 24  # or replaced units
    assert exponential_mechanism(candidates=1 << 14, epsilon=1).error() == 26


def test_one_cell_holds_all_quantiles() -> None:
    for promise in ({"epsilon": 1}, {"rho": 1}):
        one = quantiles(levels=QUARTILES, cells=1, **promise)
        assert one.release([7]).value == (0, 0, 0) and one.error(confidence="0.001") >= 0


def test_few_levels_are_chosen_and_many_are_counted() -> None:
    made: dict[str, Any] = {"cells": 1024, "epsilon": 1}
    assert quantiles(levels=[0.9], **made).chooses and quantiles(levels=QUARTILES, **made).chooses
    assert not quantiles(levels=PERCENTILES, **made).chooses
    wide = quantiles(levels=PERCENTILES, **made, contribution=10)
    assert 9 * 61 < wide.error() <= 10 * 61


@pytest.mark.parametrize("promise", [{"epsilon": 20}, {"epsilon": "0.5"}, {"rho": "0.5"}])
@pytest.mark.parametrize("levels", [QUARTILES, [i / 20 for i in range(1, 20)]])
def test_errors_are_not_exceeded_where_ranks_jump(promise: Any, levels: Any) -> None:
    """40 answers, each level right with chance 1/2 at least: fewer than 1 in 6 is a false alarm of 1e-6."""
    asked = quantiles(levels=levels, cells=256, **promise)
    counts, error = np.zeros(256, dtype=object), asked.error(confidence="0.5")
    counts[[0, 100, 101, 255]] = 400
    inside = np.zeros(len(levels))
    for _ in range(40):
        cells = asked.release(counts.tolist()).value
        for i, (cell, q) in enumerate(zip(cells, asked.levels, strict=True)):
            inside[i] += distances(counts, q)[cell] <= error * q.denominator
    assert list(cells) == sorted(cells)
    assert min(inside) > 40 / 6


# Distances, and how far a unit moves them


def by_definition(counts: tuple[int, ...], level: Fraction) -> list[Fraction]:
    rank, below, found = level * sum(counts), 0, []
    for count in counts:
        found.append(max(Fraction(0), below - rank, rank - (below + count)))
        below += count
    return found


LEVELS = [Fraction(1, 2), Fraction(1, 4), Fraction(9, 10)]


@pytest.mark.parametrize("level", LEVELS)
def test_distances_are_those_of_the_definition(level: Fraction) -> None:
    for counts in product(range(3), repeat=4):
        found = distances(np.array(counts, dtype=object), level)
        assert [Fraction(int(d), level.denominator) for d in found] == by_definition(counts, level)


def test_one_count_moves_distances_no_further_than_is_paid_for() -> None:
    """The greatest of all small tables is just that."""
    for levels in ((LEVELS[0],), (LEVELS[2],), (LEVELS[1], LEVELS[0], Fraction(3, 4))):
        most, rates = Fraction(0), [
            choice.rate * q.denominator
            for choice, q in zip(quantiles(levels=levels, cells=4, epsilon=1).choices, levels, strict=True)
        ]  # fmt: skip
        for counts in product((0, 1, 10), repeat=4):
            for cell in range(4):
                more = tuple(n + (i == cell) for i, n in enumerate(counts))
                moved = Fraction(0)
                for q, rate in zip(levels, rates, strict=True):
                    pairs = zip(by_definition(counts, q), by_definition(more, q), strict=True)
                    changes = [after - before for before, after in pairs]
                    moved += rate * (max(changes) - min(changes))
                most = max(most, moved)
        assert most == 1


def choice_law(utilities: list[float]) -> list[float]:
    """Permute-and-flip by its definition."""
    heads, found = [exp(u) for u in utilities], [0.0] * len(utilities)
    for coins in product((0, 1), repeat=len(heads)):
        chance = prod(p if c else 1 - p for p, c in zip(heads, coins, strict=True))
        for place, coin in enumerate(coins):
            found[place] += chance / sum(coins) if coin else 0
    return found


def test_answers_of_neighbours_differ_by_epsilon_at_most() -> None:
    asked, worst = quantiles(levels=[0.9], cells=3, epsilon=1, contribution=2), 0.0
    (choice,) = asked.choices
    for counts in product((0, 1, 60), repeat=3):
        for added in ((0, 0, 1), (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 0, 1)):
            rows = (counts, tuple(a + b for a, b in zip(counts, added, strict=True)))
            laws = []
            for row in rows:
                far = distances(np.array(row, dtype=object), asked.levels[0])
                laws.append(choice_law([-float(choice.rate) * float(d) for d in far]))
            worst = max(worst, *(abs(log(p / q)) for p, q in zip(*laws, strict=True)))
    assert 0.5 < worst <= 1 + 1e-12


# Sums


def test_halving_finds_the_cell_of_a_rank() -> None:
    sums = np.array([1.0, 4.0, 4.0, 9.0])
    assert [_searched(sums, goal) for goal in (-1, 0, 1, 2, 5, 99)] == [0, 0, 0, 1, 3, 3]


def weights(tree: Tree) -> tuple[Any, Any]:
    """How each noisy count enters each sum, and the sum of all: by sending one unit of noise through."""
    nodes = [tree.branching ** (level + 1) for level in range(tree.height)]
    empty, found = np.zeros(tree.cells, dtype=object), []
    for count in nodes:
        for place in range(count):

            class One(Silent):
                def sample(self, size: int, source: Source | None = None) -> Any:
                    return (np.arange(size) == place) & (size == count)  # noqa: B023

            loud = Tree(tree.cells, tree.branching, tree.height, One(1))
            found.append(loud.measure(empty, Source()))
    return np.array([sums for sums, _ in found]), np.array([total for _, total in found])


@pytest.mark.parametrize(
    ("cells", "branching", "height"), [(8, 2, 3), (7, 3, 2), (10, 3, 3), (5, 5, 1)]
)
def test_the_tree_is_least_squares_with_the_stated_variance(
    cells: int, branching: int, height: int
) -> None:
    tree = Tree(cells, branching, height, DiscreteLaplace(1))
    sums, totals = weights(tree)
    # By normal equations: every node is a sum of leaves.
    leaves = branching**height
    design = np.concatenate(
        [
            np.kron(np.eye(branching ** (h + 1)), np.ones(branching ** (height - h - 1)))
            for h in range(height)
        ]
    )
    prefixes = np.tril(np.ones((leaves, leaves)))[:cells]
    assert np.allclose(sums.T, prefixes @ np.linalg.pinv(design))
    for level in (0.1, 0.5, 0.9):
        errors = np.column_stack([sums - level * totals[:, None], -level * totals])
        assert np.isclose((errors**2).sum(axis=0).max(), tree.spread(level))
        assert abs(errors).max() <= 1 + 1e-12


def test_a_tree_without_noise_gives_the_sums() -> None:
    counts = np.array([3, 0, 10**18, 5, 0, 2, 1], dtype=object)
    sums, total = Tree(7, 2, 3, Silent(1)).measure(counts, Source())
    assert np.allclose(sums, np.cumsum(counts).astype(float), rtol=1e-12) and total == sums[-1]


def dense(signs: Signs) -> Any:
    """The matrix that counts are multiplied by, the row of the sum last."""
    size, column = signs.cells, signs.column
    rows = [
        [column[i - j] if i >= j else -column[size + i - j] for j in range(size)]
        for i in range(size)
    ]
    return np.array([*rows, [signs.whole] * size], dtype=object)


@pytest.mark.parametrize("cells", [1, 2, 3, 8, 13])
def test_all_units_move_what_is_measured_by_what_is_paid_for(cells: int) -> None:
    asked = quantiles(levels=[0.2, 0.5], cells=cells, rho="0.3", contribution=3)
    assert isinstance(asked.sums, Signs)
    moves = dense(asked.sums)
    assert set((moves**2).sum(axis=0)) == {asked.sums.square}
    assert asked.sums.law.variance == Fraction(9 * asked.sums.square, 1) / (2 * Fraction("0.3"))
    two = moves[:, 0] + 2 * moves[:, -1]
    assert (two**2).sum() <= 9 * asked.sums.square


def test_what_is_measured_tells_the_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """And ranks of the median have the least variance that any matrix gives."""
    signs, counts = Signs(13, HALF, (HALF,)), np.arange(13).astype(object)
    exact = dense(signs).astype(float)
    solved = (np.tril(np.ones((13, 13))) - 0.5) @ np.linalg.inv(exact[:13])
    assert np.isclose((solved**2).sum(axis=1), signs._rank).all()
    least = np.linalg.svd(np.tril(np.ones((13, 13))) - 0.5, compute_uv=False).sum() / 13
    length = sum(each**2 for each in signs.column)
    assert np.isclose((signs._rank * length) ** 0.5, least)
    monkeypatch.setattr(
        type(signs.law), "sample", lambda law, count, source: np.zeros(count, np.int64)
    )
    sums, total = signs.measure(counts, Source())
    assert np.allclose(sums, np.cumsum(counts).astype(float)) and total == 78


def test_draws_err_as_much_as_stated() -> None:
    """Of all cells alike; a standard error of the ratio is about 0.02."""
    signs, counts = Signs(16, Fraction(1, 200), (HALF,)), np.full(16, 50, dtype=object)
    drawn = [signs.measure(counts, Source()) for _ in range(300)]
    ranks = np.std([sums - 0.5 * total for sums, total in drawn], axis=0)
    assert 0.9 < float(np.mean(ranks)) / (signs._rank * float(signs.law.variance)) ** 0.5 < 1.1


# Prices and refusals


def test_prices() -> None:
    pure = quantiles(levels=QUARTILES, cells=9, epsilon=1)
    assert pure.guarantee == PureDP(epsilon=1) and pure.privacy(2).delta(2).upper == 0
    gauss = quantiles(levels=QUARTILES, cells=9, rho="0.5")
    assert gauss.guarantee == ZCDP(rho="0.5")
    assert abs(float(gauss.privacy().delta(1)) - 0.12693673750664) < 1e-12


def test_bad_input_is_refused_and_not_shown() -> None:
    asked = quantiles(levels=[0.5], cells=3, epsilon=1)
    for bad in ([1, 2], [1, 2, -31415], [1, 2, 0.5], ["31415", 1, 2], [[1, 2, 3]], None):
        with pytest.raises(InvalidInput) as refused:
            asked.release(bad)  # type: ignore[arg-type]
        assert "31415" not in str(refused.value)
    bad_questions: tuple[dict[str, Any], ...] = (
        {"levels": []}, {"levels": [0.5, 0.5]}, {"levels": [0]}, {"levels": [1]}, {"cells": 0},
        {"cells": 1 << 21}, {"epsilon": 0}, {"rho": 1}, {"epsilon": None}, {"contribution": 0},
    )  # fmt: skip
    for wrong in bad_questions:
        with pytest.raises(InvalidInput):
            quantiles(**{"levels": [0.5], "cells": 3, "epsilon": 1, **wrong})
