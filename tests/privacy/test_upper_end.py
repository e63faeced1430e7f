"""An upper end alone: never below the truth, close to it, and made of one twin only."""

import math
from fractions import Fraction

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteGaussian
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.product_variable import ProductVariable

DELTA = "1e-6"
_MORE = Fraction(3, 2)  # the estimate that chooses grids is no proof
LAPLACE = PrivacyLoss.laplace(epsilon="0.1")
RESPONSE = PrivacyLoss.randomized_response(epsilon="0.07")
SUMS = {
    "Laplace": LAPLACE.self_compose(100),
    "unlike": LAPLACE.compose(RESPONSE.self_compose(7), PrivacyLoss.gaussian(mu="0.2")),
    "on lattices": DiscreteGaussian(variance=30).privacy(1).self_compose(40).compose(RESPONSE),
    "sampled": PrivacyLoss.gaussian(mu=1).poisson_sampled("0.05").self_compose(30),
    "sampled, Laplace": LAPLACE.poisson_sampled("0.3").self_compose(50),
    "replaced": PrivacyLoss.gaussian(mu=1).poisson_sampled("0.05", "replace").self_compose(20),
}


def on_a_grid(mu: Fraction, count: int) -> PrivacyLoss:
    """Gaussian noise, its closed form left aside."""
    return PrivacyLoss(ProductVariable(((GaussianVariable(mu**2), count),)))


@pytest.mark.parametrize("name", SUMS)
def test_it_is_never_below_the_lower_end_and_close_to_it(name: str) -> None:
    loss = SUMS[name]
    truth, found = loss.epsilon(DELTA), loss.epsilon_at_most(DELTA)
    assert truth.lower <= found <= truth.upper * Fraction("1.0002")
    # At the lower end it leaks no less than this δ, at the upper end no more.
    assert loss.delta_at_most(truth.lower) >= Fraction(DELTA)
    assert loss.delta_at_most(truth.upper) <= Fraction(DELTA) * Fraction("1.0005")


@pytest.mark.parametrize(
    ("mu", "count", "delta"),
    [("1/30", 1000, "1e-6"), ("1/2", 3, "1e-9"), ("3", 2, "1e-3"), ("1e-3", 10**3, "1e-12")],
)
def test_it_is_as_close_as_asked_where_the_truth_is_known(mu: str, count: int, delta: str) -> None:
    size = Fraction(mu)
    truth = PrivacyLoss.gaussian(mu=size).self_compose(count)
    least = truth.epsilon(delta).lower
    loss = on_a_grid(size, count)
    for within in ("1e-2", "1e-4"):
        found = loss.epsilon_at_most(delta, within=within)
        assert least <= found <= least * (1 + _MORE * Fraction(within))
        leak = truth.delta(least).lower
        most = loss.delta_at_most(least, within=within)
        assert leak <= most <= leak * (1 + _MORE * Fraction(within))


def test_losses_off_every_lattice_need_no_finer_grid() -> None:
    odd = PrivacyLoss.of_laws({0: 10, 1: 11, 2: 3}, {0: 11, 1: 10, 2: 3})
    loss = odd.self_compose(30).compose(LAPLACE.self_compose(50))
    # `loss.epsilon(DELTA)` is [3.960137, 3.960243], and takes seconds.
    assert 3.960137 < loss.epsilon_at_most(DELTA) < 3.9606
    assert loss.delta_at_most("3.960243") < 1.0005e-6


def test_below_the_mean_it_is_as_close_as_asked() -> None:
    odd = PrivacyLoss.of_laws({0: 8, 1: 3, 2: 20, 3: 8}, {0: 13, 1: 10, 2: 4, 3: 10})
    loss = odd.self_compose(5)
    truth = loss.delta(0).upper
    assert loss.delta_at_most(0, within="1e-5") <= truth * Fraction("1.00002")
    wide, narrow = (loss.delta_at_most("0.5", within=part) for part in ("1e-2", "1e-4"))
    assert narrow < wide <= narrow * 1.02


def test_no_epsilon_is_above_the_greatest_loss() -> None:
    loss = PrivacyLoss.of_laws({0: 19, 1: 7}, {0: 25, 1: 5}).self_compose(2)
    assert loss.epsilon_at_most("1e-9", within="1e-2") <= loss.renyi(math.inf).upper * (1 + 1e-15)


def test_no_other_end_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(_: Cells) -> None:
        raise AssertionError("the optimistic twin was made")

    monkeypatch.setattr(Cells, "optimistic", other)
    assert on_a_grid(Fraction(1, 30), 1000).epsilon_at_most(DELTA) < 5.1896


def test_it_is_the_coarsest_grid_that_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    usual = ProductVariable._step

    def noted(self: ProductVariable, density: int, rarity: float) -> float:
        asked.append(density)
        return usual(self, density, rarity)

    monkeypatch.setattr(ProductVariable, "_step", noted)
    on_a_grid(Fraction(1, 30), 1000).epsilon_at_most(DELTA)
    assert 25 < asked[-1] < 40  # about 1/(12·n²) of ε is too much with n cells to a deviation
    LAPLACE.self_compose(100).epsilon_at_most(DELTA)
    assert asked[-1] < 16  # most of its mass lies on the lattice


def test_the_worse_direction_is_told() -> None:
    loss = SUMS["sampled"]
    assert loss.backward is not None
    ends = [PrivacyLoss(way).epsilon_at_most(DELTA) for way in (loss.forward, loss.backward)]
    assert ends[0] != ends[1]
    assert loss.epsilon_at_most(DELTA) == max(ends)


def test_what_has_a_closed_form_gives_the_end_of_its_bracket() -> None:
    loss = PrivacyLoss.gaussian(mu=1)
    least, leak = loss.epsilon(DELTA), loss.delta(1)
    assert least.upper <= loss.epsilon_at_most(DELTA) <= float(least.upper) * (1 + 1e-15)
    assert leak.upper <= loss.delta_at_most(1) <= float(leak.upper) * (1 + 1e-15)
    one_of_two = LAPLACE.randomly_allocated(2)
    assert one_of_two.epsilon_at_most("1e-2") >= one_of_two.epsilon("1e-2").upper


def test_ends_of_the_scale() -> None:
    leaky = LAPLACE.compose(PrivacyLoss.worst_case(epsilon=1, delta="0.1"))
    assert leaky.epsilon_at_most("0.01") == math.inf
    assert leaky.delta_at_most(50) == pytest.approx(0.1)
    assert leaky.epsilon_at_most("0.9") == 0
    told = PrivacyLoss.of_laws({0: 1}, {1: 1}).compose(LAPLACE)
    assert told.epsilon_at_most(DELTA) == math.inf
    assert told.delta_at_most(1) == 1


@pytest.mark.parametrize("within", ["0", "1e-7", "1", "-1"])
def test_how_close_is_a_part_of_the_answer(within: str) -> None:
    with pytest.raises(InvalidParameter, match="`within` must lie in"):
        LAPLACE.epsilon_at_most(DELTA, within=within)
