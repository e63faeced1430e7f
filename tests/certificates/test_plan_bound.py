"""The lower bound for a whole plan, against enumeration, and the figures it is known to have."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.certificates.make_plan import make_plan_certificate
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope, price_above
from leastnoise.certificates.plan_spectrum import root_sum_below, shortened_down
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.noise import DiscreteLaplace
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from tests.certificates.plans import ONE, count, groups, replaced_root_sum, root_sum

HALF = ln.ZCDP(rho="1/2")  # μ = 1

thirds = st.integers(0, 6).map(lambda k: Fraction(k, 6))


@st.composite
def tables(draw: st.DrawFn) -> TablesPart:
    """All tables of a few columns."""
    sizes = tuple(draw(st.lists(st.integers(2, 3), min_size=1, max_size=3)))
    ways, high = draw(st.integers(1, len(sizes))), draw(st.integers(0, 2))
    return TablesPart((0,), sizes, ways, high, Fraction(3, 4), ONE, draw(thirds))


@st.composite
def parts(draw: st.DrawFn) -> PlanPart:
    """Parts of few numbers, of every kind."""
    weight, ends = Fraction(draw(st.integers(1, 9)), 4), st.integers(-2, 3)
    low, high = sorted((draw(ends), draw(ends)))
    if draw(st.booleans()):
        cells, alone = draw(st.integers(1, 3)), draw(st.booleans())
        box = PlanPart((0,), cells, low, high, cells, weight, ONE, chance=draw(thirds), alone=alone)
        fewer, more = sorted((draw(st.integers(0, cells)), draw(st.integers(0, cells))))
        return replace(box, fewer=0, more=0) if alone else replace(box, fewer=fewer, more=more)
    rows, either = draw(st.integers(2, 3)), draw(st.integers(1, 2))
    moved = draw(st.integers(1, rows - (either == 1)))
    few = PlanPart((0,), rows * either, min(low, 0), max(high, 0), moved, weight, ONE, either)
    law = replace(few, fewer=draw(st.integers(0, moved)), more=moved, chance=draw(thirds))
    return replace(law, upper=draw(thirds))


@settings(max_examples=40, deadline=None)
@given(st.lists(parts() | tables(), min_size=1, max_size=2))
def test_eigenvalues_are_those_of_the_matrix(plan: list[PlanPart | TablesPart]) -> None:
    assert all(part.is_possible and part.is_allowed(replaced=False) for part in plan)
    found = float(root_sum_below(plan, replaced=False))
    assert found == pytest.approx(root_sum(plan), rel=1e-6, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(parts())
def test_eigenvalues_of_replaced_units_are_those_of_the_matrix(part: PlanPart) -> None:
    chance = ONE if part.is_box else part.chance
    plain = replace(part, fewer=0, more=part.moved, chance=chance, upper=ONE, alone=False)
    assert plain.is_allowed(replaced=True)
    found = float(root_sum_below([plain], replaced=True))
    assert found == pytest.approx(replaced_root_sum(plain), rel=1e-6, abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(tables())
def test_eigenvalues_of_tables_with_replaced_units(part: TablesPart) -> None:
    found = float(root_sum_below([part], replaced=True))
    assert found == pytest.approx(replaced_root_sum(part), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("ways", [1, 2, 3])
@pytest.mark.parametrize("sizes", [(2,) * 10, (2, 5, 10), (2, 3, 4, 5)])
def test_the_residual_planner_is_proved_optimal(sizes: tuple[int, ...], ways: int) -> None:
    columns = {f"c{place}": size for place, size in enumerate(sizes)}
    workload = ResidualWorkload(columns, list(combinations(columns, ways)))
    planner = ResidualPlanner(workload, guarantee=ln.ZCDP(rho="1/200"))
    part = TablesPart((0,), sizes, ways, 1, ONE, ONE)
    variance = Fraction(planner.expected_cost().upper) / part.cells
    made = make_plan_certificate(
        [replace(part, variance=variance)], ln.ZCDP(rho="1/200"), replaced=False
    )
    assert made is not None
    assert made.check()
    assert made.ratio < 1 + Fraction(1, 10**5)


@pytest.mark.parametrize(
    ("counts", "gap"),
    # Independent units against ((k + √k)/2)², in floats, before this was written.
    [
        (2, 1.12), (3, 1.11), (4, 1.10), (5, 1.09), (10, 1.056), (20, 1.033), (50, 1.015),
        (1000, 1.001),
    ],
)  # fmt: skip
def test_gaps_of_independent_units(counts: int, gap: float) -> None:
    chance = Fraction(0.5 + 0.5 / math.sqrt(counts)).limit_denominator(10**6)
    one = PlanPart((0,), counts, 0, 1, counts, ONE, ONE, more=0, chance=chance, alone=True)
    bound = float(root_sum_below([one], replaced=False)) ** 2
    closed = ((counts + math.sqrt(counts)) / 2) ** 2
    assert closed / bound == pytest.approx(gap, abs=0.006)


@pytest.mark.parametrize(
    ("counts", "least"),
    # The program over all corners, by symmetry in one dimension.
    [(1, 1), (2, 8 / 3), (3, 27 / 5), (4, 9), (5, 90 / 7), (10, 560 / 13), (1000, 266061.35)],
)
def test_equal_counts_have_their_optimum(counts: int, least: float) -> None:
    made = make_plan_certificate([count(i) for i in range(counts)], HALF, replaced=False)
    assert made is not None
    assert float(made.bounds[0].bound) == pytest.approx(least, rel=1e-5)


@pytest.mark.parametrize(
    ("plan", "least"),
    # Found in floats, before this was written; noise of 58.98, 172.8, 122.5 and 9 is known.
    [
        ([*map(count, range(7)), *(groups(i, 20, weight=ONE / 20) for i in (7, 8, 9))], 58.88),
        ([groups(i, 20) for i in range(3)], 172.7),
        ([groups(i, 8, 2) for i in range(3)], 121.6),
        ([count(i, low=-1) for i in range(3)], 9),
    ],
)  # fmt: skip
def test_bounds_of_known_plans(plan: list[PlanPart], least: float) -> None:
    made = make_plan_certificate(plan, HALF, replaced=False)
    assert made is not None
    assert made.check()
    assert float(made.bounds[0].bound) == pytest.approx(least, rel=1e-3)


def test_ratios_under_pure_epsilon() -> None:
    """2.0 for one count, about 5.1 for ten with the best start widths: known from floats."""
    for numbers, variance, ratio in ((1, "1.8414", 2.0), (10, "20.32", 5.12)):
        counts = [replace(count(i), variance=Fraction(variance)) for i in range(numbers)]
        made = make_plan_certificate(counts, ln.PureDP(epsilon=1), replaced=False)
        assert made is not None
        assert [each.scope for each in made.bounds] == [Scope.UNBIASED]
        assert float(made.ratio) == pytest.approx(ratio, abs=0.01)


# Theorem 1 of docs/proofs/plan_bound.md, on pairs of laws with a few values.

laws = st.lists(st.integers(0, 40), min_size=5, max_size=5).filter(any)


def shares(weights: list[int]) -> np.ndarray:
    return np.array(weights) / sum(weights)


def farthest(p: np.ndarray, q: np.ndarray) -> float:
    """The greatest (E_Q y − E_P y)²/mean variance over all y, from the lemma's equality."""
    spread = (np.diag(p) - np.outer(p, p) + np.diag(q) - np.outer(q, q)) / 2
    return float((q - p) @ np.linalg.pinv(spread, rcond=1e-12) @ (q - p))


