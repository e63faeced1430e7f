"""What no other test noticed when it was changed: `make mutants`."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.choosing.exponential_mechanism import ExponentialMechanism
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.randomness.source import Source
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.draw.drawn import CONFIDENCE, _noisy
from leastnoise.release.gate import admit
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.measure.sql.packed_rows import Field, _packed, can_be_packed
from leastnoise.release.questions import cut_answers
from leastnoise.release.questions.bounded_question import without_bounds
from leastnoise.release.questions.count import Count
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.lost import Lost
from leastnoise.release.spread.main_interval import total_interval
from leastnoise.release.spread.noise_sum import NoiseSum
from leastnoise.release.step.aggregate import (
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOfSquares,
    contribution,
)
from leastnoise.release.step.bounds_used import bounds_kept
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.step import Step
from tests.release.drawn_again import drawn_again


def test_contributions_count_from_the_ends_of_the_range() -> None:
    """The range does not begin at 0: a difference is not a sum."""
    grid = Grid(lower=10, upper=30)
    steps = grid.most - grid.least
    assert 0 < steps < grid.most + grid.least
    for kind in (DistanceBelow, DistanceAbove):
        assert contribution(kind(col("x"), grid)) == (0, steps)
    assert contribution(SumFromCentre(col("x"), grid)) == (-steps, steps)
    squares = SumOfSquares(col("x"), grid)
    assert contribution(squares) == (-(steps**2 // 2), steps**2 - steps**2 // 2)


def test_a_norm_is_compared_with_its_square() -> None:
    """Rows 1 and 1 have a norm of √2, rounded up to 2: within 1 each of them weighs a half."""
    rows = pd.DataFrame({"who": [1, 1], "city": ["a", "b"]})
    keys = Keys.of("city", ["a", "b"])
    asked = Measurement((CountRows(),), Clip(max_norm=1), (col("city"),), keys)
    (found,) = measure(ln.read(rows, unit="who"), [asked])
    assert found.totals[0].tolist() == [CLIP_WEIGHT // 2] * 2


def test_intervals_hold_with_the_probability_that_is_said() -> None:
    assert Fraction(95, 100) == CONFIDENCE


def test_mechanisms_of_ours_without_a_rule_are_refused() -> None:
    asked = ln.plan(ln.read(pd.DataFrame({"who": [1]}), unit="who"), max_rows=1).count()
    step = asked.admitted(PureDP(epsilon=1)).steps[0]
    strange = ExponentialMechanism(candidates=1, epsilon=1, sensitivity=1)
    with pytest.raises(NotAdmitted):
        admit(asked.table, [replace(step, mechanism=strange)], PureDP(epsilon=1))  # type: ignore[arg-type]


def test_only_counts_whose_smallest_group_costs_most_are_priced_by_it() -> None:
    """Of its relatives that is not proved."""
    start = ln.plan(
        ln.read(pd.DataFrame({"who": [1], "city": ["a"]}), unit="who"), max_groups=1, max_rows=1
    )
    asked = start.relative_counts(relative_error="0.5", smallest=20, by="city", keys=["a"])
    budget = ZCDP(rho=5)
    (step,) = asked.admitted(budget).steps
    other = LogGaussianCounts(relative_error="0.5", smallest=20)
    with pytest.raises(NotAdmitted):
        admit(asked.table, [replace(step, mechanism=other)], budget)  # type: ignore[arg-type]


def test_what_knots_round_away_is_below_the_upper_limit() -> None:
    """A unit that lost 1, between knots 3 apart and in halves: all of it is on the first knot."""
    lost = Lost(Hats((0, 3), np.array([2, 0]), TableLaw({0: 1}), weight=2), declared=True)
    assert lost.value == 0
    assert lost.upper(0.05) >= 1


def test_shares_of_units_and_rows_are_open_to_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 units lost nothing and 50 something, each number up to noise of either sign."""
    law = DiscreteLaplace(scale=4)
    hats = Hats((0, 1, 2), np.array([400, 200, 0]), law, weight=4)
    none, some = hats.above([1, 0, 0], 0.01), hats.above([0, 1, 1], 0.01)
    assert cut_answers.whole_units(Lost(hats, declared=True), 0.04) == (
        (100 - none) / (100 - none + 50 + some),
        (100 + none) / (100 + none + 50 - some),
    )
    seen: list[tuple[float, float]] = []

    def share(kept: tuple[float, float], _: tuple[float, float]) -> tuple[float, float]:
        seen.append(kept)
        return 0.0, 1.0

    monkeypatch.setattr(cut_answers, "kept_share", share)
    rows = ln.read(pd.DataFrame({"who": [1, 1, 1, 2]}), unit="who")
    asked = ln.plan(rows, max_rows=2, most_rows=4).count()
    next(drawn_again(asked, PureDP(epsilon=1), 1, Source()))
    assert seen
    assert all(low < high for low, high in seen)


