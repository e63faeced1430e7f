"""In which steps of a schedule a unit counts, on a real Spark cluster."""

from typing import Any

import pytest

from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.read import read
from tests.over_time.tables import arrow
from tests.over_time.test_turns import REGULARS, START, found, wanted


@pytest.mark.parametrize(
    ("every", "most", "apart"), [("day", 2, 3), ("week", 1, 1), ("month", 1, 1)]
)
def test_spark_counts_the_same(spark: Any, every: str, most: int, apart: int) -> None:
    steps = 2 if every == "month" else 4
    schedule = Schedule(
        every, start=START, steps=steps, contributes=most, column="day", apart=apart
    )
    frame = spark.createDataFrame(arrow(REGULARS))
    table = read(frame, unit="person")
    assert found(table, schedule) == wanted(REGULARS, schedule)
