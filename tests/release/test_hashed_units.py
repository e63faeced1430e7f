"""Units that are texts or far numbers: numbered by hashes, told apart as a whole."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.auditing import audit_measurements, audit_plan
from leastnoise.errors import BackendError
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure import by_words, listed_units, sorted_words
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.hashed_units import HashedUnits, different
from leastnoise.release.measure.sql.unit_words import UnitWords
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from tests.auditing.test_plans import HOSTILE, everything
from tests.release.fuzz import FAR, arrow, numbered, optional, rows_of
from tests.release.reference import Row
from tests.release.test_by_words import TRIES, by_statements, found_in, with_spreads

ALIKE = ["a", "A", "a ", " a", "a\0", "a\0b", "", "é", "e\u0301", "ﬁ", "fi", "🦊", "x" * 12]
ALIKE += ["x" * 13, "x" * 12 + "y", "x" * 5000 + "y", "x" * 5000 + "z", "%", "_", "'", '"?"']
"""Texts that some comparison takes for the same; DuckDB keeps long ones and short ones apart."""

ASKED = Measurement(
    (CountRows(), CountUnits(), SumOf(col("x"), Grid(lower=-3, upper=4))),
    Bounds(max_groups=2, max_rows=2),
    (col("g"),),
    Keys.of("g", range(5)),
)


def rows(units: Sequence[Any]) -> pa.Table:
    """Each unit in all groups, and in some of them twice; some rows are nobody's."""
    many = [unit for unit in units for _ in range(8)] + [None] * 3
    return pa.table(
        {
            "who": many,
            "g": [place % 5 for place in range(len(many))],
            "x": [place % 9 - 4 if place % 7 else None for place in range(len(many))],
        }
    )


def stored(data: pa.Table, folder: Path) -> Table:
    pq.write_table(data, folder / "rows.parquet", row_group_size=7)
    return ln.read(folder / "rows.parquet", unit="who")


@pytest.fixture
def unchanging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables in memory are believed to stay what they are; all that has words is worth a list."""
    monkeypatch.setattr(DuckDBSession, "surely_rereads", True)
    monkeypatch.setattr(by_words, "_LEAST_BITS", 2)
    monkeypatch.setattr(by_words.UnitSpan, "_is_worth_a_list", lambda *_: True)


@pytest.fixture(params=[0, 63, 62], ids=["apart", "all-share", "many-share"])
def sharing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Units share the first bits of their hashes: hardly any, in twos or in fours.

    In the last case the list is ordered, too, and words are on disk.
    """
    if request.param:
        monkeypatch.setattr(HashedUnits, "_below", request.param)
    if request.param == 62:
        monkeypatch.setattr(listed_units, "_MANY", 0)
        monkeypatch.setattr(sorted_words, "HELD", 0)
        monkeypatch.setattr(sorted_words, "_PIECE", 7)
    return int(request.param)


@TRIES
@pytest.mark.usefixtures("unchanging", "sharing")
@pytest.mark.parametrize("units", [st.sampled_from(ALIKE), FAR], ids=["texts", "far"])
def test_totals_and_spreads_are_those_of_statements(
    tries: int, units: st.SearchStrategy[Any], taken: list[int]
) -> None:
    passes = []

    @settings(max_examples=tries, deadline=None)
    @given(rows_of(optional(units)), with_spreads())
    def check(rows: list[Row], asked: list[Asked]) -> None:
        table = ln.read((numbered if units is FAR else arrow)(rows * 2), unit="who")
        before = len(taken)
        found = found_in(table, asked)
        passes.append(len(taken) - before)
        assert found == by_statements(table, asked)

    check()
    assert sum(map(bool, passes)) >= 2


FEW = ["a", "A", "a ", "fi"]
KINDS = {
    "texts": "VARCHAR",
    "ignoring case": "VARCHAR COLLATE NOCASE.NOACCENT",
    "enumerated": f"ENUM({', '.join(map(repr, FEW))})",
}


@pytest.mark.usefixtures("sharing")
@pytest.mark.parametrize("place", ["files", *KINDS])
def test_texts_are_told_apart_by_every_byte(place: str, taken: list[int], tmp_path: Path) -> None:
    """Whatever the column's own comparison makes of them."""
    units = FEW if place == "enumerated" else ALIKE
    table = stored(rows(units), tmp_path)
    if place != "files":
        with duckdb.connect(tmp_path / "a.duckdb") as database:
            database.register("data", rows(units))
            database.execute(f"CREATE TABLE visits (who {KINDS[place]}, g BIGINT, x BIGINT)")
            database.execute("INSERT INTO visits SELECT * FROM data")
        table = ln.read(tmp_path / "a.duckdb", table="visits", unit="who")
    found = found_in(table, [ASKED])
    assert taken
    assert found == by_statements(table, [ASKED])
    assert sum(measure(table, [ASKED])[0].totals[1]) == 2 * len(units)


