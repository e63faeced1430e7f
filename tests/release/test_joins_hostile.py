"""Joins of hostile tables: collations, names that look like ours, types of many widths, doubles."""

import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise import col, dataset, read
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.location import Joined
from leastnoise.release.measure.backends.joined import JoinedSession
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.rows.per_unit import Total
from leastnoise.release.measure.sources import (
    OWNER,
    CountOf,
    MeanOf,
    Rows,
    Stored,
    SumOf,
    filtered,
    mapped,
    owned,
    per_unit,
    public,
    public_mapped,
    referring,
    tied,
    with_public,
)
from leastnoise.release.measure.sql.fragment import fill, joined
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.measurement import Measurement

BOUNDS = Bounds(max_groups=9, max_rows=9)


def stored(name: str, data: Any, **more: Any) -> Stored:
    found = read(data, unit=None, **more)
    return Stored(name, found.location, found.schema)  # type: ignore[arg-type]


def shown(rows: Rows) -> Counter[Any]:
    names = (OWNER, *rows.schema.names)
    with JoinedSession(Joined(rows)) as session:
        columns = joined(", ", (session.dialect.identifier(each) for each in names))
        query = fill("SELECT {} FROM {}", columns, session.scan(names))
        return Counter(session._engine._run(query).fetchall())  # type: ignore[attr-defined]


