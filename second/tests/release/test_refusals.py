"""Bad input of every kind: one sentence with what was found and what to do, and nothing is charged."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leastnoise as ln

UNIT = {"plane": "tailnum"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(
        pa.table({"tailnum": ["N1", "N2"], "carrier": ["AA", "B6"], "dep_delay": [1.5, 2.0], "month": [1, 2],
                  "dep delay": [1.0, 2.0], "day": pa.array(["2013-01-01", "x"])}),
        "flights.parquet",
    )  # fmt: skip
    pq.write_table(pa.table({"a": [1], "A": [2]}), "case.parquet")
    pq.write_table(pa.table({" u": [1]}), "blank.parquet")
    pd.DataFrame({"id": [1, 2], "cost": [1.5, 2.5]}).to_csv("visits.csv", index=False)
    Path("empty.csv").write_text("")
    Path("semicolon.csv").write_text("id;cost\n1;2,5\n")
    Path("latin.csv").write_bytes("id,by\n1,Troms\xf8\n".encode("latin1"))
    Path("broken.parquet").write_text("no parquet")
    Path("notes.txt").write_text("x")
    Path("sub").mkdir()
    return tmp_path


def flights() -> Any:
    return ln.read("flights.parquet", privacy_unit=UNIT)


def closed() -> Any:
    connection = duckdb.connect()
    connection.close()
    return connection


def ledger(**total: Any) -> ln.Ledger:
    return ln.Ledger.create(
        "f.ledger", privacy_unit="plane", **(total or {"epsilon": 6, "delta": 1e-6})
    )


def query(**aggregates: Any) -> Any:
    return flights().agg(max_contributions=4, **(aggregates or {"n": ln.count()}))


REFUSED: list[tuple[Callable[[], Any], str]] = [
    # reading
    (lambda: ln.read("flihgts.parquet", privacy_unit=UNIT), 'no file flihgts.parquet. Did you mean "flights.parquet"?'),
    (lambda: ln.read("sub", privacy_unit=UNIT), "is a folder"),
    (lambda: ln.read("*.nothing", privacy_unit=UNIT), "No file matches"),
    (lambda: ln.read("notes.txt", privacy_unit=UNIT), "neither Parquet nor CSV"),
    (lambda: ln.read("broken.parquet", privacy_unit=UNIT), "is no Parquet file"),
    (lambda: ln.read("empty.csv", privacy_unit=UNIT), "no first line"),
    (lambda: ln.read("case.parquet", privacy_unit="a"), "differ by case alone"),
    (lambda: ln.read("blank.parquet", privacy_unit=" u"), "Rename it"),
    (lambda: ln.read(42, privacy_unit=UNIT), "A source of type int cannot be read"),
    (lambda: ln.read([], privacy_unit=UNIT), "A source of type list cannot be read"),
    (lambda: ln.read([{"id": 1}], privacy_unit="id"), "A source of type list cannot be read"),
    (lambda: ln.read("latin.csv", privacy_unit="id"), "latin.csv is not in UTF-8"),
    (lambda: ln.read("semicolon.csv", privacy_unit="id"), 'Name the delimiter:  csv={"delimiter": ";"}'),
    (lambda: ln.read(closed(), table="t", privacy_unit="u"), "The connection is closed"),
    (lambda: ln.read({3: "flights.parquet"}, privacy_unit=UNIT), "3 is no name of a table"),
    (lambda: ln.read({"a": "flights.parquet"}, privacy_unit=UNIT, public="b.csv"), 'public is no dict. Write public={"cities": "cities.csv"}'),  # type: ignore[arg-type]
    (lambda: ln.read("visits.csv", privacy_unit="id", csv=";"), 'csv is no dict. Write csv={"delimiter": ";", "decimal": ","}'),  # type: ignore[arg-type]
    (lambda: ln.read("visits.csv", privacy_unit="id", columns=["cost"]), 'columns is no dict. Write columns={"cost": "number"}'),  # type: ignore[arg-type]
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"carrier": {"values": "AA"}}), 'Give a list: ["AA"]'),
    (lambda: ln.read(pd.DataFrame(), privacy_unit="u"), "data has no columns"),
    (lambda: ln.read(pd.DataFrame([[1, 2]]), privacy_unit="0"), "a column called 0, which is no text"),
    (lambda: ln.read(pd.DataFrame([[1, 2]], columns=["a", "a"]), privacy_unit="a"), 'two columns called "a"'),
    (lambda: ln.read("postgresql://x/y", privacy_unit=UNIT), "PostgreSQL cannot be read yet"),
    (lambda: ln.read("flights.parquet"), "Who is protected"),
    (lambda: ln.read("flights.parquet", privacy_unit="tailnm"), 'Did you mean "tailnum"?'),
    (lambda: ln.read("flights.parquet", privacy_unit=7), "Write privacy_unit="),
    (lambda: ln.read("flights.parquet", privacy_unit={"a": "b", "c": "d"}), "Write privacy_unit="),
    (lambda: ln.read("flights.parquet", privacy_unit="dep_delay"), "floats do not tell units apart"),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, table="x"), "table= is for connections"),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, csv={"delimiter": ";"}), "csv= is for text files"),
    (lambda: ln.read("visits.csv", privacy_unit="id", csv={"delimeter": ";"}), 'Did you mean "delimiter"?'),
    (lambda: ln.read("visits.csv", privacy_unit="id", csv={"delimiter": ";;"}), "Give one character"),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"carier": "text"}), 'Did you mean "carrier"?'),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"month": "numbr"}), 'Did you mean "number"?'),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"month": "date"}), "is declared as date"),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"month": {"typ": "x"}}), 'Did you mean "type"?'),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"month": {"range": [5, 1]}}), "is empty"),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"month": {"range": 5}}), "Give two ends"),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, columns={"carrier": {"range": [1, 2]}}), "Declare its type, too"),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, time_zone="Europe/Olso"), 'Did you mean "Europe/Oslo"?'),
    (lambda: ln.read("flights.parquet", privacy_unit=UNIT, data_version=""), "data_version is a name"),
    (lambda: ln.read(duckdb.connect(), privacy_unit="u"), "Which table of the connection"),
    (lambda: ln.read(duckdb.connect(), table="t", privacy_unit="u"), 'no table "t"'),
    (lambda: ln.read(pd.DataFrame({"id": [1.0, np.nan]}), privacy_unit="id"), 'astype("Int64")'),
    # rows and groups
    (lambda: flights().where("carier = 'AA'"), 'has no column "carier". Did you mean "carrier"?'),
    (lambda: flights().where("dep_delay"), "WHERE takes a condition"),
    (lambda: ln.read(pa.table({"id": [1], "at": pa.array([0], pa.timestamp("us", "UTC"))}), privacy_unit="id").where("at > '2020-01-01'"),
     'need one in which they are read:  ln.read(..., time_zone="Europe/Oslo")'),
    (lambda: flights().where(5), "where is a int. Write it as text"),
    (lambda: flights().where("carrier = 5"), 'Use values of one type. If carrier holds such values, declare it:\n  columns={"carrier": "integer"}'),
    (lambda: flights().where('carrier = "AA"'), "Text has single quotes: 'AA'."),
    (lambda: flights().where("day > DATE '2013-01-01'"), 'Declare it:\n  columns={"day": "date"}'),
    (lambda: flights().group_by(month="date_trunc('month', day)"), '\n  columns={"day": "date"}'),
    (lambda: flights().group_by("carier", groups=[1]), 'Did you mean "carrier"?'),
    (lambda: flights().group_by(), "group_by needs a column"),
    (lambda: flights().group_by("carrier").agg(max_contributions=1, n=ln.count()), "You know them:"),
    (lambda: flights().group_by("carrier", groups=[]).agg(max_contributions=1, n=ln.count()), "list of groups is empty"),
    (lambda: flights().group_by("carrier", groups=["AA", "AA"]).agg(max_contributions=1, n=ln.count()), "listed twice"),
    (lambda: flights().group_by("carrier", groups=["AA", 5]).agg(max_contributions=1, n=ln.count()), "5 is not one"),
    (lambda: flights().group_by(d="date_trunc('day', DATE '2013-01-01')", groups=["1/2/2013"]).agg(n=ln.count()), "Write it as '2013-01-31'"),
    (lambda: flights().group_by("month").agg(n=ln.count()), 'groups={"month": [1, 2]}'),
    (lambda: flights().group_by("dep_delay").agg(n=ln.count()), 'ln.bins("dep_delay", lower=0, upper=600, width=60)'),
    (lambda: flights().group_by("month", groups=["x"]).agg(max_contributions=1, n=ln.count()), "'x' is not one"),
    (lambda: flights().group_by("carrier", groups="AA").agg(n=ln.count()), 'Write a list: ["AA"], or groups="auto"'),
    (lambda: flights().group_by("carrier", groups={"carrier": "AA"}).agg(n=ln.count()), 'Write a list: ["AA"]'),
    (lambda: flights().group_by("month", groups=5).agg(max_contributions=1, n=ln.count()), "groups is no list"),
    (lambda: flights().group_by("dep_delay", groups=[1.5]).agg(max_contributions=1, n=ln.count()), "put into bins"),
    (lambda: flights().group_by("carrier", "month", groups=[1]).agg(max_contributions=1, n=ln.count()), "One list is not"),
    (lambda: flights().group_by("carrier", groups={"carier": []}).agg(max_contributions=1, n=ln.count()), "Did you mean"),
    (lambda: flights().group_by("carrier", "month", groups=[("AA",)]).agg(max_contributions=1, n=ln.count()), "A group has one value for each column, 2 in all"),
    (lambda: flights().group_by("month", groups=range(10**6 + 1)).agg(max_contributions=1, n=ln.count()), "are the most"),
    (lambda: flights().group_by(ln.bins("carrier", [1, 2])), "Bins are of numbers"),
    (lambda: ln.bins("x", [1]), "two at least"),
    (lambda: ln.bins("x", 5), "are a list"),  # type: ignore[arg-type]
    (lambda: ln.bins("x", [2, 1]), "must rise"),
    (lambda: ln.bins("x", lower=0, upper=1), "Bins need edges"),
    (lambda: ln.bins("x", lower=0, upper=1e9, width=1), "are the most"),
    # aggregates and limits
    (lambda: flights().agg(max_contributions=4), "Nothing is asked for"),
    (lambda: query(n=5), "Give an aggregate"),
    (lambda: flights().agg(ln.count()), "Give every answer a name:  .agg(rows=ln.count())"),
    (lambda: flights().group_by("month", groups=[1]).agg(ln.count()), "Give every answer a name"),
    (lambda: query(n=ln.mean("dep_delay")), "needs a range"),
    (lambda: query(n=ln.mean("dep_delay", lower=5, upper=5)), "lower must be below upper"),
    (lambda: query(n=ln.mean("dep_delay", lower="x", upper=5)), "Give a finite number"),
    (lambda: query(n=ln.mean("dep_delay", lower=float("nan"), upper=5)), "Give a finite number"),
    (lambda: query(n=ln.mean("carrier", lower=0, upper=5)), "Only numbers add up"),
    (lambda: query(n=ln.mean("dep_delya", lower=0, upper=5)), 'Did you mean "dep_delay"?'),
    (lambda: query(n=ln.share("dep_delay")), "is no condition"),
    (lambda: query(n=ln.count("month")), 'Write "month IS NOT NULL", or compare it: "month > 15".'),
    (lambda: query(n=ln.mean("month > 1", lower=0, upper=5)), "of type boolean. Only numbers add up. Ask for ln.share(...)"),
    (lambda: query(n=ln.mean("carrier", lower=0, upper=5)), 'columns={"carrier": "number"}'),
    (lambda: flights().sql("SELECT SUM(clip(carrier, 0, 9)) AS s FROM flights"), 'columns={"carrier": "number"}'),
    (lambda: flights().sql("SELECT QUANTILE(clip(month, 0, 9)) AS s FROM flights"), "Write QUANTILE(x, 0.9)"),
    (lambda: query(n=ln.mean("dep_delay * dep_delay * dep_delay * dep_delay * dep_delay * dep_delay", lower=0, upper=1)),
     "leave the range of double precision"),
    (lambda: ln.mean(), "missing a required argument"),
    (lambda: ln.mean("x", 0, 5), "too many positional arguments.  help(ln.mean)"),
    (lambda: ln.marginals(["a", "a"], ways=2), "ways is 2. Give at most the number of different columns, 1"),
    (lambda: ln.plan(budget_weight=[2], a=query()), 'budget_weight is no dict. Write budget_weight={"by_city": 2}'),  # type: ignore[arg-type]
    (lambda: flights().agg(max_per_group=2, n=ln.count()), "max_per_group needs max_contributions"),
    (lambda: flights().agg(max_contributions=0, n=ln.count()), "max_contributions is 0"),
    (lambda: flights().agg(max_contributions=2.5, n=ln.count()), "max_contributions is 2.5"),
    (lambda: flights().agg(max_contributions=2**21, n=ln.count()), "from 1 to 1,048,576"),
    (lambda: flights().agg(max_contributions=True, n=ln.count()), "max_contributions is True"),
    (lambda: flights().agg(max_contributions=2, max_per_group=3, n=ln.count()), "limits nothing"),
    (lambda: ln.read("flights.parquet", privacy_unit=ln.ROW).agg(max_contributions=2, n=ln.count()), "no limit is needed"),
    (lambda: flights().group_by("month", groups=[1]).agg(max_contributions=1, month=ln.count()), 'are called "month"'),
    (lambda: flights().agg(max_contributions=1, **{" n": ln.count()}), "cannot be called"),
    # ledgers and prices
    (lambda: query().preview("f.ledger", epsilon=1), "The ledger is a str"),
    (lambda: query().preview(epsilon=1), "Which ledger?"),
    (lambda: query().release(None, epsilon=1), "Which ledger?"),
    (lambda: query().needed_epsilon(margin=5, column="n"), "Which ledger?"),
    (lambda: query().preview("f.ledger", epsilon=1, on=pd.DataFrame({"tailnum": ["N1"]})), "The ledger is a str"),
    (lambda: query().preview(ledger(), epsilon=1, on=pd.DataFrame({"dep_delay": [1.0]})), 'flights has no column "tailnum" in these rows'),
    (lambda: ln.Ledger.create("f.ledger", epsilon=1, delta=0), 'a word in the singular: privacy_unit="patient"'),
    (lambda: query().release(ledger()), "epsilon is missing"),
    (lambda: query().release(ledger(), epsilon=0), "Give a number above 0"),
    (lambda: query().release(ledger(), epsilon=-1), "Give a number above 0"),
    (lambda: query().release(ledger(), epsilon=float("nan")), "Give a finite number"),
    (lambda: query().release(ledger(), epsilon="1/0"), "Give a finite number"),
    (lambda: query().release(ledger(), epsilon=True), "epsilon is True"),
    (lambda: ln.Ledger.create("a.ledger", privacy_unit="a plane", rho=1), 'privacy_unit is "a plane". Leave out "a".'),
    (lambda: query().needed_epsilon(ledger(), margin="2%", column="n"), "margin is '2%'. Give a finite number"),
    (lambda: query().release(ledger(), rho=1), "counts in epsilon"),
    (lambda: query().release(ledger(), epsilon=1, noise="laplce"), "noise is 'laplce'"),
    (lambda: query().release(ledger(), epsilon=1, analyst=5), "analyst is a name"),
    (lambda: query().preview(ledger(), epsilon=1, expected_rows=0), "expected_rows is 0"),
    (lambda: query().release(ln.Ledger.create("r.ledger", privacy_unit="plane", rho=1), epsilon=1), "counts in rho"),
    (lambda: query().release(ln.Ledger.create("p.ledger", privacy_unit="person", rho=1), rho=1), "protects each person"),
]  # fmt: skip


@pytest.mark.parametrize(("action", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_bad_input_is_refused(action: Callable[[], Any], message: str, folder: Path) -> None:
    with pytest.raises(ln.InvalidInput) as refused:
        action()
    assert message in str(refused.value)
    for file in folder.glob("*.ledger"):
        assert len(ln.Ledger(file).entries) == 0


def test_help_shows_what_is_typed() -> None:
    assert str(inspect.signature(ln.share)).startswith("(condition: str, where: str = None) -> ")


def test_what_does_not_fit_says_what_does(folder: Path) -> None:
    with pytest.raises(ln.BudgetExceeded) as refused:
        query().release(ledger(epsilon=1, delta=1e-6), epsilon=3, noise="gaussian")
    first, last = str(refused.value).split("\n")
    assert first.endswith("100 % is left. Nothing was read or charged.")
    assert last.startswith("The most that fits is epsilon ")


def test_answers_are_asked_for_by_name(folder: Path) -> None:
    result = (
        flights()
        .group_by("carrier", groups=["AA"])
        .agg(max_contributions=4, n=ln.count())
        .release(ledger(), epsilon=1)
    )
    for place, message in (
        (("AA", "m"), 'no column "m"'),
        (("A", "n"), "There is no group A. Groups: AA."),
        ("n", "Write result[<carrier>, 'n']"),
    ):
        with pytest.raises(ln.InvalidInput) as refused:
            result[place]
        assert message in str(refused.value)


def test_a_long_list_of_names_ends_in_how_many_more_there_are(folder: Path) -> None:
    table = pa.table({"g": ["a"], **{f"c{i:02}": [1] for i in range(21)}})
    data = ln.read({"t": table}, privacy_unit=ln.ROW)
    with pytest.raises(ln.InvalidInput, match=r"c18, c19, and 2 more\.\n"):
        data.sql("SELECT COUNT(*) AS n FROM t WHERE zzz > 3")
    rows = ln.Ledger.create("rows.ledger", privacy_unit="row", epsilon=6, delta=1e-6)
    for count, end in ((5, "d, e."), (7, "d, e, and 2 more.")):
        grouped = data["t"].group_by("g", groups=list("abcdefg")[:count])
        result = grouped.agg(n=ln.count()).release(rows, epsilon=1)
        with pytest.raises(ln.InvalidInput, match="There is no group z") as refused:
            result["z", "n"]
        assert str(refused.value).endswith(end)


def test_files_that_cannot_be_written_are_refused_in_words(folder: Path) -> None:
    plan = ln.plan(planes=query())
    assert repr(plan) == "planes: SELECT COUNT(*) AS n FROM flights"
    release = plan.release(ledger(), epsilon=1)
    with pytest.raises(ln.InvalidInput, match=r"no/n\.csv cannot be written: No such file"):
        release["planes"].to_csv("no/n.csv")
    with pytest.raises(ln.InvalidInput, match=r"notes\.txt cannot be written to: File exists"):
        release.save("notes.txt")


def test_no_message_shows_data(folder: Path) -> None:
    """A secret that stands in the data stands in no error, whatever fails."""
    secret = "N31415"
    pq.write_table(pa.table({"tailnum": [secret], "carrier": [secret]}), "flights.parquet")
    data = flights()
    Path("flights.parquet").write_bytes(Path("flights.parquet").read_bytes()[:-50])
    with pytest.raises(ln.LeastNoiseError) as failed:
        data.agg(max_contributions=1, n=ln.count("carrier = 'x'")).release(ledger(), epsilon=1)
    chain, error = "", failed.value
    while error is not None:
        chain += str(error)
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    assert secret not in chain
    assert "duckdb" not in chain.lower()
