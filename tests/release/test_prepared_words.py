"""Prepared tables whose units are integers: bounded by words, with the same totals as elsewhere."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.auditing import audit_measurements, audit_plan
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.measure import by_ranges, by_words, part_pairs, unit_ranges
from leastnoise.release.measure.backends import duckdb as sessions
from leastnoise.release.measure.measure import measure
from leastnoise.release.step.aggregate import CountRows, CountUnits, DistanceAbove, SumOf
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.measurement import Measurement
from tests.auditing.test_plans import HOSTILE, everything
from tests.release.fuzz import CITIES, FAR, NEAR, measurements, numbered, optional, rows_of
from tests.release.reference import Row
from tests.release.test_prepare import (
    KEYS,
    TRIES,
    SameSalt,
    asked_of,
    assert_same,
    in_small_parts,
    measure_on_copies,
)

__all__ = ["in_small_parts"]


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows were words, range after range."""
    noted: list[int] = []
    found = by_words.found_by_words

    def noting(rows: Any, *others: Any) -> Any:
        noted.append(rows.rows)
        return found(rows, *others)

    monkeypatch.setattr(by_ranges, "found_by_words", noting)
    return noted


CROWDED: list[Row] = [
    {**HOSTILE[0], "who": 7 * who - 30, "city": CITIES[(who + turn) % 6], "cost": 9.0 * turn}
    for who in range(9)
    for turn in range(1 + who)
]
"""Units of 1, 2, … rows, the last with more than are words; everybody has other cities."""


def crowded() -> pa.Table:
    return numbered(CROWDED)


COUNTED = Measurement(
    (
        CountRows(),
        CountUnits(),
        SumOf(col("cost"), Grid(lower=-5, upper=40, bits=3)),
        DistanceAbove(col("cost"), Grid(lower=-5, upper=40, bits=3)),
    ),
    Bounds(max_groups=2, max_rows=1),
    (col("city"),),
    KEYS,
)


@TRIES
@pytest.mark.parametrize("units", [NEAR, FAR], ids=["near", "far"])
@pytest.mark.usefixtures("in_small_parts")
def test_totals_are_the_same_in_whatever_parts(
    tries: int, units: st.SearchStrategy[int], words: list[int]
) -> None:
    @settings(max_examples=tries, deadline=None)
    @given(rows_of(optional(units)), st.lists(measurements(), min_size=3, max_size=6))
    @example(CROWDED, [COUNTED])
    def check(rows: list[Row], asked: list[Asked]) -> None:
        assert_same(ln.read(numbered(rows), unit="who"), asked)

    check()
    assert words


@pytest.mark.usefixtures("in_small_parts")
def test_ranges_are_words_and_heavy_units_are_not(words: list[int], tmp_path: Path) -> None:
    table = ln.read(crowded(), unit="who")
    copy = ln.prepare(table, tmp_path / "copy")
    assert asked_of(copy, [COUNTED]) == asked_of(table, [COUNTED])
    # Those with 7, 8 and 9 rows are left to the engine.
    assert words == [1 + 2 + 3, 4 + 5, 6]


def test_a_table_is_one_range_if_few_units_need_no_bounds(words: list[int], tmp_path: Path) -> None:
    """Whether a statement of their own pays for light units, their share of all rows decides."""
    few, many = numbered([{**HOSTILE[0], "who": 1}]), crowded()
    light = numbered([{**HOSTILE[0], "who": 100 + who} for who in range(40)])
    for number, rows in enumerate([many, pa.concat_tables([few, many])]):
        table = ln.read(rows, unit="who")
        copy = ln.prepare(table, tmp_path / str(number))
        assert asked_of(copy, [COUNTED]) == asked_of(table, [COUNTED])
        assert words == [len(rows)]
        words.clear()
    table = ln.read(pa.concat_tables([many, light]), unit="who")
    copy = ln.prepare(table, tmp_path / "light")
    assert asked_of(copy, [COUNTED]) == asked_of(table, [COUNTED])
    assert words == [len(many) - 1]


def test_rows_without_a_unit_are_in_no_range(words: list[int], tmp_path: Path) -> None:
    nobody = numbered([{**HOSTILE[0], "who": None, "city": city} for city in CITIES[:6]])
    table = ln.read(crowded(), unit="who")
    copy = ln.prepare(ln.read(pa.concat_tables([crowded(), nobody]), unit="who"), tmp_path / "copy")
    assert asked_of(copy, [COUNTED]) == asked_of(table, [COUNTED])
    assert words == [len(crowded())]


