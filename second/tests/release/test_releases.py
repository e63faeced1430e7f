"""What users meet around a release: stored answers, versions, the choice of noise, what they see."""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leastnoise as ln

PEOPLE = 3000


@pytest.fixture
def visits(tmp_path: Path) -> pa.Table:
    random = np.random.default_rng(1)
    person = random.integers(0, PEOPLE, 20_000)
    return pa.table(
        {"id": person, "city": random.choice(["Oslo", "Bergen", "Voss"], 20_000).tolist(),
         "cost": random.gamma(2, 60, 20_000).round(2), "age": person % 90, "ok": person % 3 == 0}
    )  # fmt: skip


@pytest.fixture
def path(visits: pa.Table, tmp_path: Path) -> Path:
    pq.write_table(visits, tmp_path / "visits.parquet")
    return tmp_path / "visits.parquet"


@pytest.fixture
def ledger(tmp_path: Path) -> ln.Ledger:
    return ln.Ledger.create(tmp_path / "x.ledger", privacy_unit="person", epsilon=6, delta=1e-6)


def asked(source: Any, **options: Any) -> Any:
    data = ln.read(source, privacy_unit={"person": "id"}, **options)
    return data.group_by("city", groups=["Oslo", "Bergen"]).agg(max_contributions=12, n=ln.count())


def test_a_stored_answer_is_shown_again_and_costs_nothing(path: Path, ledger: ln.Ledger) -> None:
    first = asked(path).release(ledger, epsilon=1)
    second = asked(path).release(ledger, epsilon=1)
    assert first.rows == second.rows
    assert len(ledger.entries) == 1
    assert second.notes[0].code == "stored"
    third = asked(path).release(ledger, epsilon=1, again=True)
    assert third.rows != first.rows
    assert len(ledger.entries) == 2
    assert asked(path).release(ledger, epsilon=1).rows == third.rows


def test_the_same_words_about_columns_read_otherwise_are_another_release(
    tmp_path: Path, ledger: ln.Ledger
) -> None:
    text = tmp_path / "visits.csv"
    text.write_text("id;other;cost\n1;a;2,5\n2;b;3,5\n", encoding="utf-8")

    def charges(unit: str = "id", decimal: str = ",", **columns: Any) -> int:
        form = {"delimiter": ";", "decimal": decimal}
        cost = {"type": "number", "range": [0, 600]}
        data = ln.read(
            text, privacy_unit={"person": unit}, csv=form, columns={"cost": cost} | columns
        )
        data.sql("SELECT AVG(cost) AS c FROM visits WHERE cost > 1").release(ledger, epsilon=0.1)
        return len(ledger.entries)

    assert charges() == charges(other={"label": "x"}) == 1
    assert charges(id="integer") == 2
    assert charges(cost={"type": "integer", "range": [0, 600]}) == 3
    assert charges(cost={"type": "number", "range": [0, 100]}) == 4
    assert (charges(decimal="."), charges(unit="other"), charges()) == (5, 6, 6)
    assert charges(other="integer") == 6  # it is not used


def test_another_price_or_version_is_another_release(path: Path, ledger: ln.Ledger) -> None:
    for version, epsilon, noise in ((None, 1, "auto"), (None, 0.5, "auto"), ("1", 1, "auto"), ("2", 1, "auto"),
                                    (None, 1, "gaussian")):  # fmt: skip
        asked(path, data_version=version).release(ledger, epsilon=epsilon, noise=noise)
    assert len(ledger.entries) == 5


def test_a_changed_file_is_refused_unless_a_version_says_which_data(
    path: Path, visits: pa.Table, ledger: ln.Ledger
) -> None:
    first = asked(path, data_version="2026-11").release(ledger, epsilon=1)
    asked(path).release(ledger, epsilon=1)
    pq.write_table(visits.slice(5), path)
    with pytest.raises(
        ln.InvalidInput, match=r"visits has changed since(.|\n)*data_version=(.|\n)*entries\[2\]"
    ):
        asked(path).release(ledger, epsilon=1)
    assert len(ledger.entries) == 2
    assert asked(path, data_version="2026-11").release(ledger, epsilon=1).rows == first.rows
    exported = asked(path, data_version="2026-11").release(ledger, epsilon=1).to_json()
    assert "changed" not in exported


