"""Spark may run a slow task twice at the same time, on two machines: its rows count once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.release.spark_cluster import PATIENCE, java_home

pytest.importorskip("pyspark")
pytestmark = pytest.mark.wide


@pytest.mark.skipif(java_home() is None, reason="no Java to start Spark with")
def test_rows_of_a_task_with_a_copy_count_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.release.speculating", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["copies"] >= 1
    assert told["copied"] == told["plain"]
