"""Measure everything, print one table, write results.json beside this file and the table in README.

Modules are compiled beforehand, as an installation does: many are loaded when they are first used.
Every topic has a process of its own, in which matrices are multiplied by one thread. A run that
was interrupted goes on where it was, as long as the package's source is the same. With names of
topics, such as `python -m benchmarks.run engine explorer`, only those are measured, in this
process, and nothing is written.
"""

import compileall
import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from benchmarks.accounting import (
    composition_rows,
    hundred_rows,
    memory_rows,
    tiny_delta_rows,
)
from benchmarks.attacks import code_rows, tracing_rows
from benchmarks.calibration import repeated_rows, sigma_rows
from benchmarks.engine import engine_rows
from benchmarks.explorer import explorer_rows
from benchmarks.first_paint import first_paint_rows
from benchmarks.gate import gate_rows
from benchmarks.ledger import ledger_rows
from benchmarks.many_questions import many_questions_rows
from benchmarks.marginals import marginal_rows
from benchmarks.optimal import optimal_rows
from benchmarks.optimal_many import optimal_many_rows
from benchmarks.over_time import rows as over_time_rows
from benchmarks.plans import plan_rows
from benchmarks.prepared import prepared_rows
from benchmarks.prices import price_and_promise_rows
from benchmarks.relative_counts import design_rows, loss_rows, release_rows
from benchmarks.residual_planner import residual_rows
from benchmarks.results import Record, record_of, summary, write_results
from benchmarks.row import Row, markdown
from benchmarks.sample_size import sample_size_rows
from benchmarks.sampled_accounting import sampling_rows
from benchmarks.samplers import gaussian_rows, laplace_rows
from benchmarks.scale import scale_rows
from benchmarks.set_up import construction_rows, import_rows
from benchmarks.spark import spark_rows
from benchmarks.sparse_vector import gap_rows, price_rows, question_rows, selection_rows
from benchmarks.tpch import tpch_rows
from benchmarks.vectors import vector_rows
from benchmarks.waiting import waiting_rows

Topic = Callable[[], Iterator[Row]]
TOPICS: tuple[Topic, ...] = (
    laplace_rows,
    gaussian_rows,
    vector_rows,
    construction_rows,
    import_rows,
    waiting_rows,
    composition_rows,
    memory_rows,
    hundred_rows,
    tiny_delta_rows,
    sampling_rows,
    sigma_rows,
    repeated_rows,
    optimal_rows,
    optimal_many_rows,
    residual_rows,
    design_rows,
    loss_rows,
    release_rows,
    sample_size_rows,
    tracing_rows,
    code_rows,
    gap_rows,
    price_rows,
    price_and_promise_rows,
    question_rows,
    selection_rows,
    marginal_rows,
    gate_rows,
    many_questions_rows,
    plan_rows,
    engine_rows,
    prepared_rows,
    tpch_rows,
    scale_rows,
    spark_rows,
    explorer_rows,
    first_paint_rows,
    ledger_rows,
    over_time_rows,
)
PACKAGES = (
    "leastnoise",
    "numpy",
    "scipy",
    "opendp",
    "python-flint",
    "dp-accounting",
    "prv-accountant",
)
HERE = Path(__file__).parent
BEGUN = HERE.parent / "build" / "bench.json"  # what was measured of a run that has not ended


def _measured(topic: Topic) -> Iterator[Row]:
    """The rows of a topic, each told as it comes; a failure is a row, and the others go on."""
    name, begun = _name(topic), monotonic()
    try:
        for row in topic():
            told = " | ".join(row.cells())
            print(f"{name}, {monotonic() - begun:.0f} s: {told}", file=sys.stderr, flush=True)
            yield row
    except Exception as error:
        print(f"{name}: {error!r}", file=sys.stderr, flush=True)
        yield Row(name, f"failed: {type(error).__name__}", "–", math.nan, target=0)


def _name(topic: Topic) -> str:
    own = topic.__module__.rpartition(".")[2] if topic.__name__ == "rows" else topic.__name__
    return own.removesuffix("_rows")


def _source() -> str:
    """What tells one state of the package from another; empty if Git does not say."""
    told = subprocess.run(
        ["git", "rev-parse", "HEAD:src"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return told.stdout.strip()


def _begun(source: str) -> dict[str, list[Record]]:
    """What an earlier run of the same source has measured, by topic."""
    if not source or not BEGUN.exists():
        return {}
    found = json.loads(BEGUN.read_text("utf-8"))
    return dict(found["topics"]) if found["source"] == source else {}


def records(topic: Topic) -> list[Record]:
    """What a topic finds."""
    return [record_of(row, _name(topic)) for row in _measured(topic)]


def _alone(topic: Topic) -> list[Record]:
    """The same, found by another process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "--json", _name(topic)],
        cwd=HERE.parent,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: list[Record] = json.loads(done.stdout.splitlines()[-1])
    return found


def _whole_run() -> list[Record]:
    """Every topic, of which those measured before are not measured again."""
    source = _source()
    topics = _begun(source)
    for topic in TOPICS:
        if _name(topic) not in topics:
            topics[_name(topic)] = _alone(topic)
            BEGUN.parent.mkdir(exist_ok=True)
            BEGUN.write_text(json.dumps({"source": source, "topics": topics}), "utf-8")
    return [row for topic in TOPICS for row in topics[_name(topic)]]


def main() -> None:
    """Run every topic, or those that are named."""
    asked = set(sys.argv[1:])
    topics = [each for each in TOPICS if _name(each) in asked]
    if "--json" in asked:
        print(json.dumps([each for topic in topics for each in records(topic)]))
        return
    if asked:
        print(markdown([row for topic in topics for row in _measured(topic)]))
        return
    rows = _whole_run()
    versions = {name: version(name) for name in PACKAGES}
    machine = {"python": platform.python_version(), "machine": platform.machine(), **versions}
    run = {"versions": machine, "rows": rows}
    write_results(run)
    BEGUN.unlink()
    print(summary(run))


if __name__ == "__main__":
    compileall.compile_dir(HERE.parent / "src", quiet=2)
    main()
