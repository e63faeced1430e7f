"""What no other test noticed when it was changed: `make mutants`."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.mechanisms.choosing.exponential_mechanism import ExponentialMechanism
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.draw.drawn import CONFIDENCE
from leastnoise.release.gate import admit
from leastnoise.release.measure.measure import measure
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.lost import Lost
from leastnoise.release.step.aggregate import (
    CountRows,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOfSquares,
    contribution,
)
from leastnoise.release.step.measurement import Measurement


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
