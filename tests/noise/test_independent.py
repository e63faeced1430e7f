"""Independent bounded noise on vectors, against sums over all points."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import (
    Canonical,
    DiscreteLaplace,
    Independent,
    LatticeLaw,
    NormLaplace,
    Staircase,
    TruncatedLaplace,
    TruncatedStaircase,
    Uniform,
)
from leastnoise.numeric.interval import Interval
from tests.noise.shifted_box import Grid, divergences
from tests.noise.test_norm_laplace import FALSE_ALARM, fit_of_norms

BASES: list[LatticeLaw] = [
    TruncatedLaplace(sensitivity=3, epsilon="0.9", delta="0.1"),
    TruncatedLaplace(sensitivity=4, epsilon=2, delta="0.02"),
    Uniform(sensitivity=2, delta="0.2"),
    Uniform(sensitivity=3, delta="0.23"),
    Canonical(epsilon=1, delta="0.1"),
]
each_base = pytest.mark.parametrize("base", BASES, ids=repr)
# Where the shape itself looks its constants up: collecting doctests makes second copies of modules.
CONSTANTS = type(Independent(BASES[0], 1).shape).tail.__globals__


def line(base: LatticeLaw) -> Grid:
    assert base.support is not None
    return np.array([float(base.pmf(k)) for k in range(base.support[0], base.support[1] + 1)])


def plane(base: LatticeLaw) -> Grid:
    return np.asarray(np.multiply.outer(line(base), line(base)))


@each_base
@pytest.mark.parametrize("distance", [1, 2, 3, 4])
def test_delta_brackets_the_worst_of_all_shifts(base: LatticeLaw, distance: int) -> None:
    law = Independent(base, 2)
    rate = law.shape.coordinate.rate
    for epsilon in (rate * distance, Fraction(0), Fraction(1, 2), Fraction(13, 10)):
        worst = max(divergences(plane(base), "l1", float(epsilon), distance).values())
        found = law.delta(epsilon, distance)
        assert float(found.lower) - 1e-12 <= worst <= float(found.upper) + 1e-12


@each_base
def test_the_theorem_is_an_equality_along_an_axis(base: LatticeLaw) -> None:
    law = Independent(base, 2)
    for distance in range(1, law.shape.coordinate.radius or 0):
        epsilon = law.shape.coordinate.rate * distance
        by_shift = divergences(plane(base), "l1", float(epsilon), distance)
        assert max(by_shift.values()) == pytest.approx(by_shift[distance, 0], abs=1e-12)
        assert float(law.delta(epsilon, distance)) == pytest.approx(
            by_shift[distance, 0], abs=1e-12
        )


@given(
    rate=st.fractions(min_value=0, max_value=2, max_denominator=50),
    edge=st.floats(min_value=0.01, max_value=1),
    radius=st.integers(min_value=1, max_value=30),
)
@settings(deadline=None)
def test_the_leak_of_one_coordinate_is_convex(rate: Fraction, edge: float, radius: int) -> None:
    """The proof rests on this, for every rate, share and radius."""
    weights = np.array([math.exp(-float(rate) * abs(k)) for k in range(-radius, radius + 1)])
    weights[[0, -1]] *= edge
    chances = weights / weights.sum()
    leaks = [0.0]
    for shift in range(1, radius + 1):
        padded = np.pad(chances, shift)
        other = np.roll(padded, shift) * math.exp(float(rate) * shift)
        leaks.append(float(np.maximum(0, padded - other).sum()))
    rises = np.diff(leaks)
    assert (np.diff(rises) >= -1e-12).all()


def test_total_variation_of_uniform_noise() -> None:
    """Errata C10: at most 1 − Π(1 − |vᵢ|δ/Δ), hence at most δ; equal for atoms of equal weight."""
    base = Uniform(sensitivity=4, delta="1/4")  # sixteen points' worth, the outermost halved
    for shift, found in divergences(plane(base), "l1", 0.0, 4).items():
        bound = 1 - math.prod(1 - step / 16 for step in shift)
        assert found <= bound + 1e-12 <= 0.25 + 2e-12
    equal = np.full((16, 16), 1 / 256)
    for shift in product(range(5), repeat=2):
        padded = np.pad(equal, 5)
        moved = np.maximum(0, padded - np.roll(padded, shift, (0, 1))).sum()
        assert moved == pytest.approx(1 - math.prod(1 - step / 16 for step in shift), abs=1e-12)


@each_base
def test_verify_is_sharp_where_it_speaks(base: LatticeLaw) -> None:
    law = Independent(base, 5)
    distance = 1 if isinstance(base, Canonical) else base.sensitivity  # type: ignore[attr-defined]
    epsilon, delta = law.shape.coordinate.rate * distance, base.leak  # type: ignore[attr-defined]
    assert law.verify(sensitivity=distance, epsilon=epsilon, delta=delta)
    assert not law.verify(
        sensitivity=distance, epsilon=epsilon, delta=delta * (1 - Fraction(1, 10**12))
    )
    assert law.verify(sensitivity=distance, epsilon=epsilon + 1, delta=delta)
    assert not law.verify(sensitivity=distance, epsilon=epsilon)
    if distance > 1 and epsilon:
        with pytest.raises(UnsupportedQuery, match="rate·sensitivity"):
            law.verify(sensitivity=distance, epsilon=epsilon / 2, delta="0.9")
        assert law.delta(epsilon / 2, distance).upper == 1
    far = Independent(base, 5).shape.coordinate.radius or 0
    assert law.delta(epsilon, far + 1).upper == 1
    assert law.delta(epsilon, 0) == Interval.exactly(0)


def test_one_coordinate_moves_at_distance_one() -> None:
    base = Canonical(epsilon=1, delta="0.01")
    law = Independent(base, 7)
    for epsilon in ("0", "0.5", "1", "1.5"):
        assert law.delta(epsilon, 1) == base.delta(epsilon, 1)
        assert law.privacy(1).delta(epsilon) == base.privacy(1).delta(epsilon)
    with pytest.raises(UnsupportedQuery, match="worst_case"):
        law.privacy(2)
    # A group of two may move two coordinates: the loss of one axis is not theirs.
    with pytest.raises(UnsupportedQuery, match="group_privacy"):
        law.privacy(1).for_group(2)


@each_base
def test_norm_law_is_the_convolution(base: LatticeLaw) -> None:
    law = Independent(base, 3)
    half = line(base)[len(line(base)) // 2 :].copy()
    half[1:] *= 2
    norm_pmf = np.convolve(np.convolve(half, half), half)
    tails = norm_pmf[::-1].cumsum()[::-1]
    assert law.radius == len(norm_pmf) - 1
    for m in range(len(norm_pmf)):
        assert float(law.norm_pmf(m)) == pytest.approx(norm_pmf[m], abs=1e-14)
        assert float(law.tail(m)) == pytest.approx(tails[m], abs=1e-14)
    assert law.tail(law.radius + 1) == Interval.exactly(0)
    places = np.arange(len(norm_pmf))
    for order in (1, 2, 4):
        expected = (norm_pmf * places**order).sum()
        assert float(law.moment(order)) == pytest.approx(expected, rel=1e-12)
    assert law.quantile("0.8") == int(np.searchsorted(norm_pmf.cumsum(), 0.8))
    assert law.quantile(1) == law.radius


def test_pmf_is_a_product() -> None:
    base = TruncatedLaplace(sensitivity=3, epsilon="0.9", delta="0.1")
    law = Independent(base, 3)
    expected = math.prod(float(base.pmf(k)) for k in (0, -2, 1))
    assert float(law.pmf((0, -2, 1))) == pytest.approx(expected, rel=1e-14)
    assert law.pmf((0, 0, 10**6)).upper == 0


def test_coarse_grids_bracket_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    base = TruncatedLaplace(sensitivity=40, epsilon=1, delta="1e-4")
    exact = Independent(base, 4)
    assert exact.shape.grain == 1
    truth = {m: exact.tail(m) for m in (1, 50, 160, 300, 700, 1500, exact.shape.radius)}
    least = exact.quantile("0.95")
    monkeypatch.setitem(CONSTANTS, "_MOST_CELLS", 200)
    coarse = Independent(base, 4)
    assert coarse.shape.grain > 1
    for m, known in truth.items():
        found = coarse.tail(m)
        assert found.lower <= known.lower
        assert known.upper <= found.upper
        assert found.upper - found.lower < 0.15
    assert least <= coarse.quantile("0.95") <= least + 4 * coarse.shape.grain


def test_beyond_the_last_cell_nothing_is_known_but_an_upper_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = TruncatedLaplace(sensitivity=5, epsilon=1, delta="1e-4")
    exact = Independent(base, 40)
    far = {m: exact.tail(m) for m in (320, 400, 600, exact.shape.radius)}
    monkeypatch.setitem(CONSTANTS, "_MOST_CELLS", 100)
    monkeypatch.setitem(CONSTANTS, "_DEVIATIONS", 1)
    coarse = Independent(base, 40)
    for m, known in far.items():
        assert m > 100 * coarse.shape.grain
        assert coarse.tail(m).lower <= known.upper
        assert known.lower <= coarse.tail(m).upper < 1


@pytest.mark.spread(3)
@each_base
def test_chernoff_bounds_the_tail(base: LatticeLaw, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a grid would be too coarse: never below the truth, at most three deviations above."""
    exact = Independent(base, 60)
    truth = {m: exact.tail(m) for m in (1, 40, 90, 150, 300, exact.shape.radius)}
    least = {level: exact.quantile(level) for level in ("0.5", "0.95", "0.999999")}
    square, mean = (float(base.moment(order)) for order in (2, 1))
    deviation = math.sqrt(60 * (square - mean**2))
    monkeypatch.setitem(CONSTANTS, "_MOST_CELLS", 10)
    monkeypatch.setitem(CONSTANTS, "_FEWEST_CELLS", 10**9)
    rough = Independent(base, 60)
    for m, known in truth.items():
        assert rough.tail(m).lower <= known.lower
        assert known.lower <= rough.tail(m).upper
    for level, known_least in least.items():
        assert known_least <= rough.quantile(level) <= known_least + 3 * deviation + 1


