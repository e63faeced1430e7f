"""Ranks by halving: which sums are looked at, and that no others can mislead."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.mechanisms.quantile.rank_search import most_misled, searched
from tests.examples import examples

small = st.integers(-6, 6)


def way(cells: int, target: int) -> list[int]:
    """The middles that are looked at until one cell is left, if it is the target."""
    low, high, seen = 0, cells - 1, []
    while low < high:
        middle = (low + high) // 2
        seen.append(middle)
        low, high = (low, middle) if target <= middle else (middle + 1, high)
    assert low == target
    return seen


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 60))
def test_rising_sums_are_searched_for_the_first_that_reaches_the_goal(
    counts: list[int], goal: int
) -> None:
    sums = np.cumsum(counts).astype(float)
    first = min(int(np.searchsorted(sums, goal, "left")), len(counts) - 1)
    assert searched(sums, np.array([float(goal)])).tolist() == [first]


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=40), st.lists(small, min_size=2))
def test_cells_rise_with_goals_whatever_the_sums(sums: list[int], goals: list[int]) -> None:
    found = searched(np.array(sums, float), np.array(sorted(goals), float))
    assert (np.diff(found) >= 0).all()
    assert ((found >= 0) & (found < len(sums))).all()


@examples(120, 600)
@given(
    st.integers(0, 12),
    st.lists(st.tuples(st.integers(0, 6), small), min_size=1, max_size=12),
    small,
    st.integers(0, 4),
)
def test_only_sums_on_the_way_mislead(
    rank: int, rows: list[tuple[int, int]], whole_error: int, reach: int
) -> None:
    """The theorem: an error above `reach` needs one at −1 or at a sum on one of the two ways."""
    counts, errors = (np.array(column) for column in zip(*rows, strict=True))
    rank = min(rank, int(counts.sum()))
    goal = rank + whole_error  # n̂ errs as well: errors are those of sum − goal
    true = np.cumsum(counts) - rank
    noisy = np.cumsum(counts) + errors + whole_error
    (cell,) = searched(noisy.astype(float), np.array([float(goal)]))
    below = true[cell] - counts[cell]
    if true[cell] < -reach:
        last = int(np.flatnonzero(true < -reach)[-1])
        misled = [j for j in way(len(counts), last + 1) if j <= last and errors[j] > reach]
        assert misled or (goal <= 0 and rank > reach and -whole_error > reach)
    if below > reach:
        first = int(np.flatnonzero(true > reach)[0])
        assert [j for j in way(len(counts), first) if j >= first and errors[j] < -reach]


@pytest.mark.parametrize("cells", [1, 2, 3, 7, 8, 20])
def test_chances_add_up_along_the_ways(cells: int) -> None:
    chances = np.random.default_rng(cells).random(cells)
    low = [sum(chances[j] for j in way(cells, c) if j < c) for c in range(cells)]
    high = [sum(chances[j] for j in way(cells, c) if j >= c) for c in range(cells)]
    assert most_misled(chances, 0.25) == pytest.approx(0.25 + max(low) + max(high))
    assert most_misled(np.ones(cells), 1.0) <= 2 * (cells - 1).bit_length() + 1
