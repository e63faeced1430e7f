"""The least noise for vectors: against linear programs, brute force, and theory."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, vstack
from scipy.sparse.csgraph import maximum_flow

from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.staircase.independent_staircases import independent_staircases
from leastnoise.least_noise.staircase.staircase_theory import staircase
from leastnoise.least_noise.vector.best_vector_width import WidthPrices, best_width
from leastnoise.least_noise.vector.optimal_vector import OptimalVectorNoise, optimal_vector
from leastnoise.least_noise.vector.vector_problem import VectorProblem
from leastnoise.least_noise.vector.width_by_floats import searched_width
from leastnoise.least_noise.vector.worthwhile_epsilon import worthwhile_epsilon
from leastnoise.mechanisms import Mechanism
from leastnoise.noise import (
    Canonical,
    DiscreteLaplace,
    Independent,
    NormLaplace,
    NormStaircase,
    TruncatedLaplace,
    TruncatedNormStaircase,
    Uniform,
)
from leastnoise.noise.vectors.expected_norm_cost import expected_norm_cost
from leastnoise.noise.vectors.norm import Norm
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Moment, OwnCost, TailProbability
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from tests.noise.norm_reference import norms

NORMS: tuple[Norm, ...] = ("l1", "linf")
each_norm = pytest.mark.parametrize("norm", NORMS)


def points(dimension: int, reach: int, norm: Norm) -> np.ndarray[Any, Any]:
    box = np.array(list(product(range(-reach, reach + 1), repeat=dimension)))
    return np.asarray(box[norms(box, norm) <= reach])


# Optimality, by linear programs that know nothing of staircases.


Costs = np.ndarray[Any, Any]


def least_cost(
    sensitivity: int, norm: Norm, cost: Callable[[Costs], Costs], beyond: float, reach: int
) -> float:
    """A lower bound on the cost of every law on Z² that is 4-DP.

    Mass farther out than `reach` pays `beyond`, which must not be more than any cost there.
    """
    inside = points(2, reach, norm)
    index = {tuple(point): place for place, point in enumerate(inside.tolist())}
    moves = [tuple(m) for m in points(2, sensitivity, norm).tolist() if any(m)]
    pairs = [
        (place, index[other])
        for point, place in index.items()
        for move in moves
        if (other := tuple(a + b for a, b in zip(point, move, strict=True))) in index
    ]
    rows = np.repeat(np.arange(len(pairs)), 2)
    values = np.tile([1.0, -math.exp(4)], len(pairs))
    ratios = csr_matrix((values, (rows, np.ravel(pairs))), shape=(len(pairs), len(inside)))
    mass = csr_matrix(np.ones((1, len(inside))))
    found = linprog(
        cost(inside) - beyond,
        A_ub=vstack([ratios, mass]),
        b_ub=np.append(np.zeros(len(pairs)), 1.0),
        method="highs",
    )
    return float(found.fun + beyond)


def least_moment(sensitivity: int, norm: Norm, order: int) -> float:
    reach = {1: 9, 2: 11, 3: 14}[sensitivity]
    beyond = float((reach + 1) ** order)
    return least_cost(sensitivity, norm, lambda x: norms(x, norm) ** order, beyond, reach)


@pytest.mark.spread(5)
@each_norm
@pytest.mark.parametrize("sensitivity", [1, 2, 3])
@pytest.mark.parametrize("order", [1, 2])
def test_no_noise_in_the_plane_is_better(norm: Norm, sensitivity: int, order: int) -> None:
    best = optimal_vector(
        sensitivity=sensitivity, epsilon=4, dimension=2, norm=norm, cost=Moment(order)
    )
    bound = least_moment(sensitivity, norm, order)
    cost = float(best.expected_cost())
    assert bound <= cost * (1 + 1e-9)
    # What is missing is the mass beyond the program's reach, which pays too little there.
    assert cost <= bound * (1 + 3e-4)
    certificate = best.certificate()
    assert certificate is not None
    assert float(certificate.ratio) == pytest.approx(1, abs=1e-20)


def test_the_program_has_power() -> None:
    """It would notice a width that is not the best, and Laplace noise."""
    bound = least_moment(3, "l1", 1)
    worse = [
        NormStaircase(dimension=2, sensitivity=3, epsilon=4, width=width, norm="l1").moment(1)
        for width in (2, 3)
    ]
    worse.append(NormLaplace(2, Fraction(3, 4), "l1").moment(1))
    assert all(float(cost) > 1.05 * bound for cost in worse)


def test_counts_are_best_for_every_cost_of_the_coordinates() -> None:
    """At ℓ1-sensitivity 1: sums of squares, and the largest error, which is no function of ℓ1."""
    plain = DiscreteLaplace("1/4")
    squares = least_cost(1, "l1", lambda x: (x**2).sum(axis=1), 50.0, 9)
    assert squares == pytest.approx(2 * float(plain.moment(2)), rel=1e-4)
    largest = least_cost(1, "l1", lambda x: np.abs(x).max(axis=1), 5.0, 9)
    outside = [float(plain.tail(m)) * 2 for m in range(1, 40)]
    assert largest == pytest.approx(sum(1 - (1 - tail) ** 2 for tail in outside), rel=1e-4)


@each_norm
@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_neighbouring_spheres_can_be_coupled(norm: Norm, dimension: int) -> None:
    """The lemma of the proof, as a flow: every sphere meets the next one evenly."""
    reach = {1: 6, 2: 6, 3: 4, 4: 3}[dimension]
    ball = points(dimension, reach, norm)
    by_norm = [ball[norms(ball, norm) == m] for m in range(reach + 1)]
    for inner, outer in pairwise(by_norm):
        near = norms(inner[:, None, :] - outer[None, :, :], norm) <= 1
        assert flow(near) == len(inner) * len(outer)


def flow(near: np.ndarray[Any, Any]) -> int:
    """The most that flows if every inner point gives as much as there are outer ones."""
    inner, outer = near.shape
    size = inner + outer + 2
    capacity = np.zeros((size, size), dtype=np.int32)
    capacity[0, 1 : inner + 1] = outer
    capacity[1 : inner + 1, inner + 1 : -1] = near * (inner * outer)
    capacity[inner + 1 : -1, -1] = inner
    return int(maximum_flow(csr_matrix(capacity), 0, size - 1).flow_value)


def test_the_flow_has_power() -> None:
    """A sphere that is not the next one cannot be met by single steps."""
    ball = points(2, 5, "l1")
    inner, outer = (ball[norms(ball, "l1") == m] for m in (2, 3))
    near = norms(inner[:, None, :] - outer[None, :, :], "l1") <= 1
    near[:, 0] = False
    assert flow(near) < len(inner) * len(outer)


@given(
    steps=st.lists(st.floats(-1, 1), min_size=12, max_size=12),
    sizes=st.lists(st.integers(1, 50), min_size=40, max_size=40),
    prices=st.lists(st.floats(0, 3), min_size=40, max_size=40),
    period=st.integers(1, 5),
    epsilon=st.floats(0.3, 3),
)
@settings(deadline=None)
def test_radial_problem(
    steps: list[float], sizes: list[int], prices: list[float], period: int, epsilon: float
) -> None:
    """Section 1 of the proof: for any sizes of spheres and any cost, a staircase is best."""
    last, rate = 40, epsilon
    heights = np.zeros(last)  # −log f/ε: any function that rises by at most 1 per period …
    for m in range(1, last):
        low = max(heights[max(0, m - period) : m]) - 1
        high = min(heights[max(0, m - period) : m]) + 1
        share = (steps[m % 12] + 1) / 2 if m < 12 else 1.0  # … as fast as it may, from 12 on
        heights[m] = low + share * (high - low)
    cost = np.cumsum(prices)
    far = np.array(sizes, dtype=float)
    tail = far * np.exp(-rate * heights)

    def price(levels: np.ndarray[Any, Any]) -> float:
        weights = far * np.exp(-rate * levels)
        return float((weights * cost).sum() / weights.sum())

    places = np.arange(last)
    best = min(
        price(np.maximum(0, np.ceil((places - radius) / period))) for radius in range(period)
    )
    assert tail.sum() > 0
    assert best <= price(heights) * (1 + 1e-9) + 1e-12


# The best width.


@each_norm
@pytest.mark.parametrize(
    ("dimension", "sensitivity", "epsilon", "order"),
    [(1, 9, "1", 2), (2, 5, "2", 1), (2, 7, "1/2", 2), (3, 6, "4", 1), (5, 4, "3", 3),
     (4, 12, "8", 1), (4, 25, "1", 1), (4, 5, "1", 1)],
)  # fmt: skip
def test_best_width_is_the_best_of_all(
    norm: Norm, dimension: int, sensitivity: int, epsilon: str, order: int
) -> None:
    prices = {
        width: NormStaircase(
            dimension=dimension, sensitivity=sensitivity, epsilon=epsilon, width=width, norm=norm
        ).moment(order)
        for width in range(1, sensitivity + 1)
    }
    least = min(prices, key=lambda width: prices[width].upper)
    asked = WidthPrices(dimension, sensitivity, Fraction(epsilon), norm, order)
    with balls.precision(128):
        for width, price in prices.items():
            assert float(asked._price(width)) == pytest.approx(float(price), rel=1e-15)
    assert asked.cheapest(list(prices)) == least
    assert asked.cheapest(asked.near_valleys()) == least


@each_norm
@pytest.mark.parametrize(("dimension", "epsilon"), [(2, "1"), (3, "2"), (4, "1"), (7, "1/2")])
def test_valleys_and_enumeration_agree(
    norm: Norm, dimension: int, epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search over the real line is global: several valleys, flat ones too."""
    asked = {"dimension": dimension, "sensitivity": 300, "epsilon": Fraction(epsilon)}
    every = best_width.__wrapped__(**asked, norm=norm, order=1)
    monkeypatch.setitem(best_width.__wrapped__.__globals__, "_EVERY_WIDTH", 1)
    assert best_width.__wrapped__(**asked, norm=norm, order=1) == every


