"""Tasks that fail, are slow, or lose what they wrote: totals are the same, or there is none."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.backends.spark_lost import _attempts, refuse_lost
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.measurement import Measurement
from tests.release.spark_cluster import Cluster

pytest.importorskip("pyspark")
# PySpark warns of the newest pandas, which nothing here makes it use.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

KEYS = Keys.cross(city=[f"g{i}" for i in range(4)])
# All groups of a unit count, so that totals do not hang on the salt.
ASKED = Measurement(
    (CountRows(), CountUnits()), Bounds(max_groups=4, max_rows=2), (col("city"),), KEYS
)
ROWS = "SELECT id % 50 AS who, concat('g', id % 4) AS city FROM range(0, 1000, 1, 4)"


def totals(frame: Any) -> list[list[int]]:
    (found,) = measure(read(frame, unit="who"), [ASKED])
    return [each.tolist() for each in found.totals]


def failing_once(marks: str) -> Any:
    """Rows as they are; the first attempt of every task dies after its first batch."""

    def passed(batches: Iterator[Any]) -> Iterator[Any]:
        import os
        from pathlib import Path

        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        mark = Path(marks) / f"{context.partitionId()}-{context.attemptNumber()}"
        mark.touch()
        for batch in batches:
            yield batch
            if context.attemptNumber() == 0:
                os._exit(1)

    return passed


def test_tasks_that_die_midway_count_once(spark: Any, tmp_path: Path) -> None:
    rows = spark.sql(ROWS)
    dying = rows.mapInArrow(failing_once(str(tmp_path)), rows.schema)
    assert totals(dying) == totals(rows)
    tried = {each.name.partition("-")[2] for each in tmp_path.iterdir()}
    assert tried >= {"0", "1"}


@contextmanager
def files_lost(folder: Path) -> Iterator[list[Path]]:
    """The first file that tasks write for others is gone before these can read it."""
    lost: list[Path] = []
    before, done = set(folder.rglob("shuffle_*.data")), threading.Event()

    def lose() -> None:
        while not done.is_set() and not lost:
            for each in folder.rglob("shuffle_*.data"):
                if each not in before:
                    each.unlink(missing_ok=True)
                    lost.append(each)
                    return
            time.sleep(0.001)

    thread = threading.Thread(target=lose)
    thread.start()
    try:
        yield lost
    finally:
        done.set()
        thread.join()


def test_lost_parts_are_computed_anew_from_files_alone(
    spark: Any, running: Cluster, tmp_path: Path
) -> None:
    rows, place = spark.sql(ROWS), f"{tmp_path}/rows"
    rows.write.parquet(place)
    stays, wanted = spark.read.parquet(place), totals(rows)
    local = Path(running.folder) / "local"
    with files_lost(local) as lost:
        assert totals(stays) == wanted
    assert lost
    computed = rows.selectExpr("who", "concat(city, '') AS city")
    with files_lost(local) as lost, pytest.raises(BackendError, match="computed once"):
        totals(computed)
    assert lost
    assert totals(computed) == wanted


@pytest.mark.parametrize("name", ["spark.ui.retainedJobs", "spark.ui.retainedStages"])
def test_sessions_that_forget_their_parts_are_refused(name: str) -> None:
    said = {name: "199"}
    context: Any = SimpleNamespace(getConf=lambda: said)
    refused = pytest.raises(InvalidParameter, match=f"got {name}=199. Start it with 200")
    with refused, refuse_lost(context):
        pass


KEPT = SimpleNamespace(stageIds=[1], currentAttemptId=0)


@pytest.mark.parametrize(
    ("job", "stage", "lost"),
    [
        (KEPT, KEPT, False),
        (None, KEPT, True),
        (KEPT, None, True),
        (KEPT, SimpleNamespace(currentAttemptId=1), True),
    ],
)
def test_what_is_not_remembered_counts_as_lost(job: Any, stage: Any, lost: bool) -> None:
    tracker = SimpleNamespace(
        getJobIdsForGroup=lambda _: [7], getJobInfo={7: job}.get, getStageInfo={1: stage}.get
    )
    context: Any = SimpleNamespace(statusTracker=lambda: tracker)
    assert any(_attempts(context, "ours")) is lost


def test_the_users_group_of_jobs_is_left_as_it_was(spark: Any) -> None:
    context = spark.sparkContext
    context.setJobGroup("mine", "what I do")
    try:
        totals(spark.sql(ROWS))
        assert context.getLocalProperty("spark.jobGroup.id") == "mine"
        assert context.getLocalProperty("spark.job.description") == "what I do"
    finally:
        for name in ("spark.jobGroup.id", "spark.job.description"):
            context.setLocalProperty(name, None)
