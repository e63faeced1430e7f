"""What one waits for before anything is read: start, help, a preview, hard certificates.

In processor time of a fresh interpreter, its own start included: of commands, all of it; of
imports, what comes on top of NumPy's. Modules are compiled beforehand, as an installation does.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import process_time

from benchmarks.isolated import Job, run
from benchmarks.row import Row
from benchmarks.timing import best

REPETITIONS = 5
ROOT = Path(__file__).parents[1]
COMMAND = "from leastnoise.cli.main import command; command()"


def waiting_rows() -> Iterator[Row]:
    """The import, the command's help, a preview of the demo's plan, and two hard designs."""
    with tempfile.TemporaryDirectory() as folder:
        plan = _plan(Path(folder))
        compiled = _compiled(Path(folder))
        programs = {
            "NumPy": ("-c", "import numpy"),
            "import": ("-c", "import numpy, leastnoise"),
            "help": ("-c", COMMAND, "--help"),
            "preview": ("-c", COMMAND, "preview", str(plan)),
        }
        works = {name: partial(_run, *words, **compiled) for name, words in programs.items()}
        times = best(works, REPETITIONS, _children)
    more = times["import"] - times["NumPy"]
    yield _row("import leastnoise, more than NumPy", more, 0.15)
    yield _row("leastnoise --help", times["help"], 0.3)
    yield _row("leastnoise preview, the demo's plan", times["preview"], 0.4)
    yield _row("a count at ε = 1e-9", run(Job("waiting", "count")).seconds, 2)
    named = "certificate, sensitivity 40, ε = 0.1, δ = 1e-3"
    yield _row(named, run(Job("waiting", "certificate")).seconds, 2)


def _row(case: str, seconds: float, most: float) -> Row:
    loop = f"ten million additions in a loop: {_loop():.2g} s"
    return Row(case, f"{seconds:.3g} s", loop, seconds, "s", "at most", most)


def _loop() -> float:
    """How fast Python is here and now: processors that are shared are slower."""
    begun, total = process_time(), 0
    for each in range(10**7):
        total += each
    return process_time() - begun


def _run(*words: str, **environment: str) -> None:
    command, own = [sys.executable, *words], os.environ | environment
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=own)


def _compiled(folder: Path) -> dict[str, str]:
    """What makes the first of several runs compile modules, wherever they are, and others not."""
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _plan(folder: Path) -> Path:
    """The demo's plan, with a table and a ledger of its own."""
    table = folder / "visits.parquet"
    _run(str(ROOT / "examples" / "make_visits.py"), str(table))
    text = (ROOT / "examples" / "visits.toml").read_text("utf-8")
    plan = folder / "visits.toml"
    plan.write_text(text.replace("../build/demo/", f"{folder}/"), "utf-8")
    return plan


def count() -> tuple[float, ...]:
    """The least noise for a count at next to no privacy loss."""
    import leastnoise as ln  # noqa: PLC0415 - measured

    return tuple(
        float(ln.optimal(sensitivity=1, epsilon="1e-9", delta=delta).law.moment(1))
        for delta in (0, "1e-6")
    )


def certificate() -> tuple[float, ...]:
    """The least noise for a large sensitivity, and the proof that there is none smaller."""
    import leastnoise as ln  # noqa: PLC0415 - measured

    found = ln.optimal(sensitivity=40, epsilon="0.1", delta="1e-3")
    return (float(bool(found.certificate().check())),)