@settings(max_examples=150, deadline=None)
@given(laws, laws, st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 4.0]))
def test_no_pair_of_laws_is_farther_than_the_price(
    a: list[int], b: list[int], epsilon: float
) -> None:
    p, q = shares(a), shares(b)
    leak = max(
        np.maximum(q - math.exp(epsilon) * p, 0).sum(),
        np.maximum(p - math.exp(epsilon) * q, 0).sum(),
    )
    if leak > 0.999:
        return
    price = price_above(
        Scope.UNBIASED, ln.ApproxDP(epsilon=Fraction(epsilon), delta=Fraction(leak))
    )
    assert price is not None
    assert farthest(p, q) <= float(price) * (1 + 1e-6) + 1e-9


@settings(max_examples=150, deadline=None)
@given(laws, laws)
def test_no_pair_of_laws_is_farther_than_their_entropy_allows(a: list[int], b: list[int]) -> None:
    p, q = shares([1 + each for each in a]), shares([1 + each for each in b])
    rho = max(float(p @ np.log(p / q)), float(q @ np.log(q / p)), 1e-12)
    price = price_above(Scope.UNBIASED, ln.ZCDP(rho=Fraction(rho)))
    assert price is not None
    assert farthest(p, q) <= float(price) * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0), (0.3, 0.2), (3, 0.01), (0, 0.1)])
def test_one_pair_of_laws_attains_the_price(epsilon: float, delta: float) -> None:
    high = math.exp(epsilon) / (1 + math.exp(epsilon))
    p = np.array([delta, 0, (1 - delta) * high, (1 - delta) * (1 - high)])
    q = p[[1, 0, 3, 2]]
    price = price_above(
        Scope.UNBIASED, ln.ApproxDP(epsilon=Fraction(epsilon), delta=Fraction(delta))
    )
    assert price is not None
    assert farthest(p, q) == pytest.approx(float(price), rel=1e-9)


def test_prices_of_concentrated_promises() -> None:
    for rho, price in (("0.05", 0.10169), ("0.5", 1.19167), ("2", 9.1069)):
        found = price_above(Scope.UNBIASED, ln.ZCDP(rho=rho))
        assert found is not None
        assert float(found) == pytest.approx(price, rel=1e-4)
        assert 2 * float(rho) < float(found) < math.exp(2 * float(rho)) - 1
        assert found == price_above(Scope.UNBIASED, ln.GDP(mu=1)) or rho != "0.5"


def test_where_nothing_is_proved() -> None:
    assert price_above(Scope.GAUSSIAN, ln.PureDP(epsilon=1)) is None
    assert price_above(Scope.GAUSSIAN, ln.ApproxDP(epsilon=1, delta=0)) is None
    for scope in Scope:
        assert price_above(scope, ln.ZCDP(rho=1, delta="1e-9")) is None
        assert price_above(scope, ln.RDP(order=2, epsilon=1)) is None
    assert make_plan_certificate([count(0)], ln.ZCDP(rho=1, delta="1e-9"), replaced=False) is None


@given(st.fractions(min_value=0, max_value=10**9))
def test_short_numbers_are_no_greater(value: Fraction) -> None:
    short = shortened_down(value)
    assert short <= value <= short * (1 + Fraction(1, 2**90))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 6), st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(3)]))
def test_noise_of_this_library_is_above_the_bound(numbers: int, epsilon: Fraction) -> None:
    law = DiscreteLaplace(scale=numbers / epsilon)
    counts = [replace(count(i), variance=Fraction(law.variance.upper)) for i in range(numbers)]
    made = make_plan_certificate(counts, ln.PureDP(epsilon=epsilon), replaced=False)
    assert made is not None
    assert made.ratio > 1
