"""Large tables as sorted words: the same totals as by statements, and no unit bounded twice."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.auditing import audit_measurements, audit_plan
from leastnoise.errors import BackendError
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure import by_words, pair_totals, sorted_words, word_pairs
from leastnoise.release.measure.added_parts import AddedParts
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.step.aggregate import (
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from tests.auditing.test_plans import HOSTILE, everything
from tests.examples import examples
from tests.release.fuzz import (
    CITIES,
    FAR,
    NEAR,
    counted,
    knots,
    measurements,
    numbered,
    optional,
    rows_of,
)
from tests.release.reference import Row
from tests.release.test_prepare import SameSalt, told

KEYS = Keys.of("city", CITIES[:6])
COST = Grid(lower=-5, upper=100, bits=4)


def found_in(table: Table, asked: Sequence[Asked]) -> list[Any]:
    return [told(each) for each in measure(table, asked, source=SameSalt())]


def by_statements(table: Table, asked: Sequence[Asked]) -> list[Any]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(by_words, "MOST_ROWS", -1)
        return found_in(table, asked)


TRIES = pytest.mark.parametrize("tries", [14, pytest.param(400, marks=pytest.mark.slow)])


def public() -> st.SearchStrategy[Measurement]:
    return measurements().filter(lambda each: each.keys is not None or not each.by)


@st.composite
def with_spreads(draw: Any) -> list[Asked]:
    """Several measurements, and spreads of one of them."""
    asked = draw(st.lists(public(), min_size=1, max_size=3))
    kinds = st.sampled_from([each for each in Spread if each is not Spread.VALUES])
    own = [UnitSpread(draw(kinds), draw(knots(0)), draw(counted(asked[0]))) for _ in range(3)]
    return [*asked, *own]


@TRIES
@pytest.mark.parametrize("units", [NEAR, FAR, st.integers(-3, 3)], ids=["near", "far", "few"])
@pytest.mark.usefixtures("placed")
def test_totals_and_spreads_are_those_of_statements(
    tries: int, units: st.SearchStrategy[int], taken: list[int]
) -> None:
    passes = []

    @settings(max_examples=tries, deadline=None)
    @given(rows_of(optional(units)), with_spreads())
    def check(rows: list[Row], asked: list[Asked]) -> None:
        table = ln.read(numbered(rows * 2), unit="who")
        before = len(taken)
        found = found_in(table, asked)
        passes.append(len(taken) - before)
        assert found == by_statements(table, asked)

    check()
    assert units is FAR or sum(map(bool, passes)) >= len(passes) / 8


def many_rows(seed: int, path: Path) -> Table:
    """Some thousand rows with missing values of every kind; units have few groups, or many."""
    random, count = np.random.default_rng(seed), 4000
    units = (np.exp(random.uniform(0, 6, count)).astype(np.int64) - 50) * int(
        random.choice([1, 7919, 2**20])
    )
    cost = np.where(random.random(count) < 0.1, np.nan, random.normal(20, 60, count))
    columns = {
        "who": pa.array(units, mask=random.random(count) < 0.05),
        "city": pa.array([f"c{n}" for n in random.integers(0, 45, count)]),
        "year": pa.array(random.integers(0, 9, count), mask=random.random(count) < 0.1),
        "cost": pa.array(cost, mask=random.random(count) < 0.1),
    }
    pq.write_table(pa.table(columns), path / "rows.parquet", row_group_size=1000)
    return ln.read(path / "rows.parquet", unit="who")


def questions() -> list[Asked]:
    """Counts, sums and squares: of all rows and of some, in many groups, in few and in none."""
    cost, keys = col("cost"), Keys.of("city", [f"c{n}" for n in range(40)])
    all_kinds = (
        CountRows(),
        CountUnits(),
        *(kind(cost, COST) for kind in (SumOf, DistanceBelow, DistanceAbove, CountPresent)),
        SumFromCentre(cost, COST),
        SumOfSquares(cost, Grid(lower=0, upper=50, bits=3)),
        SumOf(col("year"), Grid(lower=2, upper=7, bits=1)),
    )
    by = (col("city"),)
    cut = Bin(col("year"), Grid(lower=0, upper=9), 3)
    some = Measurement(all_kinds, Bounds(max_groups=5, max_rows=3), by, keys)
    return [
        some,
        replace(some, where=col("cost") > 20),
        replace(some, bounds=Bounds(max_groups=2, max_rows=1), where=col("year").is_null()),
        Measurement(all_kinds[:4], Bounds(max_groups=1, max_rows=20)),
        *(
            Measurement(all_kinds, Bounds(max_groups=40, max_rows=2), by, keys, each)
            for each in (None, col("year") < 5, col("cost") < 0)
        ),
        Measurement(all_kinds[:4], Bounds(max_groups=3, max_rows=4), (*by, cut), keys),
        *(UnitSpread(of, (0, 1, 2, 4, 8, 64), some) for of in Spread if of is not Spread.VALUES),
        UnitSpread(Spread.LOST, (0, 3), replace(some, aggregates=(CountUnits(),))),
    ]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_many_rows_give_the_totals_of_statements(
    seed: int, tmp_path: Path, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, asked = many_rows(seed, tmp_path), questions()
    wanted = by_statements(table, asked)
    assert not taken
    assert any(sum(each[1][0][1:]) if each[0] is None else each for each in wanted)
    for part, first in ((400, 1), (2**20, 4), (1500, 0)):
        monkeypatch.setattr(sorted_words, "PART", part)
        monkeypatch.setattr(word_pairs, "_MANY", first)
        assert found_in(table, asked) == wanted
    assert len(taken) >= 3 * 5
    for piece, ends in ((300, 3), (40, 64)):  # words on disk
        monkeypatch.setattr(sorted_words, "HELD", 0)
        monkeypatch.setattr(sorted_words, "_PIECE", piece)
        monkeypatch.setattr(sorted_words, "_TOGETHER", 700)
        monkeypatch.setattr(sorted_words, "_MOST_ENDS", ends)
        assert found_in(table, asked) == wanted
    monkeypatch.setattr(pair_totals, "_FITTING", 0)  # numbers that arrays cannot hold
    assert found_in(table, asked) == wanted


@examples(60, 300)
@given(
    st.lists(st.integers(1, 12), max_size=8),
    st.integers(1, 4),
    st.sampled_from([0, 1, 4]),
    st.data(),
)
def test_the_groups_of_least_hashes_count(
    sizes: list[int], most: int, many: int, data: st.DataObject
) -> None:
    """By all bits, and groups with equal hashes in their own order."""
    units = np.repeat(np.arange(len(sizes)) * 3, sizes)
    hashed = st.sampled_from([0, 1, 2, 5, 2**40, 2**62, 2**63, 2**63 + 1, 2**64 - 1])
    hashes = np.array([data.draw(hashed) for _ in units], np.uint64)
    wanted = np.zeros(len(units), bool)
    for unit in set(units.tolist()):
        own = [int(place) for place in np.flatnonzero(units == unit)]
        wanted[sorted(own, key=lambda place: (int(hashes[place]), place))[:most]] = True
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(word_pairs, "_MANY", many)
        found = word_pairs.counting(units, most, lambda places: hashes[places])
    assert (np.ones(len(units), bool) if found is None else found).tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("hashes", "wanted"),
    [
        ([7, 7, 7, 7], [0, 1]),
        ([9, 7, 7, 7], [1, 2]),
        ([4, 3, 2, 1], [2, 3]),
        ([2**63 + 1, 2**63, 2**64 - 1, 2**63 + 2], [0, 1]),
        ([2**64 - 1, 2**64 - 1, 0, 2**64 - 1], [0, 2]),
        ([3 << 40, 2 << 40, 1 << 40, 2 << 40], [1, 2]),
    ],
)
@pytest.mark.parametrize("others", [0, 3])
def test_the_groups_of_least_hashes_count_also_where_they_are_near(
    hashes: list[int], wanted: list[int], others: int
) -> None:
    """Equal first bits decide nothing, and equal hashes are in the order of their groups."""
    units = np.repeat(np.arange(others + 1), 4)
    all_hashes = np.array([1, 2, 3, 4] * others + hashes, np.uint64)
    found = word_pairs.counting(units, 2, lambda places: all_hashes[places])
    assert found is not None
    assert np.flatnonzero(found[4 * others :]).tolist() == wanted
    assert found[: 4 * others].tolist() == [True, True, False, False] * others


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([0, 1, 2, 3, 2**20, 2**44 - 1]), max_size=40),
    st.integers(1, 9),
    st.sampled_from([0, 7, 20]),
    st.data(),
)
def test_no_unit_is_in_two_parts(
    units: list[int], size: int, low: int, data: st.DataObject
) -> None:
    below = [data.draw(st.integers(0, 2**low - 1)) for _ in units]
    rows = zip(units, below, strict=True)
    words = np.sort(np.array([(unit << low) + rest for unit, rest in rows], np.uint64))
    parts = [part.tolist() for part in word_pairs.parts_of_words(words, low, size)]
    assert [word for part in parts for word in part] == words.tolist()
    owners = [{word >> low for word in part} for part in parts]
    assert sum(map(len, owners)) == len(set(units))
    assert all(parts)
    for part, own in zip(parts, owners, strict=True):
        assert len(part) <= size or len(own) == 1


def hostile(rows: list[Row]) -> list[Row]:
    """Units are integers, of whom the least is in as many groups as any."""
    names = sorted({row["who"] for row in rows if row["who"] is not None})
    return [
        {**row, "who": None if row["who"] is None else names.index(row["who"]) * 7 - 3}
        for row in rows
    ]


@pytest.mark.parametrize(
    ("neighbours", "rows"),
    [
        (Neighbours.ADD_REMOVE, HOSTILE),
        (Neighbours.REPLACE, HOSTILE[-12:]),
        pytest.param(Neighbours.REPLACE, HOSTILE, marks=pytest.mark.slow),
    ],
    ids=["add_remove", "replace-few", "replace"],
)
@pytest.mark.usefixtures("placed")
def test_nothing_moves_farther_than_claimed(
    neighbours: Neighbours, rows: list[Row], taken: list[int]
) -> None:
    table = ln.read(numbered(hostile(rows)), unit="who", neighbours=neighbours)
    found = audit_plan(everything(table, max_groups=2, max_rows=2), orders=1)
    assert not found.violated, str(found)
    assert any(each.reached for each in found.movements)
    assert taken


def own_cities() -> tuple[Table, Measurement]:
    """Everybody has other cities, more than count."""
    own = {who: (CITIES[:6] * 2)[first : first + 4] for first, who in enumerate(range(6))}
    rows = [{**HOSTILE[0], "who": who, "city": city} for who in own for city in own[who] * 2]
    asked = Measurement((CountRows(),), Bounds(max_groups=2, max_rows=1), (col("city"),), KEYS)
    return ln.read(numbered(rows), unit="who"), asked


@pytest.mark.usefixtures("taken")
def test_a_choice_by_how_far_a_unit_is_above_the_least_is_refuted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It shifts when the least unit leaves, and then others' groups would change, too."""
    table, asked = own_cities()
    assert not audit_measurements(table, [asked]).violated
    kept = DuckDBSession.showing
    seen = []

    def above(self: DuckDBSession, columns: Any) -> Any:
        if set(columns) == {"i", "u", "k0"}:
            seen.append(1)
            columns = {**columns, "u": columns["u"] - least[0]}
        return kept(self, columns)

    least = [0]
    look = by_words.UnitSpan._look

    def looking(self: Any) -> Any:
        found = look(self)
        least[0] = 0 if found is None else found.least
        return found

    monkeypatch.setattr(by_words.UnitSpan, "_look", looking)
    monkeypatch.setattr(DuckDBSession, "showing", above)
    assert audit_measurements(table, [asked]).violated
    assert seen


