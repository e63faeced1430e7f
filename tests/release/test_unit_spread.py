"""Units' weights on knots are those of the reference; one unit moves them by its weight at most."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.auditing.plans import audit_measurements
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.spread_pass import fused_spreads
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits, DistanceBelow, SumOf
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.contribution import contribution_of
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, Spread, UnitSpread
from tests.examples import examples
from tests.release.fuzz import UNITS, optional, rows_of, spreads
from tests.release.reference import Row, expected_spread
from tests.release.sessions import FOLLOWED, followed_order, session_of, table_of, weights_of
from tests.release.test_measure import within

SALT = 77
DOUBLING = [2**i for i in range(11)]
GRID = Grid(lower=-4, upper=4, bits=1)
COUNT = Measurement((CountRows(),), Bounds(max_groups=2, max_rows=3), (col("k"),))


def weights_in_memory(
    rows: list[Row], unit: str | None, asked: list[UnitSpread]
) -> list[list[int]]:
    session = session_of(FOLLOWED)
    session.show(rows)
    return weights_of(table_of(rows, unit), asked, SALT, session)


# The same weights as in the reference.


@examples(15, 60)
@given(rows_of(optional(UNITS)), st.sampled_from(["who", "who", None]), spreads())
def test_weights_are_those_of_the_reference(
    rows: list[Row], unit: str | None, asked: list[UnitSpread]
) -> None:
    wanted = [
        expected_spread(rows, unit, each, followed_order(SALT, each.measurement)) for each in asked
    ]
    assert weights_in_memory(rows, unit, asked) == wanted


@examples(8, 25)
@given(rows_of(UNITS), rows_of(st.just("zoe")), rows_of(st.just("zoe")), spreads())
def test_one_unit_moves_weights_no_further_than_derived(
    rows: list[Row], old: list[Row], new: list[Row], asked: list[UnitSpread]
) -> None:
    without, before, after = (
        weights_in_memory(each, "who", asked) for each in (rows, old + rows, rows[::-1] + new)
    )
    for each, one, two, three in zip(asked, without, before, after, strict=True):
        for pair, neighbours in (
            ((one, two), Neighbours.ADD_REMOVE),
            ((one, three), Neighbours.ADD_REMOVE),
            ((two, three), Neighbours.REPLACE),
        ):
            moved = [a - b for a, b in zip(*pair, strict=True)]
            table = replace(table_of(rows, "who"), neighbours=neighbours)
            assert within(moved, reach_of(each, table))
        added = [a - b for a, b in zip(two, one, strict=True)]
        assert min(added) >= 0
        whole = each.of not in {Spread.ROWS_IN_GROUP, Spread.VALUES}
        assert sum(added) in ({0, SPREAD_WEIGHT} if whole else range(SPREAD_WEIGHT + 1))


# All small units.


def unit_rows(counts: tuple[int, ...], who: str = "zoe") -> list[Row]:
    cities = ["Oslo", "Ås", "Bergen"]
    row: Row = {"who": who, "year": 1, "smoker": None, "visits": 1}
    return [
        row | {"city": city, "cost": float(number)}
        for city, count in zip(cities, counts, strict=False)
        for number in range(count)
    ]


LIMITS = [Bounds(max_groups=1, max_rows=2), Clip(max_total=3), Clip(max_norm=2)]


@pytest.mark.parametrize("bounds", LIMITS, ids=repr)
def test_every_pair_of_small_units(bounds: Bounds | Clip) -> None:
    """Weights add up over units; so what one unit adds alone is what it moves in every table."""
    by = (col("city"),)
    summed = Measurement((SumOf(col("cost"), GRID),), bounds, by)
    asked = [
        *(UnitSpread(of, (0, 1, 2, 4, 8), summed) for of in Spread),
        UnitSpread(Spread.ROWS, (1, 4), summed),
        UnitSpread(Spread.LOST, (0, 3), summed),
        UnitSpread(Spread.LOST, (0, 3), replace(summed, aggregates=(CountUnits(),))),
    ]
    small = product(range(4), repeat=2)
    alone = [weights_in_memory(unit_rows(counts), "who", asked) for counts in small]
    added, replaced = (replace(table_of([], "who"), neighbours=each) for each in Neighbours)
    for place, each in enumerate(asked):
        own = [found[place] for found in alone]
        assert own[0] == [0] * len(each.knots)
        assert all(within(one, reach_of(each, added)) and min(one) >= 0 for one in own)
        greatest = reach_of(each, replaced)
        moves = [[a - b for a, b in zip(*pair, strict=True)] for pair in product(own, repeat=2)]
        assert all(within(moved, greatest) for moved in moves)
        if each.of is Spread.ROWS:
            assert max(sum(map(abs, moved)) for moved in moves) == greatest.total
            assert max(sum(m**2 for m in moved) for moved in moves) == greatest.square


def test_weights_add_up_over_units() -> None:
    asked = [UnitSpread(of, DOUBLING, replace(COUNT, by=(col("city"),))) for of in list(Spread)[:4]]
    units = {"ann": (1, 5, 0), "bob": (3, 3, 3), "eve": (0, 0, 9)}
    tables = [unit_rows(counts, who) for who, counts in units.items()]
    single = [weights_in_memory(rows, "who", asked) for rows in tables]
    whole = weights_in_memory([row for rows in tables[::-1] for row in rows], "who", asked)
    for place, found in enumerate(whole):
        parts = zip(*(one[place] for one in single), strict=True)
        assert found == [sum(part) for part in parts]


def test_the_claimed_reach_is_that_of_one_unit() -> None:
    asked = UnitSpread(Spread.ROWS, DOUBLING, COUNT)
    table = table_of([], "who")
    one, two = (reach_of(asked, replace(table, neighbours=each)) for each in Neighbours)
    assert (one.cell, one.total, one.square) == (2**20, 2**20, 2**40)
    assert (two.cell, two.total, two.square) == (2**20, 2**21, 2**41)
    adds = contribution_of(asked, table)
    assert (adds.low, adds.high, adds.total, adds.cells) == (0, 2**20, 2**20, 11)
    assert not adds.everyone
    with pytest.raises(UnsupportedQuery, match="knots"):
        reach_of(asked, table, chosen=1)


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_audits_see_no_unit_move_them_further(neighbours: str) -> None:
    data = pa.table(
        {
            "id": ["a"] * 9 + ["b"] * 4 + ["c", None, "d"],
            "k": ["x", "y", None, "z"] * 4,
            "v": [1.0, float("nan"), None, -3.5] * 4,
        }
    )
    table = read(data, unit="id", neighbours=neighbours)
    values = replace(COUNT, aggregates=(DistanceBelow(col("v"), GRID),))
    asked = [UnitSpread(of, [0, 1, 2, 4, 8], values) for of in Spread]
    audit = audit_measurements(table, asked)
    assert not audit.violated
    assert len(audit.movements) == len(asked)
    assert {each.claimed.total for each in audit.movements} == {reach_of(asked[0], table).total}


# Sums over units.


def linear(knots: Any, weights: Any) -> int:
    return sum(knot * int(weight) for knot, weight in zip(knots, weights, strict=True))


def table_with(counts: list[int]) -> Table:
    ids = [f"u{i}" for i, count in enumerate(counts) for _ in range(count)]
    places = [j for count in counts for j in range(count)]
    data = {"id": pa.array(ids, pa.string()), "k": pa.array([j % 5 for j in places], pa.int64())}
    doubling = pa.array([j.bit_length() for j in places], pa.int64())
    return read(pa.table(data | {"doubling": doubling}), unit="id")


def test_three_units_by_hand() -> None:
    asked = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=8))
    (found,) = measure(table_with([1, 3, 575]), [UnitSpread(Spread.ROWS, DOUBLING, asked)])
    weights = [Fraction(int(weight), 2**20) for weight in found.totals[0]]
    assert weights[:3] == [1, Fraction(1, 2), Fraction(1, 2)]
    assert weights[-2:] == [Fraction(1024 - 575, 512), Fraction(63, 512)]
    assert sum(weights) == 3
    beyond = zip(DOUBLING, weights, strict=True)
    assert sum(max(knot - 8, 0) * weight for knot, weight in beyond) == 567
    (found,) = measure(table_with([1, 3, 575]), [UnitSpread(Spread.LOST, [0, *DOUBLING], asked)])
    assert linear([0, *DOUBLING], found.totals[0]) == 567 * 2**20


@examples(10, 20)
@given(
    st.lists(st.integers(1, 40), max_size=12),
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
    st.integers(0, 3),
)
def test_sums_are_exact_between_knots_powers_of_two_apart(
    counts: list[int], gaps: list[int], first: int
) -> None:
    knots = [first]
    for gap in gaps:
        knots.append(knots[-1] + 2**gap)
    asked = UnitSpread(Spread.ROWS, knots, replace(COUNT, by=()))
    (found,) = measure(table_with(counts), [asked])
    inside = [min(max(count, knots[0]), knots[-1]) for count in counts]
    assert linear(knots, found.totals[0]) == 2**20 * sum(inside)
    assert sum(found.totals[0]) == 2**20 * len(counts)


@pytest.mark.parametrize("keys", [None, Keys.of("doubling", [4, 0, 1, 77])])
@pytest.mark.parametrize("aggregate", [CountRows(), CountUnits()])
def test_what_is_lost_is_what_the_same_measurement_leaves_out(
    aggregate: CountRows | CountUnits, keys: Keys | None
) -> None:
    """Groups have 1, 1, 2, 4, 8 rows and so on: which ones count matters, and is left to chance."""
    knots = [0, *DOUBLING]
    for rows in (1, 2, 100, 100, 100):
        bounds = Bounds(max_groups=2, max_rows=rows)
        asked = Measurement((aggregate,), bounds, (col("doubling"),), keys)
        every = replace(asked, bounds=Bounds(max_groups=100, max_rows=1000))
        spread = UnitSpread(Spread.LOST, knots, asked)
        kept, whole, lost = measure(table_with([1, 3, 17, 40, 9, 20]), [asked, every, spread])
        gone = int(whole.totals[0].sum()) - int(kept.totals[0].sum())
        assert linear(knots, lost.totals[0]) == gone * 2**20 > 0


@pytest.mark.parametrize("clip", LIMITS[1:], ids=repr)
def test_what_a_clip_leaves_out_is_known_to_a_millionth_of_a_row(clip: Clip) -> None:
    asked = Measurement((CountRows(),), clip, (col("k"),))
    every = replace(asked, bounds=Bounds(max_groups=100, max_rows=1000))
    spread = UnitSpread(Spread.LOST, [0, 1, 2, 4, 8, 16, 32], asked)
    kept, whole, lost = measure(table_with([1, 3, 17, 25, 4, 2]), [asked, every, spread])
    gone = 2**20 * int(whole.totals[0].sum()) - int(kept.totals[0].sum())
    found = linear(spread.knots, lost.totals[0])
    assert 0 <= gone - found < 6 * 16  # units times the widest gap
    assert found > 2**20


# Passes and shortcuts.


@pytest.mark.parametrize("unit", ["id", None])
def test_units_of_one_row_need_no_bounding(
    unit: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pa.table(
        {
            "id": [4, 2, None, 3, 9, 8],
            "k": ["x", None, "x", "y", "x", "x"],
            "v": [1.5, 0.0, 2.0, None, float("nan"), 9.0],
        }
    )
    both = [COUNT, replace(COUNT, bounds=Clip(max_norm=1)), replace(COUNT, by=())]
    asked = [
        UnitSpread(of, [0, 1, 3, 5], replace(each, aggregates=(SumOf(col("v"), GRID),)))
        for of, each in product(Spread, both)
    ]

    def answers() -> list[list[int]]:
        return [each.totals[0].tolist() for each in measure(read(data, unit=unit), asked)]

    table = read(data, unit=unit)
    with DuckDBSession(table.location) as session:  # type: ignore[arg-type]
        assert OneRowUnits(table, session).under(None) is (unit is not None)
    short = answers()
    monkeypatch.setattr(OneRowUnits, "under", lambda *_: False)
    assert short == answers()
    groups = 5 if unit is None else 4  # with a key
    assert short[0] == [0, groups * 2**20, 0, 0]


def test_spreads_of_one_measurement_share_a_pass() -> None:
    several = [UnitSpread(of, DOUBLING, COUNT) for of in Spread if of is not Spread.VALUES]
    units = replace(COUNT, aggregates=(CountUnits(),))
    others = [
        UnitSpread(Spread.LOST, DOUBLING, units),
        UnitSpread(Spread.LOST, [0, 7], COUNT),
        UnitSpread(Spread.LOST, [0, 7], replace(COUNT, bounds=Clip(max_total=1))),
        UnitSpread(Spread.ROWS, [0, 7], replace(COUNT, where=col("k") > 1)),
    ]
    passes = [list(each.spreads) for each in fused_spreads([*several, *others, *several])]
    one = [*(e for e in several if e.of is not Spread.ROWS_IN_GROUP), *others[:2]]
    assert passes == [one, [several[2]], [others[2]], [others[3]]]
    many = [UnitSpread(Spread.ROWS, [0, n], COUNT) for n in range(1, 20)]
    assert [len(each.spreads) for each in fused_spreads(many)] == [8, 8, 3]


class CountedScans(DuckDBSession):
    """How often each set of columns was looked at."""

    seen: ClassVar[list[tuple[str, ...]]] = []

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        self.seen.append(columns)
        return super().scan(columns)


def test_a_measurement_and_its_spreads_read_the_rows_once() -> None:
    """Save for the look whether every unit has one row alone, which ends with the first rows."""
    keys = Keys.of("k", list("abc"))
    summed = replace(COUNT, aggregates=(CountRows(), SumOf(col("v"), GRID)), keys=keys)
    rows = pa.table({"id": [1, 1, 1, 2, 2], "k": list("aabab"), "v": [1.0, 2, 3, 4, 5]})
    table = read(rows, unit="id")
    asked: list[Asked] = [
        summed,
        *(UnitSpread(of, DOUBLING, summed) for of in Spread if of is not Spread.VALUES),
    ]
    CountedScans.seen.clear()
    opened: Any = lambda location, memory: CountedScans(location, memory=memory)  # noqa: E731
    found = measure(table, asked, opener=opened)
    assert len([each for each in CountedScans.seen if "k" in each]) == 1
    apart = [measure(table, [each])[0] for each in asked]
    for one, other in zip(found, apart, strict=True):
        assert one.rows == other.rows
        assert [t.tolist() for t in one.totals] == [t.tolist() for t in other.totals]


def test_answers_come_in_the_order_asked() -> None:
    counted = Histograms((Grouping((col("k"),)), Grouping(())), 8)
    rows, groups = (UnitSpread(of, [0, 16], COUNT) for of in (Spread.ROWS, Spread.GROUPS))
    asked: list[Asked] = [groups, COUNT, rows, counted, groups]
    done: list[tuple[int, int]] = []
    found = measure(table_with([4, 4]), asked, progress=lambda *turn: done.append(turn))
    assert done == [(1, 3), (2, 3), (3, 3)]
    tops = [int(each.totals[0][-1]) for each in found]
    quarter, kept = 2**19, 2 * WEIGHT  # each unit has one row in each of four groups
    assert tops == [quarter, tops[1], quarter, kept, 4 * kept, quarter]
    assert int(found[1].totals[0].sum()) == len(found[3].rows) == 4  # two groups of each unit


def test_tables_of_nothing() -> None:
    for unit in ("id", None):
        empty = read(
            pa.table({"id": pa.array([], pa.string()), "k": pa.array([], pa.int64())}), unit=unit
        )
        for of in list(Spread)[:4]:
            (found,) = measure(empty, [UnitSpread(of, [0, 1], COUNT)])
            assert found.totals[0].tolist() == [0, 0]


# What is refused.


@pytest.mark.parametrize(
    ("knots", "words"),
    [
        ([1], "2..256 knots; got 1"),
        (range(257), "2..256 knots; got 257"),
        ([0, 2, 2], "knots must rise"),
        ([3, 2], "knots must rise"),
        ([-1, 2], "`knots` must be an integer in 0"),
        ([0, 2**40 + 1], "`knots` must be an integer in 0"),
        ([0, 1.5], "`knots` must be an integer"),
    ],
)
def test_knots_are_few_rising_integers(knots: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        UnitSpread(Spread.ROWS, knots, COUNT)


def test_values_have_a_column_and_signs() -> None:
    summed = replace(COUNT, aggregates=(SumOf(col("v"), GRID),))
    assert UnitSpread(Spread.VALUES, [-(2**40), 2**40], summed).place == (col("v"), GRID)
    with pytest.raises(InvalidParameter, match="`knots`"):
        UnitSpread(Spread.VALUES, [-(2**40) - 1, 0], summed)
    for aggregates in ((CountRows(),), (CountUnits(),), summed.aggregates * 2, ()):
        with pytest.raises(InvalidParameter, match="of one column"):
            UnitSpread(Spread.VALUES, [0, 1], replace(COUNT, aggregates=aggregates))


def test_columns_that_are_not_there() -> None:
    for each in (replace(COUNT, by=(col("no"),)), replace(COUNT, where=col("no") > 1)):
        with pytest.raises(InvalidParameter, match="no"):
            measure(table_with([1]), [UnitSpread(Spread.ROWS, [0, 1], each)])
