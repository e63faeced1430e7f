"""`optimal`: the least noise against what is published, naive programs and all widths."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.laws import DiscreteLaplace, Staircase, TableLaw, TruncatedLaplace, Uniform
from leastnoise.numbers.cost import Moment, TailProbability
from leastnoise.numbers.errors import InvalidInput
from leastnoise.optima import optimal
from leastnoise.privacy.guarantee import ApproxDP, PureDP


def test_what_people_see() -> None:
    noise = optimal(sensitivity=1, epsilon=1)
    assert repr(noise) == (
        "DiscreteLaplace(rate=1), (1, 0)-DP: E|error| 0.8509, 95 % within 3; "
        "least possible (ratio 1)"
    )
    assert isinstance(noise.release(42).value, int)
    assert repr(optimal(sensitivity=3, epsilon=4, cost="squared").alternatives()) == (
        "law                                   E error²   times the least\n"
        "Staircase(period=3, rate=4, width=1)    0.5099   1\n"
        "DiscreteLaplace(rate=4/3)               0.9722   1.907"
    )


@pytest.mark.parametrize("cost", ["absolute", "squared", Moment(3), TailProbability(4)])
@pytest.mark.parametrize(("size", "epsilon"), [(2, "0.5"), (5, "1"), (9, "3"), (30, "6")])
def test_pure_noise_has_the_best_of_all_widths(cost: Any, size: int, epsilon: str) -> None:
    noise = optimal(sensitivity=size, epsilon=epsilon, cost=cost)
    every = [Staircase(size, epsilon, w).expected(cost).upper for w in range(1, size + 1)]
    assert noise.expected_cost().upper == min(every)
    assert noise.bound <= min(every) <= noise.bound * (1 + F(1, 10**12))


@pytest.mark.parametrize(("size", "epsilon"), [(1, "1"), (2, "1"), (3, "2")])
def test_pure_noise_is_the_optimum_of_a_linear_program(size: int, epsilon: str) -> None:
    """Each law on -28 .. 28 with P(k) <= e^epsilon * P(k + d), cut where nothing is left."""
    from scipy.optimize import linprog

    stop, growth = 28, math.exp(float(epsilon))
    places = range(-stop, stop + 1)
    rows = []
    for d, k in itertools.product(range(-size, size + 1), places):
        if d and abs(k + d) <= stop:
            row = np.zeros(len(places))
            row[k + stop], row[k + d + stop] = 1, -growth
            rows.append(row)
    for cost in (1, 2):
        found = linprog(
            [float(abs(k) ** cost) for k in places], A_ub=rows, b_ub=np.zeros(len(rows)),
            A_eq=[[1.0] * len(places)], b_eq=[1.0],
        )  # fmt: skip
        noise = optimal(sensitivity=size, epsilon=epsilon, cost=Moment(cost))
        assert float(noise.expected_cost()) == pytest.approx(found.fun, rel=2e-4)


def test_one_count_has_the_least_variance_there_is() -> None:
    noise = optimal(sensitivity=1, epsilon=1, delta="1e-6", cost="squared")
    assert noise.law == TruncatedLaplace(1, 1, "1e-6")
    assert float(noise.expected_cost()) == pytest.approx(1.84109985387, rel=1e-9)
    assert noise.expected_cost().upper <= noise.bound * (1 + F(1, 10**12))


@pytest.mark.parametrize(
    ("parameters", "law", "cost"),
    [
        (
            {"sensitivity": 3, "epsilon": "0.5", "delta": "1e-6", "cost": "squared"},
            TableLaw,
            71.1646,
        ),
        ({"sensitivity": 5, "epsilon": "0.3", "delta": "0.01"}, TableLaw, 13.817),
        ({"sensitivity": 3, "epsilon": 0, "delta": "0.25"}, Uniform, 3),
        ({"sensitivity": 3, "epsilon": 2}, Staircase, 1.196),
        ({"sensitivity": 2, "epsilon": 0, "delta": "0.25", "cost": "squared"}, TableLaw, 38 / 7),
    ],
)
def test_known_values(parameters: dict[str, Any], law: type, cost: float) -> None:
    """From an independent implementation with HiGHS, and errata C3."""
    noise = optimal(**parameters)
    assert float(noise.expected_cost()) == pytest.approx(cost, rel=5e-4)
    assert isinstance(noise.law, law)
    assert noise.expected_cost().upper <= noise.bound * (1 + F(1, 10**6))


def test_its_promise_holds_for_every_law_it_names() -> None:
    for size, epsilon, delta in [(1, "0.5", "0.01"), (3, "1", "0.05"), (2, "0", "0.2")]:
        noise = optimal(sensitivity=size, epsilon=epsilon, delta=delta)
        assert noise.guarantee == ApproxDP(epsilon=epsilon, delta=delta)
        for law in (noise.law, *noise.others):
            for d in range(1, size + 1):
                assert law.hockey_stick(epsilon, d).lower <= F(delta)
    assert optimal(sensitivity=2, epsilon=1).guarantee == PureDP(epsilon=1)


def test_a_cost_of_ones_own_gets_the_best_width_and_no_certificate() -> None:
    def capped(error: F) -> F:
        return min(error, F(4))

    noise = optimal(sensitivity=4, epsilon=1, cost=capped)
    every = [float(Staircase(4, 1, w).expected(capped)) for w in range(1, 5)]
    assert float(noise.expected_cost()) == pytest.approx(min(every), rel=1e-9)
    assert noise.certificate() is None and "least possible" in repr(noise)


# Vectors


@pytest.mark.parametrize("norm", ["l1", "linf"])
@pytest.mark.parametrize(("dimension", "size", "epsilon"), [(2, 7, "3"), (3, 5, "6"), (5, 4, "1")])
def test_vectors_have_the_best_of_all_widths(
    norm: str, dimension: int, size: int, epsilon: str
) -> None:
    noise = optimal(sensitivity=size, epsilon=epsilon, dimension=dimension, norm=norm)
    every = [
        float(NormStaircase(dimension, size, epsilon, w, norm).moment(1))
        for w in range(1, size + 1)
    ]
    assert float(noise.expected_cost()) == min(every)
    assert float(noise.bound) == pytest.approx(min(every), rel=1e-12)


@pytest.mark.parametrize(("dimension", "size", "epsilon", "width"), [(2, 1000, "4", 312)])
def test_wide_staircases_are_searched(dimension: int, size: int, epsilon: str, width: int) -> None:
    """The width is the best of all 1,000."""
    noise = optimal(sensitivity=size, epsilon=epsilon, dimension=dimension)
    assert noise.law == NormStaircase(dimension, size, epsilon, width)
    assert noise.expected_cost().upper <= noise.bound * (1 + F(1, 10**6))


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_no_noise_on_the_plane_is_better(norm: str) -> None:
    """A linear program over all laws on a square, every shift of the norm ball.

    Cut off at 9, a law can be better by what lies beyond, and worse by what the edge costs.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    size, epsilon, stop = 2, 3, 9
    length: Callable[[tuple[int, ...]], int] = (
        (lambda x: abs(x[0]) + abs(x[1])) if norm == "l1" else (lambda x: max(map(abs, x)))
    )
    places = list(itertools.product(range(-stop, stop + 1), repeat=2))
    index = {x: i for i, x in enumerate(places)}
    shifts = [
        v for v in itertools.product(range(-size, size + 1), repeat=2) if 0 < length(v) <= size
    ]
    pairs = [
        (i, index[x[0] + v[0], x[1] + v[1]])
        for i, x in enumerate(places)
        for v in shifts
        if (x[0] + v[0], x[1] + v[1]) in index
    ]
    rows = np.arange(len(pairs))
    here, there = np.array(pairs).T
    above = coo_array(
        (np.concatenate([np.ones(len(pairs)), np.full(len(pairs), -math.exp(epsilon))]),
         (np.concatenate([rows, rows]), np.concatenate([here, there]))),
        shape=(len(pairs), len(places)),
    ).tocsr()  # fmt: skip
    found = linprog(
        [float(length(x)) for x in places], A_ub=above, b_ub=np.zeros(len(pairs)),
        A_eq=np.ones((1, len(places))), b_eq=[1.0],
    )  # fmt: skip
    noise = optimal(sensitivity=size, epsilon=epsilon, dimension=2, norm=norm)
    assert float(noise.expected_cost()) == pytest.approx(found.fun, rel=2e-3)