def test_millions_of_cells() -> None:
    """A histogram with a million cells: its error is known to one part in a thousand."""
    law = Independent(Canonical(epsilon=1, delta="1e-6"), 10**6)
    plain = NormLaplace(10**6, 1, "l1")
    assert plain.quantile("0.95") * 0.999 < law.quantile("0.95") < plain.quantile("0.95") * 1.002
    assert law.sample(1).shape == (1, 10**6)


def test_wide_laws_agree_with_the_laplace_law() -> None:
    law = Independent(TruncatedLaplace(sensitivity=1000, epsilon=1, delta="1e-12"), 20)
    plain = NormLaplace(20, 1000, "l1")
    assert float(law.moment(1)) == pytest.approx(float(plain.moment(1)), rel=1e-9)
    assert plain.quantile("0.95") <= law.quantile("0.95") <= 1.01 * plain.quantile("0.95")
    assert law.tail(40_000).lower <= plain.tail(40_000).lower <= law.tail(40_000).upper


@pytest.mark.parametrize("dimension", [1, 4])
def test_draws_fit_and_other_scales_do_not(dimension: int) -> None:
    def law(sensitivity: int) -> Independent:
        base = TruncatedLaplace(sensitivity=sensitivity, epsilon=1, delta="1e-3")
        return Independent(base, dimension)

    drawn = law(20).sample(1 << 14)
    assert drawn.shape == (1 << 14, dimension)
    assert fit_of_norms(drawn, law(20), "l1") > FALSE_ALARM
    for wrong in (18, 22):
        assert fit_of_norms(drawn, law(wrong), "l1") < FALSE_ALARM


@pytest.mark.parametrize(
    "law",
    [
        DiscreteLaplace(3),
        Canonical(epsilon=1, delta=0),
        Staircase(sensitivity=2, epsilon=1, width=1),
        TruncatedStaircase(sensitivity=2, epsilon=1, delta="0.1", width=1),
        "Uniform",
        None,
        3,
    ],
    ids=repr,
)
def test_other_laws_are_refused(law: Any) -> None:
    with pytest.raises(InvalidParameter, match="`law` must be bounded"):
        Independent(law, 2)


@pytest.mark.parametrize("dimension", [0, -1, 1.0, True, "2"])
def test_bad_dimensions(dimension: Any) -> None:
    with pytest.raises(InvalidParameter, match="`dimension` must"):
        Independent(Uniform(sensitivity=1, delta="0.1"), dimension)