@each_norm
def test_flat_prices_are_told_apart(norm: Norm) -> None:
    """In 60 dimensions at ε = 1/2 all widths cost the same to 60 digits; one is the best."""
    asked = WidthPrices(60, 12, Fraction(1, 2), norm, 1)
    with balls.precision(2048):
        prices = {width: asked._price(width) for width in range(1, 13)}
        best = min(prices, key=lambda width: prices[width].mid())
        assert all(prices[width] > prices[best] for width in prices if width != best)
        assert max(p.mid() for p in prices.values()) / prices[best].mid() - 1 < arb("1e-60")
    found = best_width(dimension=60, sensitivity=12, epsilon=Fraction(1, 2), norm=norm, order=1)
    assert found == best


def test_the_price_of_widths_is_not_unimodal() -> None:
    """Errata C8: walking downhill from either end can miss the best width."""
    asked = WidthPrices(4, 40, Fraction(1), "linf", 1)
    with balls.precision(256):
        prices = [asked._price(width) for width in range(1, 41)]
        turns = sum(
            bool((b > a) != (c > b))
            for a, b, c in zip(prices, prices[1:], prices[2:], strict=False)
        )
    assert turns >= 2


@each_norm
def test_huge_sensitivities_tend_to_the_continuum(norm: Norm) -> None:
    for dimension, epsilon in ((2, 1), (3, 8), (10, 4)):
        best = staircase(epsilon=epsilon, dimension=dimension)
        fine = best_width(
            dimension=dimension, sensitivity=2**40, epsilon=Fraction(epsilon), norm=norm, order=1
        )
        assert fine / 2**40 == pytest.approx(float(best.gamma), abs=1e-9)


