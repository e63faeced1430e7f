"""where = "…" in plans and in Python."""

from pathlib import Path

import pandas as pd
import pytest

from leastnoise import PureDP, col, plan, read
from leastnoise.errors import InvalidParameter
from leastnoise.release.file.plan_file import plan_file

VISITS = pd.DataFrame({"who": [1, 2, 3], "age": [10, 20, 30], "city": ["Oslo", "Oslo", "Voss"]})
TEXT = "age >= 18 and city in ('Oslo')"
MEANT = (col("age") >= 18) & col("city").isin(["Oslo"])

PLAN = """
[data]
path = "visits.csv"
unit = "who"
types = {who = "integer", age = "integer"}
[derive]
twice = "age * 2"
[bounds]
max_groups = 1
max_rows = 1
[budget]
spend = {epsilon = 1}
ledger = "budget.db"
[[question]]
ask = "count"
where = "WHERE"
[[question]]
ask = "share"
of = "city = 'Oslo'"
"""


def test_in_python() -> None:
    asked = plan(read(VISITS, unit="who"), max_rows=1, max_groups=1)
    assert asked.count(where=TEXT) == asked.count(where=MEANT)
    assert asked.share("city = 'Oslo'") == asked.share(col("city") == "Oslo")
    assert asked.share_units("AGE > 3") == asked.share_units(col("age") > 3)
    assert asked.histogram("age", lower=0, upper=9, parts=3, where=TEXT) == asked.histogram(
        "age", lower=0, upper=9, parts=3, where=MEANT
    )
    with pytest.raises(InvalidParameter, match="line 1, column 1: a column must be in the table"):
        asked.count(where="wage > 3")
    with pytest.raises(InvalidParameter, match="always true"):
        asked.count(where="1 = 1")


def made(where: str, folder: Path) -> object:
    VISITS.to_csv(folder / "visits.csv", index=False)
    return plan_file(PLAN.replace("WHERE", where), folder).plan.questions[0].groups.where


def test_in_a_plan(tmp_path: Path) -> None:
    assert made(TEXT, tmp_path) == MEANT
    assert made("twice > 30", tmp_path) == (col("age") * 2 > 30)
    found = plan_file(PLAN.replace("WHERE", TEXT), tmp_path)
    assert found.plan.preview(PureDP(epsilon=1))[1].question == "share with city = 'Oslo'"


def test_a_mistake_in_a_plan_has_both_places(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"plan:16:1: line 1, column 8: "):
        made("age >= oops", tmp_path)


def test_sql_is_loaded_when_first_used() -> None:
    import subprocess
    import sys

    code = (
        "import sys, leastnoise as ln; ln.plan; ln.read; ln.dataset\n"
        "assert 'sqlglot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