def test_noise_and_what_was_left_out_share_the_risk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has half of 5 %: together they are wrong in at most 5 %."""
    surely, risks = set(), set()
    answer, upper = Count.answer, Lost.upper

    def told(self: Count, given: Any, found: Any, confidence: Fraction) -> Any:
        surely.add(confidence)
        return answer(self, given, found, confidence)

    def most(self: Lost, risk: float) -> Any:
        risks.add(risk)
        return upper(self, risk)

    monkeypatch.setattr(Count, "answer", told)
    monkeypatch.setattr(Lost, "upper", most)
    rows = ln.read(pd.DataFrame({"who": [1, 1, 1, 2], "city": list("abab")}), unit="who")
    asked = ln.plan(rows, max_groups=1, max_rows=1, most_rows=4).count(by="city", keys=["a", "b"])
    next(drawn_again(asked, PureDP(epsilon=1), 1, Source()))
    assert surely == {CONFIDENCE, 1 - (1 - CONFIDENCE) / 2}
    assert max(risks) == 0.025


def test_noise_is_as_many_times_larger_as_its_factor() -> None:
    assert NoiseSum.of([3], [DiscreteGaussian(4)]).deviation == pytest.approx(6, rel=1e-6)


def test_without_a_cap_an_interval_holds_what_was_left_out() -> None:
    """10 rows were kept and 4 left out of one unit, without any noise."""
    exact = Hats((0, 1, 2, 4, 8), np.array([0, 0, 0, 1, 0]), TableLaw({0: 1}), weight=1)
    found = total_interval(10.0, NoiseSum(()), Lost(exact, declared=False), 0.05)
    assert found.lower <= 14 <= found.upper
    nothing = Hats((0, 1), np.array([1, 0]), TableLaw({0: 1}), weight=2**20)
    noise = NoiseSum.of([1], [DiscreteLaplace(scale=4)])
    found = total_interval(10.0, noise, Lost(nothing, declared=True), 0.05)
    assert found.lower < 10 == found.value < found.upper


def test_limits_that_the_noise_chose_are_farther_away() -> None:
    """As far as all limits that it might have chosen, together, at the same risk."""
    knots, weight = (0, 1, 2, 4, 8), 2**20
    hats = Hats(knots, np.full(5, 90 * weight), DiscreteGaussian(weight**2), weight)
    chosen, declared = Lost(hats, declared=False), Lost(hats, declared=True)
    assert chosen.most == declared.most == 8
    deviation = hats.noise(knots).deviation
    assert declared.lower(0.05) - chosen.lower(0.05) > 0.1 * deviation
    assert chosen.upper(0.05) - declared.upper(0.05) > 0.1 * deviation


def test_bounds_that_have_an_effect_are_named() -> None:
    by, keys = (col("city"),), Keys.of("city", ["a", "b"])
    rows = Measurement((CountRows(),), Bounds(max_groups=2, max_rows=3), by, keys)
    assert bounds_kept(rows) == {"max_groups": 2, "max_rows": 3}
    assert bounds_kept(replace(rows, aggregates=(CountUnits(),))) == {"max_groups": 2}
    assert bounds_kept(replace(rows, keys=Keys.of("city", ["a"]))) == {"max_rows": 3}
    assert bounds_kept(replace(rows, bounds=Clip(max_total=6))) == {"max_total": 6}
    assert bounds_kept(replace(rows, bounds=Clip(max_norm=5))) == {"max_norm": 5}


def test_totals_of_one_step_have_noise_of_their_own() -> None:
    asked = Measurement((CountRows(), CountUnits()), Bounds(max_groups=1, max_rows=1))
    step = Step(asked, CellNoise(DiscreteLaplace(scale=10**6)), PureDP(epsilon=1))
    zeros = np.zeros(20, np.int64)
    secret = SecretTotals(tuple((i,) for i in range(20)), (zeros, zeros))
    one, other = _noisy(step, (secret,), Source())
    assert not np.array_equal(one, other)


def test_answers_under_a_clip_are_divided_by_its_weight_once() -> None:
    rows = ln.read(pd.DataFrame({"who": [1, 2, 3, 4], "x": [1, 3, 4, 8]}), unit="who")
    asked = ln.plan(rows, max_groups=1, max_rows=1, measure_cut=False)
    asked = asked.count(clip=Clip(max_total=2)).mean("x", lower=0, upper=8, clip=Clip(max_total=2))
    ((count, mean),) = drawn_again(asked, PureDP(epsilon=40), 1, Source())
    assert count.values == pytest.approx([4], abs=2)
    assert count.lower[0] < count.values[0] < count.upper[0] < count.lower[0] + 4
    assert mean.values == pytest.approx([4], abs=1.5)


def test_without_bounds_a_clip_stays() -> None:
    asked = ln.plan(ln.read(pd.DataFrame({"who": [1]}), unit="who"), max_rows=2)
    clipped, bounded = (
        asked.count(**own).questions[0] for own in ({"clip": Clip(max_total=1)}, {"max_rows": 1})
    )
    assert without_bounds(clipped) is clipped
    assert without_bounds(bounded) == asked.count().questions[0]


def test_private_keys_are_chosen_for_units_that_are_replaced() -> None:
    rows = pd.DataFrame({"who": [1, 2], "city": ["a", "b"]})
    for neighbours, replaced in (("add_remove", False), ("replace", True)):
        table = ln.read(rows, unit="who", neighbours=neighbours)
        asked = ln.plan(table, max_groups=1, max_rows=1, measure_cut=False)
        asked = asked.count_units(by="city", keys="private")
        choice: Any = asked.admitted(ApproxDP(epsilon=1, delta="1e-6")).steps[0].mechanism
        assert choice.replace is replaced


def test_what_was_left_out_of_sums_may_have_any_value() -> None:
    """Two rows were left out, each from −8 to 8; of a count, each is one row more."""
    rows = pd.DataFrame({"who": [1, 1, 1, 2], "city": ["a"] * 4, "x": [8, 8, 8, 8]})
    asked = ln.plan(ln.read(rows, unit="who"), max_groups=1, max_rows=1, most_rows=3)
    asked = asked.sum("x", lower=-8, upper=8).count(by="city", keys=["a"])
    ((total, count),) = drawn_again(asked, PureDP(epsilon=10**6), 1, Source())
    assert total.lower[0] == pytest.approx(0, abs=0.1)
    assert total.upper[0] == pytest.approx(32, abs=0.1)
    assert count.lower[0] == pytest.approx(2, abs=0.1)
    assert count.upper[0] == pytest.approx(4, abs=0.1)


def fields(*ranges: tuple[int, int]) -> tuple[Field, ...]:
    return _packed([(f"s{i}", Fragment("0"), *ends) for i, ends in enumerate(ranges)])


def test_fields_of_a_row_overlap_nowhere_in_their_words() -> None:
    """As many words as it takes, each read with its own bits, whatever the others hold."""
    ranges = [(-5, 2**31), (0, 1), (0, 2**42), (-(2**31), 0), (7, 7), (0, 2**42), (0, 2**20)]
    found = fields(*ranges)
    assert [each.word for each in found] == [0, 0, 1, 2, 2, 3, 4]
    assert all(each.shift + each.bits <= 62 for each in found)
    for numbers in (list(each) for each in zip(*ranges, strict=True)):
        words = [np.zeros(1, np.int64) for _ in range(5)]
        for each, number in zip(found, numbers, strict=True):
            words[each.word] += (number - each.least) << each.shift
        assert [int(each.read(words)[0]) for each in found] == numbers
        assert min(int(word[0]) for word in words) >= 0


PACKED: dict[str, Any] = {"bounds": Bounds(max_groups=1, max_rows=1), "valued": None, "turns": None}


@pytest.mark.parametrize(
    ("asked", "is_bounded", "cells", "is_private"),
    [
        (PACKED, True, 2**31 + 1, False),
        (PACKED, True, 9, True),
        (PACKED, False, 9, False),
        (PACKED | {"bounds": Clip(max_total=1)}, True, 9, False),
        (PACKED | {"valued": object()}, True, 9, False),
        (PACKED | {"turns": object()}, True, 9, False),
    ],
)
def test_only_few_public_groups_under_bounds_are_packed(
    asked: dict[str, Any], is_bounded: bool, cells: int, is_private: bool
) -> None:
    def packed(asked: dict[str, Any], bounded: bool, *groupings: Any) -> bool:
        own = SimpleNamespace(groupings=groupings, **asked)
        return can_be_packed(SimpleNamespace(asked=own, is_bounded=bounded))  # type: ignore[arg-type]

    good = SimpleNamespace(cells=9, is_private=False)
    assert packed(PACKED, True, good)
    assert packed(PACKED, True, SimpleNamespace(cells=2**31, is_private=False))
    assert not packed(PACKED, True, good, good)
    assert not packed(asked, is_bounded, SimpleNamespace(cells=cells, is_private=is_private))
