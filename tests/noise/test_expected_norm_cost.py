"""The expected cost of vector noise, against sums over the law of the norm."""

from fractions import Fraction
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter, Undecided
from leastnoise.noise import (
    Independent,
    NormLaplace,
    NormStaircase,
    TruncatedLaplace,
    TruncatedNormStaircase,
    VectorLaw,
)
from leastnoise.noise.vectors.expected_norm_cost import expected_norm_cost, sum_by_blocks
from leastnoise.numeric.cost import Cost, Moment, OwnCost, TailProbability
from leastnoise.numeric.interval import Interval

LAWS: list[VectorLaw] = [
    NormLaplace(2, "1.5", "linf"),
    NormStaircase(dimension=3, sensitivity=4, epsilon=3, width=2, norm="l1"),
    TruncatedNormStaircase(
        dimension=2, sensitivity=4, epsilon=1, width=2, radius=11, norm="l1", edge="0.3"
    ),
    Independent(TruncatedLaplace(sensitivity=3, epsilon=2, delta="0.01"), 2),
]
COSTS: list[Cost] = [
    Moment(1),
    Moment(2),
    Moment("1.5"),
    TailProbability(3),
    TailProbability("2.7"),
    OwnCost(lambda error: min(error, Fraction(4)), growth=1),
]
STEP = Fraction(3, 4)


@pytest.mark.spread(20)
@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.name)
@pytest.mark.parametrize("more", [Fraction(0), Fraction(1, 4)])
def test_cost_is_a_sum_over_norms(law: VectorLaw, cost: Cost, more: Fraction) -> None:
    chances = [float(law.norm_pmf(m)) for m in range(121)]
    assert sum(chances) == pytest.approx(1, abs=1e-9)
    least = sum(p * float(cost.at(m * STEP)) for m, p in enumerate(chances))
    most = sum(p * float(cost.at(m * STEP + more)) for m, p in enumerate(chances))
    found = expected_norm_cost(law, cost, STEP, more)
    assert float(found.lower) == pytest.approx(least, rel=3e-6)
    assert float(found.upper) == pytest.approx(most, rel=1e-5)
    assert float(found.lower) <= least * (1 + 1e-9)
    assert float(found.upper) >= most * (1 - 1e-9)


def test_few_blocks_still_bracket_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    law, cost = LAWS[0], Moment("1.5")
    fine = expected_norm_cost(law, cost)
    monkeypatch.setitem(sum_by_blocks.__globals__, "_MOST_BLOCKS", 7)
    coarse = expected_norm_cost(law, cost)
    assert coarse.lower < fine.lower <= fine.upper < coarse.upper


def test_costs_that_fall_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="must not decrease"):
        expected_norm_cost(LAWS[0], OwnCost(lambda error: 10**9 - error))


def test_costs_that_are_nothing_are_undecided() -> None:
    with pytest.raises(Undecided, match="positive for typical errors"):
        expected_norm_cost(LAWS[0], OwnCost(lambda error: 0 * error))


def test_blocks_of_a_sure_thing() -> None:
    def tail(m: int) -> Interval:
        return Interval.exactly(int(m <= 5))

    def price(m: int) -> Interval:
        return Interval.exactly(m * m)

    exact: Any = sum_by_blocks(tail, price, 5)
    assert exact == Interval.exactly(25)
    assert sum_by_blocks(tail, price, 0) == Interval.exactly(0)
    assert sum_by_blocks(tail, price, 9) == Interval.exactly(25)
