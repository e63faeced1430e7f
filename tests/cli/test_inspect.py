"""`leastnoise inspect` is exact, says loudly that it is, and leaves nothing behind."""

import json
from pathlib import Path

import pyarrow as pa

import leastnoise as ln
from leastnoise.ledger import Ledger
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.table import Table
from leastnoise.release.inspection import inspection
from leastnoise.release.plan import plan
from leastnoise.release.read import read
from tests.cli.plans import write_visits
from tests.cli.run import run

BAD = """x,Oslo,forty,1
,Oslo,200,2
7,Oslo,-1,cheap
7,Oslo
7,"Oslo
7,Oslo,0x10,1_000
"""


def plan_with_bad_rows(folder: Path) -> Path:
    place = write_visits(folder)
    with (folder / "visits.csv").open("a", encoding="utf-8") as file:
        file.write(BAD)
    return place


def test_every_count_is_exact(tmp_path: Path) -> None:
    shown = json.loads(run("inspect", "--json", plan_with_bad_rows(tmp_path)).output)
    found = {(each["what"], each["about"]): each["count"] for each in shown["counts"]}
    assert found == {
        ("rows", ""): 504,
        ("lines left out", ""): 2,
        ("rows without a unit", "patient"): 1,
        ("fields that do not parse", "age"): 2,
        ("fields that do not parse", "cost"): 2,
        ("values below 0", "age"): 1,
        ("values above 110", "age"): 1,
    }
    assert shown["private"] is False


def test_it_says_that_it_is_not_private_and_leaves_nothing(tmp_path: Path) -> None:
    place = plan_with_bad_rows(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    shown = run("inspect", place)
    assert shown.status == 0, shown.errors
    assert shown.output.startswith("NOT PRIVATE")
    assert shown.said.rpartition("NOT PRIVATE")[2].endswith("no budget pays for that.")
    assert "2" in next(line for line in shown.output.splitlines() if "lines left out" in line)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert Ledger(tmp_path / "budget.db").spent == ln.ApproxDP(epsilon=0, delta=0)
    assert "NOT PRIVATE" in run("inspect", "--help").output


def test_facts_about_columns_are_looked_at() -> None:
    data = pa.table({"who": [1, 2, None], "age": [5, 50, 500], "sex": ["F", "x", None]})
    plain = read(data, unit="who")
    facts = [
        ("age", ColumnFacts(lower=10, upper=100)),
        ("sex", ColumnFacts(values=["F", "M"], never_null=True)),
    ]
    table = Table(
        schema=plain.schema,
        unit="who",
        neighbours=plain.neighbours,
        location=plain.location,
        facts=facts,
    )
    found = {(each.what, each.about): each.count for each in inspection(plan(table))}
    assert found == {
        ("rows", ""): 3,
        ("rows without a unit", "who"): 1,
        ("values below 10", "age"): 1,
        ("values above 100", "age"): 1,
        ("values that are not declared", "sex"): 1,
        ("missing values, declared never to be", "sex"): 1,
    }
    assert all("1" not in repr(each) for each in inspection(plan(table))[1:2])


def test_a_preview_says_what_happens_to_fields_that_do_not_parse(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    assert "A field of age, cost that is not what was declared" in run("preview", place).output
    told = json.loads(run("preview", "--json", place).output)
    assert "leastnoise inspect" in told["notes"][0]
    text = place.read_text("utf-8").replace(
        "[output]", '[[question]]\nask = "unparsed"\n\n[output]'
    )
    place.write_text(text, "utf-8")
    shown = run("preview", place)
    assert shown.status == 0, shown.errors
    assert "unparsed rows" in shown.output
    assert "A field of" not in shown.output
