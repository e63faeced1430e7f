"""The published rule takes numbers in every spelling, and refuses what is none."""

from fractions import Fraction
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.sizes.published_rule import PublishedRule


@pytest.mark.parametrize("epsilon", ["1", 1, 1.0, Fraction(1)])
def test_numbers_in_every_spelling(epsilon: Any) -> None:
    rule = PublishedRule(dimension=2, epsilon=epsilon, error="0.1")
    assert rule == PublishedRule(2, Fraction(1), Fraction(1, 10))
    assert rule.records == 80


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": "one"},
        {"epsilon": 0},
        {"epsilon": None},
        {"error": "-1"},
        {"error": float("nan")},
        {"dimension": 0},
        {"dimension": "2"},
        {"dimension": 1.5},
    ],
)
def test_what_is_no_such_number_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter, match=next(iter(change))):
        PublishedRule(**{"dimension": 2, "epsilon": 1, "error": "0.1", **change})