@pytest.mark.spread(3)
@each_norm
@pytest.mark.parametrize(
    "cost", [TailProbability(13), Moment("1.5"), OwnCost(lambda e: min(e, Fraction(9)))]
)
def test_searched_width_is_as_good_as_any(norm: Norm, cost: Any) -> None:
    problem = VectorProblem(
        dimension=2, norm=norm, sensitivity=8, epsilon=2, delta=0, cost=cost, granularity=1
    )
    prices = {
        width: float(
            expected_norm_cost(
                NormStaircase(dimension=2, sensitivity=8, epsilon=2, width=width, norm=norm), cost
            )
        )
        for width in range(1, 9)
    }
    assert prices[searched_width(problem)] <= min(prices.values()) * (1 + 1e-5)


def test_a_lattice_too_fine_to_sum_is_made_coarser() -> None:
    problem = VectorProblem(
        dimension=2, norm="l1", sensitivity=2**30, epsilon=4, delta=0, cost="absolute",
        granularity=1,
    )  # fmt: skip
    best = staircase(epsilon=4, dimension=2)
    assert searched_width(problem) / 2**30 == pytest.approx(float(best.gamma), abs=2e-3)


# The whole call.


def test_histograms_get_independent_laplace_noise_and_a_proof() -> None:
    best = optimal_vector(sensitivity=1, epsilon=1, dimension=50, norm="l1", cost="squared")
    laplace = NormLaplace(50, 1, "l1")
    assert float(best.expected_cost()) == pytest.approx(float(laplace.moment(2)), rel=1e-15)
    assert best.why.endswith("which is optimal")
    assert "optimal among" in repr(best.certificate())


