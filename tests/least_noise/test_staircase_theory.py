"""The staircase law in R^d: golden values, 50 digits of mpmath, and the laws on fine lattices."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.staircase.independent_staircases import independent_staircases
from leastnoise.least_noise.staircase.staircase_limits import (
    staircase_large_epsilon,
    staircase_limit_gamma,
    staircase_small_epsilon,
)
from leastnoise.least_noise.staircase.staircase_sums import StaircaseSums
from leastnoise.least_noise.staircase.staircase_theory import (
    absolute_optimum,
    cheapest,
    cost_within,
    searched_optimum,
    squared_optimum,
    staircase,
)
from leastnoise.noise import NormStaircase, Staircase
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from tests.privacy.reference import number


@pytest.fixture(autouse=True)
def fifty_digits() -> Iterator[None]:
    with mpmath.workdps(50):
        yield


def narrow(interval: Interval, relative: Fraction = Fraction(1, 10**12)) -> bool:
    return bool(interval.upper - interval.lower <= relative * Fraction(interval.upper))


def holds(interval: Interval, truth: mpf, slack: str = "1e-40") -> bool:
    room = abs(truth) * mpf(slack)
    return bool(number(interval.lower) - room <= truth <= number(interval.upper) + room)


def meet(one: Interval, other: Interval) -> bool:
    return max(one.lower, other.lower) <= min(one.upper, other.upper)


def direct_sum(epsilon: mpf, order: int, gamma: mpf) -> mpf:
    """A_m(γ) term by term."""
    total, k = mpf(0), 0
    while True:
        term = mpmath.exp(-epsilon * k) * (k + gamma) ** order
        total += term
        if k * epsilon > 2 * order + 1 and term < total * mpf(10) ** -55:
            return total
        k += 1


def direct_cost(epsilon: mpf, d: int, p: int, gamma: mpf) -> mpf:
    return direct_sum(epsilon, d + p, gamma) / direct_sum(epsilon, d, gamma) * d / (d + p)


def golden_section(function: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    ratio = (mpmath.sqrt(5) - 1) / 2
    for _ in range(70):
        one, two = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, two) if function(one) < function(two) else (one, high)
    return (low + high) / 2


# Golden values.

GAINS = [  # literature digest 2.1; three digits as printed there
    (2, 1, 0.993),
    (2, 2, 0.955),
    (2, 4, 0.776),
    (2, 8, 0.365),
    (3, 4, 0.880),
    (3, 8, 0.533),
    (5, 4, 0.962),
    (5, 8, 0.734),
    (10, 4, 0.998),
    (10, 8, 0.920),
    (10, 16, 0.613),
]


@pytest.mark.parametrize(("dimension", "epsilon", "expected"), GAINS)
def test_gains_over_the_laplace_law(dimension: int, epsilon: int, expected: float) -> None:
    best = staircase(epsilon=epsilon, dimension=dimension)
    # Half a unit of the third digit, and a little: 0.7335 was printed as 0.734.
    assert float(best.ratio) == pytest.approx(expected, abs=6e-4)
    assert best.laplace_cost == Interval.exactly(Fraction(dimension, epsilon))


def test_errata_c8() -> None:
    """γ does not tend to 1/2 in the plane, and a bad γ is worse than Laplace."""
    assert float(staircase(epsilon="0.001", dimension=2).gamma) == pytest.approx(0.78856, abs=5e-6)
    bad = staircase(epsilon=1, dimension=4).cost_at("0.5")
    assert float(bad) == pytest.approx(4.0006, abs=5e-5)
    assert bad.lower > 4 > staircase(epsilon=1, dimension=4).cost.upper


def test_the_objective_is_not_unimodal() -> None:
    """Errata C8: from the least cost it rises, and falls again towards γ = 1."""
    problem = staircase(epsilon=1, dimension=4)
    start, top, end = (problem.cost_at(gamma) for gamma in ("0", "0.6", "1"))
    assert problem.cost.upper < start.lower <= end.upper < top.lower


def test_slide_formula_in_the_plane() -> None:
    """Errata C9: V = (2Δ/3)·A₃/A₂, written out."""
    b, gamma = mpmath.exp(-mpf(3)), mpf(1) / 4
    cubes = (
        gamma**3 / (1 - b)
        + 3 * gamma**2 * b / (1 - b) ** 2
        + 3 * gamma * b * (1 + b) / (1 - b) ** 3
        + b * (1 + 4 * b + b * b) / (1 - b) ** 4
    )
    squares = gamma**2 / (1 - b) + 2 * gamma * b / (1 - b) ** 2 + b * (1 + b) / (1 - b) ** 3
    best = staircase(epsilon=3, dimension=2, sensitivity=5)
    assert holds(best.cost_at("0.25"), mpf(10) / 3 * cubes / squares)


def test_large_epsilon_exponent() -> None:
    """The cost falls like e^(−ε/(d+1)) where that of Laplace falls like 1/ε."""
    for d in (1, 2, 5):
        near, far = (float(staircase(epsilon=e, dimension=d).cost) for e in (60, 60 + d + 1))
        assert far / near == pytest.approx(float(mpmath.exp(-1)), rel=2e-3)


# Closed forms.

RATES = ["1/1000000", "0.01", "0.1", "1", "2.5", "8", "20", "300", "4096"]


@pytest.mark.parametrize("epsilon", RATES)
@pytest.mark.parametrize(("moment", "closed"), [(1, absolute_optimum), (2, squared_optimum)])
def test_closed_forms_equal_the_search(
    epsilon: str, moment: int, closed: Callable[[Fraction], tuple[Interval, Interval]]
) -> None:
    direct, searched = closed(Fraction(epsilon)), searched_optimum(Fraction(epsilon), 1, moment)
    for one, other in zip(direct, searched, strict=True):
        assert meet(one, other)
        assert narrow(one)
        assert narrow(other)


@pytest.mark.parametrize("epsilon", RATES)
def test_closed_forms_as_printed(epsilon: str) -> None:
    """Literature digest 1.2, at 50 digits and more where 1 − b is small."""
    with mpmath.workdps(100):
        rate = number(epsilon)
        b, half = mpmath.exp(-rate), mpmath.exp(rate / 2)
        one = staircase(epsilon=epsilon, sensitivity=3)
        assert holds(one.gamma, 1 / (1 + half))
        assert holds(one.cost, 3 * half / (mpmath.exp(rate) - 1))
        two = staircase(epsilon=epsilon, moment=2, sensitivity=3)
        root = mpmath.cbrt(b - 2 * b**2 + 2 * b**4 - b**5) / mpmath.cbrt(2)
        assert holds(two.gamma, -b / (1 - b) + root / (1 - b) ** 2)
        square = mpmath.cbrt(b * (1 + b) / 2) ** 2
        assert holds(two.cost, 9 * (square + b) / (1 - b) ** 2)


# Independent arithmetic.


@pytest.mark.parametrize("epsilon", ["0.25", "1", "4", "20"])
@pytest.mark.parametrize("gamma", ["0", "1/3", "1"])
@pytest.mark.parametrize("order", [0, 1, 2, 7, 30])
def test_sums_term_by_term(epsilon: str, gamma: str, order: int) -> None:
    sums = StaircaseSums(Fraction(epsilon), dimension=1, moment=max(1, order - 1))
    found = balls.enclosure(lambda: sums.value(order, Fraction(gamma)))
    assert holds(found, direct_sum(number(epsilon), order, number(gamma)))
    assert narrow(found, Fraction(1, 2**79))


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("dimension", "moment", "epsilon"),
    [(1, 3, "1"), (1, 7, "5"), (2, 1, "1"), (2, 2, "4"), (3, 1, "2"), (4, 1, "3"), (10, 2, "8")],
)
def test_optimum_by_a_blind_search(dimension: int, moment: int, epsilon: str) -> None:
    def cost(gamma: mpf) -> mpf:
        return direct_cost(number(epsilon), dimension, moment, gamma)

    best = staircase(epsilon=epsilon, dimension=dimension, moment=moment)
    around = min((cost(mpf(i) / 32), i) for i in range(33))[1]
    gamma = golden_section(cost, mpf(max(0, around - 1)) / 32, mpf(min(32, around + 1)) / 32)
    assert holds(best.gamma, gamma, "1e-12")
    assert holds(best.cost, cost(gamma), "1e-25")


@pytest.mark.spread(48)
@pytest.mark.parametrize("epsilon", ["1/1000", "0.01", "0.3", "1", "7", "20", "100", "4096"])
@pytest.mark.parametrize("moment", [1, 2, 5])
@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 10, 17])
def test_brackets_are_narrow(dimension: int, moment: int, epsilon: str) -> None:
    best = staircase(epsilon=epsilon, dimension=dimension, moment=moment)
    assert narrow(best.gamma)
    assert narrow(best.cost)
    assert 0 < best.gamma.lower <= best.gamma.upper < 1
    assert best.ratio.lower < 1
    assert meet(best.cost_at(Fraction(best.gamma.lower)), best.cost)


@pytest.mark.parametrize(("dimension", "moment", "epsilon"), [(128, 64, "0.01"), (128, 1, "4096")])
def test_the_largest_problems(dimension: int, moment: int, epsilon: str) -> None:
    best = staircase(epsilon=epsilon, dimension=dimension, moment=moment)
    assert narrow(best.gamma)
    assert narrow(best.cost)


# Properties.

problems = st.fixed_dictionaries(
    {
        "epsilon": st.fractions("1/50", 30, max_denominator=1000),
        "dimension": st.integers(1, 8),
        "moment": st.integers(1, 4),
        "sensitivity": st.fractions("1/10", 10, max_denominator=10),
    }
)


@settings(deadline=None)
@given(problems, st.fractions(0, 1))
def test_no_other_gamma_costs_less(problem: dict[str, Any], gamma: Fraction) -> None:
    best = staircase(**problem)
    assert best.cost_at(gamma).upper >= best.cost.lower


@settings(deadline=None)
@given(problems)
def test_never_worse_than_laplace_and_scaled_by_sensitivity(problem: dict[str, Any]) -> None:
    best = staircase(**problem)
    assert best.cost.lower < best.laplace_cost.upper
    unit = staircase(**{**problem, "sensitivity": 1})
    factor = problem["sensitivity"] ** problem["moment"]
    assert best.gamma == unit.gamma
    assert best.cost == Interval(unit.cost.lower * factor, unit.cost.upper * factor)


@given(problems)
@settings(deadline=None)
def test_both_ends_are_one_law(problem: dict[str, Any]) -> None:
    best = staircase(**problem)
    assert meet(best.cost_at(0), best.cost_at(1))


def interval(lower: str, upper: str) -> Interval:
    return Interval(Fraction(lower), Fraction(upper))


def test_the_cheapest_of_several_minima() -> None:
    one, two = interval("0.1", "0.2"), interval("0.7", "0.8")
    dear, cheap, close = interval("5", "6"), interval("3", "4"), interval("3.5", "4.5")
    assert cheapest([(one, dear), (two, cheap)]) == (two, cheap)
    assert cheapest([(one, cheap), (two, dear)]) == (one, cheap)
    assert cheapest([(one, close), (two, cheap)]) == (interval("0.1", "0.8"), cheap)


@pytest.mark.parametrize("width", ["0.5", "0.1", "0.001"])
def test_a_wide_bracket_is_sound(width: str) -> None:
    """However far the ends of a bracket are from the minimum inside, its cost is in between."""
    best, sums = staircase(epsilon=2, dimension=2), StaircaseSums(Fraction(2), 2, 1)
    middle, half = Fraction(best.gamma.lower), Fraction(width) / 2
    wide = cost_within(sums, Interval(middle - half, middle + half))
    assert wide.lower < best.cost.lower <= best.cost.upper < wide.upper


# The laws themselves, on fine lattices.


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
@pytest.mark.parametrize("moment", [1, 2, 3])
def test_the_lattice_law_tends_to_it(epsilon: str, moment: int) -> None:
    best, fine = staircase(epsilon=epsilon, moment=moment), 2**20
    width = round(best.gamma.upper * fine)
    law = Staircase(sensitivity=fine, epsilon=epsilon, width=width)
    assert float(law.moment(moment)) / fine**moment == pytest.approx(float(best.cost), rel=1e-4)


@pytest.mark.parametrize("norm", ["l1", "linf"])
@pytest.mark.parametrize(("dimension", "moment"), [(2, 1), (3, 2)])
def test_the_vector_law_tends_to_it(norm: Any, dimension: int, moment: int) -> None:
    """The same cost in every norm."""
    best, fine = staircase(epsilon=4, dimension=dimension, moment=moment), 2**20
    width = round(best.gamma.upper * fine)
    law = NormStaircase(dimension=dimension, sensitivity=fine, epsilon=4, width=width, norm=norm)
    assert float(law.moment(moment)) / fine**moment == pytest.approx(float(best.cost), rel=1e-4)


# Both ends of the range.


def gap(compare: Callable[..., Interval], epsilon: str, d: int, p: int) -> float:
    """How far a formula is from the cost, relative to the cost."""
    cost = staircase(epsilon=epsilon, dimension=d, moment=p).cost
    return float(Fraction(compare(epsilon=epsilon, dimension=d, moment=p).upper) / cost.upper - 1)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_small_epsilon_formula(d: int, p: int) -> None:
    """Its error is of order ε^(d+2) or less: it falls by 2^(d+2), nearly, when ε is halved."""
    coarse, fine = (
        abs(gap(staircase_small_epsilon, epsilon, d, p)) for epsilon in ("0.02", "0.01")
    )
    assert coarse <= float(Fraction("0.02")) ** (d + 2)
    assert fine <= 1.2 * coarse / 2 ** (d + 2)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_large_epsilon_formula(d: int, p: int) -> None:
    """Its error is of order g² = e^(−2ε/(d+p)): it falls by e² when ε grows by d + p."""
    near, far = (abs(gap(staircase_large_epsilon, str(6 * (d + p) + s), d, p)) for s in (0, d + p))
    assert far <= 1.1 * near / float(mpmath.exp(2))
    assert near <= 40 * float(mpmath.exp(-12))


def test_formulas_in_one_and_two_dimensions() -> None:
    tiny, large = mpf(1) / 8, mpf(20)
    one = staircase_small_epsilon(epsilon="1/8", sensitivity=3)
    assert holds(one, 3 / tiny - 3 * tiny / 24)
    two = staircase_small_epsilon(epsilon="1/8", dimension=2, sensitivity=3)
    assert holds(two, 6 / tiny - 3 * tiny**2 / (36 * mpmath.sqrt(3)))
    assert narrow(two)
    assert holds(staircase_large_epsilon(epsilon=20, sensitivity=3), 3 * mpmath.exp(-large / 2))
    plane = mpmath.cbrt(2) * mpmath.exp(-large / 3) + mpmath.exp(-2 * large / 3) / mpmath.cbrt(2)
    assert holds(staircase_large_epsilon(epsilon=20, dimension=2, sensitivity=3), 3 * plane)


@pytest.mark.parametrize("d", [*range(1, 13), 128])
def test_limit_gamma_is_where_the_bernoulli_polynomial_is_least(d: int) -> None:
    gamma = staircase_limit_gamma(d)
    least = mpmath.bernpoly(d + 1, number(gamma.upper))
    grid = min(mpmath.bernpoly(d + 1, mpf(i) / 200) for i in range(201))
    assert least <= grid + abs(grid) * mpf(10) ** -20
    assert least >= grid - abs(grid) * mpf(10) ** -2
    if d <= 12:
        apart = abs(float(staircase(epsilon="0.001", dimension=d).gamma) - float(gamma))
        assert min(apart, 1 - apart) < 1e-3


def test_limit_gamma_in_the_plane() -> None:
    assert holds(staircase_limit_gamma(2), (3 + mpmath.sqrt(3)) / 6)


# One by one.


@pytest.mark.parametrize("epsilon", ["0.01", "1", "8"])
def test_independent_staircases(epsilon: str) -> None:
    rate = number(epsilon)
    both = independent_staircases(epsilon=epsilon, dimension=2, sensitivity=3)
    assert holds(both, 6 * mpmath.exp(rate / 4) / (mpmath.exp(rate / 2) - 1))
    assert narrow(both)
    assert both.lower > staircase(epsilon=epsilon, dimension=2, sensitivity=3).cost.upper
    assert independent_staircases(epsilon=epsilon, dimension=1) == staircase(epsilon=epsilon).cost


def test_errata_c13() -> None:
    """Two staircases at ε each lose 2ε under the shift (Δ/2, Δ/2), so ε/2 each is needed."""
    law = Staircase(sensitivity=10, epsilon=1, width=3)
    assert law.verify(sensitivity=5, epsilon=1).holds
    assert not law.verify(sensitivity=5, epsilon="0.999999").holds


# Refusals.


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 0),
        ("epsilon", -1),
        ("epsilon", float("nan")),
        ("epsilon", float("inf")),
        ("epsilon", 4097),
        ("epsilon", None),
        ("moment", 0),
        ("moment", 65),
        ("moment", 1.0),
        ("moment", True),
        ("dimension", 0),
        ("dimension", 129),
        ("dimension", "2"),
        ("sensitivity", 0),
        ("sensitivity", "many"),
    ],
)
def test_bad_parameters(name: str, value: Any) -> None:
    good: dict[str, Any] = {"epsilon": 1, "moment": 1, "dimension": 2, "sensitivity": 1}
    for call in (staircase, staircase_small_epsilon, staircase_large_epsilon):
        with pytest.raises(InvalidParameter, match=f"^`{name}` must "):
            call(**{**good, name: value})
    if name != "moment":
        del good["moment"]
        with pytest.raises(InvalidParameter, match=f"^`{name}` must "):
            independent_staircases(**{**good, name: value})


@pytest.mark.parametrize("gamma", [-1, "1.0001", float("nan"), None])
def test_bad_gamma(gamma: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^`gamma` must "):
        staircase(epsilon=1).cost_at(gamma)


def test_bad_dimension_of_the_limit() -> None:
    with pytest.raises(InvalidParameter, match=r"^`dimension` must "):
        staircase_limit_gamma(0)
