"""The same plan file on a cluster: one more line in it."""

import json
import sys
from pathlib import Path

import duckdb
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.release.file.plan_file import plan_file
from tests.cli.run import run
from tests.release.spark_cluster import Cluster

pytest.importorskip("pyspark")
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

PLAN = """
[data]
path = "visits.parquet"
unit = "who"
spark = "{address}"
[bounds]
max_groups = 1
max_rows = 2
[budget]
ledger = "budget.db"
total = {{epsilon = 200}}
spend = {{epsilon = 100}}
[[question]]
ask = "count"
by = "city"
keys = ["Oslo", "Bergen"]
[output]
folder = "out"
report = false
"""


def test_a_plan_file_on_a_cluster(tmp_path: Path, running: Cluster) -> None:
    with duckdb.connect() as database:
        rows = "SELECT i % 50 AS who, if(i % 2 = 0, 'Oslo', 'Bergen') AS city FROM range(150) t(i)"
        database.sql(rows).write_parquet(str(tmp_path / "visits.parquet"))
    running.session()  # with settings for a small machine; the plan finds it running
    (tmp_path / "plan.toml").write_text(PLAN.format(address=running.address), "utf-8")
    outcome = run("release", tmp_path / "plan.toml", "--begin", "--json")
    assert outcome.status == 0, outcome.errors
    (table,) = json.loads(outcome.output)["tables"]
    assert "Oslo" in json.dumps(table)


def test_without_spark_the_plan_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InvalidParameter, match=r"plan:2:1: a cluster needs Spark"):
        plan_file(PLAN.format(address="spark://nowhere:7077"), tmp_path)