def test_a_frame_never_shows_a_stored_answer_without_a_version(
    visits: pa.Table, ledger: ln.Ledger
) -> None:
    first = asked(visits, data_version="a").release(ledger, epsilon=1)
    assert asked(visits, data_version="a").release(ledger, epsilon=1).rows == first.rows
    asked(visits).release(ledger, epsilon=1)
    with pytest.raises(
        ln.InvalidInput, match="a frame does not show whether its data have changed"
    ):
        asked(visits).release(ledger, epsilon=1)
    assert 'The guarantee is about the rows that "data" gives.' in [
        note.text for note in first.notes
    ]


def test_every_kind_of_source_gives_the_same_totals(visits: pa.Table, tmp_path: Path) -> None:
    """With a price so high that the noise is far below one row."""
    frame = visits.to_pandas()
    frame.to_csv(tmp_path / "visits.csv", index=False)
    frame.to_csv(tmp_path / "visits.csv.gz", index=False)
    frame.to_csv(tmp_path / "semi.csv", index=False, sep=";", decimal=",")
    pq.write_table(visits, tmp_path / "visits.parquet")
    pq.write_table(visits.slice(0, 9000), tmp_path / "part1.parquet")
    pq.write_table(visits.slice(9000), tmp_path / "part2.parquet")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE visits AS SELECT * FROM visits")
    numbers = {"cost": "number", "age": "integer", "ok": "boolean", "id": "integer"}
    text = {"columns": numbers}
    objects = frame.astype({"city": "object", "id": "object"})
    sources: list[tuple[Any, dict[str, Any]]] = [
        (visits, {}), (frame, {}), (pl.from_arrow(visits), {}), (pl.from_arrow(visits).lazy(), {}),
        (tmp_path / "visits.parquet", {}), (str(tmp_path / "part*.parquet"), {}),
        ([tmp_path / "part1.parquet", tmp_path / "part2.parquet"], {}),
        (tmp_path / "visits.csv", text), (tmp_path / "visits.csv.gz", text),
        (tmp_path / "semi.csv", text | {"csv": {"delimiter": ";", "decimal": ","}}),
        (connection, {"table": "visits"}), (connection.sql("SELECT * FROM visits"), {}),
        (objects, {}),
    ]  # fmt: skip
    found = []
    for number, (source, options) in enumerate(sources):
        data = ln.read(source, privacy_unit={"person": "id"}, **options)
        query = data.where("age >= 18").group_by("city", groups=["Oslo", "Voss"]).agg(
            max_contributions=40, n=ln.count(), people=ln.count_units(),
            cost=ln.mean("cost", lower=0, upper=600), ok=ln.share("ok"),
        )  # fmt: skip
        ledger = ln.Ledger.create(tmp_path / f"{number}.ledger", privacy_unit="person", rho=10**9)
        result = query.release(ledger, rho=10**9)
        found.append(
            [
                (round(r["n"]), round(r["people"]), round(r["cost"], 2), round(r["ok"], 3))
                for r in result.rows
            ]
        )
    assert all(each == found[0] for each in found), found
    oslo = frame[(frame.city == "Oslo") & (frame.age >= 18)]
    assert found[0][0][0] == len(oslo)
    assert found[0][0][1] == oslo.id.nunique()
    assert found[0][0][2] == pytest.approx(oslo.cost.clip(0, 600).mean(), abs=0.02)


def test_a_view_is_read_once_and_streamed(ledger: ln.Ledger) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE VIEW v AS SELECT i % 50 AS id, 'Oslo' AS city FROM range(500) r(i)")
    result = asked(connection.table("v")).release(ledger, epsilon=3)
    answer = result.intervals(level=1 - 1e-9)["Oslo", "n"]
    assert answer.low < 500 < answer.high + 200


