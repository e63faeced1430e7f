"""Tasks with a second copy on another worker: `python -m tests.release.speculating FOLDER`.

Spark starts a copy of a slow task only on another machine; workers with addresses of their own are
other machines to it. Prints JSON: the totals of the rows as they are, those of the same rows from
tasks of which the first attempts dawdle, and how many copies there were.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.release.spark_cluster import PATIENCE, cluster
from tests.release.test_spark_lost import ROWS, totals


def dawdling(marks: str) -> Any:
    """Rows as they are; the first attempt of one task waits after its first row until a copy of it
    has begun, and then goes on beside it.
    """

    def passed(batches: Iterator[Any]) -> Iterator[Any]:
        import time
        from pathlib import Path

        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        (Path(marks) / f"{context.partitionId()}-{context.attemptNumber()}").touch()
        slow = context.partitionId() == 0 and context.attemptNumber() == 0
        patience = time.monotonic() + PATIENCE
        for batch in batches:
            yield batch.slice(0, 1)
            while slow and not (Path(marks) / "0-1").exists() and time.monotonic() < patience:
                time.sleep(0.01)
            yield batch.slice(1)

    return passed


def main(folder: Path) -> None:
    """One release's totals with copies, beside those without."""
    marks = folder / "marks"
    marks.mkdir()
    with cluster(folder, workers=(1, 1), apart=True) as running:
        assert running is not None
        session = running.session(
            spark_cores_max="2",
            spark_speculation="true",
            spark_speculation_interval="100ms",
            spark_speculation_multiplier="1.1",
            spark_speculation_quantile="0.5",
            spark_speculation_minTaskRuntime="500ms",
        )
        rows = session.sql(ROWS)
        plain = totals(rows)
        copied = totals(rows.mapInArrow(dawdling(str(marks)), rows.schema))
    tried = [each.name for each in marks.iterdir()]
    copies = sum(not name.endswith("-0") for name in tried)
    print(json.dumps({"plain": plain, "copied": copied, "copies": copies}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
