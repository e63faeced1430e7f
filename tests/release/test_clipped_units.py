"""Units under a clip: all of a unit's groups count, each a little less where they are many."""

from fractions import Fraction
from hashlib import sha256
from itertools import product
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted, UnsupportedQuery
from leastnoise.mechanisms.choosing.exponential_mechanism import ExponentialMechanism
from leastnoise.mechanisms.choosing.permute_and_flip import PermuteAndFlip
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.gate import admit
from leastnoise.release.measure.measure import measure
from leastnoise.release.plan import Plan
from leastnoise.release.step.aggregate import CountUnits
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.sensitivity import clipped_units_sensitivity
from leastnoise.release.step.step import Step
from tests.release.reference import unit_weight

W = CLIP_WEIGHT
KEYS = [f"c{i}" for i in range(12)]
ROWS = pd.DataFrame(
    [(who, f"c{(who + g) % 12}") for who in range(40) for g in range(who % 12 + 1) for _ in "ab"],
    columns=["who", "c"],
)
CLIPS = [Clip(max_total=1), Clip(max_total=3), Clip(max_norm=1), Clip(max_norm=2)]


@pytest.mark.parametrize("clip", CLIPS, ids=repr)
def test_weights_are_those_of_the_law(clip: Clip) -> None:
    asked = Measurement((CountUnits(),), clip, (col("c"),), Keys.of("c", KEYS))
    (found,) = measure(ln.read(ROWS, unit="who"), [asked])
    wanted = dict.fromkeys(KEYS, 0)
    for _, own in ROWS.groupby("who"):
        for key in own.c.unique():
            wanted[key] += unit_weight(own.c.nunique(), clip)
    assert found.totals[0].tolist() == list(wanted.values())


@pytest.mark.parametrize("clip", CLIPS, ids=repr)
def test_a_unit_weighs_nearly_all_that_is_allowed(clip: Clip) -> None:
    for groups in range(1, 200):
        weight = unit_weight(groups, clip)
        if "TOTAL" in repr(clip):
            exact = min(Fraction(1), Fraction(clip.rows, groups))
        else:
            exact = min(Fraction(1), Fraction(clip.rows * 2**40, isqrt(groups * 2**80)))
        assert 0 <= exact - Fraction(weight, W) < Fraction(1, 900)


def unit_vectors(cells: int, clip: Clip) -> list[tuple[int, ...]]:
    """All that one unit can add to some cells, of more that it may be in."""
    found = []
    for inside in product((0, 1), repeat=cells):
        found += [
            tuple(unit_weight(sum(inside) + more, clip) * each for each in inside)
            for more in range(6)
            if sum(inside) + more
        ]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("clip", CLIPS, ids=repr)
@pytest.mark.parametrize("cells", [1, 2, 3, 5])
def test_one_unit_moves_no_more_than_derived_and_reaches_it(clip: Clip, cells: int) -> None:
    units = np.array(unit_vectors(cells, clip), dtype=np.int64)
    pairs = (units[:, None, :] - units[None, :, :]).reshape(-1, cells)
    for neighbours, moved in [(Neighbours.ADD_REMOVE, units), (Neighbours.REPLACE, pairs)]:
        allowed = clipped_units_sensitivity(clip, neighbours, cells)
        unknown = clipped_units_sensitivity(clip, neighbours)
        sizes = np.abs(moved)
        assert sizes.max() == allowed.cell == W
        assert sizes.sum(axis=1).max() <= allowed.total <= unknown.total
        assert (sizes**2).sum(axis=1).max() <= allowed.square <= unknown.square
        assert (sizes > 0).sum(axis=1).max() <= allowed.cells
        # Rounding apart, all of it is reached where whole weights fill the bound.
        if "TOTAL" in repr(clip) or cells <= clip.rows**2:
            assert (sizes**2).sum(axis=1).max() == allowed.square