def test_vectors_with_delta_say_how_far_from_the_least_they_can_be() -> None:
    least = optimal(sensitivity=1, epsilon=1, delta="1e-5", dimension=5)
    assert least.law == TruncatedLaplace(1, 1, "1e-5") and "least possible" in repr(least)
    assert float(least.expected_cost()) == pytest.approx(5 * float(least.law.moment(1)))
    other = optimal(sensitivity=2, epsilon=1, delta="1e-5", dimension=5, norm="linf")
    assert "not known to be least" in repr(other)
    assert 0 < other.bound < other.expected_cost().lower


def test_independent_noise_on_a_vector_keeps_the_promise() -> None:
    """All pairs of numbers, all shifts of norm 2, by enumeration."""
    noise = optimal(sensitivity=2, epsilon=1, delta="0.05", dimension=2)
    law = noise.law
    assert law.support is not None and law.dimension == 1
    reach = law.support[1]
    chance = {k: float(law.pmf(k)) for k in range(-reach, reach + 1)}
    for v in [(2, 0), (1, 1), (1, -1), (0, 1)]:
        leak = math.fsum(
            max(0.0, chance[x] * chance[y]
                - math.e * chance.get(x - v[0], 0) * chance.get(y - v[1], 0))
            for x in chance for y in chance
        )  # fmt: skip
        assert leak <= 0.05 + 1e-12


