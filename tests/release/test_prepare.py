"""Prepared tables: the same totals as from the table itself, and no unit counted twice."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.auditing import audit_measurements, audit_plan, neighbouring_tables
from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import PreparedFiles
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure import (
    by_ranges,
    chosen_pairs,
    sorted_words,
    unit_ranges,
    word_pairs,
)
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.measure.backends import duckdb as duckdb_backend
from leastnoise.release.measure.backends.prepared import PreparedSession
from leastnoise.release.measure.backends.variables import with_variables
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.prepared_folder import DATA, MANIFEST, checked_manifest
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.measure.sql.packed_rows import PackedRows
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf, SumOfSquares
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals
from tests.auditing.test_plans import HOSTILE, PUBLIC, everything
from tests.release.fuzz import (
    CITIES,
    SCHEMA,
    UNITS,
    arrow,
    histograms,
    measurements,
    optional,
    rows_of,
)
from tests.release.reference import Row

SALT = 0x3C6EF372FE94F82B & (2**63 - 1)


class SameSalt(ln.Source):
    """The same choice of groups in every call."""

    def bits(self, count: int) -> int:
        return SALT & ((1 << count) - 1)


def asked_of(table: Table, asked: Sequence[Asked]) -> list[tuple[Any, list[list[int]]]]:
    return [told(each) for each in measure(table, asked, source=SameSalt())]


def told(found: SecretTotals) -> tuple[Any, list[list[int]]]:
    """Groups in one order: private ones come in any."""
    rows = list(zip(found.rows, *(total.tolist() for total in found.totals), strict=False))
    if len(found.totals[0]) != len(found.rows):  # cells of histograms
        return found.rows, [total.tolist() for total in found.totals]
    return None, sorted(([*map(repr, key), *numbers] for key, *numbers in rows), key=repr)


def assert_same(table: Table, asked: Sequence[Asked]) -> None:
    """Both ways, group by group."""
    with TemporaryDirectory() as folder:
        copy = ln.prepare(table, Path(folder) / "copy")
        assert isinstance(copy.location, PreparedFiles)
        assert asked_of(copy, asked) == asked_of(table, asked)


@pytest.fixture
def in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several ranges, units too heavy to be packed, and first looks that are too short."""
    monkeypatch.setattr(unit_ranges, "_LIGHT", 2)
    monkeypatch.setattr(unit_ranges.unit_ranges, "__defaults__", (4,))
    monkeypatch.setattr(by_ranges, "_MOST_ROWS", 6)
    monkeypatch.setattr(by_ranges, "_MOST_WORDS", 9)
    monkeypatch.setattr(sorted_words, "PART", 4)
    monkeypatch.setattr(word_pairs, "_MANY", 1)
    monkeypatch.setattr(chosen_pairs, "_MANY", 1)


def fits(asked: Measurement | Histograms) -> bool:
    """Whether it can be asked at all: parts of one column may have come twice."""
    try:
        refuse_impossible(asked, SCHEMA)
    except InvalidParameter:
        return False
    return True


TRIES = pytest.mark.parametrize("tries", [5, pytest.param(60, marks=pytest.mark.slow)])


@TRIES
def test_totals_are_those_of_the_table_itself(tries: int) -> None:
    @settings(max_examples=tries, deadline=None)
    @given(
        rows_of(optional(UNITS)), st.lists((measurements() | histograms()).filter(fits), max_size=6)
    )
    def check(rows: list[Row], asked: list[Asked]) -> None:
        assert_same(ln.read(arrow(rows), unit="who"), asked)

    check()


@TRIES
@pytest.mark.usefixtures("in_small_parts")
def test_totals_are_the_same_in_whatever_parts(tries: int) -> None:
    @settings(max_examples=tries, deadline=None)
    @given(rows_of(optional(UNITS)), st.lists(measurements(), min_size=3, max_size=6))
    def check(rows: list[Row], asked: list[Asked]) -> None:
        assert_same(ln.read(arrow(rows), unit="who"), asked)

    check()


DAYS = [None, date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(9999, 12, 31)]


