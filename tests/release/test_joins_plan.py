"""Plans about joined rows: what is released, what an audit finds, and what is read."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise import Keys, Ledger, PureDP, col, plan, read
from leastnoise.auditing.plans import audit_plan
from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.location import Joined, PostgresTable, place_of
from leastnoise.release.measure.backends.joined import JoinedSession
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sources import (
    OWNER,
    CountOf,
    Rows,
    Stored,
    SumOf,
    filtered,
    mapped,
    owned,
    per_unit,
    public,
    referring,
    tied,
    with_public,
)
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.measurement import Measurement

PATIENTS = pa.table({"id": [1, 2, 3, 4], "city": ["Oslo", "Bergen", "Oslo", "Oslo"]})
VISITS = pa.table(
    {
        "visit": [10, 11, 12, 13, 14, 14],
        "patient": pa.array([1, 1, 2, None, 2, 3], pa.int64()),
        "cost": [100.0, 200.0, float("nan"), 5.0, 50.0, 60.0],
    }
)
SAMPLES = pa.table({"of": [10, 10, 11, 12, 14, 99], "level": [1, 2, 3, 4, 5, 6]})
CITIES = pa.table({"name": ["Oslo", "Bergen"], "land": ["East", "West"]})


def stored(name: str, data: Any) -> Stored:
    found = read(data, unit=None)
    return Stored(name, found.location, found.schema)  # type: ignore[arg-type]


def patients() -> Rows:
    return owned(stored("patients", PATIENTS), "id", called="patients.id")


def visits() -> Rows:
    return referring(stored("visits", VISITS), "patient", patients(), "id")


def everything() -> Rows:
    """Samples with their visits, patients and cities: one row for each sample."""
    seen = tied(visits(), patients(), on=[("patient", "id")])
    where = with_public(seen, public(stored("cities", CITIES)), on=[("city", "name")])
    return referring(
        stored("samples", SAMPLES), "of", where, "visit", keep=["cost", "land", "patient"]
    )


def test_joined_rows_are_counted_where_they_belong() -> None:
    asked = Measurement(
        (CountRows(), CountUnits()), Bounds(max_groups=2, max_rows=9), (col("land"),)
    )
    (found,) = measure(everything().table(), [asked])
    totals = {key[0]: [int(t[i]) for t in found.totals] for i, key in enumerate(found.rows)}
    # Visit 14 is claimed by patients 2 and 3: its sample counts for both.
    assert totals == {"East": [4, 2], "West": [2, 1]}


def test_a_plan_about_joined_rows_is_released(tmp_path: Path) -> None:
    asked = (
        plan(everything().table(dataset="clinic"), max_groups=1, max_rows=4)
        .count(by="land", keys=Keys(["land"], ["East", "West"]))
        .mean("cost", lower=0, upper=500)
    )
    ledger = Ledger(tmp_path / "a.db", total=PureDP(epsilon=100), begin=True)
    made = asked.release(PureDP(epsilon=50), ledger=ledger)
    assert made.facts.unit == "patients.id"
    assert len(made.tables) == 2


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_an_audit_leaves_out_units_with_all_their_rows(how: str) -> None:
    joined = tied(patients(), visits(), on=[("id", "patient")], how=how)
    asked = (
        plan(joined.table(), max_groups=1, max_rows=2)
        .count(by="city", keys=Keys(["city"], ["Oslo", "Bergen"]))
        .sum("id", lower=0, upper=8)
    )
    found = audit_plan(asked)
    assert found, found
    assert any(each.moved.total for each in found.movements)


def test_an_audit_of_chains_and_totals() -> None:
    grid = Grid(lower=0, upper=500)
    spent = per_unit(visits(), totals={"n": CountOf(), "spent": SumOf(col("cost"), grid)})
    asked = (
        plan(tied(everything(), spent).table(neighbours="replace"), max_groups=2, max_rows=3)
        .count(by="land", keys=Keys(["land"], ["East", "West"]))
        .mean("spent", lower=0, upper=1000)
    )
    assert audit_plan(asked)


def test_an_audit_finds_a_join_that_repairs_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were keys with several owners left out, one patient's leaving would bring back two others."""
    people = owned(stored("patients", pa.table({"id": [1, 2, 3]})), "id")
    shared = pa.table({"visit": [7, 7, 8, 8], "patient": [1, 2, 1, 3]})
    seen = referring(stored("visits", shared), "patient", people, "id")
    rows = referring(stored("samples", pa.table({"of": [7, 8]})), "of", seen, "visit")
    asked = plan(rows.table(), max_groups=1, max_rows=1).count()
    assert audit_plan(asked)
    usual = JoinedSession._scan

    def repaired(session: JoinedSession, leaf: Stored, columns: tuple[str, ...]) -> Fragment:
        scan = usual(session, leaf, columns)
        if leaf.name != "visits":
            return scan
        kept = "(SELECT * FROM {} QUALIFY COUNT(*) OVER (PARTITION BY visit) = 1) AS repaired"
        return fill(kept, scan)

    monkeypatch.setattr(JoinedSession, "_scan", repaired)
    assert not audit_plan(asked)