@pytest.mark.parametrize("cost", ["absolute", "squared"])
def test_the_cost_of_independent_noise_is_that_of_the_l1_norm(cost: str) -> None:
    noise = optimal(sensitivity=1, epsilon="0.7", delta="0.05", dimension=2, cost=cost)
    law = noise.law
    assert law.support is not None and law.dimension == 1
    chance = {k: float(law.pmf(k)) for k in range(-law.support[1], law.support[1] + 1)}
    power = 1 if cost == "absolute" else 2
    mean = math.fsum(
        p * q * (abs(x) + abs(y)) ** power for x, p in chance.items() for y, q in chance.items()
    )
    assert float(noise.expected_cost()) == pytest.approx(mean, rel=1e-9)


def test_releases_keep_the_shape_of_the_secret() -> None:
    noise = optimal(sensitivity=2, epsilon=1, dimension=3)
    assert noise.release([5, 6, 7]).value.shape == (3,)
    for wrong in (5, [1, 2], [[1, 2, 3]]):
        with pytest.raises(InvalidInput, match="for 3 numbers"):
            noise.release(wrong)
    with pytest.raises(InvalidInput) as caught:
        noise.release([5, 6, 7.25])
    assert "7.25" not in str(caught.value)
    assert isinstance(optimal(sensitivity=1, epsilon=1).law, DiscreteLaplace)


BAD: list[dict[str, Any]] = [
    {"sensitivity": 0, "epsilon": 1}, {"sensitivity": "0.5", "epsilon": 1},
    {"sensitivity": 2**63, "epsilon": 1}, {"sensitivity": 1, "epsilon": 0},
    {"sensitivity": 1, "epsilon": -1}, {"sensitivity": 1, "epsilon": float("nan")},
    {"sensitivity": 1, "epsilon": 513}, {"sensitivity": 1, "epsilon": 1, "delta": 1},
    {"sensitivity": 1, "epsilon": 1, "delta": -1}, {"sensitivity": 1, "epsilon": 1, "cost": "cubed"},
    {"sensitivity": 1, "epsilon": 1, "cost": 3}, {"sensitivity": 1, "epsilon": 1, "dimension": 0},
    {"sensitivity": 1, "epsilon": 1, "dimension": 129},
    {"sensitivity": 1, "epsilon": 1, "dimension": 2, "norm": "l2"},
    {"sensitivity": 1, "epsilon": 0, "delta": "0.1", "dimension": 2, "norm": "linf"},
    {"sensitivity": True, "epsilon": 1},
]  # fmt: skip


@pytest.mark.parametrize("parameters", BAD, ids=str)
def test_bad_input_gets_one_sentence(parameters: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        optimal(**parameters)
    assert "\n" not in str(caught.value)