@each_norm
def test_the_lattice_is_close_to_the_continuum(norm: Norm) -> None:
    """Rounded to steps of Δ/1024 (Δ/3072 in ℓ1), less than 0.4 % above R^d."""
    for epsilon in (1, 4, 8):
        best = optimal_vector(
            sensitivity="0.7", epsilon=epsilon, dimension=3, norm=norm, cost="absolute"
        )
        assert best.continuum is not None
        ratio = float(best.expected_cost()) / float(best.continuum)
        assert 1 <= ratio < 1.004
        assert best.problem.granularity.numerator == 1
        parts = 3072 if norm == "l1" else 1024
        assert best.problem.sensitivity / best.problem.granularity > parts


def test_rounding_in_l1_is_paid_for() -> None:
    best = optimal_vector(sensitivity=1, epsilon=1, dimension=100, norm="l1", granularity="1/1024")
    assert best.mechanism.steps == 1024 + 99
    assert best.continuum is not None
    assert float(best.expected_cost()) / float(best.continuum) == pytest.approx(1.0969, abs=1e-3)


def test_independent_staircases_are_far_behind() -> None:
    """Errata C13, on a lattice fine enough to compare with R^d."""
    fine = optimal_vector(sensitivity=4096, epsilon=8, dimension=2, norm="l1")
    by_name = {other.name: other for other in fine.alternatives()}
    apart = by_name["independent staircases at epsilon/2 each"]
    known = float(independent_staircases(epsilon=8, dimension=2))
    assert float(apart.cost) / 4096 == pytest.approx(known, rel=1e-3)
    assert float(apart.ratio) == pytest.approx(0.2757 / 0.0913, rel=2e-3)
    assert float(by_name["NormLaplace"].ratio) == pytest.approx(1 / 0.365, rel=2e-3)


@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_independent_staircases_meet_a_drop_in_every_coordinate(sensitivity: int) -> None:
    """On integers a shift of ℓ1 norm Δ moves min(d, Δ) coordinates: that many drops at most."""
    best = optimal_vector(sensitivity=sensitivity, epsilon=2, dimension=3, norm="l1")
    names = [other.name for other in best.alternatives()]
    assert f"independent staircases at epsilon/{min(3, sensitivity)} each" in names


def noise(**asked: Any) -> OptimalVectorNoise:
    """A problem with defaults."""
    return optimal_vector(
        **{"sensitivity": 10, "epsilon": 1, "dimension": 3, "norm": "l1", **asked}
    )


def test_histograms_with_delta_are_optimal_too() -> None:
    best = noise(sensitivity=1, delta="1e-3", dimension=20)
    assert best.law == Independent(Canonical(epsilon=1, delta="1e-3"), 20)
    certificate = best.certificate()
    assert certificate is not None
    assert float(certificate.ratio) == pytest.approx(1, abs=1e-20)
    assert float(best.expected_cost()) == pytest.approx(
        20 * float(Canonical(epsilon=1, delta="1e-3").moment(1)), rel=1e-15
    )


@pytest.mark.parametrize(
    ("epsilon", "kind"),
    [("0.1", Independent), (1, TruncatedNormStaircase), (8, TruncatedNormStaircase)],
)
def test_the_cheapest_law_is_chosen(epsilon: Any, kind: type) -> None:
    """Small ε: independent truncated Laplace noise; large ε: the truncated norm staircase."""
    best = noise(epsilon=epsilon, delta="1e-5")
    assert isinstance(best.law, kind)
    prices = [other.cost.upper for other in best.alternatives()]
    assert best.expected_cost().lower <= min(prices)
    assert prices == sorted(prices)
    assert {type(other.law) for other in best.alternatives()} >= {
        Independent, TruncatedNormStaircase, NormStaircase, NormLaplace,
    } - {kind}  # fmt: skip
    certificate = best.certificate()
    assert certificate is not None
    assert certificate.ratio >= 1


