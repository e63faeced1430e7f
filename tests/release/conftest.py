"""One Spark session for all tests that need one."""

from collections.abc import Iterator
from typing import Any

import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement
from tests.release.fuzz import arrow
from tests.release.spark_cluster import Cluster, cluster


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Cluster]:
    own = tmp_path_factory.getbasetemp()
    with cluster(own if worker_id == "master" else own.parent) as found:
        if found is None:
            pytest.skip("this machine has no Java to start Spark with")
        # The first query starts the executor, which may take longer than a test may.
        warm = read(found.session().createDataFrame(arrow([])), unit="who")
        bounds = Bounds(max_groups=2, max_rows=2)
        measure(warm, [Measurement((CountRows(),), bounds, (col("city"),))])
        yield found


@pytest.fixture
def spark(running: Cluster) -> Any:
    return running.session()
