"""The gate and steps that share a draw: what it refuses, whoever proposed it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointDraw, JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.noise import DiscreteLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.randomness.source import checked_source
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.draw.answered import measured
from leastnoise.release.draw.drawn import drawn
from leastnoise.release.gate import _SEAL, Paid, admit
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

ROWS = pd.DataFrame({"who": [1, 1, 2, 3], "city": ["a", "b", "a", "a"], "age": [1, 2, 3, 4]})
PURE, HALF = PureDP(epsilon=1), PureDP(epsilon="1/2")
ONE = Bounds(max_groups=1, max_rows=1)
ALL = Measurement((CountUnits(),), ONE)
PAIRS = Bounds(max_groups=1, max_rows=2)
OLD = replace(ALL, where=ln.col("age") > 1)
OLDER = replace(ALL, where=ln.col("age") > 2)
CITIES = Measurement((CountUnits(),), ONE, (ln.col("city"),), Keys.of("city", ["a", "b"]))


def table(unit: str | None = "who", neighbours: str = "add_remove") -> Table:
    return ln.read(ROWS, unit=unit, neighbours=neighbours)


def two(*parts: Part) -> TwoCounterNoise:
    return TwoCounterNoise(1, list(parts))


def shared(whole: JointDraw, *asked: Measurement, claim: Any = PURE) -> list[Step]:
    return [Step(each, JointPart(whole, place), claim) for place, each in enumerate(asked)]


def refused(
    steps: Sequence[Step],
    budget: Guarantee = PURE,
    where: Table | None = None,
    match: str = "report it",
) -> None:
    with pytest.raises(NotAdmitted, match=match):
        admit(table() if where is None else where, steps, budget)


GOOD = shared(two(Box(0, 1), Box(0, 1), Everyone(), Simplex(2, 1)), OLD, OLDER, ALL, CITIES)


def test_an_honest_draw_is_priced_once() -> None:
    assert admit(table(), GOOD, PURE).costs == (PURE,)
    refused(GOOD, HALF, match="together must keep")


class Odd(int):
    """Equal to nothing, not even to itself."""

    def __eq__(self, _other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return id(self)


@pytest.mark.parametrize("place", [0, False, np.int64(0), Odd(0)], ids=repr)
def test_no_part_is_noise_for_two_steps(place: Any) -> None:
    whole = two(Box(0, 1), Box(0, 1))
    steps = [Step(OLD, JointPart(whole, 0), PURE), Step(OLDER, JointPart(whole, place), PURE)]
    refused(steps)


@pytest.mark.parametrize("place", [-1, 2])
def test_a_part_is_one_of_the_draw(place: int) -> None:
    refused([Step(OLD, JointPart(two(Box(0, 1), Box(0, 1)), place), PURE)], match="step 1")


def test_equal_draws_are_two_draws() -> None:
    steps = [Step(each, JointPart(two(Box(0, 1)), 0), PURE) for each in (OLD, OLDER)]
    refused(steps, match="together must keep")
    admit(table(), steps, PureDP(epsilon=2))


def test_parts_of_one_draw_claim_one_price() -> None:
    one, *others = GOOD
    refused([replace(one, claim=PureDP(epsilon=2)), *others], PureDP(epsilon=9), match="one price")


@pytest.mark.parametrize("claim", [HALF, PureDP(epsilon=0), ZCDP(rho=9)], ids=repr)
def test_a_draw_is_not_sold_for_less(claim: PureDP | ZCDP) -> None:
    refused([replace(each, claim=claim) for each in GOOD], PureDP(epsilon=9), match="step 1")


@pytest.mark.parametrize(
    ("part", "asked"),
    [
        (Everyone(), OLD),  # some units add nothing
        (Everyone(), replace(ALL, aggregates=(CountRows(),))),  # rows are not units
        (Everyone(), CITIES),
        (Box(1, 1), ALL),  # that is what Everyone is for
        (Box(1, 2), OLD),
        (Box(0, 0), OLD),
        (Box(-1, 0), OLD),
        (Box(0, 1, cells=2), OLD),
        (Box(0, 1), CITIES),
        (Simplex(1, 1), CITIES),
        (Simplex(3, 1), CITIES),
        (Simplex(2, 0), CITIES),
        (Simplex(2, 1), replace(CITIES, bounds=Bounds(max_groups=2, max_rows=1))),
        (Box(0, 1), replace(OLD, aggregates=(CountRows(),), bounds=PAIRS)),
        (Simplex(2, 1), replace(CITIES, keys=None)),
    ],
    ids=str,
)  # fmt: skip
def test_what_one_unit_adds_must_fit_the_part(part: Part, asked: Measurement) -> None:
    refused(shared(two(part), asked))


def test_two_counters_are_for_units_that_come_and_go() -> None:
    replaced = table(neighbours="replace")
    refused(shared(two(Box(0, 1), Box(0, 1)), OLD, OLDER), where=replaced)
    refused(shared(two(Box(-1, 1), Box(-1, 1)), OLD, OLDER), where=replaced)
    one = OneCounterNoise(1, [Box(-1, 1), Simplex(2, 1)])
    admit(replaced, shared(one, OLD, CITIES), PURE)
    admit(table(), shared(one, OLD, CITIES), PURE)


def test_a_diamond_is_no_part_of_a_release() -> None:
    refused(shared(OneCounterNoise(1, [Diamond(2, 2)]), CITIES))


def gaussian(part: Part, fine: Precision) -> CentredGaussian:
    return CentredGaussian(parts=[part], precisions=[fine], common=2**20, steps=1, parameter=2**60)


def test_a_limit_of_one_cell_must_hold() -> None:
    rows = replace(CITIES, aggregates=(CountRows(),), bounds=PAIRS)
    fine, claim = Precision(2**20, 1, 1, residual=2**20), ZCDP(rho=9)
    admit(table(), shared(gaussian(Simplex(2, 2, cell=2), fine), rows, claim=claim), claim)
    refused(shared(gaussian(Simplex(2, 2, cell=1), fine), rows, claim=claim), claim)
    refused(shared(gaussian(Simplex(2, 2), fine), rows, claim=PURE), PURE)
    refused(
        shared(gaussian(Simplex(2, 2), fine), rows, claim=claim),
        claim,
        table(neighbours="replace"),
    )


class Silent(TwoCounterNoise):
    """Says one thing and does another."""

    def draw(self, source: Any) -> Any:  # noqa: ARG002
        return tuple(np.zeros(part.cells, np.int64) for part in self.parts)


class Elsewhere(JointPart):
    """A part of another draw."""


class Fickle(Step):
    """Not what it was when it was priced."""


class Vague(Measurement):
    """Not what it is asked about."""


class Cheap(PureDP):
    """Less than it says."""


def test_what_others_made_is_refused() -> None:
    refused(shared(Silent(1, [Box(0, 1)]), OLD))
    whole = two(Box(0, 1))
    refused([Step(OLD, Elsewhere(whole, 0), PURE)])
    refused([Fickle(OLD, JointPart(whole, 0), PURE)])
    refused([Step(Vague((CountUnits(),), ONE), JointPart(whole, 0), PURE)])
    refused([Step(OLD, JointPart(whole, 0), Cheap(epsilon=1))])


def test_shared_noise_is_for_all_groups() -> None:
    first, *others = GOOD
    refused([first, *(replace(each, among=first) for each in others)])


def test_prices_of_two_kinds_are_not_added_up() -> None:
    claim = ZCDP(rho=9)
    mixed = shared(gaussian(Box(0, 1), Precision(2**20, 1, 2)), OLD, claim=claim)
    refused([*GOOD, *mixed], ApproxDP(epsilon=99, delta="0.9"), match="two")
    alone = Step(ALL, CellNoise(DiscreteLaplace(scale=9)), PureDP(epsilon=0))
    refused([*mixed, alone], claim, match="step 2")


def test_every_charge_draws_anew() -> None:
    wide = TwoCounterNoise("1/1000", [Box(0, 1), Everyone()])
    admitted = admit(table(), shared(wide, OLD, ALL), PURE)
    source, line = checked_source(None), Entry(1, "", Charge((), "", {}, ""))
    secrets = measured(admitted, source)
    found = set()
    for _ in range(8):
        first, second = drawn(Paid(admitted.steps, line, _SEAL), secrets, source)
        found.add((int(first.values[0][0]), int(second.values[0][0])))
    assert len(found) > 6  # noise of about a thousand