def test_noise_auto_follows_its_three_lines(path: Path, tmp_path: Path) -> None:
    def law(ledger: ln.Ledger, **amount: Any) -> str:
        return str(asked(path).preview(ledger, **amount).choice.proposal.family)

    def new(**total: Any) -> ln.Ledger:
        name = tmp_path / f"{len(list(tmp_path.iterdir()))}.ledger"
        return ln.Ledger.create(name, privacy_unit="person", **total)

    assert law(new(epsilon=1, delta=0), epsilon="0.1") == "laplace"
    assert law(new(rho=1), rho="0.1") == "gaussian"
    assert law(new(epsilon=6, delta=1e-6), epsilon=3) == "gaussian"
    assert law(new(epsilon=6, delta=1e-6), epsilon="3.1") == "laplace"
    spent = new(epsilon=6, delta=1e-6)
    asked(path).release(spent, epsilon=4, noise="laplace")
    assert law(spent, epsilon=1) == "laplace"
    with pytest.raises(ln.BudgetExceeded, match="takes laplace noise only"):
        asked(path).release(spent, epsilon="0.1", noise="gaussian")
    with pytest.raises(ln.InvalidInput, match="delta 0 for ever"):
        asked(path).preview(new(epsilon=1, delta=0), epsilon="0.1", noise="gaussian")


def test_a_laplace_release_that_closes_the_ledger_says_so(path: Path, ledger: ln.Ledger) -> None:
    result = asked(path).release(ledger, epsilon=2, noise="laplace")
    assert "now accepts only Laplace noise" in result.notes[0].text
    assert repr(result.guarantee) == "PureDP(epsilon=2)"
    assert "laplace_only" not in [n.code for n in asked(path).release(ledger, epsilon=1).notes]
    spent = ln.Ledger.create(
        path.with_name("all.ledger"), privacy_unit="person", epsilon=1, delta=1e-6
    )
    asked(path).release(spent, epsilon=1, noise="laplace")
    assert "accepts only Laplace" not in repr(
        asked(path).release(spent, epsilon=1, noise="laplace")
    )


def test_a_trial_is_a_release_from_rows_about_nobody_and_costs_nothing(
    path: Path, ledger: ln.Ledger, visits: pa.Table
) -> None:
    query = asked(path)
    path.unlink()
    found = query.preview(ledger, epsilon=1, on=visits)
    assert repr(found).startswith("Trial of ")
    assert "Nothing was charged." in repr(found)
    assert len(ledger.entries) == 0


def test_the_whole_budget_can_be_spent(path: Path, tmp_path: Path) -> None:
    spent: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"epsilon": 1, "delta": 1e-6}, {"epsilon": 1, "noise": "gaussian"}),
        ({"epsilon": 1, "delta": 0}, {"epsilon": 1}),
        ({"rho": "0.1"}, {"rho": "0.1"}),
    ]
    for number, (total, amount) in enumerate(spent):
        ledger = ln.Ledger.create(tmp_path / f"{number}.ledger", privacy_unit="person", **total)
        asked(path).release(ledger, **amount)
        assert ledger.remaining.percent == 0
        with pytest.raises(ln.BudgetExceeded, match="Nothing fits any more"):
            asked(path).release(ledger, **(amount | {"again": True}))


def test_every_printed_line_has_at_most_80_columns(path: Path, ledger: ln.Ledger) -> None:
    data = ln.read(path, privacy_unit={"person": "id"})
    query = data.group_by("city", "ok", groups=["Oslo", "Bergen", "Voss"]).agg(
        max_contributions=30, visits=ln.count(), people=ln.count_units("age > 60"),
        cost=ln.mean("cost", lower=0, upper=600), dear=ln.share("cost > 250"),
    )  # fmt: skip
    shown = [data, query.preview(ledger, epsilon=1), query.release(ledger, epsilon=1), ledger]
    for each in shown:
        assert max(map(len, repr(each).splitlines())) <= 80, each


def test_one_row_of_answers_is_turned_on_the_screen_and_a_row_in_frames(
    path: Path, ledger: ln.Ledger
) -> None:
    data = ln.read(
        path, privacy_unit={"person": "id"}, columns={"cost": {"type": "number", "range": [0, 600]}}
    )
    result = data.agg(max_contributions=30, visits=ln.count(), cost=ln.mean("cost")).release(
        ledger, epsilon=1
    )
    lines = repr(result).splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("visits ", "cost "))] == [
        "visits",
        "cost",
    ]
    frame = result.to_pandas()
    assert list(frame.columns) == ["visits", "visits_low", "visits_high", "visits_se",
                                   "cost", "cost_low", "cost_high", "cost_se"]  # fmt: skip
    assert len(frame) == len(result.to_polars()) == result.to_arrow().num_rows == 1
    assert result["visits"].low <= result["visits"].value <= result["visits"].high


