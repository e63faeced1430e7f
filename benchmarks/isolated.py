"""One piece of work in an interpreter of its own: its answer, its time, its peak of memory.

The interpreter imports only the module of the work, has no caches filled by earlier work, and may
be stopped: work that runs out of time or memory becomes a figure instead of a hang.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time

LIMIT_SECONDS = 120
LIMIT_BYTES = 8 * 2**30
LONG_SECONDS = 15
ROOT = Path(__file__).parents[1]
# What is loaded by the first draw or the first large table, and is no part of its work.
LOADED_LATER = ("cryptography.hazmat.primitives.ciphers", "numpy.ctypeslib", "numpy.ma")

Argument = str | int | float | bool


@dataclass(frozen=True)
class Job:
    """A function of a module of this package, with arguments that JSON can carry.

    Attributes:
        module: its name, without this package's.
        function: its name in it.
        arguments: what it is called with.
        limit: seconds on the wall until it is given up.
    """

    module: str
    function: str
    arguments: tuple[Argument, ...] = ()
    limit: int = LIMIT_SECONDS


@dataclass(frozen=True)
class Outcome:
    """What became of a job.

    Args:
        values: its answer, empty if it failed.
        seconds: processor time without start and imports, all threads together.
        megabytes: the most memory the interpreter ever held, imports included.
        failure: why there is no answer, or nothing.
    """

    values: tuple[float, ...]
    seconds: float
    megabytes: float
    failure: str = ""


def run(job: Job) -> Outcome:
    """Run one job to its end, or to the limit."""
    call = json.dumps([job.module, job.function, job.arguments])
    program = "import sys; from benchmarks.isolated import serve; serve(sys.argv[1])"
    command = [sys.executable, "-W", "ignore", "-c", program, call]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=job.limit, check=False
        )
    except subprocess.TimeoutExpired:
        return _failed(f"no answer in {job.limit} s", job.limit)
    if done.returncode:
        return _failed(f"ended with code {done.returncode}", job.limit)
    found = json.loads(done.stdout.splitlines()[-1])
    return Outcome(tuple(found.pop("values")), **found)


def take_turns(jobs: Mapping[str, Job], repetitions: int) -> dict[str, Outcome]:
    """Each rival's quickest run, the rivals taking turns; long runs and failures are not redone."""
    best: dict[str, Outcome] = {}
    for _ in range(repetitions):
        for name, job in jobs.items():
            known = best.get(name)
            if known and (known.failure or known.seconds > LONG_SECONDS):
                continue
            outcome = run(job)
            if known is None or outcome.seconds < known.seconds:
                best[name] = outcome
    return best


def serve(call: str) -> None:
    """The other side: do the work and print what came of it."""
    module, function, arguments = json.loads(call)
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    work = getattr(import_module(f"benchmarks.{module}"), function)
    if "leastnoise" in sys.modules:
        for later in LOADED_LATER:
            import_module(later)
    start, values, failure = process_time(), (), ""
    try:
        values = work(*arguments)
    except MemoryError:
        failure = f"more than {LIMIT_BYTES / 2**30:.3g} GB of address space"
    except Exception as error:  # whatever a library raises is its answer
        failure = f"{type(error).__name__}: {error}"
    seconds = process_time() - start
    print(json.dumps(_record(values, seconds, failure)))


def _record(values: tuple[float, ...], seconds: float, failure: str) -> dict[str, object]:
    return {
        "values": values,
        "seconds": seconds,
        "megabytes": _peak() / 2**20,
        "failure": failure,
    }


def _failed(reason: str, seconds: int) -> Outcome:
    return Outcome((), float(seconds), float("nan"), reason)


def _peak() -> int:
    """Bytes. Linux keeps the parent's peak in `ru_maxrss`, but not in its own book."""
    book = Path("/proc/self/status")
    if book.exists():
        line = next(row for row in book.read_text().splitlines() if row.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
