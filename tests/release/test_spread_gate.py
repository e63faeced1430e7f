"""The gate prices weights on knots by one unit's weight, and needs no choice of groups for them."""

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from leastnoise.errors import NotAdmitted
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.joint.part import Box, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace, Staircase
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.randomness.source import Source
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.table import Table
from leastnoise.release.gate import admit
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step
from leastnoise.release.step.step_price import keeps_claim
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, Spread, UnitSpread

HAIR = 1 - Fraction(1, 10**6)
DATA = pa.table({"id": [1, 1, 1, 2], "k": ["x", "y", "x", "x"]})
PRIVATE = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (col("k"),))
LOST = UnitSpread(Spread.LOST, (0, 1, 2, 4), PRIVATE)


def table(neighbours: str = "add_remove") -> Table:
    return read(DATA, unit="id", neighbours=neighbours)


def with_noise(law: Any, claim: Any) -> Step:
    return Step(LOST, CellNoise(law), claim)


NOISES = [
    (lambda size: DiscreteLaplace(scale=3 * size), PureDP(epsilon=Fraction(1, 3)), 2),
    (lambda size: DiscreteLaplace(scale=3 * size), ApproxDP(epsilon="1/3", delta="1e-9"), 2),
    (lambda size: DiscreteGaussian(2 * size * SPREAD_WEIGHT), ZCDP(rho="1/4"), 2),
]


@pytest.mark.parametrize(("law", "claim", "dearer"), NOISES)
def test_noise_for_one_weight_is_enough_and_a_hair_less_is_not(
    law: Any, claim: Guarantee, dearer: int
) -> None:
    for each in Spread:
        if each is not Spread.VALUES:
            asked = UnitSpread(each, LOST.knots, PRIVATE)
            assert keeps_claim(Step(asked, CellNoise(law(SPREAD_WEIGHT)), claim), table())  # type: ignore[arg-type]
    assert not keeps_claim(with_noise(law(HAIR * SPREAD_WEIGHT), claim), table())
    assert not keeps_claim(with_noise(law(SPREAD_WEIGHT), claim), table("replace"))
    assert keeps_claim(with_noise(law(dearer * SPREAD_WEIGHT), claim), table("replace"))
    less = law(dearer * HAIR * SPREAD_WEIGHT)
    assert not keeps_claim(with_noise(less, claim), table("replace"))


def test_noise_for_one_number_is_refused() -> None:
    law = Staircase(sensitivity=2 * SPREAD_WEIGHT, epsilon=1, width=SPREAD_WEIGHT)
    assert not keeps_claim(with_noise(law, PureDP(epsilon=1)), table())


def test_knots_are_public_though_the_groups_are_not() -> None:
    law, one = DiscreteLaplace(scale=SPREAD_WEIGHT), PureDP(epsilon=1)
    with pytest.raises(NotAdmitted):
        admit(table(), [Step(PRIVATE, CellNoise(law), one)], one)
    step = with_noise(law, one)
    admitted = admit(table(), [step], one)
    assert admitted.steps == (step,)
    with pytest.raises(NotAdmitted):
        admit(table(), [step, with_noise(law, one)], one)


def test_one_private_table_among_public_ones_needs_a_choice() -> None:
    one, law = PureDP(epsilon=1), DiscreteLaplace(scale=10 * WEIGHT)
    private, public = Grouping((col("k"),)), Grouping(())
    for groupings in ((private, public), (public, private), (private,)):
        step = Step(Histograms(groupings, 1), CellNoise(law), one)
        with pytest.raises(NotAdmitted, match="after the choice"):
            admit(table(), [step], one)
    admit(table(), [Step(Histograms((public,), 1), CellNoise(law), one)], one)


def test_no_choice_of_groups_is_a_choice_of_knots() -> None:
    claim = ApproxDP(epsilon=1, delta="1e-6")
    counted = Measurement((CountUnits(),), PRIVATE.bounds, PRIVATE.by)
    chooser = Step(counted, PartitionSelection(claim), claim)
    after = Step(LOST, CellNoise(DiscreteLaplace(scale=SPREAD_WEIGHT)), PureDP(epsilon=1), chooser)
    budget = ApproxDP(epsilon=2, delta="1e-6")
    with pytest.raises(NotAdmitted, match="after the choice"):
        admit(table(), [chooser, after], budget)
    assert not keeps_claim(Step(LOST, chooser.mechanism, claim), table())


def test_a_simplex_holds_them() -> None:
    one = PureDP(epsilon=1)
    cells = len(LOST.knots)
    for part, fits in (
        (Simplex(cells, SPREAD_WEIGHT), True),
        (Simplex(cells, SPREAD_WEIGHT - 1), False),
        (Simplex(cells - 1, SPREAD_WEIGHT), False),
        (Box(0, SPREAD_WEIGHT), False),
    ):
        whole = TwoCounterNoise(1, [part])
        assert keeps_claim(Step(LOST, JointPart(whole, 0), one), table()) is fits


def test_what_is_drawn_is_one_number_for_each_knot() -> None:
    (exact,) = measure(table(), [LOST])
    assert exact.rows == ((0,), (1,), (2,), (4,))
    assert exact.totals[0].tolist() == [SPREAD_WEIGHT, 0, SPREAD_WEIGHT, 0]
    noise = CellNoise(DiscreteGaussian(SPREAD_WEIGHT**2))
    found = noise.draw(exact.totals[0], Source())
    assert len(found) == 4
    assert max(abs(found - exact.totals[0])) < 8 * SPREAD_WEIGHT
