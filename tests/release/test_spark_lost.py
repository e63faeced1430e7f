"""Tasks that fail, are slow, or lose what they wrote: totals are the same, or there is none."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.backends import spark_lost
from leastnoise.release.measure.backends.spark_lost import _anew, refuse_lost
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.measurement import Measurement

pytest.importorskip("pyspark")
from py4j.protocol import Py4JJavaError

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


def losing_once(mark: str) -> Any:
    """Rows as they are; what this executor wrote for others is gone after the first part is read.

    The session has one core: the parts are read one after the other.
    """

    def passed(batches: Iterator[Any]) -> Iterator[Any]:
        import os
        from pathlib import Path

        yield from batches
        if not Path(mark).exists():
            for folder in os.environ["SPARK_LOCAL_DIRS"].split(","):
                for each in Path(folder).rglob("shuffle_*.data"):
                    each.unlink()
                    Path(mark).touch()

    return passed


def test_lost_parts_of_computed_rows_are_refused(spark: Any, tmp_path: Path) -> None:
    rows, mark = spark.sql(ROWS), tmp_path / "lost"
    computed = rows.repartition(2).mapInArrow(losing_once(str(mark)), rows.schema)
    with pytest.raises(BackendError, match="computed once"):
        totals(computed)
    assert mark.exists()
    assert totals(computed) == totals(rows)


def test_parts_of_files_may_be_lost(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, place = spark.sql(ROWS), f"{tmp_path}/rows"
    wanted = totals(rows)
    rows.write.parquet(place)
    monkeypatch.setattr(spark_lost, "_anew", lambda *_: iter([True]))
    with pytest.raises(BackendError, match="computed once"):
        totals(rows)
    assert totals(spark.read.parquet(place)) == wanted


@pytest.mark.parametrize("name", ["spark.ui.retainedJobs", "spark.ui.retainedStages"])
def test_sessions_that_forget_their_parts_are_refused(name: str) -> None:
    said = {name: "199"}
    context: Any = SimpleNamespace(getConf=lambda: said)
    refused = pytest.raises(InvalidParameter, match=f"got {name}=199. Start it with 200")
    with refused, refuse_lost(context):
        pass


def test_parts_that_a_later_job_computes_anew_are_noticed(spark: Any) -> None:
    context = spark.sparkContext

    def counted(*, lost: bool) -> None:
        rows = spark.sql(ROWS).repartition(2)._jdf.javaRDD()
        assert rows.glom().count() == 2
        needs = rows.rdd().dependencies().head()
        while needs.getClass().getSimpleName() != "ShuffleDependency":
            needs = needs.rdd().dependencies().head()
        if lost:
            context._jsc.sc().cleaner().get().doCleanupShuffle(needs.shuffleId(), True)
        assert rows.coalesce(1).count() == 1000

    with refuse_lost(context):
        counted(lost=False)
    with pytest.raises(BackendError, match="computed once"), refuse_lost(context):
        counted(lost=True)


def a_stage(attempt: int = 0, status: str = "COMPLETE", rows: str = "1 2") -> Any:
    return SimpleNamespace(
        attemptId=lambda: attempt,
        status=lambda: SimpleNamespace(toString=lambda: status),
        rddIds=lambda: SimpleNamespace(mkString=lambda _: rows),
    )


@pytest.mark.parametrize(
    ("stages", "lost"),
    [
        ([a_stage(), a_stage(rows="3")], False),
        ([a_stage(), a_stage(status="SKIPPED"), a_stage(status="PENDING")], False),
        ([a_stage(), a_stage()], True),
        ([a_stage(), a_stage(status="ACTIVE")], True),
        ([a_stage(attempt=1)], True),
        ([a_stage(), None], True),
        (None, True),
    ],
)
def test_what_ran_twice_or_is_not_remembered_counts_as_lost(stages: Any, lost: bool) -> None:
    def told(number: int) -> Any:
        if stages[number] is None:
            raise Py4JJavaError("no such stage", SimpleNamespace(_target_id="o1"))
        return stages[number]

    job = None if stages is None else SimpleNamespace(stageIds=list(range(len(stages))))
    tracker = SimpleNamespace(getJobIdsForGroup=lambda _: [7], getJobInfo={7: job}.get)
    java = SimpleNamespace(statusStore=lambda: SimpleNamespace(lastStageAttempt=told))
    context: Any = SimpleNamespace(
        statusTracker=lambda: tracker, _jsc=SimpleNamespace(sc=lambda: java)
    )
    assert any(_anew(context, "ours")) is lost


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