def test_only_columns_that_are_needed_are_read(tmp_path: Path) -> None:
    pq.write_table(PATIENTS, tmp_path / "patients.parquet")
    pq.write_table(VISITS, tmp_path / "visits.parquet")
    people = owned(stored("patients", tmp_path / "patients.parquet"), "id", called="p")
    seen = referring(stored("visits", tmp_path / "visits.parquet"), "patient", people, "id")
    joined = tied(
        filtered(seen, col("cost") > 0),
        mapped(people, {"id": col("id"), "town": col("city")}),
        on=[("patient", "id")],
    )
    with JoinedSession(Joined(joined)) as session:
        assert session.rereads
        said = session.scan((OWNER,)).text
        assert '"cost"' in said
        assert '"visit"' not in said
        assert '"city"' not in said


def test_a_key_that_names_the_unit_needs_no_look_at_its_table() -> None:
    with JoinedSession(Joined(visits())) as session:
        assert "JOIN" not in session.scan((OWNER, "cost")).text
    assert len(visits().locations) == 1


def test_files_must_not_change(tmp_path: Path) -> None:
    for name, table in (("patients", PATIENTS), ("visits", VISITS)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    people = owned(stored("patients", tmp_path / "patients.parquet"), "id", called="p")
    seen = referring(stored("visits", tmp_path / "visits.parquet"), "patient", people, "id")
    joined = tied(seen, people, on=[("patient", "id")])
    with JoinedSession(Joined(joined)) as session:
        session.refuse_changed()
        pq.write_table(PATIENTS.slice(1), tmp_path / "patients.parquet")
        with pytest.raises(BackendError, match="change"):
            session.refuse_changed()
    pq.write_table(PATIENTS.drop(["city"]), tmp_path / "patients.parquet")
    asked = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1))
    with pytest.raises(BackendError, match="'patients' must have the columns"):
        measure(joined.table(), [asked])


def test_tables_must_be_on_one_engine() -> None:
    far = Stored("visits", PostgresTable("postgresql://nowhere", ("visits",)), visits().schema)
    joined = tied(referring(far, "patient", patients(), "id"), patients(), on=[("patient", "id")])
    with pytest.raises(InvalidParameter, match="one engine"):
        JoinedSession(Joined(joined))
    other = Stored("p", PostgresTable("postgresql://elsewhere", ("p",)), patients().schema)
    people = owned(other, "id")
    apart = tied(referring(far, "patient", people, "id"), people, on=[("patient", "id")])
    with pytest.raises(InvalidParameter, match="one database"):
        JoinedSession(Joined(apart))


def test_a_place_names_all_tables(tmp_path: Path) -> None:
    pq.write_table(PATIENTS, tmp_path / "patients.parquet")
    people = owned(stored("patients", tmp_path / "patients.parquet"), "id")
    assert "patients.parquet" in place_of(Joined(people))
    with pytest.raises(InvalidParameter, match="in memory"):
        place_of(Joined(patients()))