@pytest.mark.parametrize(
    ("kind", "units"),
    [
        (pa.uint64(), [2**64 - 1, 2**64 - 2, 2**63, 2**63 - 1]),
        (pa.uint64(), [0, 1, 5, 2**63 + 1]),
        (pa.int8(), [-128, -1, 0, 127]),
        (pa.int64(), [2**63 - 1, 2**63 - 2, 2**63 - 9, 2**62]),
        (pa.decimal128(38, 0), [10**37, 10**37 + 1, 10**37 + 2, 10**37 + 5]),
    ],
)
def test_integers_of_every_kind_are_units(kind: Any, units: list[int], tmp_path: Path) -> None:
    who = [unit for turn, unit in enumerate(units * 3) for _ in range(1 + turn)]
    city = [CITIES[(5 * place) % 6] for place in range(len(who))]
    cost = [float(place % 7) for place in range(len(who))]
    table = ln.read(pa.table({"who": pa.array(who, kind), "city": city, "cost": cost}), unit="who")
    copy = ln.prepare(table, tmp_path / "copy")
    assert asked_of(copy, [COUNTED]) == asked_of(table, [COUNTED])


@pytest.mark.usefixtures("in_small_parts")
@pytest.mark.parametrize(
    ("neighbours", "rows"),
    [
        (Neighbours.ADD_REMOVE, HOSTILE[:-10]),
        pytest.param(Neighbours.REPLACE, HOSTILE[-12:], marks=pytest.mark.slow),
        pytest.param(Neighbours.ADD_REMOVE, HOSTILE, marks=pytest.mark.slow),
    ],
    ids=["add_remove-few", "replace-few", "add_remove"],
)
def test_nothing_moves_farther_than_claimed_on_copies_of_neighbouring_tables(
    neighbours: Neighbours,
    rows: list[Row],
    words: list[int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    measure_on_copies(monkeypatch, tmp_path)
    names = {who: place for place, who in enumerate(dict.fromkeys(row["who"] for row in HOSTILE))}
    named = [{**row, "who": None if row["who"] is None else names[row["who"]]} for row in rows]
    table = ln.read(numbered(named), unit="who", neighbours=neighbours)
    found = audit_plan(everything(table, max_groups=2, max_rows=2), orders=1)
    assert not found.violated, str(found)
    assert any(each.reached for each in found.movements)
    assert words


def test_a_unit_that_is_bounded_twice_is_refuted(
    words: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As it would be if its rows were in two ranges."""
    measure_on_copies(monkeypatch, tmp_path)
    table = ln.read(crowded(), unit="who")
    assert not audit_measurements(table, [COUNTED], orders=1).violated
    assert words
    merged = unit_ranges.merged
    twice = lambda ranges, *most: merged(ranges, *most) * 2  # noqa: E731
    monkeypatch.setattr(by_ranges, "merged", twice)
    assert audit_measurements(table, [COUNTED], orders=1).violated


def told_of(table: Any, asked: Sequence[Asked], salt: int) -> list[list[int]]:
    class Salted(SameSalt):
        def bits(self, count: int) -> int:
            return salt & ((1 << count) - 1)

    (found,) = measure(table, asked, source=Salted())
    return [total.tolist() for total in found.totals]


def test_choices_differ_with_the_salt_and_agree_with_the_table(tmp_path: Path) -> None:
    table = ln.read(crowded(), unit="who")
    copy = ln.prepare(table, tmp_path / "copy")
    several = [told_of(copy, [COUNTED], salt) for salt in range(12)]
    assert several == [told_of(table, [COUNTED], salt) for salt in range(12)]
    assert len({repr(each) for each in several}) > 6


@pytest.mark.parametrize(
    ("module", "name"),
    [(part_pairs, "pairs_of"), (by_ranges, "chosen_pairs"), (sessions, "_arrays")],
)
def test_too_little_memory_for_arrays_leaves_a_pass_to_a_statement(
    module: Any, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What NumPy says of it would tell how many rows there are."""
    rows = crowded()
    if module is by_ranges:
        rows = rows.set_column(0, "who", rows["who"].cast(pa.string()))
    table = ln.read(rows, unit="who")
    copy = ln.prepare(table, tmp_path / "copy")
    tried = []

    def lacking(*_: object, **__: object) -> Any:
        tried.append(1)
        raise MemoryError("45 rows")

    monkeypatch.setattr(module, name, lacking)
    assert asked_of(copy, [COUNTED]) == asked_of(table, [COUNTED])
    assert tried
