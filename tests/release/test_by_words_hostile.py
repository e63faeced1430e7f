"""Words of tables that change, of units of every type, of odd names, and with too little memory."""

import datetime as dt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import BackendError
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure import by_words, part_pairs, sorted_words
from leastnoise.release.measure.backends import duckdb as sessions
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.word_stream import streamed_words
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from tests.examples import examples
from tests.release.test_by_words import by_statements, found_in

ASKED = Measurement(
    (CountRows(), CountUnits(), SumOf(col("x"), Grid(lower=-3, upper=4))),
    Bounds(max_groups=2, max_rows=2),
    (col("g"),),
    Keys.of("g", range(5)),
)


def rows(units: Any) -> dict[str, Any]:
    """Each unit in all groups, and some of them twice."""
    many = [unit for unit in units for _ in range(8)]
    return {
        "who": many,
        "g": [place % 5 for place in range(len(many))],
        "x": [place % 9 - 4 for place in range(len(many))],
    }


def frame(units: list[int]) -> Table:
    return ln.read(pa.table(rows(units)), unit="who")


ENDS = st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9) | st.sampled_from([2**60, 2**61])


@examples(50, 400)
@given(st.lists(ENDS, min_size=1, max_size=4, unique=True), ENDS, ENDS, st.integers(0, 40))
def test_whatever_the_first_look_said_totals_are_right_or_there_are_none(
    units: list[int], one: int, other: int, count: int
) -> None:
    """A unit beyond what was seen shares its bits with nobody."""
    table, said = frame(units), by_words.Span(count, min(one, other), max(one, other))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(OneRowUnits, "seems_large", True)
        patched.setattr(by_words.UnitSpan, "_look", lambda _: said)
        patched.setattr(sorted_words, "PART", 3)
        try:
            found = found_in(table, [ASKED])
        except BackendError:
            return
        patched.setattr(by_words.UnitSpan, "_look", lambda _: None)
        assert found == found_in(table, [ASKED])


@pytest.mark.parametrize("units", [[7, 8, 9], [0, 1, 2, 3], [-1, 1]])
def test_a_file_that_changes_after_the_first_look_is_refused(
    units: list[int], taken: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(rows([0, 1, 2])), path)
    table, look = ln.read(path, unit="who"), by_words.UnitSpan._look

    def looking(self: by_words.UnitSpan) -> Any:
        found = look(self)
        pq.write_table(pa.table(rows(units)), path)
        return found

    monkeypatch.setattr(by_words.UnitSpan, "_look", looking)
    with pytest.raises(BackendError):
        measure(table, [ASKED])
    assert taken


INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")


@pytest.mark.parametrize("kind", [*INTEGERS, "UBIGINT", "HUGEINT", "DECIMAL(12, 0)", "VARCHAR"])
def test_units_of_every_type_add_up_the_same(kind: str, taken: list[int], tmp_path: Path) -> None:
    """Only those that surely fit into 64 bits are words, and those that have numbers for it."""
    path, data = tmp_path / "rows.duckdb", pa.table(rows([0, 1, 3, 7]))
    with duckdb.connect(path) as database:
        database.register("data", data)
        database.execute(f"CREATE TABLE visits AS SELECT who::{kind} AS who, g, x FROM data")
    table = ln.read(path, table="visits", unit="who")
    found = found_in(table, [ASKED])
    assert bool(taken) is (kind in (*INTEGERS, "VARCHAR"))
    assert found == by_statements(table, [ASKED])