@settings(max_examples=4, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, -(2**63), 2**63 - 1, 0, 7]),
            st.sampled_from(DAYS),
            st.sampled_from([None, 2**64 - 1, 0]),
            st.sampled_from([None, datetime(1965, 3, 1, 5), datetime(2024, 5, 6, 7, 8, 9, 10)]),
            st.sampled_from([None, 0.0, -0.0, float("nan"), float("inf"), 1.5]),
        ),
        max_size=20,
    )
)
def test_numbers_dates_and_moments_are_copied_as_they_are(rows: list[tuple[Any, ...]]) -> None:
    """Under several columns that can name units: the copy goes by one, and serves the others."""
    columns = list(zip(*rows, strict=True)) or [()] * 5
    kinds = [pa.int64(), pa.date32(), pa.uint64(), pa.timestamp("us"), pa.float64()]
    data = pa.table(
        {name: pa.array(values, kind)
         for name, values, kind in zip(("n", "d", "u", "at", "x"), columns, kinds, strict=True)}
    )  # fmt: skip
    grid, days = Grid(lower=-1, upper=9), Keys.of("d", [each for each in DAYS if each])
    asked: list[Asked] = [
        Measurement(
            (CountRows(), CountUnits()), Bounds(max_groups=2, max_rows=2), (col("d"),), days
        ),
        Measurement(
            (SumOf(col("x"), grid), SumOfSquares(col("n"), grid)), Bounds(max_groups=1, max_rows=2)
        ),
        Measurement(
            (SumOf(col("u"), grid),),
            Bounds(max_groups=1, max_rows=3),
            where=col("at") < datetime(2000, 1, 1),
        ),
        Histograms((Grouping((col("d"),), days),), 2),
    ]
    for unit in ("n", "u"):
        assert_same(ln.read(data, unit=unit), asked)
    with TemporaryDirectory() as folder:
        ln.prepare(ln.read(data, unit="n"), Path(folder) / "copy")
        other = ln.read(Path(folder) / "copy", unit="u")
        assert asked_of(other, asked) == asked_of(ln.read(data, unit="u"), asked)


def shuffled_pairs(
    rows: list[tuple[int, int]], turn: dict[tuple[int, int], int], most: int | None
) -> tuple[dict[tuple[int, int], int], set[int]]:
    words = np.array([(unit << 31) + turn[unit, group] for unit, group in rows], np.int64)
    groups = np.array([group for _, group in rows], np.int64)
    found = chosen_pairs.chosen_pairs(words, lambda each: groups[each], most, 8)
    firsts = found.rows[found.starts]
    names = [(int(words[i] >> 31), int(groups[i])) for i in firsts]
    assert len(set(names)) == len(names), "a pair is there once"
    sums = found.sums(np.ones(len(found.rows), np.int64)).tolist()
    assert sums == found.sizes.tolist()
    return dict(zip(names, sums, strict=True)), set(found.undecided.tolist())


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from([None, 1, 2, 3]), st.sampled_from([1, 4]))
def test_the_groups_of_least_turns_are_chosen_in_any_order_of_rows(
    data: st.DataObject, most: int | None, many: int
) -> None:
    pairs = st.tuples(st.integers(0, 4), st.integers(0, 7))
    rows = data.draw(st.lists(pairs, max_size=60))
    # Few turns, so that groups share some, and among the largest there are.
    turns = st.sampled_from([0, 1, 2, 5, 2**20, 2**29, 2**30, 2**31 - 1])
    turn = {pair: data.draw(turns) for pair in sorted(set(rows))}
    wanted: dict[tuple[int, int], int] = {}
    clashing = set()
    for unit in {unit for unit, _ in rows}:
        own = sorted({(turn[unit, group], group) for of, group in rows if of == unit})
        chosen = own if most is None else own[:most]
        reached = own if most is None else own[: most + 1]
        if any(one[0] == other[0] for one, other in pairwise(own)):
            clashing.add(unit)
            if any(one[0] == other[0] for one, other in pairwise(reached)):
                continue
        for _, group in chosen:
            wanted[unit, group] = rows.count((unit, group))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chosen_pairs, "_MANY", many)
        found, undecided = shuffled_pairs(rows, turn, most)
    assert undecided <= clashing
    decided = {pair: count for pair, count in wanted.items() if pair[0] not in undecided}
    assert found == decided
    must = {unit for unit in {u for u, _ in rows} if not any(u == unit for u, _ in wanted)}
    assert must <= undecided


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.integers(1, 40), st.integers(1, 30)), st.integers(1, 50), st.integers(1, 99)
)
def test_every_unit_is_in_one_range(units: dict[int, int], size: int, more: int) -> None:
    made = unit_ranges.unit_ranges(units, size)
    rows = [n for n in sorted(units) for _ in range(units[n])]
    for ranges in (list(made), unit_ranges.merged(made, more)):
        numbers = [i for each in ranges for i in range(each.first, each.last + 1)]
        assert numbers == list(range(len(rows)))
        for each in ranges:
            own = rows[each.first : each.last + 1]
            assert (each.rows, each.most) == (sum(own), max(own))
            assert len(own) == 1 or each.rows <= max(size, more)