def test_truncation_never_costs_more_than_the_endless_law() -> None:
    for norm in NORMS:
        for delta in ("0.1", "1e-3", "1e-9"):
            endless = noise(epsilon=2, norm=norm, dimension=2)
            best = noise(epsilon=2, norm=norm, dimension=2, delta=delta)
            assert best.expected_cost().upper <= endless.expected_cost().lower


def test_truncated_radius_is_the_least() -> None:
    for norm in NORMS:
        best = noise(epsilon=4, norm=norm, dimension=2, delta="1e-4", sensitivity=100)
        law = best.law
        assert isinstance(law, TruncatedNormStaircase)
        smaller = TruncatedNormStaircase(**{**law.parameters, "radius": law.greatest - 1})
        assert law.verify(sensitivity=100, epsilon=4, delta="1e-4")
        assert not smaller.verify(sensitivity=100, epsilon=4, delta="1e-4")


def test_a_lighter_edge_uses_up_delta() -> None:
    best = noise(epsilon=4, norm="linf", dimension=2, delta="1e-2", sensitivity=2)
    assert isinstance(best.law, TruncatedNormStaircase)
    assert best.law.edge < 1
    used = best.law.delta(4, 2)
    assert Fraction("0.99e-2") < used.lower <= used.upper <= Fraction(1, 100)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_uniform_noise_for_delta_alone(dimension: int) -> None:
    best = noise(epsilon=0, delta="1/8", dimension=dimension, sensitivity=4)
    assert best.law == Independent(Uniform(sensitivity=4, delta="1/8"), dimension)
    assert float(best.expected_cost()) == dimension * 4 / (4 / 8)
    certificate = best.certificate()
    assert certificate is not None
    assert certificate.ratio == 1
    flat = noise(epsilon=0, delta="1/8", dimension=dimension, sensitivity=4, norm="linf")
    assert isinstance(flat.law, TruncatedNormStaircase)
    assert flat.law.epsilon == 0
    assert flat.law.verify(sensitivity=4, epsilon=0, delta="1/8")


def test_small_epsilon_is_between_laplace_and_uniform() -> None:
    """No gap where ε and δ are alike: the truncated laws take over from one another."""
    for norm in NORMS:
        costs = [
            float(noise(epsilon=e, delta="1e-2", dimension=2, norm=norm).expected_cost())
            for e in ("0", "1e-6", "1e-2", "0.1", "1")
        ]
        assert costs[0] >= costs[1] * (1 - 1e-3)
        assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("delta", ["0", "1e-4"])
@each_norm
def test_release_error_and_price(delta: str, norm: Norm) -> None:
    best = noise(epsilon=2, delta=delta, norm=norm)
    assert isinstance(best, Mechanism)
    released = best.release(np.zeros((500, 3), dtype=int))
    assert released.guarantee == best.guarantee
    off = norms(np.asarray(released.value), norm)
    assert (off <= float(best.error("0.9"))).mean() > 0.9 - 5 * math.sqrt(0.09 / 500)
    exact = Fraction(delta)
    assert best.guarantee == (ApproxDP(epsilon=2, delta=exact) if exact else PureDP(epsilon=2))
    assert best.privacy().delta(2).lower <= exact
    assert "OptimalVectorNoise(E|error| = " in repr(best)


def test_one_dimension_is_one_query() -> None:
    best = noise(dimension=1, epsilon=4)
    assert isinstance(best.law, NormStaircase)
    assert best.law.width == 2  # as in the table of noise.md


def test_many_dimensions_are_quick_and_modest() -> None:
    best = noise(dimension=5000, norm="linf")
    assert isinstance(best.law, NormLaplace)
    assert best.certificate() is None
    assert best.continuum is None
    assert noise(dimension=200, epsilon=60, norm="linf").law != best.law
    staircase_law = noise(dimension=200, epsilon=60, norm="linf").law
    assert isinstance(staircase_law, NormStaircase)
    assert best.why.endswith("was found")


