"""One Spark session for all tests of the engine that need one."""

from collections.abc import Iterator
from typing import Any

import pytest

from leastnoise.engine.aggregate import CountRows
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.expression import col
from leastnoise.engine.measure import measure
from leastnoise.engine.measurement import Measurement
from leastnoise.engine.read import read
from tests.engine.fuzz import arrow
from tests.engine.spark_cluster import Cluster, cluster


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
