"""Half-line bounds against linear programs, and the tables of the slides."""

from fractions import Fraction as F

import pytest

from leastnoise.noise.laws import TruncatedLaplace
from leastnoise.numbers.cost import ABSOLUTE, SQUARED, Moment, TailProbability
from leastnoise.numbers.errors import InvalidInput
from leastnoise.optima import noise_bounds, uniform_bounds
from leastnoise.optima.half_lines import half_lines, straddling
from tests.optima.programs import half_line_cost, least_cost

SETTINGS = [(2, "0.5", "0.05", 2.59701), (3, "1", "0.01", 2.39549), (4, "2", "0.01", 1.06603)]


@pytest.mark.parametrize(("size", "epsilon", "delta", "value"), SETTINGS)
def test_the_table_of_the_slides(size: int, epsilon: str, delta: str, value: float) -> None:
    found = noise_bounds(epsilon=epsilon, delta=delta, sensitivity=size)
    assert float(found.half_lines) == pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize(
    ("size", "epsilon", "delta"),
    [(1, "0.5", "0.05"), (2, "0.5", "0.05"), (3, "1", "0.02"), (4, "2", "0.1"), (5, "0.3", "0.1")],
)
@pytest.mark.parametrize("cost", [ABSOLUTE, SQUARED, TailProbability(3)], ids=lambda c: c.name)
def test_the_recursion_is_the_linear_program(
    size: int, epsilon: str, delta: str, cost: Moment
) -> None:
    price = lambda k: float(cost.at(F(k)))
    rate, leak, stop = float(epsilon), float(delta), 45
    one = half_lines(size, F(epsilon), F(delta), cost)
    assert float(one) == pytest.approx(
        half_line_cost(size, rate, leak, price, stop, straddling=False), abs=1e-7
    )
    other = straddling(size, F(epsilon), F(delta), cost)
    every = half_line_cost(size, rate, leak, price, stop, straddling=True)
    # the recursion does not use that chances are at least 0, so it may be lower
    assert other.upper <= F(every) + F(1, 10**7)
    assert other.upper - other.lower <= F(1, 10**12)
    if isinstance(cost, Moment):
        assert one.lower - F(1, 10**9) <= other.upper


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(("size", "delta"), [(1, "0.3"), (2, "0.25"), (3, "0.1"), (4, "0.07")])
def test_at_epsilon_0_the_bound_is_the_limit_and_below_the_program(
    order: int, size: int, delta: str
) -> None:
    exact = straddling(size, F(0), F(delta), Moment(order))
    assert exact.lower == exact.upper
    near = straddling(size, F(1, 10**9), F(delta), Moment(order))
    assert float(near) == pytest.approx(float(exact), rel=1e-6)
    if size < 4:
        stop = 3 + int(size / float(delta))
        least = least_cost(size, 0.0, float(delta), lambda k: float(k**order), min(stop, 32))
        assert float(exact) <= least + 1e-7


@pytest.mark.parametrize("cost", [ABSOLUTE, SQUARED, Moment("1.5"), TailProbability(2)])
def test_at_sensitivity_1_canonical_noise_has_the_bound(cost: Moment) -> None:
    for epsilon, delta in [("1", "0.000001"), ("0.2", "0.01"), ("3", "0.4")]:
        law = TruncatedLaplace(1, epsilon, delta)
        for bound in (straddling, half_lines):
            found = bound(1, F(epsilon), F(delta), cost)
            assert float(found) == pytest.approx(float(law.expected(cost)), rel=1e-9)


def test_the_slides_factors_are_valid_and_their_limits_are_smaller() -> None:
    """Errata C7."""
    near = noise_bounds(epsilon="0.01", delta="0.0025")
    assert float(near.ratio) == pytest.approx(2.2135, abs=1e-4)
    assert float(near.ratio_limit) == pytest.approx(2.2188010496) and 2.2188 < 5.29
    squared = noise_bounds(epsilon="0.001", delta="0.000204124", moment=2)
    assert float(squared.ratio_limit) == pytest.approx(5.5086651690) and 5.5087 < 40
    assert 5.49 < float(squared.ratio) < 5.5087
    assert float(near.upper) == pytest.approx(min(float(near.uniform), float(near.laplace or 0)))


def test_uniform_noise_is_optimal_where_a_half_over_delta_is_whole() -> None:
    """Errata C3: at every sensitivity and in every dimension, for the absolute error."""
    for size in (1, 2, 3, 7):
        for n in (1, 2, 5):
            for dimension in (1, 4):
                found = uniform_bounds(delta=F(1, 2 * n), sensitivity=size, dimension=dimension)
                assert found.upper.lower == found.lower.upper == F(dimension * size * n, 2)


def test_what_the_slides_print_for_uniform_noise() -> None:
    """Errata C2, C3, C12: too large at sensitivity 1, valid and weak elsewhere."""
    assert uniform_bounds(delta="0.25").printed == F(3, 2) > 1
    assert uniform_bounds(delta="0.25", moment=2).printed == F(5, 2) > F(3, 2)
    cube = uniform_bounds(delta="0.1", sensitivity=4, dimension=3)
    assert (cube.printed, cube.lower.lower, cube.upper.lower) == (F(51, 2), 30, 30)
    cube = uniform_bounds(delta="0.1", sensitivity=4, dimension=3, moment=2)
    assert (cube.printed, cube.lower.lower, cube.upper.lower) == (F(627, 2), 396, F(801, 2))
    single = uniform_bounds(delta="0.1", sensitivity=4, moment=2).printed
    assert single is not None and 3 * single == 339
    assert uniform_bounds(delta="0.3").printed is None


@pytest.mark.parametrize(
    "call",
    [lambda: noise_bounds(epsilon=1, delta=0), lambda: noise_bounds(epsilon=-1, delta="0.1"),
     lambda: noise_bounds(epsilon=1, delta="0.1", sensitivity=0),
     lambda: noise_bounds(epsilon=1, delta="0.1", moment=17),
     lambda: noise_bounds(epsilon=1, delta="0.1", moment=3).ratio_limit,
     lambda: noise_bounds(epsilon="1e-9", delta="1e-9").straddling,
     lambda: uniform_bounds(delta=1), lambda: uniform_bounds(delta="0.1", sensitivity=5000),
     lambda: uniform_bounds(delta="nan")],
)  # fmt: skip
def test_bad_input_gets_one_sentence(call: object) -> None:
    assert callable(call)
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_tiny_delta_is_no_loop() -> None:
    assert uniform_bounds(delta="1e-30").printed == F(10**30 + 2, 4)
