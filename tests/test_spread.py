"""Which cases of a test with many of them are quick."""

from itertools import product

import pytest

from tests.spread import chosen

GRID = {f"{a}-{b}": {"a": a, "b": b} for a, b in product(range(6), range(4))}


def test_ends_and_every_value_are_among_the_chosen() -> None:
    kept = chosen(GRID, 1, set())
    assert {"0-0", "5-3"} <= kept
    assert {GRID[name]["a"] for name in kept} == set(range(6))
    assert {GRID[name]["b"] for name in kept} == set(range(4))
    assert len(kept) == 6


def test_as_many_as_asked_and_never_more_than_there_are() -> None:
    assert [len(chosen(GRID, number, set())) for number in (6, 9, 24, 99)] == [6, 9, 24, 24]
    assert chosen({"x": {}}, 5, set()) == {"x"}


def test_a_single_list_is_spread_evenly() -> None:
    names = {str(place): {"x": place} for place in range(10)}
    assert chosen(names, 4, set()) == {"0", "1", "5", "9"}


@pytest.mark.spread(1)
@pytest.mark.parametrize(("one", "other"), [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("third", [5, 6])
def test_three_of_these_six_are_quick(
    one: int, other: int, third: int, request: pytest.FixtureRequest
) -> None:
    is_quick = request.node.get_closest_marker("slow") is None
    assert is_quick == ((one, other, third) in {(1, 1, 5), (1, 2, 5), (2, 1, 6)})


def test_what_noticed_a_mistake_stays() -> None:
    assert {"2-1", "3-1"} <= chosen(GRID, 1, {"2-1", "3-1"})


def test_the_choice_is_the_same_each_time() -> None:
    assert chosen(GRID, 11, set()) == chosen(dict(GRID), 11, set())
