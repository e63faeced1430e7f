"""What units in several steps cost: never less than the worst of all sets of steps."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.certificates.over_time.participation import Participation
from leastnoise.errors import InvalidParameter


def enumerated(matrix: np.ndarray, most: int, apart: int) -> int:
    gram = np.abs(matrix.T @ matrix)
    sets = (
        steps
        for count in range(1, most + 1)
        for steps in combinations(range(len(matrix)), count)
        if all(b - a >= apart for a, b in pairwise(steps))
    )
    return max(int(gram[np.ix_(steps, steps)].sum()) for steps in sets)


@given(st.data())
def test_no_set_of_steps_costs_more(data: st.DataObject) -> None:
    steps = data.draw(st.integers(1, 8))
    entries = st.lists(st.integers(-9, 9), min_size=steps**2, max_size=steps**2)
    matrix = np.tril(np.array(data.draw(entries)).reshape(steps, steps))
    most, apart = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    found = Participation(most=most, apart=apart).squared_reach(matrix)
    assert found >= enumerated(matrix, most, apart)


@given(st.lists(st.integers(0, 9), min_size=9, max_size=9), st.integers(1, 3), st.integers(1, 3))
def test_falling_diagonals_cost_what_the_first_steps_do(
    column: list[int], most: int, apart: int
) -> None:
    falling = sorted(column, reverse=True)
    places = np.subtract.outer(np.arange(9), np.arange(9))
    matrix = np.where(places >= 0, np.array(falling)[np.abs(places)], 0)
    found = Participation(most=most, apart=apart).squared_reach(matrix)
    assert found == enumerated(matrix, most, apart)


def test_one_step_costs_its_column() -> None:
    assert Participation().squared_reach(np.array([[2, 0], [1, 2]])) == 5
    # Adding in one step and subtracting in the next costs more than both alone: signs do not help.
    assert Participation(most=2).squared_reach(np.array([[10, 0], [-8, 10]])) == 424


def test_large_entries_are_multiplied_exactly() -> None:
    large = (1 << 25) - 1
    matrix = np.tril(np.full((3, 3), large))
    assert Participation(most=3).squared_reach(matrix) == (1 + 4 + 9) * large**2


def test_what_might_overflow_is_refused() -> None:
    for matrix in (np.array([[1 << 25]]), np.zeros((0, 0), np.int64)):
        with pytest.raises(InvalidParameter, match="entries below 2\\^25"):
            Participation(most=2).squared_reach(matrix)
    many = np.tril(np.full((64, 64), (1 << 25) - 1))
    with pytest.raises(InvalidParameter, match="less than 2\\^62"):
        Participation(most=64).squared_reach(many)


@pytest.mark.parametrize("wrong", [{"most": 0}, {"apart": 0}, {"most": 1.5}])
def test_what_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidParameter):
        Participation(**wrong)  # type: ignore[arg-type]