@pytest.mark.usefixtures("in_small_parts")
@pytest.mark.parametrize(
    ("neighbours", "rows"),
    [
        (Neighbours.ADD_REMOVE, HOSTILE[:-10]),  # of three units
        (Neighbours.REPLACE, HOSTILE[-12:]),  # of four, one of them among those three
        pytest.param(Neighbours.ADD_REMOVE, HOSTILE, marks=pytest.mark.slow),
        pytest.param(Neighbours.REPLACE, HOSTILE, marks=pytest.mark.slow),
    ],
    ids=["add_remove-few", "replace-few", "add_remove", "replace"],
)
def test_nothing_moves_farther_than_claimed_on_copies_of_neighbouring_tables(
    neighbours: Neighbours, rows: list[Row], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measure_on_copies(monkeypatch, tmp_path)
    table = ln.read(arrow(rows), unit="who", neighbours=neighbours)
    found = audit_plan(everything(table, max_groups=2, max_rows=2), orders=1)
    assert not found.violated, str(found)
    assert any(each.reached for each in found.movements)


@pytest.mark.usefixtures("in_small_parts")
def test_nothing_moves_farther_on_copies_of_odd_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measure_on_copies(monkeypatch, tmp_path)

    @settings(max_examples=2, deadline=None)
    @given(rows_of(UNITS), measurements())
    def check(rows: list[Row], measurement: Measurement) -> None:
        assert not audit_measurements(
            ln.read(arrow(rows), unit="who"), [measurement], orders=1
        ).violated

    check()


def test_a_choice_by_the_number_of_a_unit_is_refuted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Numbers shift when somebody leaves, and then others' groups would change, too."""
    measure_on_copies(monkeypatch, tmp_path)
    select = PackedRows.select

    def by_number(self: Any) -> Fragment:
        found = select(self)
        return Fragment(found.text.replace(", u, k0)", ", d, k0)"), found.parameters)

    monkeypatch.setattr(PackedRows, "select", by_number)
    # Everybody has other cities; who has fewest rows has the first number.
    own = {who: (CITIES[:6] * 2)[first : first + 4] for first, who in enumerate("abcdef")}
    rows = [
        {**HOSTILE[0], "who": who, "city": city}
        for again, who in enumerate("abcdef")
        for city in own[who] * (1 + again)
    ]
    asked = Measurement((CountRows(),), Bounds(max_groups=2, max_rows=1), (col("city"),), KEYS)
    assert audit_measurements(ln.read(arrow(rows), unit="who"), [asked]).violated
    monkeypatch.setattr(PackedRows, "select", select)
    assert not audit_measurements(ln.read(arrow(rows), unit="who"), [asked]).violated


KEYS = Keys.of("city", CITIES[:6])


def measure_on_copies(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    copies: dict[int, tuple[Any, Table]] = {}

    def on_copy(table: Table, asked: Sequence[Asked], **options: Any) -> list[SecretTotals]:
        data: Any = table.location
        if id(data) not in copies:
            copies[id(data)] = (data, ln.prepare(table, folder / str(len(copies))))
        return measure(copies[id(data)][1], asked, **options)

    monkeypatch.setattr(neighbouring_tables, "measure", on_copy)


def test_units_whose_groups_share_a_turn_are_decided_by_all_bits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [{**HOSTILE[0], "who": who, "city": city} for who in "abcde" for city in CITIES[:6] * 2]
    table = ln.read(arrow(rows), unit="who")
    copy = ln.prepare(table, tmp_path / "copy")
    asked = [
        Measurement(
            (CountRows(), CountUnits()), Bounds(max_groups=2, max_rows=1), (col("city"),), KEYS
        )
    ]
    assert asked_of(copy, asked) == asked_of(table, asked)
    select, seen = PackedRows.select, []

    def few_bits(self: Any) -> Fragment:
        found = select(self)
        text = found.text.replace(">> 33 AS BIGINT)", ">> 62 AS BIGINT)")
        seen.append(text != found.text)
        return Fragment(text, found.parameters)

    monkeypatch.setattr(PackedRows, "select", few_bits)
    assert asked_of(copy, asked) == asked_of(table, asked)
    assert seen
    assert all(seen)


@pytest.mark.parametrize("groups", [2, 6])
def test_conditions_are_told_apart_on_copies(tmp_path: Path, groups: int) -> None:
    """Each counts its own rows; where all groups count, they share a pass."""
    rows = [
        {**HOSTILE[0], "who": who, "city": city, "year": 2000 + n}
        for who in "abc"
        for city in CITIES[:6]
        for n in range(4)
    ]
    table = ln.read(arrow(rows), unit="who")
    copy = ln.prepare(table, tmp_path / "copy")
    limits = Bounds(max_groups=groups, max_rows=3)
    met = (col("year") < 2001, col("year") < 2003, col("year") == 2003)
    asked = [
        Measurement((CountRows(), CountUnits()), limits, (col("city"),), KEYS, each) for each in met
    ]
    assert asked_of(copy, asked) == asked_of(table, asked)
    totals = [each.totals[0].sum() for each in measure(copy, asked)]
    assert totals == [3 * groups, 3 * groups * 3, 3 * groups]


def test_units_with_few_rows_are_bounded_too(tmp_path: Path) -> None:
    same = [{**HOSTILE[0], "who": "ann", "city": "Oslo"}] * 3
    other = [{**HOSTILE[0], "who": "bob", "city": city} for city in CITIES[:3]]
    table = ln.read(arrow([*same, *other]), unit="who")
    copy = ln.prepare(table, tmp_path / "copy")
    for bounds, count in (((3, 1), 4), ((1, 3), 4), ((3, 3), 6), ((1, 1), 2), ((2, 2), 4)):
        limits = Bounds(max_groups=bounds[0], max_rows=bounds[1])
        asked = [Measurement((CountRows(), CountUnits()), limits, (col("city"),), KEYS)]
        asked += [Measurement((CountRows(),), limits, (col("city"),), KEYS, col("year") > 0)]
        assert asked_of(copy, asked) == asked_of(table, asked)
        assert measure(copy, asked)[1].totals[0].sum() == count


def test_a_copy_is_its_owners_alone_and_says_what_it_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = ln.prepare(visits(), tmp_path / "copy")
    finally:
        os.umask(before)
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
    for name in (DATA, MANIFEST):
        assert (tmp_path / "copy" / name).stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["copy"]
    assert sorted(os.listdir(tmp_path / "copy")) == sorted([DATA, MANIFEST])
    assert made.schema.names == ("who", "city", "at")
    assert (made.unit, made.dataset) == ("who", "visits")
    assert ln.read(tmp_path / "copy", unit="who", dataset="visits") == made


def visits() -> Table:
    data = pd.DataFrame(
        {
            "who": ["ann", "ann", "bob", None],
            "city": ["Oslo", "Oslo", "Ås", "Oslo"],
            "at": pd.to_datetime(["2024-01-01"] * 4),
            "stay": pd.to_timedelta([1, 2, 3, 4], "s"),
        }
    )
    return ln.read(data, unit="who", dataset="visits")


def changed_size(data: Path) -> None:
    data.write_bytes(data.read_bytes() + b"x")


def changed_bit(data: Path) -> None:
    found = bytearray(data.read_bytes())
    found[100] ^= 1
    data.write_bytes(found)


def gone(data: Path) -> None:
    data.unlink()


def changed_range(data: Path) -> None:
    manifest = data.with_name(MANIFEST)
    body = json.loads(manifest.read_text())
    body["ranges"][-1][0] -= 1
    manifest.write_text(json.dumps(body))


def no_manifest_of_ours(data: Path) -> None:
    data.with_name(MANIFEST).write_text('["something else"]')


@pytest.mark.parametrize(
    "change", [changed_size, changed_bit, gone, changed_range, no_manifest_of_ours]
)
def test_a_copy_that_was_changed_is_refused(change: Any, tmp_path: Path) -> None:
    made = ln.prepare(visits(), tmp_path / "copy")
    change(tmp_path / "copy" / DATA)
    for attempt in (
        lambda: measure(made, [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1))]),
        lambda: ln.read(tmp_path / "copy", unit="who"),
    ):
        with pytest.raises(BackendError, match="as it was made; this one was changed"):
            attempt()