@pytest.mark.parametrize("place", ["pandas", "polars", "files", "database"])
def test_wherever_the_table_lies_it_adds_up_the_same(
    place: str, taken: list[int], tmp_path: Path
) -> None:
    """With values of all types bound in it, and marks of questions in texts and names."""
    data = rows([-5, 0, 1, 3, 2**40])
    count = len(data["who"])
    data['it\'s "?"'] = [("?", "it's ?", 'a"?')[place % 3] for place in range(count)]
    data["day"] = [dt.date(2020, 2, 28) + dt.timedelta(place % 4) for place in range(count)]
    data["met"] = [place % 7 < 5 for place in range(count)]
    whole = pa.table(data)
    table: Table
    match place:
        case "pandas":
            table = ln.read(whole.to_pandas(date_as_object=False), unit="who")
        case "polars":
            polars = pytest.importorskip("polars")
            table = ln.read(polars.from_arrow(whole), unit="who")
        case "files":
            paths = [tmp_path / "it's.parquet", tmp_path / "b.parquet"]
            for path, part in zip(paths, (whole[: count // 2], whole[count // 2 :]), strict=True):
                pq.write_table(part, path)
            table = ln.read(tmp_path / "*.parquet", unit="who")
        case _:
            with duckdb.connect(tmp_path / "a.duckdb") as database:
                database.register("data", whole)
                database.execute("CREATE TABLE visits AS SELECT * FROM data")
            table = ln.read(tmp_path / "a.duckdb", table="visits", unit="who")
    odd, days = col('it\'s "?"'), Bounds(max_groups=3, max_rows=1)
    met = True
    early = dt.datetime(2020, 3, 1) if place == "pandas" else dt.date(2020, 3, 1)
    asked: list[Asked] = [
        ASKED,
        Measurement(
            ASKED.aggregates, days, ASKED.by, ASKED.keys, (odd == "it's ?") | (col("met") == met)
        ),
        Measurement(ASKED.aggregates, days, ASKED.by, ASKED.keys, col("day") < early),
        Measurement((CountRows(),), days, (odd,), Keys.of(odd.name, ["?", "it's ?", 'a"?', "b"])),
        UnitSpread(Spread.GROUPS, (0, 1, 2, 4, 8), ASKED),
    ]
    found = found_in(table, asked)
    assert len(taken) >= 3
    assert found == by_statements(table, asked)


@pytest.mark.parametrize("at", ["words", "taken", "hashes", "later"])
def test_too_little_memory_for_arrays_leaves_a_pass_to_a_statement(
    at: str, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What NumPy says of it would tell how many rows there are."""
    table = frame([0, 1, 2])
    asked: list[Asked] = [ASKED, UnitSpread(Spread.GROUPS, (0, 1, 2, 4, 8), ASKED)]
    wanted = by_statements(table, asked)
    assert not taken

    def lacking(*_: object, **__: object) -> Any:
        raise MemoryError("24 rows")

    match at:
        case "words":
            short = SimpleNamespace(**{**vars(np), "empty": lacking})
            monkeypatch.setattr(sorted_words, "np", short)
        case "taken":
            monkeypatch.setattr(sorted_words._Held, "take", lacking)
        case "hashes":
            monkeypatch.setattr(sessions, "_arrays", lacking)
        case _:
            monkeypatch.setattr(part_pairs, "pairs_of", lacking)
    assert found_in(table, asked) == wanted
    assert taken


def test_too_little_memory_of_the_engine_makes_it_begin_anew_with_more(
    taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, limits = frame([0, 1, 2]), []
    wanted = by_statements(table, [ASKED])

    def lacking(*arguments: Any) -> None:
        limits.append(1)
        if len(limits) == 1:
            raise duckdb.OutOfMemoryException("24 rows")
        streamed_words(*arguments)

    monkeypatch.setattr(sessions, "streamed_words", lacking)
    assert found_in(table, [ASKED]) == wanted
    assert len(limits) == len(taken) == 2


def answers(query: str, most: int) -> int:
    with duckdb.connect() as connection:
        store = sorted_words._Held(most, 0, None)
        streamed_words(connection.sql(query), store.take)
        connection.execute("SELECT 1")  # nothing is left open
        return store._filled


@pytest.mark.parametrize(
    "column",
    [
        "CAST(i AS BIGINT)",
        "CAST(i AS UINTEGER)",
        "CAST(i AS DOUBLE)",
        "CASE WHEN i <> 5 THEN CAST(i AS UBIGINT) END",
        "CAST(NULL AS UBIGINT)",
        "CAST(i AS UBIGINT) AS w, 1",
    ],
)
def test_what_is_no_word_is_not_read_as_one(column: str) -> None:
    with pytest.raises(BackendError, match="must answer with words"):
        answers(f"SELECT {column} FROM range(9) AS numbers(i)", 9)
    assert answers("SELECT CAST(i AS UBIGINT) FROM range(0) AS numbers(i)", 0) == 0


def test_a_stream_that_is_too_long_is_left_and_closed() -> None:
    with duckdb.connect() as connection:
        many = connection.sql("SELECT CAST(i AS UBIGINT) FROM range(500000) AS numbers(i)")
        with pytest.raises(BackendError, match="more rows than before") as caught:
            streamed_words(many, sorted_words._Held(140_000, 0, None).take)
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
    assert "140" not in str(caught.value)


def test_a_frame_that_is_written_to_meanwhile_never_mixes_units(
    taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its totals are those of what it became, or there are none."""
    columns = {name: np.array(column) for name, column in rows([0, 1, 2, 3]).items()}
    data = pd.DataFrame(columns, copy=False)
    table, look = ln.read(data, unit="who"), by_words.UnitSpan._look

    def looking(self: by_words.UnitSpan) -> Any:
        found = look(self)
        columns["who"] += 4
        return found

    monkeypatch.setattr(by_words.UnitSpan, "_look", looking)
    found = found_in(table, [ASKED])
    assert taken
    assert found == by_statements(ln.read(pa.table(rows([4, 5, 6, 7])), unit="who"), [ASKED])


def test_a_session_of_another_kind_is_asked_by_statements(taken: list[int]) -> None:
    """Joined tables, and those with rows of their own beside, may show other rows."""

    class Other(DuckDBSession):
        pass

    table = frame([0, 1, 2])
    found = measure(table, [ASKED], opener=Other)  # type: ignore[arg-type]
    assert found[0].totals[0].sum() > 0
    assert not taken