def test_exports(path: Path, ledger: ln.Ledger, tmp_path: Path) -> None:
    data = ln.read(path, privacy_unit={"person": "id"})
    result = (
        data.group_by("city", groups=["=1+1", "Oslo", None])
        .agg(max_contributions=30, n=ln.count())
        .release(ledger, epsilon=1)
    )
    result.to_csv(str(tmp_path / "out.csv"), integers=True)
    frame = pd.read_csv(tmp_path / "out.csv")
    assert frame.city[0] == "'=1+1"
    assert frame.n.dtype == np.int64
    with pytest.raises(ln.InvalidInput, match="exists"):
        result.to_csv(str(tmp_path / "out.csv"))
    rough = data.agg(max_contributions=30, n=ln.count()).release(ledger, epsilon=0.001)
    rough.to_csv(str(tmp_path / "rough.csv"))
    assert "." not in (tmp_path / "rough.csv").read_text("utf-8")  # whole numbers without a point
    data_of = json.loads(result.to_json())
    assert data_of["noise"]["law"] == "gaussian"
    assert data_of["guarantee"].startswith("GDP(mu=0.2")
    assert data_of["rows"][1]["city"] == "Oslo"
    assert all(math_is_finite(row["n_se"]) for row in data_of["rows"])
    assert "(missing)" in repr(result)
    assert repr(ledger.entries[1].result) == repr(result)


def math_is_finite(value: float) -> bool:
    return bool(np.isfinite(value))


def test_intervals_at_another_level(path: Path, ledger: ln.Ledger) -> None:
    result = asked(path).release(ledger, epsilon=1)
    wide, narrow = result["Oslo", "n"], result.intervals(level=0.5)["Oslo", "n"]
    assert wide.low < narrow.low < narrow.high < wide.high
    assert wide.value == narrow.value
    assert "50 % margins" in repr(result.intervals(0.5))


def test_a_preview_reads_no_data(path: Path, ledger: ln.Ledger) -> None:
    query = asked(path)
    path.unlink()
    assert "no data read" in repr(query.preview(ledger, epsilon=1))
    assert len(ledger.entries) == 0


def test_margins_of_the_preview_are_those_of_the_release(path: Path, ledger: ln.Ledger) -> None:
    data = ln.read(path, privacy_unit={"person": "id"})
    query = data.agg(
        max_contributions=30,
        n=ln.count(),
        cost=ln.mean("cost", lower=0, upper=600),
        ok=ln.share("ok"),
    )
    preview: Any = query.preview(ledger, epsilon=1, expected_rows=20_000)
    result = query.release(ledger, epsilon=1)
    assert preview.mechanisms == result.mechanisms
    for name in ("n", "cost", "ok"):
        answer = result[name]
        width = max(answer.high - answer.value, answer.value - answer.low)
        assert width == pytest.approx(preview.margin(name, 20_000), rel=0.4), name


@pytest.mark.parametrize("size", [0, 1, 3])
def test_tiny_tables_give_sensible_numbers(size: int, tmp_path: Path) -> None:
    """Negative noise stays a value, but no interval of a count goes below 0, and nothing is NaN."""
    table = pa.table(
        {"id": list(range(size)), "x": [1.0] * size},
        schema=pa.schema({"id": pa.int64(), "x": pa.float64()}),
    )
    ledger = ln.Ledger.create(tmp_path / "x.ledger", privacy_unit="person", epsilon=1, delta=1e-6)
    result = ln.read(table, privacy_unit={"person": "id"}).agg(
        max_contributions=1, n=ln.count(), x=ln.mean("x", lower=0, upper=3), ok=ln.share("x > 2")
    ).release(ledger, epsilon="0.1")  # fmt: skip
    for name in ("n", "x", "ok"):
        answer = result[name]
        assert answer.low >= 0
        assert np.isfinite([answer.value, answer.low, answer.high, answer.standard_error]).all()
    assert "imprecise" in repr(result)
