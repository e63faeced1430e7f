import math
from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import ExponentialMechanism, PermuteAndFlip, Selection, TopSelection
from leastnoise.privacy.guarantee import PureDP
from tests.mechanisms.selection_reference import exponential_law, flipping_law

LAWS = {ExponentialMechanism: exponential_law, PermuteAndFlip: flipping_law}


def peeling_law(utilities: list[int], rate: Fraction, count: int, law: Any) -> dict[Any, float]:
    chances: dict[Any, float] = {}
    for order in permutations(range(len(utilities)), count):
        chance, left = 1.0, list(range(len(utilities)))
        for choice in order:
            among = law([utilities[i] for i in left], rate)
            chance *= float(among[left.index(choice)])
            left.remove(choice)
        chances[order] = chance
    return chances


@pytest.mark.parametrize("kind", LAWS, ids=lambda kind: kind.__name__)
def test_peeling_fits_and_other_rates_are_found(kind: type[Selection]) -> None:
    utilities, runs = [4, 2, 3, 0], 6000
    top = TopSelection(kind(candidates=4, epsilon=1, sensitivity=1), count=2)
    drawn = Counter(top.release(utilities).value for _ in range(runs))

    def rejected(rate: Fraction) -> bool:
        law = peeling_law(utilities, rate, 2, LAWS[kind])
        assert abs(sum(law.values()) - 1) < 1e-12
        statistic = sum((drawn[x] - runs * p) ** 2 / (runs * p) for x, p in law.items())
        return bool(chi2.sf(statistic, len(law) - 1) < 1e-6)

    assert not rejected(Fraction(1, 2))
    assert rejected(Fraction(3, 10))
    assert rejected(Fraction(7, 10))


def test_all_of_them_in_some_order() -> None:
    top = TopSelection(PermuteAndFlip(candidates=5, epsilon=1, sensitivity=1), count=5)
    assert sorted(top.release([5, 1, 1, 2, 9]).value) == [0, 1, 2, 3, 4]
    far = TopSelection(ExponentialMechanism(candidates=5, epsilon=1, sensitivity=1), count=3)
    assert far.release(np.array([0, 3000, 1000, 2000, 0])).value == (1, 3, 2)


def test_prices_add_up() -> None:
    one = ExponentialMechanism(candidates=5, epsilon="0.5", sensitivity=1)
    top = TopSelection(one, count=4)
    assert top.guarantee == PureDP(epsilon=2)
    assert top.concentrated.rho == 4 * one.concentrated.rho
    assert top.privacy().renyi(2).upper == 4 * one.privacy().renyi(2).upper
    assert top.privacy(2).epsilon("1e-9").upper <= 4
    assert top.release([1, 2, 3, 4, 5]).guarantee == top.guarantee
    assert "count=4" in repr(top)


@pytest.mark.parametrize("count", [0, 6, 1.5, -1])
def test_counts_are_checked(count: Any) -> None:
    one = ExponentialMechanism(candidates=5, epsilon="0.5", sensitivity=1)
    with pytest.raises(InvalidParameter, match="count"):
        TopSelection(one, count=count)


def test_other_mechanisms_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="selection"):
        TopSelection(math.pi, count=1)  # type: ignore[arg-type]
