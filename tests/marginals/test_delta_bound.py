import math
from fractions import Fraction

import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise import DiscreteGaussian, MedianOfUniforms, TableLaw
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.tabulation.delta_bound import delta_bound

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
