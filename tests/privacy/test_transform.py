"""Transforms and sums err by no more than docs/proofs/transforms.md says: its golden tests."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb, fmpq_poly

from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import UNIT
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.gaussian_cells import gaussian_cells
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import GridMasses
from leastnoise.privacy.variables.grid_sum import GridSum
from leastnoise.privacy.variables.laplace_variable import LaplaceVariable
from leastnoise.privacy.variables.product_variable import ProductVariable
from leastnoise.privacy.variables.tilted_sum import GridAtoms, Window, tilted_sum
from leastnoise.privacy.variables.transform import entry_error, inverse, norm_error, transform

DRAWN = np.random.default_rng(20)


def exact_transform(values: np.ndarray) -> list[acb]:
    return acb.dft([acb(value) for value in values.tolist()])


@pytest.mark.parametrize("points", [16, 32, 64, 512, 1024])
@pytest.mark.parametrize("kind", ["even", "rough", "peak", "signs"])
def test_entries_err_by_no_more_than_theorem_1_says(points: int, kind: str) -> None:
    values = {
        "even": np.full(points, 1 / points),
        "rough": DRAWN.exponential(size=points),
        "peak": 10.0 ** -np.abs(np.arange(points) - 7.0),
        "signs": DRAWN.normal(size=points),
    }[kind]
    found = transform(values)
    with balls.precision(128):
        truth = exact_transform(values)
        worst = max(
            float((acb(complex(found[k])) - truth[k]).abs_upper()) for k in range(points // 2 + 1)
        )
    assert worst <= entry_error(points) * float(np.abs(values).sum())


@pytest.mark.parametrize("points", [16, 128, 1024])
def test_the_inverse_errs_by_no_more_than_theorem_2_says(points: int) -> None:
    """The exact inverse of the floats that it is given, by balls."""
    half = transform(DRAWN.exponential(size=points))
    whole = np.concatenate([half, np.conj(half[-2:0:-1])])
    found = inverse(half)
    with balls.precision(128):
        truth = acb.dft([acb(complex(value)) for value in whole.tolist()], inverse=True)
        off = [acb(value) - exact for value, exact in zip(found.tolist(), truth, strict=True)]
        error = sum(float(each.abs_upper()) ** 2 for each in off) ** 0.5
        size = sum(float(each.abs_upper()) ** 2 for each in truth) ** 0.5
    assert error <= norm_error(points) * size


def test_claims_are_close_to_what_happens() -> None:
    """A bound that were a thousand times too large would be noticed here."""
    assert norm_error(1 << 16) <= 110 * UNIT
    assert entry_error(1 << 16) <= 220 * UNIT


def test_what_was_given_to_a_transform_is_not_changed() -> None:
    values = DRAWN.exponential(size=64)
    copy, half = values.copy(), transform(values)
    again = half.copy()
    inverse(half)
    assert values.tolist() == copy.tolist()
    assert half.tolist() == again.tolist()


@pytest.mark.parametrize("counts", [(1, 1), (40, 3), (200, 1)])
@pytest.mark.parametrize("tilt", [0.0, 1.5])
def test_sums_err_by_no_more_than_theorem_3_says(counts: tuple[int, int], tilt: float) -> None:
    """Against products of polynomials with rational coefficients, the tilt undone in balls."""
    laws = [[5, 0, 3, 1, 7], [1, 2, 1]]
    step = 0.03125
    parts = [
        (GridAtoms(np.flatnonzero(law), np.array([m for m in law if m]) / 32.0), count)
        for law, count in zip(laws, counts, strict=True)
    ]
    top = 4 * counts[0] + 2 * counts[1]
    length = 1 << max(4, (top + 1).bit_length())
    found = tilted_sum(parts, step, tilt, Window(-3, length, 1.0, 1.0))
    assert found is not None
    product = fmpq_poly([1])
    for law, count in zip(laws, counts, strict=True):
        product *= (fmpq_poly(law) / 32) ** count
    with balls.precision(256):
        squares = arb(0)
        for place in range(length):
            mass = product[place - 3] if 0 <= place - 3 <= top else 0
            level = arb(step) * (place - 3)
            truth = arb(mass) * (arb(tilt) * level - found.log_factor).exp()
            off = abs(arb(float(found.values[place])) - truth) - truth * arb(found.doubt)
            squares += off.max(arb(0)) ** 2
        assert squares.sqrt() <= arb(found.error)
    assert found.error <= 1e-11  # of a law with the sum 1


def test_what_lies_outside_of_the_window_is_bounded() -> None:
    """A fair walk of 100 steps, seen through 32 points in the middle."""
    steps = GridAtoms(np.array([-1, 1]), np.array([0.5, 0.5]))
    found = tilted_sum([(steps, 100)], 1.0, 0.0, Window(-16, 32, 0.17, 0.16))
    assert found is not None
    ways = [math.comb(100, up) for up in range(101)]
    beneath = Fraction(sum(w for up, w in enumerate(ways) if 2 * up - 100 < -16), 2**100)
    over = Fraction(sum(w for up, w in enumerate(ways) if 2 * up - 100 >= 16), 2**100)
    assert beneath <= Fraction(found.below) <= 1
    assert over <= Fraction(found.above) <= 1


def test_a_tail_that_a_tilt_takes_below_all_floats_is_bounded_too() -> None:
    """Tilted by e^(2·loss) the mass at −1500 is e^−3000: no float, but the bound must hold it.

    With the further tilt of −1 it counts e^−1500, and not what a float could have lost.
    """
    law = GridAtoms(np.array([-1500, -1, 1]), np.array([0.25, 0.25, 0.5]))
    found = tilted_sum([(law, 2)], 1.0, 2.0, Window(-16, 32, 1.0, 1.0))
    assert found is not None
    with balls.precision(128):
        weights = [arb(m) * arb(2 * x).exp() for m, x in ((0.25, -1500), (0.25, -1), (0.5, 1))]
        beneath = weights[0] * (2 * weights[1] + 2 * weights[2] + weights[0])
        assert beneath / sum(weights, arb(0)) ** 2 <= arb(found.below) <= arb(-17).exp()


@pytest.mark.parametrize("count", [1, 2, 30])
@pytest.mark.parametrize("epsilon", ["-0.5", "0", "0.1", "0.7", "2.9"])
def test_masses_of_a_lattice_add_up_to_exact_sums(count: int, epsilon: str) -> None:
    """Both ends against Σ mass·max(0, 1 − e^(ε−l)) over a product of polynomials, without slack."""
    masses = [3, 0, 1, 4, 8]
    law = GridMasses(0.125, -2, np.array(masses) / 16.0, 0.0)
    product = (fmpq_poly(masses) / 16) ** count
    exact = Fraction(epsilon)
    with balls.precision(256):
        truth = arb(0)
        for place in range(product.degree() + 1):
            loss = Fraction(place - 2 * count, 8)
            if loss > exact:
                truth += arb(product[place]) * -balls.ball(exact - loss).expm1()
        one = GridSum([(law, count)])
        assert arb(one.delta_at_least(exact)) <= truth <= arb(one.delta_at_most(exact))
        gap = one.delta_at_most(exact) - one.delta_at_least(exact)
    assert gap <= 1e-10 * one.delta_at_most(exact)


def test_misplaced_losses_shift_epsilon() -> None:
    sure = GridSum([(GridMasses(0.5, 2, np.ones(1), 0.0, shift=0.01), 10)])
    assert sure.delta_at_least(9.85) == pytest.approx(-math.expm1(9.95 - 10), rel=1e-9)
    assert sure.delta_at_most(9.85) == pytest.approx(-math.expm1(9.75 - 10), rel=1e-9)
    assert sure.delta_at_most(10.2) == 0.0
    assert sure.delta_at_least(9.95) == 0.0


@pytest.mark.parametrize(("mu", "step"), [("1", 1 / 64), ("1/20", 1e-4), ("1", 0.7), ("3", 3 / 40)])
def test_cells_of_a_gaussian_loss(mu: str, step: float) -> None:
    """What each cell gives to its edges, against tails in balls."""
    square = Fraction(mu) ** 2
    cells = gaussian_cells(square, step)
    with balls.precision(512):
        width, deviation = arb(step), balls.ball(square).sqrt()
        root = arb(2).sqrt()
        for i in np.linspace(0, len(cells.down) - 1, 40).astype(int).tolist():
            low, high = (width * int(place) / deviation for place in cells.edges[i : i + 2])
            here, there = (
                (((low + off) / root).erfc() - ((high + off) / root).erfc()) / 2
                for off in (-deviation / 2, deviation / 2)
            )
            up = (here - there * (low * deviation).exp()) / -(-width).expm1()
            for value, truth in ((cells.up[i], up), (cells.down[i], here - up)):
                if truth > 1e-40:
                    assert abs(arb(float(value)) / truth - 1) <= arb(cells.error)


@pytest.mark.parametrize(
    ("loss", "count", "delta"),
    [
        (GaussianVariable(Fraction(1, 10**14)), 100, "1e-7"),
        (LaplaceVariable(Fraction(1, 10**7)), 100, "1e-7"),
        (LaplaceVariable(Fraction(1, 10**8)), 1000, "1e-9"),
    ],
    ids=["gaussian", "laplace", "smaller"],
)
def test_tiny_losses_keep_their_brackets(
    loss: GaussianVariable | LaplaceVariable, count: int, delta: str
) -> None:
    """At ε ≈ 1e-6 the width was 2.3e-3 when masses were charged with 1e-12."""
    found = ProductVariable(((loss, count),)).epsilon(Fraction(delta))
    assert 1e-7 < found.upper < 1e-6
    assert found.width <= found.upper / 10**4


@pytest.mark.parametrize("delta", ["1e-18", "1e-30"])
def test_deep_tails_are_within_a_millionth(delta: str) -> None:
    laplace = ProductVariable(((LaplaceVariable(Fraction(1, 100)), 1000),)).epsilon(Fraction(delta))
    assert laplace.width <= laplace.upper / 10**6


def test_a_sum_at_the_greatest_loss() -> None:
    """Nothing leaks above 2, and epsilon without delta finds it."""
    found = PrivacyLoss.laplace(epsilon=1).self_compose(2)
    assert found.delta(2).upper <= Fraction(1, 10**12)
    assert 2 <= found.epsilon(0).upper <= 2 + Fraction(1, 10**6)
