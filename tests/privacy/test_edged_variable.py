"""Cut-off laws compose exactly: no grid, edges included."""

from fractions import Fraction
from itertools import product

import pytest
from mpmath import exp, mpf

from leastnoise.noise import (
    Canonical,
    LatticeLaw,
    TruncatedLaplace,
    TruncatedStaircase,
    Uniform,
)
from leastnoise.privacy.variables.edged_variable import EdgedVariable
from leastnoise.privacy.variables.product_variable import ProductVariable
from tests.noise import brute_force

CASES = [
    (Canonical(epsilon="0.5", delta="0.01"), 1),
    (Canonical(epsilon="0.5", delta="0.01"), 2),
    (Canonical(epsilon=2, delta="0.001"), 1),
    (TruncatedStaircase(sensitivity=3, epsilon=1, delta="0.01", width=2), 3),
    (TruncatedStaircase(sensitivity=3, epsilon=1, delta="0.01", width=2), 2),
    (TruncatedLaplace(sensitivity=2, epsilon=1, delta="0.02"), 2),
    (Uniform(sensitivity=1, delta="0.07"), 1),
    (Uniform(sensitivity=2, delta="0.1"), 1),
]
cases = pytest.mark.parametrize(("law", "distance"), CASES)


@pytest.mark.spread(12)
@cases
@pytest.mark.parametrize("epsilon", ["0", "0.3", "0.9", "1.7", "3"])
def test_two_releases_against_all_pairs_of_outcomes(
    law: LatticeLaw, distance: int, epsilon: str
) -> None:
    found = law.privacy(distance).self_compose(2)
    assert isinstance(found.forward, EdgedVariable)
    factor, leak, above = exp(mpf(epsilon)), mpf(0), mpf(0)
    for p, q in _pairs(law, distance):
        leak += max(mpf(0), p - factor * q)
        above += p if p > factor * q * (1 + mpf(10) ** -30) else 0  # ties are not above
    assert abs(brute_force.middle(found.delta(epsilon)) - leak) < mpf(10) ** -20
    assert abs(brute_force.middle(found.tail(epsilon)) - above) < mpf(10) ** -20


def _pairs(law: LatticeLaw, distance: int) -> list[tuple[mpf, mpf]]:
    assert law.support is not None
    chances = brute_force.pmf(law, law.support[1])
    single = [(p, chances.get(k - distance, mpf(0))) for k, p in chances.items()]
    return [(p * r, q * s) for (p, q), (r, s) in product(single, repeat=2)]


@cases
@pytest.mark.parametrize("count", [3, 17])
def test_many_releases_lie_in_the_bracket_of_the_grid(
    law: LatticeLaw, distance: int, count: int
) -> None:
    loss = law.privacy(distance)
    exact = loss.self_compose(count).delta("0.6")
    grid = ProductVariable(((loss.forward, count),)).delta(Fraction(3, 5))
    assert grid.lower <= exact.upper
    assert exact.lower <= grid.upper


def test_a_thousand_canonical_releases_are_exact() -> None:
    loss = Canonical(epsilon="0.1", delta="1e-8").privacy(1).self_compose(1000)
    assert isinstance(loss.forward, EdgedVariable)
    found = loss.epsilon("1e-4")
    assert found.width <= Fraction(1, 10**12) * found.upper
    assert abs(float(found) - 16.0753927937) < 1e-9