@pytest.mark.parametrize("least", [1, -(2**40)])
def test_a_unit_beyond_the_ends_is_refused(
    least: int, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is released of a table that is not what it was at the first look."""
    table, asked = own_cities()
    bits = 64 - 3  # there are six groups
    span = by_words.Span(100, least, least + 2**bits - 1)
    monkeypatch.setattr(by_words.UnitSpan, "_look", lambda _: span)
    if least > 0:  # units begin with 0
        with pytest.raises(BackendError, match="DuckDB"):
            measure(table, [asked])
        return
    rows = [{**HOSTILE[0], "who": 2**62, "city": city} for city in CITIES[:6]]
    beyond = ln.read(numbered(rows), unit="who")
    with pytest.raises(BackendError, match="DuckDB"):
        measure(beyond, [asked])
    assert taken
    assert found_in(table, [asked]) == by_statements(table, [asked])


def test_more_rows_than_at_the_first_look_are_refused(
    taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, asked = own_cities()
    monkeypatch.setattr(by_words.UnitSpan, "_look", lambda _: by_words.Span(7, 0, 5))
    with pytest.raises(BackendError, match="DuckDB"):
        measure(table, [asked])
    assert taken


@pytest.mark.parametrize("spoil", ["too wide", "too many", "too few", "text file", "relation"])
def test_what_is_no_table_of_words_is_asked_by_statements(
    spoil: str, taken: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [{**HOSTILE[0], "who": who, "city": city} for who in range(6) for city in CITIES[:6]]
    table, asked = ln.read(numbered(rows), unit="who"), own_cities()[1]
    if spoil == "too wide":
        table = ln.read(numbered([*rows, {**rows[0], "who": 2**61}]), unit="who")
    if spoil == "too many":
        monkeypatch.setattr(by_words, "MOST_ROWS", len(rows) - 1)
    if spoil == "too few":
        monkeypatch.setattr(by_words, "LEAST_ROWS", len(rows) + 1)
    if spoil == "text file":
        numbered(rows).select(["who", "city"]).to_pandas().to_csv(tmp_path / "a.csv", index=False)
        table = ln.read(tmp_path / "a.csv", unit="who")
    if spoil == "relation":
        import duckdb

        data = numbered(rows)
        table = ln.read(duckdb.from_arrow(data), unit="who")
    assert measure(table, [asked])[0].totals[0].sum() >= 12
    assert not taken


def test_words_come_batch_by_batch(tmp_path: Path) -> None:
    """Of more rows than one batch has, each once; and no other kinds."""
    numbers = np.arange(300_000, dtype=np.int64)
    pq.write_table(pa.table({"n": numbers}), tmp_path / "n.parquet")
    table = ln.read(tmp_path / "n.parquet", unit=None)
    session: Any
    with opened(table.location) as session:
        scan = session.scan(("n",))
        words = Fragment(f"SELECT CAST(n AS UBIGINT) * CAST(? AS UBIGINT) AS w FROM {scan.text}",
                         (2**40, *scan.parameters))  # fmt: skip
        batches: list[Any] = []
        session.stream_words(words, lambda batch: batches.append(batch.copy()))
        assert len(batches) > 1
        assert (
            np.sort(np.concatenate(batches)).tolist()
            == (numbers.astype(np.uint64) * np.uint64(2**40)).tolist()
        )
        signed = Fragment(f"SELECT n FROM {scan.text}", scan.parameters)
        with pytest.raises(BackendError, match="DuckDB"):
            session.stream_words(signed, batches.append)
        failing = Fragment(f"SELECT CAST(n - 299999 AS UBIGINT) AS w FROM {scan.text}",
                           scan.parameters)  # fmt: skip
        with pytest.raises(BackendError, match="DuckDB") as error:
            session.stream_words(failing, batches.append)
        assert "299999" not in str(error.value)


def added(cells: int | None, *parts: Found) -> Found:
    sums = AddedParts(cells, 1)
    for each in parts:
        sums.add(each)
    return sums.found()


def test_totals_of_parts_are_exact_however_large() -> None:
    """And what is small in all parts but held as Python's integers in one stays exact, too."""
    large, small = np.array([2**62, 5]), np.array([2**62, -7])
    wide = np.array([2**80, 1], dtype=np.object_)
    for others, wanted in ((small, [2**63, -2]), (wide, [2**62 + 2**80, 6])):
        found = added(4, Found(([3, 1],), (large,)), Found((np.array([3, 1]),), (others,)))
        assert found.totals[0].tolist() == [0, wanted[1], 0, wanted[0]]
        assert np.asarray(found.keys[0]).tolist() == [0, 1, 2, 3]
        alone = [Found((), (each[:1],)) for each in (large, others)]
        assert added(None, *alone).keys == ()
        assert added(None, *alone).totals[0].tolist() == wanted[:1]
    few = np.array([1, 2], dtype=np.object_)
    found = added(5, Found(([3, 4],), (few,)), Found(([4, 1],), (few,)))
    assert found.totals[0].tolist() == [0, 2, 0, 1, 3]
    assert added(2).totals[0].tolist() == [0, 0]
    many = [Found(([0],), (np.array([2**60]),)) for _ in range(40)]
    assert added(1, *many).totals[0].tolist() == [40 * 2**60]