def test_a_copy_that_is_replaced_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else ranges of the one would be used for the rows of the other."""
    made, look = ln.prepare(visits(), tmp_path / "copy"), checked_manifest

    def replaced(folder: str) -> Any:
        monkeypatch.setattr(duckdb_backend, "checked_manifest", look)
        ln.prepare(visits(), tmp_path / "copy", replace_existing=True)
        return look(folder)

    monkeypatch.setattr(duckdb_backend, "checked_manifest", replaced)
    with pytest.raises(BackendError, match="must not change"):
        measure(made, [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1))])


def test_a_copy_of_the_copy_is_read_once_more_and_taken(tmp_path: Path) -> None:
    made = ln.prepare(visits(), tmp_path / "copy")
    os.utime(tmp_path / "copy" / DATA, (1, 1))
    assert ln.read(tmp_path / "copy", unit="who").schema == made.schema


def test_another_format_is_refused(tmp_path: Path) -> None:
    ln.prepare(visits(), tmp_path / "copy")
    manifest = tmp_path / "copy" / MANIFEST
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(BackendError, match="format"):
        ln.read(tmp_path / "copy", unit="who")


def test_nothing_is_overwritten_unless_that_is_said(tmp_path: Path) -> None:
    ln.prepare(visits(), tmp_path / "copy")
    with pytest.raises(InvalidParameter, match="--replace"):
        ln.prepare(visits(), tmp_path / "copy")
    again = ln.prepare(visits(), tmp_path / "copy", replace_existing=True)
    assert measure(again, [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=9))])[
        0
    ].totals[0].tolist() == [3]
    other = tmp_path / "other"
    other.mkdir()
    for target in (other, tmp_path / "copy" / DATA):
        with pytest.raises(InvalidParameter, match="exists"):
            ln.prepare(visits(), target, replace_existing=True)
    with pytest.raises(InvalidParameter, match="folder that exists"):
        ln.prepare(visits(), tmp_path / "none" / "copy")


@pytest.mark.parametrize("step", ["write_copy", "write_manifest", "_put"])
def test_an_interrupted_copy_leaves_nothing(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leastnoise.release import prepare as module  # the function has its name, too

    def interrupted(*_: Any) -> None:
        assert all(not name.endswith(MANIFEST) for name in os.listdir(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr(module, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        ln.prepare(visits(), tmp_path / "copy")
    assert os.listdir(tmp_path) == []


def test_a_process_that_ends_during_a_copy_leaves_nothing(tmp_path: Path) -> None:
    """As of a server that is told to end while one of its threads copies."""
    program = """
