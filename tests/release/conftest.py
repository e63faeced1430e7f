"""One Spark session for all tests that need one; and tables that are words, however small."""

from collections.abc import Iterator
from typing import Any

import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.measure import by_words, sorted_words, word_pairs
from leastnoise.release.measure import measure as measuring
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.one_row_units import OneRowUnits
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


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tables of any size are words, in small parts; which passes were, is noted."""
    noted: list[int] = []
    found = by_words.found_by_words

    def noting(*arguments: Any) -> Any:
        noted.append(1)
        return found(*arguments)

    monkeypatch.setattr(measuring, "found_by_words", noting)
    monkeypatch.setattr(OneRowUnits, "seems_large", True)
    monkeypatch.setattr(by_words, "LEAST_ROWS", 0)
    monkeypatch.setattr(by_words, "_MANY_GROUPS", 0)
    monkeypatch.setattr(measuring, "FEW", -1)
    monkeypatch.setattr(sorted_words, "PART", 4)
    monkeypatch.setattr(word_pairs, "_MANY", 1)
    return noted


@pytest.fixture(params=["held", "on disk"])
def placed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether words are on disk: in few files, of which some have to be divided again."""
    if request.param == "on disk":
        monkeypatch.setattr(sorted_words, "HELD", 0)
        monkeypatch.setattr(sorted_words, "_PIECE", 7)
        monkeypatch.setattr(sorted_words, "_TOGETHER", 5)
        monkeypatch.setattr(sorted_words, "_MOST_ENDS", 2)
    return bool(request.param == "on disk")
