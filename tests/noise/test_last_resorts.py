"""What laws do where the usual way ends: odd shapes, far tails, and refusals in words."""

import math
import pickle
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import Undecided, UnsupportedQuery
from leastnoise.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    GeneralizedGaussian,
    Independent,
    MedianOfUniforms,
    NormLaplace,
    TableLaw,
    TruncatedLaplace,
    TruncatedNormStaircase,
    Uniform,
)
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.shapes.shift_divergence import shift_renyi, shift_total_variation
from leastnoise.noise.shapes.shift_variable import ShiftVariable
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.numeric.cost import Moment, TailProbability
from leastnoise.numeric.interval import Interval
from leastnoise.privacy import PrivacyLoss
from leastnoise.randomness import Source
from tests.randomness.goodness_of_fit import rejects

HALF = Fraction(1, 2)

# Costs


def test_rounding_beyond_the_threshold_may_always_exceed_it() -> None:
    law = MedianOfUniforms(order=0, radius=3)
    cost = TailProbability("0.1")
    assert expected_cost(law, cost, rounding=HALF) == Interval(Fraction(6, 7), 1)


def test_a_bounded_law_is_summed_to_its_end() -> None:
    got = expected_cost(MedianOfUniforms(order=0, radius=2), Moment("1.5"))
    assert float(got) == pytest.approx((2 + 2 * 2**1.5) / 5, rel=1e-14)


def test_a_law_too_wide_to_sum() -> None:
    with pytest.raises(Undecided, match="at most 65536 values"):
        expected_cost(MedianOfUniforms(order=1, radius=2**20), Moment("1.5"))


# Sampling


def test_a_flat_top_that_is_cut_off() -> None:
    """The radius lies within the first step: a uniform law, drawn by the way of wide stairs."""
    stairs = Stairs(period=1, width=10**6, rate=Fraction(1), radius=900_000)
    drawn = np.asarray(stairs.sample(100_000, Source()), dtype=np.int64)
    assert abs(drawn).max() <= 900_000
    cells = (drawn + 900_000) * 20 // 1_800_001
    assert not rejects(cells, [1 / 20] * 20)


@pytest.mark.parametrize("law", [NormLaplace(3, 1, "linf"), NormLaplace(2, 5, "l1")], ids=repr)
def test_laws_of_vectors_survive_pickling(law: Any) -> None:
    again = pickle.loads(pickle.dumps(law))
    assert again == law
    assert again.parameters == law.parameters


# Cutting off


def test_a_cut_off_that_floats_cannot_guess() -> None:
    """e^1000 is no float; almost nothing but 0 is drawn, and the search still ends."""
    law = TruncatedLaplace(sensitivity=1, epsilon=1000, delta="1e-9")
    assert law.support == (-1, 1)
    assert law.verify(sensitivity=1, epsilon=1000, delta="1e-9")


def test_a_leak_that_floats_cannot_hold() -> None:
    law = Uniform(sensitivity=1, delta=Fraction(1, 10**400))
    assert law.verify(sensitivity=1, epsilon=0, delta=Fraction(1, 10**400))
    assert law.support is not None
    assert law.support[1] >= 10**400 // 2 - 1


# Privacy


@dataclass(frozen=True)
class Foreign:
    """A law without end of a kind that nobody here knows."""

    support = None

    @property
    def shape(self) -> "Foreign":
        return self


def test_a_shift_of_0_moves_nothing() -> None:
    assert shift_total_variation(DiscreteGaussian(3), 0) == Interval.exactly(0)
    assert shift_renyi(DiscreteGaussian(3), 2, 0) == Interval.exactly(0)


def test_an_unknown_law_without_end_has_no_renyi_divergence() -> None:
    with pytest.raises(UnsupportedQuery, match="hockey-stick"):
        shift_renyi(Foreign(), HALF, 1)  # type: ignore[arg-type]


def test_far_apart_values_without_symmetry_have_too_many_shifts() -> None:
    law = TableLaw({0: 2, 10**9: 1})
    with pytest.raises(UnsupportedQuery, match="every shift is checked"):
        law.verify(sensitivity=10**9, epsilon=1, delta="0.1")


def test_a_wide_law_of_another_kind_is_not_composed() -> None:
    loss = GeneralizedGaussian(scale=10**8, power="1.5").privacy(1)
    with pytest.raises(UnsupportedQuery, match="coarser lattice"):
        loss.self_compose(2).delta(1)


def test_the_loss_of_a_cut_law_with_many_drops() -> None:
    law = TruncatedNormStaircase(
        dimension=2, sensitivity=1, epsilon=1, width=1, radius=600, norm="linf"
    )
    with pytest.raises(UnsupportedQuery, match="at most 512 drops"):
        law.privacy(1)


def test_no_pure_epsilon_where_points_are_out_of_reach() -> None:
    law = Independent(Uniform(sensitivity=1, delta="0.1"), dimension=2)
    assert law.shape.pure_epsilon(1) is None  # type: ignore[func-returns-value]
    assert law.privacy(1).renyi(2).lower == math.inf


@pytest.mark.parametrize(
    "law",
    [DiscreteLaplace(scale=3), TableLaw({-4: 3, 0: 5, 2: 1}), MedianOfUniforms(1, 6)],
    ids=repr,
)
def test_logarithms_of_chances_are_those_of_chances(law: Any) -> None:
    logs = law.shape.log_pmf(-9, 9)
    assert np.exp(logs) == pytest.approx([float(law.pmf(k)) for k in range(-9, 10)], rel=1e-12)
    assert list(law.shape.log_pmf(-1, 3)) == list(logs[8:13])


def test_a_shift_over_many_drops_is_composed_on_a_grid() -> None:
    loss = DiscreteLaplace(scale=500).privacy(300).self_compose(2)
    pure = PrivacyLoss.worst_case(epsilon=Fraction(3, 5)).self_compose(2)
    for epsilon in ("0.3", "0.9"):
        assert 0 < loss.delta(epsilon).lower < pure.delta(epsilon).upper
    assert loss.delta("1.2").upper < 1e-9


def test_the_greatest_loss_of_a_wide_law_is_an_atom_only_where_the_grid_hits_it() -> None:
    """Every value at or below 0 has it: half of all, and a little more."""
    wide = DiscreteLaplace(scale=10**8).privacy(10**6).forward
    assert isinstance(wide, ShiftVariable)
    for step in (0.005, 0.01):  # both steps hit 0.01, the greatest loss
        cells = wide.cells(step)
        assert cells.on_grid[-1] == pytest.approx(0.5, abs=1e-6)
        assert cells.on_grid[0] == pytest.approx(0.5 * math.exp(-0.01), abs=1e-6)
    assert wide.repeated(1) is wide


def test_a_guess_beyond_floats_is_no_guess_but_the_answer_is_found() -> None:
    """Next to Laplace's law the place where the loss is 1 lies too far out for a float."""
    law = GeneralizedGaussian(scale=3, power="1.001")
    assert law.shape._guess(Fraction(1), 1) == 0  # type: ignore[union-attr]
    leak = law.hockey_stick(epsilon=Fraction(1, 10), shift=1)
    near = DiscreteLaplace(scale=3).hockey_stick(epsilon=Fraction(1, 10), shift=1)
    assert float(leak) == pytest.approx(float(near), rel=0.01)