def test_nothing_is_claimed_of_a_width_that_was_searched_for() -> None:
    for cost in (TailProbability(13), Moment("1.5")):
        best = noise(cost=cost)
        assert best.certificate() is None
        assert best.why.endswith("was found")
    single = noise(sensitivity=1, cost=TailProbability(3))
    assert single.certificate() is not None


def test_extremes() -> None:
    for asked in (
        {"epsilon": 4096},
        {"epsilon": 4000, "delta": "1e-9", "norm": "linf"},
        {"epsilon": "1e-9"},
        {"epsilon": "1e-9", "delta": "0.9"},
        {"delta": "0.999999", "norm": "linf"},
        {"epsilon": 0, "delta": "0.7"},
        {"sensitivity": 10**9, "delta": "1e-6"},
        {"sensitivity": "1500.5", "norm": "linf"},
    ):
        best = noise(**{"dimension": 2, **asked})
        assert best.expected_cost().upper >= 0
        assert best.error("0.9") >= 0
        assert all(repr(other) for other in best.alternatives())
        repr(best.certificate())


def test_a_step_of_one_is_kept_for_whole_numbers() -> None:
    best = noise(sensitivity="2500.5", norm="linf")
    assert best.problem.granularity == Fraction(1, 2)
    assert best.release([0.25, 1.5, -3.75]).value.shape == (3,)
    with pytest.raises(InvalidParameter, match="`value` must hold integers"):
        noise().release([0.25, 1.5, -3.75])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dimension", 0), ("dimension", 1.5), ("dimension", 2**21), ("norm", "l2"), ("norm", None),
        ("sensitivity", 0), ("sensitivity", float("nan")), ("epsilon", -1), ("epsilon", 5000),
        ("epsilon", float("inf")), ("epsilon", True), ("delta", 1), ("delta", -1),
        ("cost", "mean"), ("granularity", 0), ("granularity", "x"),
    ],
)  # fmt: skip
def test_bad_parameters(name: str, value: Any) -> None:
    with pytest.raises(InvalidParameter, match=rf"`{name}` must"):
        noise(**{name: value})


def test_no_privacy_at_all_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="must not both be 0"):
        noise(epsilon=0, delta=0)
    with pytest.raises(InvalidParameter, match="at least 1 for whole numbers"):
        noise(sensitivity="0.5", granularity=1)


# When it is worth while.


@pytest.mark.parametrize(
    ("dimension", "expected"),
    [(1, 0.492), (2, 1.140), (3, 1.775), (5, 2.915), (10, 5.136), (20, 8.269), (50, 14.56)],
)
def test_where_one_percent_is_saved(dimension: int, expected: float) -> None:
    found = worthwhile_epsilon(dimension=dimension)
    assert float(found) == pytest.approx(expected, rel=2e-3)
    for end, saves in ((found.lower, False), (found.upper, True)):
        ratio = staircase(epsilon=Fraction(end), dimension=dimension).ratio
        assert (ratio.upper <= Fraction("0.99")) is saves


@pytest.mark.parametrize("dimension", [2, 3, 4, 6, 8, 10, 11, 12, 15, 30, 60])
def test_the_measured_rule(dimension: int) -> None:
    """Less than 1 % is saved up to min(d/2, 1.6·√d); d/2 alone is too much to say from 12 on."""
    rule = Fraction(min(dimension / 2, 1.6 * math.sqrt(dimension)))
    assert staircase(epsilon=rule, dimension=dimension).ratio.lower > Fraction("0.99")
    if dimension >= 12:
        half = staircase(epsilon=Fraction(dimension, 2), dimension=dimension)
        assert half.ratio.upper < Fraction("0.99")


@pytest.mark.parametrize("asked", [{"dimension": 0}, {"saving": 0}, {"saving": 1}, {"moment": 0}])
def test_bad_questions_about_gains(asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        worthwhile_epsilon(**{"dimension": 2, **asked})


def test_truncated_laplace_is_what_small_epsilon_gets() -> None:
    best = noise(epsilon="0.1", delta="1e-3", dimension=5)
    assert best.law == Independent(TruncatedLaplace(sensitivity=10, epsilon="0.1", delta="1e-3"), 5)
