"""Laws asked for a divergence directly take numbers in every spelling, and refuse what is none."""

import math
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.privacy.laws.continuous_staircase import ContinuousStaircase
from leastnoise.privacy.laws.finite_law import FiniteLaw
from leastnoise.privacy.laws.laplace import Laplace
from leastnoise.privacy.laws.normal import Normal

PAIRS: list[tuple[Any, Any]] = [
    (ContinuousStaircase(0, 1, 1, "0.5"), ContinuousStaircase(1, 1, 1, "0.5")),
    (Laplace(0, 1), Laplace(1, 1)),
    (Normal(0, 1), Normal(1, 1)),
    (FiniteLaw({0: 1, 1: 3}), FiniteLaw({0: 3, 1: 1})),
]


@pytest.mark.parametrize(("law", "other"), PAIRS, ids=lambda law: type(law).__name__)
def test_numbers_in_every_spelling(law: Any, other: Any) -> None:
    assert law.hockey_stick(other, "0.5") == law.hockey_stick(other, 0.5)
    assert law.renyi(other, "2") == law.renyi(other, 2)
    assert law.renyi(other, math.inf).upper > 0


@pytest.mark.parametrize(("law", "other"), PAIRS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("number", ["half", None, math.nan, [1]])
def test_what_is_no_number_is_refused(law: Any, other: Any, number: Any) -> None:
    with pytest.raises(InvalidParameter, match="epsilon"):
        law.hockey_stick(other, number)
    with pytest.raises(InvalidParameter, match="order"):
        law.renyi(other, number)
