"""What the calculus answers where the usual way ends: wider brackets, never wrong ones."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import DiscreteGaussian, TruncatedLaplace
from leastnoise.numeric.interval import Interval
from leastnoise.privacy import ZCDP, ApproxDP, PrivacyLoss, gaussian, least_epsilon
from leastnoise.privacy.curves.budget_curve import StepBudget
from leastnoise.privacy.curves.concentrated_curve import ConcentratedCurve
from leastnoise.privacy.curves.renyi_curve import RenyiCurve
from leastnoise.privacy.curves.tradeoff_curve import _logarithm
from leastnoise.privacy.gaussian import gaussian_epsilon, gaussian_mu
from leastnoise.privacy.groupwise import GroupwiseZCDP
from leastnoise.privacy.guarantee import exact_text, typed_text
from leastnoise.privacy.per_record import PerRecordZCDP, RecordCurve
from leastnoise.privacy.variables import grid_sum, tilted_sum
from leastnoise.privacy.variables.grid_sum import GridSum
from leastnoise.privacy.variables.laplace_variable import LaplaceVariable
from leastnoise.privacy.variables.lattice_variable import SuffixSums
from leastnoise.privacy.variables.product_variable import ProductVariable

HALF = Fraction(1, 2)


def product() -> PrivacyLoss:
    """Losses of two kinds, which only a grid can add up."""
    return PrivacyLoss.laplace(epsilon=1).compose(PrivacyLoss.gaussian(mu="0.5"))


def overlap(one: Interval, other: Interval) -> bool:
    return one.lower <= other.upper and other.lower <= one.upper


# Searches that are cut short


def test_few_steps_of_newton_cost_time_not_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = gaussian_epsilon("1e-6", 1), gaussian_mu(1, "1e-6")
    monkeypatch.setattr(gaussian, "_MOST_STEPS", 1)
    assert overlap(gaussian_epsilon("1e-6", 1), usual[0])
    assert overlap(gaussian_mu(1, "1e-6"), usual[1])


def test_few_trials_of_reach_leave_the_bracket_true(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = product().delta(1)
    monkeypatch.setattr(grid_sum, "_MOST_TRIALS", 1)
    assert overlap(product().delta(1), usual)


def test_a_poor_first_guess_of_epsilon_leaves_the_bracket_true(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = product().epsilon("1e-6")
    monkeypatch.setattr(GridSum, "_chernoff", lambda _self, _delta: 1e-3)
    assert overlap(product().epsilon("1e-6"), usual)


def test_a_grid_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tilted_sum, "LONGEST", 16)
    with pytest.raises(UnsupportedQuery, match="must fit a grid"):
        product().delta(1)


def test_an_epsilon_out_of_sight_is_bounded_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(least_epsilon, "_MOST_DOUBLINGS", 0)
    found = DiscreteGaussian(4).privacy(1).epsilon("1e-6")
    assert found.upper == math.inf
    assert 0 <= found.lower < math.inf


def test_losses_too_large_for_floats_are_refused() -> None:
    vast = PrivacyLoss.worst_case(epsilon=10**20, delta="0.1")
    with pytest.raises(UnsupportedQuery, match="vastly larger than 1"):
        vast.compose(product()).delta(1)


# Cut-off laws beside others


CUT = TruncatedLaplace(sensitivity=1, epsilon=1, delta="0.01")


def test_a_cut_law_beside_another_kind() -> None:
    """Sums with edges go to the grid as atoms; a cut law and a Gaussian leak more than either."""
    cut, other = CUT.privacy(1).self_compose(2), PrivacyLoss.gaussian(mu="0.3")
    both = cut.compose(other)
    assert both.delta(1).upper >= max(cut.delta(1).lower, other.delta(1).lower)
    assert both.delta(1).width < Fraction(1, 10**5)
    assert overlap(other.compose(cut).delta(1), both.delta(1))


def test_copies_of_copies_of_a_cut_law() -> None:
    once = CUT.privacy(1).self_compose(6)
    twice = CUT.privacy(1).self_compose(2).self_compose(3)
    assert overlap(once.delta(1), twice.delta(1))


def test_too_many_copies_of_a_cut_law_go_to_the_grid() -> None:
    """So many that an edge is likely hundreds of times: no exact sum, but a bracket."""
    loss = CUT.privacy(1)
    assert loss.forward.repeated(10**6) is None
    assert loss.self_compose(10**6).delta(1).lower > HALF


def test_a_place_that_cannot_be_decided_may_hold_anything() -> None:
    sums = SuffixSums(0, [], [arb(3) / 4], [])
    assert sums.somewhere().contains(arb(0))
    assert sums.somewhere().contains(arb(3) / 4)


# Promises at the ends of their range


def test_a_promise_worth_nothing() -> None:
    curve = ConcentratedCurve(ZCDP(rho=10**9, delta="0.1"))
    assert curve.delta(0) == Interval(Fraction(1, 10), 1)


def test_no_divergence_no_leak() -> None:
    assert RenyiCurve(order=Fraction(2), bound=Fraction(0)).delta(0) == Interval.exactly(0)


def test_every_loss_exceeds_less_than_the_least() -> None:
    assert LaplaceVariable(HALF).tail(Fraction(-1)) == Interval.exactly(1)


def test_an_unclear_number_has_no_logarithm_yet() -> None:
    assert _logarithm(arb(1, 1)) is None
    assert _logarithm(arb(1)) == Interval.exactly(0)


def test_offsets_count_in_tables_of_bounds() -> None:
    promise = GroupwiseZCDP(v=StepBudget({0: 2, 10: "0.5"}), xi="0.25")
    assert list(promise.upper_bounds([3, 20])) == pytest.approx([2.25, 0.75], rel=1e-14)


@dataclass(frozen=True)
class Square(RecordCurve):
    def __call__(self, value: int) -> Fraction:
        return Fraction(value**2, 100)


def test_per_record_promises_as_approximate_ones() -> None:
    promise = PerRecordZCDP(rho=Square())
    assert promise.approx(0, delta="1e-6") == ApproxDP(epsilon=0, delta="1e-6")
    assert 0 < promise.approx(1, delta="1e-6").epsilon < promise.approx(2, delta="1e-6").epsilon
    with pytest.raises(InvalidParameter, match="per-record"):
        promise.compose(ZCDP(rho=1))  # type: ignore[arg-type]


# Words


def test_numbers_of_thousands_of_digits_are_told_about() -> None:
    long = Fraction(10**5000 + 1, 3)
    assert exact_text(long).startswith("about 3.33333333333333e+4999")
    assert exact_text(Fraction(10**400)) == typed_text(Fraction(10**400)) == "1" + "0" * 400


def test_a_loss_says_what_it_is() -> None:
    assert repr(PrivacyLoss.gaussian(mu=1)) == "PrivacyLoss(gaussian)"
    table = PrivacyLoss.of_laws({"a": 1, "b": 3}, {"a": 2, "b": 1})
    assert repr(table) == "PrivacyLoss(finite, asymmetric)"


@pytest.mark.parametrize("wrong", [3, None, "law"])
def test_only_losses_compose(wrong: Any) -> None:
    with pytest.raises(InvalidParameter, match="takes privacy losses"):
        product().compose(wrong)
    with pytest.raises(InvalidParameter, match="must map outcomes"):
        PrivacyLoss.of_laws(wrong, {"a": 1})


def test_a_product_is_composed_part_by_part() -> None:
    both = product().forward
    assert isinstance(both, ProductVariable)
    assert both.span == max(part.span for part, _ in both.parts)
    with pytest.raises(AssertionError, match="part by part"):
        both.cells(0.1)