def counts(rows: Rows) -> list[int]:
    (found,) = measure(rows.table(), [Measurement((CountRows(), CountUnits()), BOUNDS)])
    return [int(each[0]) for each in found.totals]


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT.NOCASE", "de"])
def test_keys_and_owners_compare_by_bytes(collation: str, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as made:
        made.execute(f"CREATE TABLE people(id TEXT COLLATE {collation})")
        made.execute("INSERT INTO people VALUES ('a'), ('A'), ('ä')")
        made.execute(
            f"CREATE TABLE seen(visit TEXT COLLATE {collation}, who TEXT COLLATE {collation})"
        )
        made.execute("INSERT INTO seen VALUES ('x', 'a'), ('X', 'A'), ('y', 'A'), ('z', 'B')")
        made.execute(f"CREATE TABLE parts(of_visit TEXT COLLATE {collation})")
        made.execute("INSERT INTO parts VALUES ('x'), ('X'), ('Y')")
    people, seen, parts = (
        stored(name, tmp_path / "a.db", table=name) for name in ("people", "seen", "parts")
    )
    p = owned(people, "id")
    v = referring(seen, "who", p, "id")
    s = referring(parts, "of_visit", v, "visit")
    assert shown(s) == Counter({("a", "x"): 1, ("A", "X"): 1})
    assert shown(tied(p, v, how="anti")) == Counter({("ä", "ä"): 1})
    assert shown(per_unit(v, totals={"n": CountOf()})) == Counter(
        {("a", 1): 1, ("A", 2): 1, ("B", 1): 1}
    )
    assert counts(tied(v, p, on=[("who", "id")])) == [3, 2]


NAMES = ["u", "k0", "t0", "g0", "q0", "one", "%s", "?", "${x}", 'a"b', "a.b", "file", "x" * 80]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_look_like_ours_are_only_names(name: str) -> None:
    people = stored("people", pa.table({name: [1, 2], "city": ["Oslo", "Bergen"]}))
    seen = stored("seen", pa.table({"who": [1, 1, 3], "cost": [1.0, 2.0, 3.0]}))
    words = stored("words", pa.table({"word": ["Oslo"], "land": ["East"]}))
    p = owned(people, name, called="unit")
    v = referring(seen, "who", p, name)
    spent = per_unit(v, by={"g1": col("who")}, totals={"n0": CountOf(), "q1": CountOf(col("cost"))})
    rows = with_public(p, public(words), on=[("city", "word")], how="left")
    assert shown(tied(rows, spent, on=[(name, "g1")], how="left")) == Counter(
        {(1, 1, "Oslo", "Oslo", "East", 1, 2, 2): 1, (2, 2, "Bergen", *[None] * 5): 1}
    )
    assert shown(mapped(filtered(p, col(name) == 2), {"city": col(name)})) == Counter({(2, 2): 1})


@pytest.mark.parametrize("one", [pa.int8(), pa.uint32(), pa.int64(), pa.uint64()])
@pytest.mark.parametrize("other", [pa.int16(), pa.int64(), pa.uint64(), pa.decimal128(38, 0)])
def test_integers_of_any_width_are_equal_if_their_values_are(one: Any, other: Any) -> None:
    people = stored("people", pa.table({"id": pa.array([1, 2, None], one)}))
    seen = stored("seen", pa.table({"who": pa.array([1, 1, 3, None], pa.int64()).cast(other)}))
    p = owned(people, "id")
    v = referring(seen, "who", p, "id")
    assert counts(tied(p, v, on=[("id", "who")])) == [2, 1]
    assert counts(tied(p, mapped(v, {"w": col("who")}), how="anti")) == [1, 1]


def test_sums_per_unit_do_not_depend_on_the_order_of_rows() -> None:
    random = Random(7)
    values = [random.uniform(-1e6, 1e6) for _ in range(20_000)] + [1e300, -1e300, float("nan")]
    units = [place % 7 for place in range(len(values))]
    grid = Grid(lower=-1_000_000, upper=1_000_000, bits=10)
    found = set()
    for _ in range(3):
        order = np.array(random.sample(range(len(values)), len(values)))
        table = pa.table({"who": units, "x": values}).take(order)
        rows = owned(stored("t", table), "who")
        totals: dict[str, Total] = {"s": SumOf(col("x"), grid), "a": MeanOf(col("x"), grid)}
        found.add(frozenset(shown(per_unit(rows, totals=totals))))
    assert len(found) == 1
    places = Counter[int]()
    for unit, value in zip(units, values, strict=True):
        if not math.isnan(value):
            places[unit] += grid.place(Fraction(value))
    (told,) = found
    assert {row[0]: row[1] for row in told} == {u: total / 2**10 for u, total in places.items()}


def test_owners_named_by_wider_integers_than_the_key_holds_fail_nothing() -> None:
    """Names beyond 64 bits are nobody's in the parent; a cast of them to its type would fail."""
    people = owned(stored("people", pa.table({"id": pa.array([1, 2], pa.int64())})), "id")
    wide = pa.array([1, 2**63, 2**64 - 1, None], pa.uint64())
    seen = referring(stored("seen", pa.table({"who": wide})), "who", people, "id")
    each = per_unit(seen, by={"who": col("who")}, totals={"n": CountOf()})
    assert shown(each) == {(1, 1, 1): 1}
    assert counts(seen) == [1, 1]
    assert counts(tied(seen, seen, on=[("who", "who")], how="semi")) == [1, 1]
    assert counts(tied(people, seen, on=[("id", "who")], how="anti")) == [1, 1]


def test_a_file_is_not_public_here_and_private_there(tmp_path: Path) -> None:
    """One pattern may match a part of what another one does."""
    for name in ("one", "two"):
        pq.write_table(pa.table({"who": [1, 2], "town": ["a", "b"]}), tmp_path / f"{name}.parquet")
    seen = owned(stored("seen", tmp_path / "one.parquet"), "who")
    towns = public_mapped(public(stored("towns", tmp_path)), {"name": col("town")})
    with pytest.raises(InvalidParameter, match="must have one owner throughout"):
        with_public(seen, towns, on=[("town", "name")])
    other = public_mapped(public(stored("towns", tmp_path / "two.parquet")), {"name": col("town")})
    assert counts(with_public(seen, other, on=[("town", "name")])) == [2, 2]


@pytest.mark.parametrize("again", ["SEEN", ("main", "seen")])
def test_a_table_under_two_names_is_one(again: Any, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as made:
        made.execute("CREATE TABLE seen AS SELECT 1 AS who, 'a' AS town")
    seen = owned(stored("seen", tmp_path / "a.db", table="seen"), "who")
    towns = public_mapped(
        public(stored("towns", tmp_path / "a.db", table=again)), {"name": col("town")}
    )
    with pytest.raises(InvalidParameter, match="must have one owner throughout"):
        with_public(seen, towns, on=[("town", "name")])


def test_a_table_in_memory_under_two_declarations_is_one() -> None:
    data = pa.table({"who": [1, 2], "town": ["1", "2"]})
    seen = owned(stored("seen", data), "who")
    towns = public(stored("towns", data, types={"town": "integer"}))
    with pytest.raises(InvalidParameter, match="must have one owner throughout"):
        with_public(seen, public_mapped(towns, {"number": col("town")}), on=[("who", "number")])


@pytest.mark.parametrize("link", ["hardlink_to", "symlink_to"])
def test_a_file_under_a_second_name_is_one(link: str, tmp_path: Path) -> None:
    data = pa.table({"who": [1, 2], "town": ["a", "b"]})
    pq.write_table(data, tmp_path / "seen.parquet")
    with duckdb.connect(tmp_path / "seen.db") as made:
        made.execute("CREATE TABLE seen AS SELECT 1 AS who, 'a' AS town")
    for end, more in ((".parquet", {}), (".db", {"table": "seen"})):
        getattr(tmp_path / f"towns{end}", link)(tmp_path / f"seen{end}")
        seen = owned(stored("seen", tmp_path / f"seen{end}", **more), "who")
        towns = public(stored("towns", tmp_path / f"towns{end}", **more))
        with pytest.raises(InvalidParameter, match="must have one owner throughout"):
            with_public(seen, public_mapped(towns, {"name": col("town")}), on=[("town", "name")])


def test_a_private_file_under_a_public_name_is_not_even_looked_at(tmp_path: Path) -> None:
    """Whether its columns are unique is read before anything is joined."""
    pq.write_table(pa.table({"who": [1, 2], "town": ["a", "a"]}), tmp_path / "seen.parquet")
    (tmp_path / "towns.parquet").hardlink_to(tmp_path / "seen.parquet")
    said = {"seen": tmp_path / "seen.parquet", "towns": tmp_path / "towns.parquet"}
    data = dataset(tables=said, unit="seen.who", public=["towns"])
    with pytest.raises(InvalidParameter, match="must be public alone"):
        data.public_rows("towns")
