"""How far a unit moves what is measured: never less than the worst of all moves, by enumeration."""

from itertools import combinations, pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.workloads.factor import Factor, Integers, Participation, squared_sensitivity

HALF = 1 << 27  # of 2^28


def worst(matrix: Integers, most: int, apart: int) -> int:
    """The most that a unit moves all measurements, in squares, by +1 or -1 in its steps."""
    steps = len(matrix)
    found = 0
    for count in range(1, most + 1):
        for chosen in combinations(range(steps), count):
            if all(b - a >= apart for a, b in pairwise(chosen)):
                for signs in product((-1, 1), repeat=count - 1):
                    moved = matrix[:, list(chosen)] @ np.array((1, *signs))
                    found = max(found, int(moved @ moved))
    return found


def random_case(rng: Random, low: int) -> tuple[Integers, int, int]:
    steps = rng.randint(1, 7)
    entries = [[rng.randint(low, 9) for _ in range(steps)] for _ in range(steps)]
    return np.tril(np.array(entries)), rng.randint(1, 4), rng.randint(1, 4)


def test_no_move_of_a_unit_costs_more() -> None:
    rng, exact = Random(7), 0
    for _ in range(300):
        matrix, most, apart = random_case(rng, -9)
        found, least = (
            squared_sensitivity(matrix, Participation(most, apart)),
            worst(matrix, most, apart),
        )
        assert found >= least
        assert found == least or most > 1
        exact += found == least
    assert exact > 150


def test_columns_that_fall_along_diagonals_are_priced_exactly() -> None:
    rng = Random(8)
    for _ in range(60):
        steps, most, apart = rng.randint(2, 8), rng.randint(1, 4), rng.randint(1, 4)
        column = sorted((rng.randint(0, 9) for _ in range(steps)), reverse=True)
        matrix = np.array(
            [[column[t - s] if t >= s else 0 for s in range(steps)] for t in range(steps)]
        )
        assert squared_sensitivity(matrix, Participation(most, apart)) == worst(matrix, most, apart)


def test_a_short_set_of_steps_need_not_be_part_of_a_longer_one() -> None:
    """The two middle steps are dear and nine apart; three steps would have to leave them out."""
    matrix = np.diag([1, 9, 1, 1, 9, 1])
    assert squared_sensitivity(matrix, Participation(3, 2)) >= 162


def test_adding_in_one_step_and_subtracting_in_the_next_is_priced() -> None:
    matrix = np.array([[10, 0], [-8, 10]])
    assert squared_sensitivity(matrix, Participation()) == 164
    assert squared_sensitivity(matrix, Participation(2)) == 164 + 100 + 160


def test_large_entries_are_multiplied_exactly() -> None:
    large = (1 << 25) - 1
    matrix = np.tril(np.full((3, 3), large))
    assert squared_sensitivity(matrix, Participation(3)) == (1 + 4 + 9) * large**2
    assert squared_sensitivity(matrix, Participation(1)) == 3 * large**2


def test_what_might_overflow_is_refused() -> None:
    for bad in (np.array([[1 << 25]]), np.array([[-(1 << 25)]]), np.array([[-(1 << 63)]])):
        with pytest.raises(InvalidInput, match="below 2\\^25"):
            squared_sensitivity(bad, Participation(2))
    many = np.tril(np.full((64, 64), (1 << 25) - 1))
    with pytest.raises(InvalidInput, match="smaller integers"):
        squared_sensitivity(many, Participation(64))


def test_a_factor_with_buffers_is_what_its_docstring_says() -> None:
    """Halves, so that rounding down plays no part: c_ts = the sum of outlet_t * decays * intake_s."""
    rng = np.random.default_rng(1)
    decay, intake, outlet = (HALF * rng.integers(0, 3, (4, 2)) for _ in range(3))
    direct = HALF * rng.integers(1, 3, 4)
    found = Factor(decay=decay, intake=intake, outlet=outlet, direct=direct).matrix
    a, k, h = (each / (2 * HALF) for each in (decay, intake, outlet))
    for t, s in product(range(4), repeat=2):
        value = direct[t] / (2 * HALF) if t == s else 0.0
        if t > s:
            value = float(h[t] @ (np.prod(a[s + 1 : t + 1], axis=0) * k[s]))
        assert found[t, s] == value * 2**24


def test_a_factor_of_equal_diagonals_is_what_its_docstring_says() -> None:
    found = Factor(column=[2 * HALF, HALF, 0], scale=[2 * HALF, HALF, 2 * HALF])
    assert found.matrix.tolist() == [[1 << 24, 0, 0], [1 << 23, 1 << 23, 0], [0, 1 << 22, 1 << 24]]
    assert Factor(**found.values()).matrix.tolist() == found.matrix.tolist()


@pytest.mark.parametrize(
    "parts",
    [
        {}, {"column": [1]}, {"column": [1], "scale": [1.0]}, {"column": [], "scale": []},
        {"column": [1, 2], "scale": [1]}, {"column": [[1]], "scale": [[1]]}, {"column": ["1"], "scale": [1]},
        {"column": [(1 << 28) + 1], "scale": [1]}, {"column": [1], "scale": [-(1 << 63)]}, {"column": [1 << 70], "scale": [1]},
        {"column": [1] * 4097, "scale": [1] * 4097}, {"column": [1], "scale": [1], "direct": [1]},
        {"decay": [[1]], "intake": [[1]], "outlet": [[1]], "direct": [1, 2]},
        {"decay": [[1] * 65], "intake": [[1] * 65], "outlet": [[1] * 65], "direct": [1]},
        {"decay": [[1, 1]], "intake": [[1]], "outlet": [[1]], "direct": [1]},
    ],
)  # fmt: skip
def test_another_factor_is_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="A factor"):
        Factor(**parts)


@pytest.mark.parametrize("wrong", [(0, 1), (1, 0), (1.5, 1), ("x", 1)])
def test_a_participation_is_two_whole_numbers(wrong: tuple[Any, Any]) -> None:
    with pytest.raises(InvalidInput):
        Participation(*wrong)


def test_totals_that_change_later_cost_no_more() -> None:
    """Every measurement may see another part of what a unit does in its steps, if no entry is below 0."""
    rng = Random(9)
    for _ in range(100):
        matrix, most, apart = random_case(rng, 0)
        allowed, steps = Participation(most, apart), len(matrix)
        begin = rng.randrange(steps)
        own = range(begin, min(steps, begin + apart * allowed.times(steps)), apart)
        moved = 0
        for t in range(steps):
            seen = [s for s in own if s <= t and rng.random() < 0.7]
            moved += sum(rng.choice((-1, 1)) * int(matrix[t, s]) for s in seen) ** 2
        assert moved <= squared_sensitivity(matrix, allowed)
