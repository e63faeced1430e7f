"""The staircase on the real line and in R^d, against mpmath and the closed forms of the papers."""

import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.numbers.errors import InvalidInput
from leastnoise.optima import staircase_theory


def cost(epsilon: float, d: int, p: int, gamma: float) -> mpmath.mpf:
    """d/(d+p) * A_(d+p)/A_d, the sums added up term by term."""
    b = mpmath.exp(-epsilon)

    def total(m: int) -> mpmath.mpf:
        return mpmath.nsum(lambda k: b**k * (k + gamma) ** m, [0, mpmath.inf], method="d")

    return mpmath.mpf(d) / (d + p) * total(d + p) / total(d)


@pytest.mark.parametrize("epsilon", ["0.1", 1, 4, 30])
def test_the_absolute_error_on_the_line(epsilon: str | int) -> None:
    best, half = staircase_theory(epsilon=epsilon, sensitivity=3), float(epsilon) / 2
    assert float(best.gamma) == pytest.approx(1 / (1 + math.exp(half)), rel=1e-14)
    assert float(best.cost) == pytest.approx(3 / (2 * math.sinh(half)), rel=1e-14)
    assert float(best.laplace_cost) == pytest.approx(3 / float(epsilon))


@pytest.mark.parametrize("epsilon", ["0.1", 1, 4, 30])
def test_the_squared_error_on_the_line(epsilon: str | int) -> None:
    """Geng and Viswanath 2016, Theorem 6, in the form (u - b)/(1 - b) with u^3 = b(1 + b)/2."""
    best, b = staircase_theory(epsilon=epsilon, moment=2), math.exp(-float(epsilon))
    u = (b * (1 + b) / 2) ** (1 / 3)
    assert float(best.gamma) == pytest.approx((u - b) / (1 - b), rel=1e-10)
    assert float(best.cost) == pytest.approx((u * u + b) / (1 - b) ** 2, rel=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 6), st.integers(1, 4), st.sampled_from(["0.5", "1", "3", "7"]),
       st.floats(0, 1))  # fmt: skip
def test_no_other_gamma_is_better(d: int, p: int, epsilon: str, gamma: float) -> None:
    best = staircase_theory(epsilon=epsilon, dimension=d, moment=p)
    other = best.cost_at(gamma)
    assert other.upper >= best.cost.lower
    assert float(other) == pytest.approx(float(cost(float(epsilon), d, p, gamma)), rel=1e-9)
    assert best.cost.width <= best.cost.upper / 10**15


def test_the_costs_near_both_ends_are_the_printed_ones() -> None:
    """Slides, d = 2: 2D/e - D*e^2/(36*sqrt 3), and 2^(1/3) D e^(-e/3) + 2^(-1/3) D e^(-2e/3)."""
    small = staircase_theory(epsilon="0.01", dimension=2)
    assert float(small.small_epsilon) == pytest.approx(200 - 1e-4 / (36 * math.sqrt(3)), rel=1e-15)
    gain = 200 - float(small.cost)
    assert gain == pytest.approx(200 - float(small.small_epsilon), rel=0.01)
    large = staircase_theory(epsilon=30, dimension=2)
    printed = 2 ** (1 / 3) * math.exp(-10) + 2 ** (-1 / 3) * math.exp(-20)
    assert float(large.large_epsilon) == pytest.approx(printed, rel=1e-12)
    assert float(large.cost) == pytest.approx(printed, rel=1e-8)


def test_the_limit_of_gamma_is_where_a_bernoulli_polynomial_is_least() -> None:
    for d in range(1, 7):
        grid = [i / 200 for i in range(200)]
        least = min(grid, key=lambda x: mpmath.bernpoly(d + 1, x))
        assert float(staircase_theory(epsilon=1, dimension=d).limit_gamma) == pytest.approx(
            least, abs=6e-3
        )


def test_independent_staircases_run_at_a_share_of_epsilon() -> None:
    theory = staircase_theory(epsilon=8, dimension=2, sensitivity=3)
    exact = 2 * 3 * math.exp(2) / (math.exp(4) - 1)  # errata C13
    assert float(theory.independent) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    "parameters",
    [{"epsilon": 0}, {"epsilon": -1}, {"epsilon": 1000}, {"epsilon": float("nan")},
     {"epsilon": 1, "dimension": 0}, {"epsilon": 1, "dimension": 65}, {"epsilon": 1, "moment": 0},
     {"epsilon": 1, "sensitivity": 0}],
)  # fmt: skip
def test_bad_input_gets_one_sentence(parameters: dict[str, float]) -> None:
    with pytest.raises(InvalidInput) as caught:
        staircase_theory(**parameters)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