@pytest.mark.usefixtures("sharing")
@pytest.mark.parametrize("ends", [(-(2**63), 2**63 - 1), (0, 2**62), (-5, 2**61 + 9)])
def test_far_integers_are_told_apart(
    ends: tuple[int, int], taken: list[int], tmp_path: Path
) -> None:
    table = stored(rows([*ends, 1, 2, 3, 4, 2**40, 2**40 + 1]), tmp_path)
    spread = UnitSpread(Spread.GROUPS, (0, 1, 2, 4, 8), ASKED)
    found = found_in(table, [ASKED, spread])
    assert taken
    assert found == by_statements(table, [ASKED, spread])


@pytest.mark.usefixtures("unchanging", "sharing")
@pytest.mark.parametrize(
    ("neighbours", "rows"),
    [
        (Neighbours.ADD_REMOVE, HOSTILE),
        pytest.param(Neighbours.REPLACE, HOSTILE[-12:], marks=pytest.mark.slow),
    ],
    ids=["add_remove", "replace"],
)
def test_nothing_moves_farther_than_claimed(
    neighbours: Neighbours, rows: list[Row], taken: list[int]
) -> None:
    table = ln.read(arrow(rows), unit="who", neighbours=neighbours)
    found = audit_plan(everything(table, max_groups=2, max_rows=2), orders=1)
    assert not found.violated, str(found)
    assert any(each.reached for each in found.movements)
    assert taken