import sys, threading, pandas as pd, leastnoise as ln
from leastnoise.release import prepare as preparing
ready = threading.Event()
def waiting(*_):
    ready.set()
    threading.Event().wait()
preparing.write_manifest = waiting
table = ln.read(pd.DataFrame({"who": [1, 1, 2]}), unit="who")
threading.Thread(target=ln.prepare, args=(table, sys.argv[1]), daemon=True).start()
ready.wait()
"""
    words = [sys.executable, "-c", program, str(tmp_path / "copy")]
    assert subprocess.run(words, check=False, timeout=100).returncode == 0
    assert not list(tmp_path.iterdir())


def test_a_computed_table_is_looked_at_once(tmp_path: Path) -> None:
    connection = duckdb.connect()
    relation = connection.sql(
        "SELECT 'u' || CAST(random() * 30 AS INT) AS who, 1 AS n FROM range(400)"
    )
    made = ln.prepare(ln.read(relation, unit="who"), tmp_path / "copy")
    counted = measure(made, [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=400))])
    assert counted[0].totals[0].tolist() == [400]
    missing = col("who").is_null()
    rows = ln.read(tmp_path / "copy", unit=None)
    counted = measure(
        rows, [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), where=missing)]
    )
    assert counted[0].totals[0].tolist() == [0]


def test_text_files_keep_their_flags_and_zones(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text("who,n,at\nann,1,2024-01-01T00:30:00Z\nann,x,2024-01-01T00:30:00Z\nbob,,\n")
    types = {"n": "integer", "at": "moment with a zone"}
    table = ln.read(file, unit="who", types=types, zone="America/New_York")
    made = ln.prepare(table, tmp_path / "copy")
    assert made.schema == table.schema
    early = Measurement(
        (CountRows(),), Bounds(max_groups=1, max_rows=9), where=col("at") < datetime(2024, 1, 1)
    )
    assert asked_of(made, [early]) == asked_of(table, [early])
    plans_of = [ln.plan(each, max_rows=5).unparsed(["n"]) for each in (table, made)]
    counted = [
        asked_of(plan.table, plan.questions[0].measurements(plan.bounded)) for plan in plans_of
    ]
    assert counted[0] == counted[1]


def test_tables_on_other_engines_are_refused(tmp_path: Path) -> None:
    made = ln.prepare(visits(), tmp_path / "copy")
    with pytest.raises(InvalidParameter, match="of files, in memory or in a DuckDB file"):
        ln.prepare(made, tmp_path / "again")


def test_every_row_a_unit_is_a_plain_copy(tmp_path: Path) -> None:
    table = ln.read(arrow(HOSTILE), unit=None)
    made = ln.prepare(table, tmp_path / "copy")
    keys = Keys.of("city", PUBLIC)
    asked = [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (col("city"),), keys)]
    assert asked_of(made, asked) == asked_of(table, asked)


def test_types_are_settled(tmp_path: Path) -> None:
    """Else "7" and "007" could become one unit that the copy holds as two."""
    ln.prepare(visits(), tmp_path / "copy")
    with pytest.raises(InvalidParameter, match="types"):
        ln.read(tmp_path / "copy", unit="who", types={"who": "integer"})


NOT_UTF8 = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 3], np.int32)), pa.py_buffer(b"a\xff\xfe")]
)


@pytest.mark.parametrize("unit", ["who", "word", None])
def test_text_that_could_not_be_read_again_is_not_copied(unit: str | None, tmp_path: Path) -> None:
    """One such field would make every release of the copy fail."""
    table = ln.read(pa.table({"who": [1, 2], "word": NOT_UTF8}), unit=unit)
    with pytest.raises(BackendError, match="Text that is not UTF-8"):
        ln.prepare(table, tmp_path / "copy")
    assert not list(tmp_path.iterdir())


def test_integers_that_do_not_fit_are_named(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "wide.duckdb") as database:
        database.execute("CREATE TABLE wide AS SELECT 1 AS who, CAST(1.5e38 AS HUGEINT) AS x")
    table = ln.read(tmp_path / "wide.duckdb", table="wide", unit="who")
    with pytest.raises(BackendError, match="more than 38 digits"):
        ln.prepare(table, tmp_path / "copy")


def test_hostile_names_of_columns_are_only_names(tmp_path: Path) -> None:
    names = ["a?", "b'?", 'c"?"', "u", "n", "d", "k0", "w", "x0"]
    data = pa.table({name: [1, 2, 2, 3, 3, 3] for name in names})
    table = ln.read(data, unit="d")
    asked = [
        Measurement(
            (CountRows(), SumOf(col(name), Grid(lower=0, upper=3))),
            Bounds(max_groups=1, max_rows=2),
            (col(name),),
            Keys.of(name, [1, 2, 3]),
            col("u") > 0,
        )
        for name in names
    ]
    made = ln.prepare(table, tmp_path / "copy")
    assert asked_of(made, asked) == asked_of(table, asked)


def test_markers_inside_quotes_are_no_markers() -> None:
    query = Fragment('SELECT "a?", \'?\'\'?\', ? FROM "b""?" WHERE x = ?', (1, 2))
    assert with_variables(query) == (
        "SELECT \"a?\", '?''?', getvariable('leastnoise_0') FROM \"b\"\"?\" "
        "WHERE x = getvariable('leastnoise_1')"
    )


def test_a_plan_on_a_copy_goes_by_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And looks for units with several rows nowhere."""
    seen: dict[str, int] = defaultdict(int)
    arrays, fetch = PreparedSession.arrays, PreparedSession.fetch
    monkeypatch.setattr(
        PreparedSession, "arrays", lambda *a: (seen.update(a=seen["a"] + 1), arrays(*a))[1]
    )
    monkeypatch.setattr(
        PreparedSession, "fetch", lambda *a: (seen.update(f=seen["f"] + 1), fetch(*a))[1]
    )
    made = ln.prepare(ln.read(arrow(HOSTILE), unit="who"), tmp_path / "copy")
    keys = Keys.of("city", PUBLIC)
    measure(
        made, [Measurement((CountRows(),), Bounds(max_groups=2, max_rows=2), (col("city"),), keys)]
    )
    assert dict(seen) == {"a": 1, "f": 2}


def test_a_path_is_no_table(tmp_path: Path) -> None:
    wrong: Any = "visits.parquet"
    with pytest.raises(InvalidParameter, match=r"must be a table; got a str\. Write prepare\(read"):
        ln.prepare(wrong, tmp_path / "copy")
