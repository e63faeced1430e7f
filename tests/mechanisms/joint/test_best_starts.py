"""`best_starts`: the start widths it finds are the best ones."""

import pytest

from leastnoise.mechanisms.joint.best_starts import best_starts
from leastnoise.mechanisms.joint.part import Box, Everyone, Part
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise


def variance(epsilon: object, *parts: Part) -> float:
    return float(TwoCounterNoise(epsilon, parts).cell(0).moment(2))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "start", "least"), [(10, 6, 20.32), (20, 14, 58.75), (50, 38, 281.6)]
)
def test_unit_counts_at_one(count: int, start: int, least: float) -> None:
    """Figures from an exhaustive search, checked by independent code."""
    (found,) = best_starts(1, [Box(0, 1, cells=count)])
    assert found == Box(0, 1, cells=count, start=start)
    assert variance(1, found) == pytest.approx(least, rel=2e-4)


@pytest.mark.parametrize("epsilon", [4, 1, "0.1"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 10])
def test_no_other_even_width_is_better(epsilon: object, count: int) -> None:
    (found,) = best_starts(epsilon, [Box(0, 1, cells=count)])  # type: ignore[arg-type]
    least = variance(epsilon, found)
    for start in range(0, 100, 2):
        assert least <= variance(epsilon, Box(0, 1, count, start)) * (1 + 1e-9)


def test_wide_boxes_get_wide_starts() -> None:
    narrow, wide = best_starts(1, [Box(0, 1, cells=5), Box(0, 1000, cells=5)])
    assert isinstance(narrow, Box)
    assert isinstance(wide, Box)
    assert 300 < wide.start / narrow.start < 3000


def test_what_cannot_gain_stays() -> None:
    assert best_starts(1, [Box(-5, 5)]) == (Box(-5, 5),)
    assert best_starts(1, [Everyone(), Box(1, 1)]) == (Everyone(), Box(1, 1))
    found = best_starts(1, [Everyone(), Box(0, 1, cells=10)])
    assert found == (Everyone(), Box(0, 1, cells=10, start=6))
