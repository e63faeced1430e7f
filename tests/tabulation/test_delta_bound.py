import math
from fractions import Fraction

import numpy as np
import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise import DiscreteGaussian, MedianOfUniforms, TableLaw
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.grid_cells import GridMasses
from leastnoise.tabulation.delta_bound import _shortened, delta_bound

LOSSES = {
    "bounded": MedianOfUniforms(4, 667).privacy(1).self_compose(2048),
    "few": MedianOfUniforms(6, 40).privacy(1).self_compose(7),
    "one": MedianOfUniforms(3, 25).privacy(1),
    "gaussian": DiscreteGaussian(36555).privacy(1).self_compose(2048),
    "mixed": MedianOfUniforms(4, 675)
    .privacy(1)
    .self_compose(2048)
    .compose(MedianOfUniforms(12, 144).privacy(1)),
    "responses": DiscreteGaussian(9000)
    .privacy(1)
    .self_compose(500)
    .compose(PrivacyLoss.worst_case(epsilon="0.02").self_compose(20)),
}


@pytest.mark.spread(15)
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("density", [4, 16, 64])
@pytest.mark.parametrize("reach", [3.0, 8.0, math.inf])
def test_it_is_an_upper_bound(name: str, density: int, reach: float) -> None:
    for epsilon in (Fraction(1, 2), Fraction(1), Fraction(2)):
        exact = LOSSES[name].delta(epsilon)
        for delta in (Fraction(exact.upper) * 10, Fraction(exact.upper), Fraction(1, 10**9)):
            bound = delta_bound(
                LOSSES[name], epsilon=epsilon, delta=delta, density=density, reach=reach
            )
            assert bound >= float(exact.lower) * (1 - 1e-12)


@pytest.mark.parametrize("name", ["bounded", "gaussian", "mixed"])
def test_it_is_close_on_a_fine_grid(name: str) -> None:
    exact = LOSSES[name].delta(1)
    bound = delta_bound(LOSSES[name], epsilon=Fraction(1), delta=Fraction(exact.upper), density=64)
    assert bound <= 1.005 * float(exact.upper)


def test_a_loss_with_two_directions_is_refused() -> None:
    loss = TableLaw({0: 1, 1: 2, 2: 4}).privacy(1)
    with pytest.raises(UnsupportedQuery, match="both directions"):
        delta_bound(loss, epsilon=Fraction(1), delta=Fraction(1, 10), density=4)


def test_masses_are_moved_up_and_never_lost() -> None:
    mass = np.array([0.1, 0.2, 0.3, 0.2, 0.15, 0.04, 0.01])
    before = GridMasses(0.5, -4, mass, infinite=0.0)  # losses −2 … 1
    for rare, largest in ((0.0, math.inf), (0.02, math.inf), (0.0, 0.6), (1.0, math.inf)):
        after = _shortened(before, rare, largest)
        assert after.mass.sum() + after.infinite >= 1 - 1e-12
        for loss in np.arange(-2.25, 1.5, 0.5):
            above = [
                float(part.mass[(part.first + np.arange(len(part.mass))) * 0.5 > loss].sum())
                + part.infinite
                for part in (before, after)
            ]
            assert above[1] >= above[0] - 1e-12
    cut = _shortened(before, 0.0, 0.6)
    assert (cut.first, len(cut.mass)) == (-1, 3)
    assert cut.infinite == pytest.approx(0.01)
    assert cut.mass[0] == pytest.approx(0.1 + 0.2 + 0.3 + 0.2)
