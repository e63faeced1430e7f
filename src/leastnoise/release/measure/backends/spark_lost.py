"""Whether Spark lost a part of what a query had computed, and computed it anew.

A lost part is computed again from the rows. If these are others then, what a unit adds to one group
may come from the first rows and to another group from the second: each is bounded by itself, both
together are not. Attempts of a single task are no such part: of them one counts, whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from leastnoise import _check
from leastnoise.errors import BackendError
from leastnoise.randomness.source import checked_source

if TYPE_CHECKING:
    from pyspark import SparkContext

_GROUP, _WORDS = "spark.jobGroup.id", "spark.job.description"
_REMEMBERED = ("spark.ui.retainedJobs", "spark.ui.retainedStages")
_FEWEST = 200  # a query has some twenty
_NOT_BEGUN = ("SKIPPED", "PENDING")


@contextmanager
def refuse_lost(context: SparkContext) -> Iterator[None]:
    """Checks, at the end, that no part of what ran in between had to be computed anew.

    Raises:
        BackendError: an executor or its files were lost.
        InvalidParameter: the session would not know it.
    """
    _refuse_forgetful(context)
    own = f"leastnoise_{checked_source(None).bits(128):x}"
    before = {name: context.getLocalProperty(name) for name in (_GROUP, _WORDS)}
    context.setLocalProperty(_GROUP, own)
    try:
        yield
    finally:
        for name, value in before.items():
            context.setLocalProperty(name, value)
    context._jsc.sc().listenerBus().waitUntilEmpty()  # what is yet to be told is told first
    if any(_anew(context, own)):
        raise BackendError(
            "rows that are computed must be computed once; Spark lost a part of them and computed "
            "it anew, perhaps with others. Nothing was charged. Run it again, or write the "
            "DataFrame to Parquet files first and read these: they stay the same."
        )


def _refuse_forgetful(context: SparkContext) -> None:
    for name in _REMEMBERED:
        value = context.getConf().get(name, "1000")
        if not value.isdecimal() or int(value) < _FEWEST:
            raise _check.refuse(
                "a Spark session must remember what became of the parts of a query",
                f"{name}={value}",
                f"Start it with {_FEWEST} or more, or write the DataFrame to Parquet files first.",
            )


def _anew(context: SparkContext, group: str) -> Iterator[bool]:
    """Whether each stage was begun anew; of what Spark does not remember, it was.

    A later job begins a lost stage under another number, as its first attempt: the rows that it
    makes have their number still.
    """
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - an extra

    tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
    made = set()
    for job in tracker.getJobIdsForGroup(group):
        found = tracker.getJobInfo(job)
        if found is None:
            yield True
            continue
        for number in found.stageIds:
            try:
                stage = store.lastStageAttempt(number)
            except Py4JJavaError:
                yield True
                continue
            yield stage.attemptId() > 0
            if stage.status().toString() not in _NOT_BEGUN:
                rows = max(map(int, stage.rddIds().mkString(" ").split()))
                yield rows in made
                made.add(rows)
