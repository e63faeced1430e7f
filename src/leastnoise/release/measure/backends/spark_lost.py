"""Whether Spark lost a part of what a query had computed, and computed it anew.

A lost part is computed again from the rows. If these are others then, what a unit adds to one group
may come from the first rows and to another group from the second: each is bounded by itself, both
together are not. Attempts of a single task are no such part: of them one counts, whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from leastnoise.errors import BackendError
from leastnoise.randomness.source import checked_source

if TYPE_CHECKING:
    from pyspark import SparkContext

_GROUP, _WORDS = "spark.jobGroup.id", "spark.job.description"


@contextmanager
def refuse_lost(context: SparkContext) -> Iterator[None]:
    """Checks, at the end, that no part of what ran in between had to be computed anew.

    Raises:
        BackendError: an executor or its files were lost.
    """
    own = f"leastnoise_{checked_source(None).bits(128):x}"
    before = {name: context.getLocalProperty(name) for name in (_GROUP, _WORDS)}
    context.setLocalProperty(_GROUP, own)
    try:
        yield
    finally:
        for name, value in before.items():
            context.setLocalProperty(name, value)
    if any(_attempts(context, own)):
        raise BackendError(
            "rows that are computed must be computed once; Spark lost a part of them and computed "
            "it anew, perhaps with others. Nothing was charged. Run it again, or write the "
            "DataFrame to Parquet files first and read these: they stay the same."
        )


def _attempts(context: SparkContext, group: str) -> Iterator[int]:
    """For each stage, how often it was begun anew."""
    tracker = context.statusTracker()
    for job in tracker.getJobIdsForGroup(group):
        found = tracker.getJobInfo(job)
        for stage in () if found is None else found.stageIds:
            told = tracker.getStageInfo(stage)
            if told is not None:
                yield int(told.currentAttemptId)
