"""Points that stand for joint noise: their law is that of draws, dependence and all."""

import numpy as np
import pytest
from scipy.stats import binom

from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.checked_parts import limited_parts
from leastnoise.mechanisms.joint.joint_part import JointDraw
from leastnoise.mechanisms.joint.noise_points import joint_points
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.simplex_points import Pairs, simplex_points
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.noise.even_columns import even_columns
from leastnoise.randomness import Source

POINTS, DRAWS = 1 << 15, 1200
COMBINATIONS = [(1, 0), (1, 1), (1, -1), (0.3, -1)]

CENTRED = CentredGaussian(
    parts=[Box(0, 1, cells=9), Simplex(6, 1), Everyone()],
    precisions=[
        Precision(own=10**6, centre=1, scale=2),
        Precision(own=10**6, centre=1, scale=6, residual=300000),
        Precision(own=1, centre=0, scale=1),
    ],
    common=1732051,
    steps=1,
    parameter=10**16,
)
SIDE_BY_SIDE = TwoCounterNoise(1, [Box(0, 90, cells=3, start=20), Box(-50, 50), Everyone()])
BESIDE_A_HISTOGRAM = TwoCounterNoise(1, [Box(0, 90), Simplex(4, 100, start=100)])
ONE_COUNTER = OneCounterNoise(1, [Box(-90, 90), Simplex(4, 100, start=100)])
CASES: list[tuple[JointDraw, tuple[int, int]]] = [
    (SIDE_BY_SIDE, (0, 0)),
    (SIDE_BY_SIDE, (0, 1)),
    (SIDE_BY_SIDE, (0, 2)),
    (BESIDE_A_HISTOGRAM, (1, 1)),
    (BESIDE_A_HISTOGRAM, (0, 1)),
    (ONE_COUNTER, (1, 1)),
    (ONE_COUNTER, (0, 1)),
    (CENTRED, (0, 0)),
    (CENTRED, (0, 2)),
    (CENTRED, (1, 1)),
    (CENTRED, (1, 2)),
]


def points(whole: JointDraw, places: tuple[int, int]) -> np.ndarray:
    return np.stack(joint_points(whole, places, even_columns(POINTS)), axis=1)


def draws(whole: JointDraw, places: tuple[int, int]) -> np.ndarray:
    second = 1 if places[0] == places[1] else 0
    source = Source()
    drawn = (whole.draw(source) for _ in range(DRAWS))
    return np.array([[float(each[places[0]][0]), float(each[places[1]][second])] for each in drawn])


@pytest.mark.parametrize(("whole", "places"), CASES)
def test_combinations_of_draws_exceed_quantiles_of_points_as_often_as_they_should(
    whole: JointDraw, places: tuple[int, int]
) -> None:
    known, seen = points(whole, places), draws(whole, places)
    for factors in COMBINATIONS:
        sizes = np.abs(known @ factors)
        for chance in (0.5, 0.05):
            bound = np.quantile(sizes, 1 - chance)
            beyond = int((np.abs(seen @ factors) > bound).sum())
            exact = float((sizes > bound).mean())  # lattices have steps
            assert binom.sf(beyond - 1, DRAWS, exact + 0.003) > 1e-9
            assert binom.cdf(beyond, DRAWS, exact - 0.003) > 1e-9


def test_moments_of_points_are_those_of_the_laws() -> None:
    for whole, places in CASES:
        for place, column in zip(places, points(whole, places).T, strict=True):
            variance = float(whole.cell(place).moment(2))
            assert float(np.mean(column**2)) == pytest.approx(variance, rel=0.02)


def test_dependence_is_kept() -> None:
    """Counts of one centred draw go up and down together; without it the sum spreads less."""
    both = points(CENTRED, (0, 0))
    assert np.corrcoef(both.T)[0, 1] == pytest.approx(0.25, abs=0.01)
    apart = points(ONE_COUNTER, (1, 1))
    assert np.corrcoef(apart.T)[0, 1] < -0.1
    assert abs(np.corrcoef(np.abs(points(SIDE_BY_SIDE, (0, 0))).T)[0, 1]) > 0.03


def test_what_has_no_points_is_said() -> None:
    diamond = OneCounterNoise(1, [Diamond(3, 1)])
    with pytest.raises(TypeError, match="Diamond"):
        joint_points(diamond, [0], even_columns(8))


def test_even_columns_fill_the_square() -> None:
    columns = even_columns(POINTS)
    rows, places = (np.floor(8 * next(columns)).astype(np.int64) for _ in range(2))
    cells = np.bincount(8 * rows + places, minlength=64)
    assert np.abs(cells * 64 / POINTS - 1).max() < 0.03


@pytest.mark.parametrize("whole", [SIDE_BY_SIDE, BESIDE_A_HISTOGRAM, ONE_COUNTER, CENTRED])
def test_points_are_symmetric_and_as_wide_as_the_noise(whole: JointDraw) -> None:
    for place in range(len(whole.parts)):
        (column,) = joint_points(whole, [place], even_columns(POINTS))
        spread = float(whole.cell(place).moment(2)) ** 0.5
        assert abs(column.mean()) < 0.02 * spread
        assert column.std() == pytest.approx(spread, rel=0.02)


def test_one_row_in_each_cell_is_a_simplex() -> None:
    assert limited_parts([Simplex(3, 2, cell=1)], "parts")


def test_points_of_a_histogram_hold_the_noise_of_its_total() -> None:
    """Where the total is measured worse than the cells' differences."""
    whole = CentredGaussian(
        parts=[Box(0, 1), Simplex(2, 1)],
        precisions=[
            Precision(own=10**6, centre=1, scale=2),
            Precision(own=10**5, centre=1, scale=2, residual=10**7),
        ],
        common=1732051,
        steps=1,
        parameter=10**14,
    )
    for place in range(2):
        (column,) = joint_points(whole, [place], even_columns(POINTS))
        assert column.std() == pytest.approx(float(whole.cell(place).moment(2)) ** 0.5, rel=0.03)


def test_different_pairs_are_those_of_the_points() -> None:
    up, down = np.array([2.0, 1.5, 2.0, 2.0]), np.array([0.0, 3.0, 0.0, 1.0])
    pairs = Pairs.of(up, down)
    assert len(pairs.p) == len(pairs.q) == 3
    assert (pairs.p[pairs.places] == up).all()
    assert (pairs.q[pairs.places] == down).all()


def test_points_do_not_depend_on_how_pairs_are_listed() -> None:
    part, places = Simplex(12, 5, start=3), np.arange(512)
    p, q = (np.asarray(each, np.float64) for each in (places // 20, places % 7))
    one, other = (
        simplex_points(part, 3, pairs, even_columns(512))
        for pairs in (Pairs(p, q, places), Pairs.of(p, q))
    )
    assert np.array_equal(one, other)