@pytest.mark.usefixtures("unchanging", "sharing", "taken")
def test_a_choice_by_numbers_is_refuted(sharing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of units that share bits shift when one of them leaves, and others' groups with it."""
    table = ln.read(rows(["ann", "bob", "eve", "kim"]), unit="who")
    asked = replace(ASKED, bounds=Bounds(max_groups=2, max_rows=1))
    assert not audit_measurements(table, [asked]).violated
    if not sharing:
        return
    told = by_words._Part._asked_hashes

    def by_number(self: Any, units: Any, shown: Fragment) -> Fragment:
        found = told(self, units, shown)
        return Fragment(found.text.replace("CAST(listed.u AS", "CAST(pairs.u AS"), found.parameters)

    monkeypatch.setattr(by_words._Part, "_asked_hashes", by_number)
    assert found_in(table, [asked]) != by_statements(table, [asked])


def test_tables_in_memory_have_no_list(taken: list[int]) -> None:
    """Somebody may write to them between the list and the words."""
    table = ln.read(rows(["ann", "bob"]), unit="who")
    assert measure(table, [ASKED])[0].totals[0].sum() > 0
    assert not taken


@pytest.mark.parametrize("units", [["ann", "eve"], ["ann", "bob", "eve"]])
def test_a_file_that_changes_after_the_list_is_refused(
    units: list[str], taken: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, listing = stored(rows(["ann", "bob"]), tmp_path), listed_units.ListedUnits._list

    def changing(self: Any, salt: int) -> Any:
        found = listing(self, salt)
        pq.write_table(rows(units), tmp_path / "rows.parquet")
        return found

    monkeypatch.setattr(listed_units.ListedUnits, "_list", changing)
    with pytest.raises(BackendError):
        measure(table, [ASKED])
    assert taken


@pytest.mark.parametrize("spoil", ["lacking", "twice"])
def test_a_list_that_has_not_every_unit_once_is_refused(
    spoil: str, taken: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else groups would be chosen by what memory held before."""
    table, whole = stored(rows(["ann", "bob", "eve"]), tmp_path), different

    def spoiled(*arguments: Any) -> Fragment:
        found = whole(*arguments)
        if spoil == "lacking":
            return fill("SELECT * FROM ({}) AS a WHERE u <> 'bob'", found)
        return fill("SELECT a.* FROM ({}) AS a, range(2) AS b", found)

    monkeypatch.setattr(listed_units, "different", spoiled)
    if spoil == "twice":
        monkeypatch.setattr(HashedUnits, "sharing", lambda each: fill(
            "SELECT u, h AS d FROM {} AS a LIMIT 0", each.listed))  # fmt: skip
    with pytest.raises(BackendError, match="other units than before") as caught:
        measure(table, [ASKED])
    assert taken
    assert "bob" not in str(caught.value)


def test_a_list_is_made_once_and_not_for_few_rows(
    taken: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = stored(rows(["ann", "bob", "eve"]), tmp_path)
    made, whole = [], different

    def counted(*arguments: Any) -> Fragment:
        made.append(1)
        return whole(*arguments)

    monkeypatch.setattr(listed_units, "different", counted)
    some = replace(ASKED, where=col("x") > 0)
    other = replace(ASKED, bounds=Bounds(max_groups=1, max_rows=1))
    wanted = by_statements(table, [some, ASKED, other])
    assert found_in(table, [some]) == wanted[:1]
    assert not taken
    assert not made
    assert found_in(table, [ASKED, some, other]) == [wanted[1], wanted[0], wanted[2]]
    assert len(taken) == 3
    assert len(made) == 1


@pytest.mark.parametrize(("bits", "is_enough"), [(6, False), (7, True), (9, True)])
def test_numbers_need_bits_to_spare(
    bits: int, is_enough: bool, taken: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four units, so that those which share bits still have a number each."""
    monkeypatch.setattr(UnitWords, "free_bits", bits)
    monkeypatch.setattr(by_words, "_LEAST_BITS", 0)
    table = stored(rows(["ann", "bob", "eve", "kim"]), tmp_path)
    found = found_in(table, [ASKED])
    assert bool(taken) is is_enough
    assert found == by_statements(table, [ASKED])


@pytest.mark.parametrize("spoil", ["one total", "all groups count", "few groups", "few rows"])
def test_a_list_is_not_made_for_few_pairs(
    spoil: str, taken: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, asked = stored(rows(["ann", "bob", "eve"]), tmp_path), ASKED
    if spoil == "one total":
        asked = Measurement(ASKED.aggregates, ASKED.bounds)
    if spoil == "all groups count":
        asked = replace(ASKED, bounds=Bounds(max_groups=5, max_rows=1))
    if spoil == "few groups":
        monkeypatch.setattr(by_words, "_MANY_GROUPS", 6)
    if spoil == "few rows":
        asked = replace(ASKED, keys=Keys.of("g", [2, 3, *range(7, 99)]))
    assert measure(table, [asked])[0].totals[0].sum() > 0
    assert not taken
    monkeypatch.setattr(by_words, "_MANY_GROUPS", 5)
    measure(table, [ASKED])
    assert taken


@pytest.mark.parametrize("spoil", ["in memory", "few groups"])
def test_texts_that_are_not_listed_are_not_counted(
    spoil: str, taken: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read them all is work of its own."""
    data, looks = rows(["ann", "bob", "eve"]), []
    table = ln.read(data, unit="who") if spoil == "in memory" else stored(data, tmp_path)
    if spoil == "few groups":
        monkeypatch.setattr(by_words, "_MANY_GROUPS", 6)
    monkeypatch.setattr(by_words.UnitSpan, "_look", lambda _: looks.append(1))
    assert measure(table, [ASKED])[0].totals[0].sum() > 0
    assert not looks
    assert not taken


@pytest.mark.parametrize("places", [2, 3])
def test_rows_that_leave_no_bits_for_units_are_asked_by_statements(
    places: int, taken: list[int], tmp_path: Path
) -> None:
    table = stored(rows(["ann", "bob", "eve"]), tmp_path)
    wide = [SumOf(col("x"), Grid(lower=-3 - place, upper=4, bits=22)) for place in range(places)]
    asked = replace(ASKED, aggregates=tuple(wide))
    found = found_in(table, [asked])
    assert not taken
    assert found == by_statements(table, [asked])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 2**58), max_size=12), st.integers(7, 62))
def test_no_two_units_have_one_number(hashes: list[int], bits: int) -> None:
    """Whatever their hashes are, equal ones included; and each is found by its own number."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE listed (u BIGINT, h UBIGINT)")
        connection.executemany("INSERT INTO listed VALUES (?, ?)", [[-1, 0], *enumerate(hashes)])
        units = HashedUnits(bits, 5, DUCKDB, Fragment("listed"))
        connection.execute(f"CREATE TABLE apart AS {units.sharing().text}")
        apart = dict(connection.execute("SELECT u, d FROM apart").fetchall())
        own = {u: h >> (65 - bits) for u, h in [(-1, 0), *enumerate(hashes)]}
        assert all((u in apart) is (list(own.values()).count(own[u]) > 1) for u in own)
        numbers = {u: apart.get(u, own[u]) for u in own}
        assert len(set(numbers.values())) == len(numbers)
        assert max(numbers.values()) < 2**bits
        among = replace(units, apart=Fragment("apart")).among(0, 2**bits)
        values = among.text.replace("?", "{}").format(*among.parameters)
        found = connection.execute(values).fetchall()
        for u, number in numbers.items():
            assert [each for each, d in found if d == number] == [u]
