"""A quick look at the large programs beside us: `make test-wide` tries them at length."""

from pathlib import Path

import pyarrow as pa
import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Key
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.measurement import Measurement
from tests.release.spark_cluster import alone
from tests.web import browser
from tests.web.pages import Page
from tests.web.running import running


@pytest.mark.wide  # Java alone takes as long as a thousand quick tests
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_spark_counts_what_duckdb_counts(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    who = [1, 1, 1, 1, 2, 2, 3, None]
    rows = pa.table({"who": who, "city": ["Oslo", "Oslo", "Oslo", "Bergen", "Oslo", None, "", "x"]})
    asked = Measurement(
        (CountRows(), CountUnits()), Bounds(max_groups=2, max_rows=2), (col("city"),)
    )
    with alone(tmp_path) as spark:
        if spark is None:
            pytest.skip("this machine has no Java to start Spark with")
        found = counts(read(spark.createDataFrame(rows), unit="who"), asked)
    assert found == counts(read(rows, unit="who"), asked)
    assert found["Oslo",] == [3, 2]
    assert len(found) == 3


def counts(table: Table, asked: Measurement) -> dict[tuple[Key, ...], list[int]]:
    (found,) = measure(table, [asked])
    return {key: list(map(int, each)) for key, *each in zip(found.rows, *found.totals, strict=True)}


@pytest.mark.skipif(browser.found() is None, reason=f"no Chromium: {browser.INSTALL}")
def test_the_explorer_answers_in_a_browser(tmp_path: Path) -> None:
    pytest.importorskip("selenium")
    with running(tmp_path) as address, browser.opened() as opened:
        page = Page(opened, address)
        page.open("choose")
        page.settled()
        assert page.text("grade").startswith("A")
        assert page.complaints() == []
