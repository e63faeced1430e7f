"""What a user waits for at first, and what a reviewer reads: importing, one release, lines crossed."""

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import leastnoise as ln
from benchmarks import Row, medians
from leastnoise.release import run

SRC = Path(ln.__file__).parent
LATE = ("duckdb", "pandas", "polars", "pyarrow", "scipy", "sqlglot")
ROWS, GROUPS, UNITS = 336_000, 20, 4000


def rows(size: int) -> Iterator[Row]:  # noqa: ARG001
    """Importing, releasing, reviewing."""
    yield from _importing()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flights.parquet"
        _write(path)
        yield _releasing(path)
        yield from _crossed(path)
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in SRC.rglob("*.py")}
    trusted = [file for file in lines if _is_trusted(file)]
    yield Row("lines of trusted modules", sum(lines[file] for file in trusted), most=8000, unit="lines",
              note=f"{len(trusted)} modules, and they import no others")  # fmt: skip
    yield Row("lines of src", sum(lines.values()), most=36_000, unit="lines",
              note=f"{len(lines)} files")  # fmt: skip


def _importing() -> Iterator[Row]:
    compiled = {
        name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }

    def python(text: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", text], check=True, env=compiled)

    actions = {"ours": "import leastnoise", "numpy": "import numpy", "nothing": "pass"}
    taken = medians({name: python(text) for name, text in actions.items()}, 9)
    empty = taken["nothing"]
    alone = taken["numpy"].clock - empty.clock
    note = f"{taken['ours'].busy - empty.busy:.2f} s of processor; numpy alone {alone:.2f} s"
    yield Row("import leastnoise", taken["ours"].clock - empty.clock, most=0.2, unit="s", note=note)
    text = f"import sys, leastnoise; print(*(name for name in {LATE} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    yield Row("heavy libraries that it imports", len(loaded), most=0, unit="libraries",
              note=", ".join(loaded))  # fmt: skip


def _write(path: Path) -> None:
    random = np.random.default_rng(1)
    units = random.integers(0, UNITS, ROWS)
    delay = random.normal(12, 40, ROWS).round()
    carrier = pa.array([f"c{code}" for code in random.integers(0, GROUPS, ROWS)])
    pq.write_table(pa.table({"tailnum": units, "carrier": carrier, "dep_delay": delay}), path)


def _ledger(path: Path, name: str) -> ln.Ledger:
    return ln.Ledger.create(path.with_name(name), privacy_unit="plane", epsilon=6, delta=1e-6)


def _release(path: Path, ledger: ln.Ledger, **aggregates: Any) -> str:
    """Reads, asks, previews what is more than a count, releases, and gives the text."""
    flights = ln.read(path, privacy_unit={"plane": "tailnum"})
    query = flights.group_by("carrier", groups=[f"c{code}" for code in range(GROUPS)]).agg(
        max_contributions=400, **aggregates
    )
    shown = str(query.preview(ledger, epsilon=0.1)) if len(aggregates) > 1 else ""
    return shown + str(query.release(ledger, epsilon=0.1, noise="gaussian", again=True))


def _releasing(path: Path) -> Row:
    ledger = _ledger(path, "a.ledger")
    asked = {"flights": ln.count(), "delay": ln.mean("dep_delay", lower=-20, upper=120)}
    _release(path, ledger, **asked)
    taken = medians({"again": lambda: _release(path, ledger, **asked)})
    return Row("read, preview, release and print, second call", taken["again"].clock, most=0.3, unit="s",
               note=f"count and mean in {GROUPS} groups of {ROWS:,} rows; "
               f"{taken['again'].busy:.2f} s of processor")  # fmt: skip


def _crossed(path: Path) -> Iterator[Row]:
    """What runs of the project when one count is released, and between the gate and the store."""
    ledger = _ledger(path, "b.ledger")
    _release(path, ledger, flights=ln.count())
    whole, inside = set[CodeType](), set[CodeType]()
    depth = [0]

    def seen(frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG001
        code = frame.f_code
        if code is run.run.__code__:
            depth[0] += {"call": 1, "return": -1}.get(event, 0)
        if event == "call" and code.co_filename.startswith(str(SRC)):
            whole.add(code)
            if depth[0]:
                inside.add(code)

    sys.setprofile(seen)
    try:
        _release(path, ledger, flights=ln.count())
    finally:
        sys.setprofile(None)
    modules = {code.co_filename for code in whole}
    yield Row("modules that one count crosses, with printing", len(modules), most=40, unit="modules",
              note=f"{len(whole)} functions")  # fmt: skip
    trusted = {code for code in inside if _is_trusted(Path(code.co_filename))}
    yield Row("trusted lines that run from the gate to the store", _lines(trusted), most=1500,
              unit="lines", note=f"{len(trusted)} functions")  # fmt: skip
    yield Row("other lines that run there", _lines(inside - trusted), most=0, unit="lines")


def _lines(codes: set[CodeType]) -> int:
    """The lines of functions, each once."""
    found = set[tuple[str, int]]()
    for code in codes:
        last = max((line for *_, line in code.co_lines() if line), default=code.co_firstlineno)
        found |= {(code.co_filename, line) for line in range(code.co_firstlineno, last + 1)}
    return len(found)


def _is_trusted(file: Path) -> bool:
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.rstrip().endswith("Trusted.")
