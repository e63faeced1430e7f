"""What a whole run found, in results.json and as the table in README beside this file."""

import json
import math
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.row import Row, markdown

RESULTS, README = (Path(__file__).with_name(name) for name in ("results.json", "README.md"))
FIRST, LAST = "<!-- measured -->\n", "<!-- end of what was measured -->"

Record = dict[str, Any]


def record_of(row: Row, topic: str) -> Record:
    """A row for JSON, which knows no infinite figure."""
    figure = row.figure if math.isfinite(row.figure) else None
    return {"topic": topic} | asdict(row) | {"figure": figure, "met": row.met}


def row_of(record: Record) -> Row:
    """A row from JSON."""
    own = {name: value for name, value in record.items() if name not in ("met", "topic")}
    return Row(**own | {"figure": math.nan if own["figure"] is None else own["figure"]})


def read_results() -> Record:
    """The last whole run."""
    found: Record = json.loads(RESULTS.read_text("utf-8"))
    return found


def write_results(run: Record) -> None:
    """A whole run in place of the last one."""
    RESULTS.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", "utf-8")
    before, _, rest = README.read_text("utf-8").partition(FIRST)
    after = rest.partition(LAST)[2]
    README.write_text(f"{before}{FIRST}\n{summary(run)}\n{LAST}{after}", "utf-8")


def summary(run: Record) -> str:
    """With what it was run, how many targets were met, and all rows, topic by topic."""
    where = ", ".join(f"{name} {value}" for name, value in run["versions"].items())
    verdicts = [row["met"] for row in run["rows"]]
    count = f"{verdicts.count(True)} targets met, {verdicts.count(False)} missed"
    parts = [f"Measured with {where}: {count}."]
    for topic, rows in groupby(run["rows"], key=lambda row: row["topic"]):
        parts += [f"**{topic}**", markdown(list(map(row_of, rows)))]
    return "\n\n".join(parts) + "\n"