BUDGETS = [PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")]


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_plans_are_admitted_and_errors_are_of_people(budget: Guarantee, neighbours: str) -> None:
    table = ln.read(ROWS, unit="who", neighbours=neighbours)
    by: dict[str, Any] = {"by": "c", "keys": KEYS}

    def told(asked: Plan) -> float:
        asked.admitted(budget)
        return float(asked.preview(budget)[0].expected_error or 0)

    few = ln.plan(table, max_groups=3, measure_cut=False)
    clip = Clip(max_total=3)
    assert told(few.count_units(**by, clip=clip)) <= 1.03 * told(few.count_units(**by))
    common = told(few.most_common("c", count=3, keys=KEYS, clip=clip))
    assert common == pytest.approx(told(few.most_common("c", count=3, keys=KEYS)), rel=0.03)
    wide = told(few.count_units(**by, clip=Clip(max_norm=4)))
    assert wide > told(few.count_units(**by))


def test_answers_are_numbers_of_people(tmp_path: Path) -> None:
    budget, table = PureDP(epsilon=300), ln.read(ROWS, unit="who")
    asked = ln.plan(table, measure_cut=False).count_units(
        by="c", keys=KEYS, clip=Clip(max_norm=4), name="n"
    )
    asked = asked.most_common("c", count=2, keys=KEYS, clip=Clip(max_total=12), name="top")
    made = asked.release(budget, ledger=ln.Ledger(tmp_path / "budget.db", total=budget, begin=True))
    people = ROWS.groupby("c").who.nunique()
    assert made["n"].values == pytest.approx(people[KEYS].to_numpy(), abs=0.5)
    assert made["top"].values == pytest.approx(people.nlargest(2).to_numpy(), abs=0.5)
    assert "it weighs at most 4 as the length of their vector" in made.facts.questions[0].words
    assert made.facts.questions[1].max_total == 12


def top(kind: type[Any], clip: Clip, neighbours: str, *, monotone: bool, sensitivity: int) -> bool:
    """Whether the gate takes a choice of two groups by clipped numbers of units."""
    table = ln.read(ROWS, unit="who", neighbours=neighbours)
    asked = Measurement((CountUnits(),), clip, (col("c"),), Keys.of("c", KEYS))
    one = kind(candidates=12, epsilon="1/2", sensitivity=sensitivity, monotone=monotone)
    step = Step(asked, TopSelection(one, 2), PureDP(epsilon=1))
    try:
        admit(table, [step], PureDP(epsilon=1))
    except NotAdmitted:
        return False
    return True


@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
def test_the_gate_holds_choices_against_the_weight_of_a_unit(kind: type[Any]) -> None:
    clip = Clip(max_norm=5)
    assert top(kind, clip, "add_remove", monotone=True, sensitivity=W)
    assert top(kind, clip, "replace", monotone=False, sensitivity=W)
    assert not top(kind, clip, "add_remove", monotone=True, sensitivity=W - 1)
    assert not top(kind, clip, "replace", monotone=True, sensitivity=W)


def test_private_groups_are_not_chosen_by_weights() -> None:
    table, promise = ln.read(ROWS, unit="who"), ApproxDP(epsilon=1, delta="1e-6")
    asked = Measurement((CountUnits(),), Clip(max_total=1), (col("c"),))
    step = Step(asked, PartitionSelection(promise, max_groups=1), promise)
    with pytest.raises(NotAdmitted):
        admit(table, [step], promise)
    with pytest.raises(UnsupportedQuery, match="public keys"):
        ln.plan(table).count_units(by="c", keys="private", clip=Clip(max_total=1))
    with pytest.raises(UnsupportedQuery, match="public keys"):
        ln.plan(table).most_common("c", count=1, keys="private", clip=Clip(max_total=1))


def flights() -> pd.DataFrame:
    """4 000 aircraft, each to 1..49 of 100 places; the first places are a little more popular."""

    def lot(*words: int) -> float:
        return int.from_bytes(sha256(repr(words).encode()).digest()[:6]) / 2**48

    rows = []
    for who in range(4000):
        wanted = int(49 ** lot(who, -1))
        ranked = sorted(range(100), key=lambda p: lot(who, p) * (p + 20) ** 0.7)
        rows += [(who, place) for place in ranked[:wanted]]
    return pd.DataFrame(rows, columns=["who", "place"])


@pytest.mark.slow
def test_the_five_most_common_places_of_aircraft_that_fly_to_many(tmp_path: Path) -> None:
    data, budget, turns = flights(), ApproxDP(epsilon=1, delta="1e-6"), 30
    best = set(data.groupby("place").who.nunique().nlargest(5).index)
    table = ln.read(data, unit="who")
    total = ApproxDP(epsilon=4 * turns, delta="1e-3")
    ledger = ln.Ledger(tmp_path / "budget.db", total=total, begin=True)

    def right(**own: Any) -> float:
        asked = ln.plan(table, measure_cut=False).most_common(
            "place", count=5, keys=range(100), **own
        )
        made = [asked.release(budget, ledger=ledger).tables[0] for _ in range(turns)]
        return sum(len(best & {row[0] for row in each.rows}) for each in made) / turns

    cut, clipped = right(max_groups=2), right(clip=Clip(max_norm=7))  # 49 = 7²: nothing is cut
    print(f"of 5 right: {cut:.1f} with max_groups=2, {clipped:.1f} with max_norm=7")
    assert clipped > cut + 1
