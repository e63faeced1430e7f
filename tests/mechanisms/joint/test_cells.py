"""Forecasts of the noise of one number, against the law as it is defined."""

from collections import Counter
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.joint import pair_table, radius_table
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.gauss_nodes import gauss_nodes
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from tests.mechanisms.joint.exact import points

Kind = type[TwoCounterNoise] | type[OneCounterNoise]
PROBABILITIES = (0.2, 0.5, 0.9, 0.95, 0.999)


def two_counter_cell(parts: list[Part], place: int, epsilon: float, most: int) -> Counter[int]:
    """The law of a part's first number, by going through all of its points."""
    law: Counter[int] = Counter()
    for p in range(most):
        for q in range(most - p):
            sets = [points(part, p, q) for part in parts]
            others = exp(sum(log(len(c)) for c in sets) - epsilon * (p + q)) / len(sets[place])
            for x in sets[place]:
                law[x[0]] += others  # type: ignore[assignment]
    return law


def check(cell: Forecast, law: Counter[int]) -> None:
    total = sum(law.values())
    for order in (1, 2):
        mean = sum(w * abs(x) ** order for x, w in law.items()) / total
        assert float(cell.moment(order)) == pytest.approx(mean, rel=1e-7)
    for probability in PROBABILITIES:
        bound = cell.quantile(probability)
        inside = [sum(w for x, w in law.items() if abs(x) <= m) / total for m in (bound, bound - 1)]
        assert inside[0] >= probability > inside[1]


@pytest.mark.parametrize(
    "parts",
    [
        [Box(0, 1), Box(0, 3, start=4), Everyone()],
        [Box(-1, 2), Box(2, 3, start=2), Box(-3, -1)],
        [Box(-2, 2), Everyone(), Box(4, 4)],
    ],
    ids=str,
)
def test_boxes(parts: list[Part]) -> None:
    noise = TwoCounterNoise(2, parts)
    for place in range(len(parts)):
        check(noise.cell(place), two_counter_cell(parts, place, 2, 24))


@pytest.mark.parametrize(
    "parts", [[Simplex(2, 1), Box(0, 1, start=2)], [Simplex(1, 2, 1), Box(-1, 2)]], ids=str
)
def test_histograms(parts: list[Part]) -> None:
    noise = TwoCounterNoise(3, parts)
    for place in range(len(parts)):
        check(noise.cell(place), two_counter_cell(parts, place, 3, 13))


def test_one_counter() -> None:
    parts: list[Part] = [Box(-2, 2, start=2), Simplex(2, 1), Diamond(2, 2, 1)]
    noise = OneCounterNoise(3, parts)
    for place in range(len(parts)):
        law: Counter[int] = Counter()
        for p in range(12):
            sets = [points(Box(0, 2, start=2), p, p), *(points(part, p, p) for part in parts[1:])]
            others = exp(sum(log(len(c)) for c in sets) - 3 * p) / len(sets[place])
            for x in sets[place]:
                law[x[0]] += others  # type: ignore[assignment]
        check(noise.cell(place), law)


def figures(kind: Kind, epsilon: str, parts: list[Part]) -> list[float]:
    noise = kind(epsilon, parts)
    cells = [noise.cell(place) for place in range(len(parts))]
    return [
        *(float(cell.moment(order)) for cell in cells for order in (1, 2)),
        *(float(cell.quantile(p)) for cell in cells for p in PROBABILITIES),
    ]


@pytest.mark.parametrize(
    ("kind", "epsilon", "parts"),
    [
        (
            TwoCounterNoise,
            "0.02",
            [Box(0, 1, cells=3), Box(0, 50, start=80), Everyone(), Box(-1, 1)],
        ),
        (OneCounterNoise, "0.02", [Box(-1, 1), Diamond(4, 3), Simplex(3, 2)]),
        (TwoCounterNoise, "0.2", [Simplex(2, 1), Box(0, 2, start=10), Everyone()]),
    ],
    ids=str,
)
def test_blocks_of_radii_stand_for_all(
    kind: Kind, epsilon: str, parts: list[Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    coarse = figures(kind, epsilon, parts)
    for module in (radius_table, pair_table):
        monkeypatch.setattr(module, "_MOST_SINGLE", 10**9)
    fine = figures(kind, epsilon, parts)
    assert coarse == pytest.approx(fine, rel=3e-2, abs=3)
    bounds = 2 * len(parts)
    assert coarse[:bounds] == pytest.approx(fine[:bounds], rel=4e-3)
    assert all(rough >= exact for rough, exact in zip(coarse[bounds:], fine[bounds:], strict=True))


def test_what_no_table_knows() -> None:
    cell = TwoCounterNoise(1, [Box(0, 1)]).cell(0)
    assert cell.quantile(0) == 0
    assert 15 < cell.quantile("0.9999999999") < 40
    with pytest.raises(UnsupportedQuery, match="below 1"):
        cell.quantile(1)
    with pytest.raises(UnsupportedQuery, match="order"):
        cell.moment(3)


def test_equal_questions_share_a_law() -> None:
    noise = TwoCounterNoise(1, [Box(0, 1), Box(0, 1, cells=5), Box(0, 2)])
    assert noise.cell(0) is noise.cell(1)
    assert noise.cell(0) is not noise.cell(2)
    assert repr(noise.cell(0)) == "BoxCell(sd 3.877)"


def test_wide_histograms_beside_many_numbers_have_forecasts() -> None:
    """Half a step beyond 0 a wide histogram has no points: its logarithm must not be asked for."""
    parts: list[Part] = [*[Simplex(4, 2**24)] * 50, *[Box(0, 2**24)] * 50]
    cell = TwoCounterNoise(Fraction(1, 10), parts).cell(0)
    assert 0 < float(cell.moment(1)) < cell.quantile("0.95")


@given(st.floats(0, 2**60), st.floats(0, 2**60))
def test_points_between_two_ends_are_those_of_numpy(first: float, last: float) -> None:
    for steps in (radius_table._FINE, radius_table._COARSE):
        found = radius_table._between(first, last, steps)
        assert found.tolist() == np.linspace(first, last, len(steps)).tolist()


def test_nodes_and_weights_are_those_of_gauss_and_legendre() -> None:
    nodes, weights = gauss_nodes()
    known = np.polynomial.legendre.leggauss(48)
    assert nodes == pytest.approx(known[0], abs=2e-16, rel=1e-15)
    assert weights == pytest.approx(known[1], abs=2e-16, rel=1e-13)
    for power in range(0, 96, 2):  # exact for polynomials of degree 95
        assert weights @ nodes**power == pytest.approx(2 / (power + 1), rel=1e-13)
