"""A warm process that forks releasing children, kills them, and checks what they left behind.

Usage: python -m tests.faults.releaser FOLDER MODE FIRST LAST STEP. Prints one line of JSON.

Modes: "statements" kills child n at the n-th different statement of the path from the plan to the
files; "stored" likewise, of a plan that stores its answers, each in a folder of its own, and then
releases it again; "beginnings" does so while there is no ledger yet; "moments" kills at random
times; "sizes" lets no file grow beyond n·1024 bytes, as a full disk would; "together" starts them
at the same time and kills none.
"""

import contextlib
import csv
import importlib
import io
import json
import os
import random
import resource
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from leastnoise.cli.main import main
from leastnoise.errors import LeastNoiseError, LedgerMissing
from leastnoise.ledger import Charge, Ledger
from leastnoise.ledger.entry import Kept
from leastnoise.release.result.plan_release import PlanRelease

PATH = (
    "leastnoise/ledger/", "leastnoise/release/plan", "leastnoise/release/file/plan",
    "leastnoise/release/result/plan", "leastnoise/release/result/rel", "leastnoise/cli/",
)  # fmt: skip
NOISE = "leastnoise/noise/"
NEVER = 10**9
ROWS, KEYS = 1000, 300  # many keys: the files of a release outgrow the ledger
PLAN = f"""
[data]
path = "visits.csv"
unit = "row"
[budget]
ledger = "budget.db"
total = {{epsilon = 1000}}
spend = {{epsilon = "0.00001"}}
[[question]]
ask = "count"
by = "town"
keys = {json.dumps([f"town {k}" for k in range(KEYS)])}
[[question]]
ask = "units"
name = "everybody"
[output]
folder = "out"
report = false
"""


def prepare(folder: Path) -> None:
    with (folder / "visits.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["person", "town"])
        writer.writerows([n, f"town {n % KEYS}"] for n in range(ROWS))
    (folder / "plan.toml").write_text(PLAN, "utf-8")


def beginning(folder: Path) -> list[str]:
    """Whoever begins the ledger says so; nobody else may."""
    try:
        Ledger(folder / "budget.db")
    except LedgerMissing:
        return ["--begin"]
    return []


def _draws(frame: FrameType) -> bool:
    """Of size 0, tables are made and nothing is drawn."""
    sizes = frame.f_locals.get("size", 1), frame.f_locals.get("count", 1)
    return frame.f_code.co_name == "sample" and 0 not in sizes


class Tracer:
    """Counts the different statements on the path, and ends the process at one of them."""

    def __init__(self, fatal: int | None, note: int) -> None:
        """With no place to die at, calls alone are looked at: that is quicker."""
        self._fatal, self._note = fatal, note
        self.seen: set[tuple[str, int]] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        name = frame.f_code.co_filename.replace(os.sep, "/")
        if NOISE in name and event == "call" and _draws(frame):
            os.write(self._note, b"drawn")
        if self._fatal is None or not any(part in name for part in PATH):
            return None
        if event == "line":
            self._count((name, frame.f_lineno))
        return self

    def _count(self, statement: tuple[str, int]) -> None:
        if statement not in self.seen:
            if len(self.seen) == self._fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            self.seen.add(statement)


def release(folder: Path, fatal: int | None, most_bytes: int | None, note: int) -> None:
    """The child: never returns."""
    status = 0
    try:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        sys.argv = ["leastnoise", "release", str(folder / "plan.toml"), "--replace", "--yes"]
        sys.argv += beginning(folder)
        tracer = Tracer(fatal, note)
        sys.settrace(tracer)
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                main(to_the_end=False)
        finally:
            sys.settrace(None)
            os.write(note, f" {len(tracer.seen)} statements".encode())
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException as failure:
        os.write(note, "".join(traceback.format_exception(failure)).encode())
        status = 99
    os._exit(status)


class Child:
    """One releasing process."""

    def __init__(
        self, folder: Path, fatal: int | None = None, most_bytes: int | None = None
    ) -> None:
        self._reading, writing = os.pipe()
        self.number = os.fork()
        if not self.number:
            release(folder, fatal, most_bytes, writing)
        os.close(writing)

    def ended(self) -> tuple[int, str]:
        """Its status and what it noted."""
        _, status = os.waitpid(self.number, 0)
        with os.fdopen(self._reading, "rb") as notes:
            return os.waitstatus_to_exitcode(status), notes.read().decode()


class Inspector:
    """What must be true whatever happened, and what was seen so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.lines = self.lost = 0
        self.values: dict[tuple[float, ...], str] = {}

    def look(self, drawn: bool) -> None:
        """Everything after one more child."""
        lines = self._charged()
        assert len(lines) >= self.lines, "a charge was lost"
        assert not drawn or len(lines) > self.lines, "noise was drawn before the charge was kept"
        out = self._folder / "out"
        self.lost += len(lines) > self.lines and not self._has_answers(out, len(lines))
        self.lines = len(lines)
        if (out / "release.json").exists():
            self._look_at(out, lines)
        else:
            assert not list(out.glob("*.csv")), "tables without their release"

    @staticmethod
    def _has_answers(out: Path, line: int) -> bool:
        """Whether what the last line paid for is on the disk, in the file or its part."""
        for path in out.glob("release.json*"):
            with contextlib.suppress(LeastNoiseError):
                if PlanRelease.from_json(path.read_text("utf-8")).entry.number == line:
                    return True
        return False

    def _charged(self) -> list[Charge]:
        place = self._folder / "budget.db"
        try:
            entries = Ledger(place).history()
        except LeastNoiseError:
            # Killed before the ledger was begun: then it must still be possible to begin it.
            assert not self.lines
            return []
        return [entry.event for entry in entries if isinstance(entry.event, Charge)]

    def _look_at(self, out: Path, lines: list[Charge]) -> None:
        made = PlanRelease.from_json((out / "release.json").read_text("utf-8"))
        line = lines[made.entry.number - 1]  # what was released is charged
        assert (line.digest, line.cost) == (made.digest, made.guarantee)
        values = tuple(float(v) for table in made.tables for v in table.values)
        assert len(values) == KEYS + 1
        assert self.values.setdefault(values, made.entry.time) == made.entry.time, "noise repeated"
        whole = {table.to_csv().encode() for table in made.tables}
        assert {path.read_bytes() for path in out.glob("*.csv")} <= whole, "a half or old table"


def statements(folder: Path, first: int, last: int, step: int) -> dict[str, int]:
    Child(folder).ended()  # begins the ledger
    total = int(Child(folder, fatal=NEVER).ended()[1].split()[-2])
    inspector, kills = Inspector(folder), 0
    inspector.look(drawn=True)
    for fatal in range(first, min(last, total), step):
        status, notes = Child(folder, fatal).ended()
        assert status == -signal.SIGKILL, (fatal, status, notes)
        kills += 1
        inspector.look(drawn="drawn" in notes)
    return {
        "kills": kills, "statements": total, "lines": inspector.lines, "lost": inspector.lost,
    }  # fmt: skip


def stored(folder: Path, first: int, last: int, step: int) -> dict[str, int]:
    """One charge for each, and its answers, wherever the first release died."""
    kills = charged = unstored = 0
    for fatal in range(first, last, step):
        place = folder / str(fatal)
        place.mkdir()
        prepare(place)
        with (place / "plan.toml").open("a", encoding="utf-8") as plan:
            plan.write("store = true\n")
        inspector = Inspector(place)
        status, notes = Child(place, fatal).ended()
        assert status in (0, -signal.SIGKILL), notes
        if status == 0:
            break  # it has no more statements
        kills += 1
        inspector.look(drawn="drawn" in notes)
        before = _events(place)
        charged += before != []
        unstored += before == [Charge]
        again, notes = Child(place).ended()
        assert again == 0, (fatal, notes)
        inspector.look(drawn=False)
        assert _events(place) == [Charge, Kept], "a second charge, or none"
        made = PlanRelease.from_json((place / "out" / "release.json").read_text("utf-8"))
        assert made.entry.number == 1
        assert Ledger(place / "budget.db").spent == made.guarantee
    return {"kills": kills, "charged": charged, "unstored": unstored}


def _events(place: Path) -> list[type]:
    try:
        return [type(entry.event) for entry in Ledger(place / "budget.db").history()]
    except LeastNoiseError:
        return []


def beginnings(folder: Path, first: int, last: int, step: int) -> dict[str, int]:
    kills = 0
    for fatal in range(first, last, step):
        place = folder / str(fatal)
        place.mkdir()
        prepare(place)
        inspector = Inspector(place)
        status, notes = Child(place, fatal).ended()
        kills += status == -signal.SIGKILL
        inspector.look(drawn="drawn" in notes)
        assert Child(place).ended()[0] == 0, "a death at the beginning must not be for ever"
        inspector.look(drawn=True)
    return {"kills": kills}


def moments(folder: Path, first: int, last: int, _: int) -> dict[str, int]:
    inspector, chance, kills = Inspector(folder), random.Random(first), 0
    start = time.monotonic()
    Child(folder).ended()
    usual = time.monotonic() - start
    inspector.look(drawn=True)
    while kills < last - first:  # a child that was quicker does not count
        child = Child(folder)
        time.sleep(chance.random() * usual)
        os.kill(child.number, signal.SIGKILL)
        status, notes = child.ended()
        kills += status == -signal.SIGKILL
        inspector.look(drawn="drawn" in notes)
    return {"kills": kills, "lines": inspector.lines, "different": len(inspector.values)}


def sizes(folder: Path, first: int, last: int, step: int) -> dict[str, int]:
    inspector, refused = Inspector(folder), 0
    Child(folder).ended()
    inspector.look(drawn=True)
    for size in range(first, last, step):
        status, notes = Child(folder, most_bytes=1024 * size).ended()
        # Done, a refusal in one line, or a charge for which something is missing.
        assert status in (0, 2, 3), (size, status, notes)
        before = inspector.lines
        inspector.look(drawn="drawn" in notes)
        told = (inspector.lines > before) == (status != 2)
        # Where not even the ledger's own pages can be put back, it says that it may be charged.
        unreadable = 1024 * size < (folder / "budget.db").stat().st_size and status == 3
        assert told or unreadable, "the status does not tell of the charge"
        refused += status != 0
    return {"refused": refused, "lines": inspector.lines, "different": len(inspector.values)}


def together(folder: Path, first: int, last: int, _: int) -> dict[str, int]:
    inspector = Inspector(folder)
    Child(folder).ended()
    children = [Child(folder) for _ in range(first, last)]
    for child in children:
        status, notes = child.ended()
        assert status == 0, notes
    inspector.look(drawn=True)
    assert inspector.lines == 1 + len(children)
    return {"lines": inspector.lines}


MODES = {each.__name__: each for each in (statements, stored, beginnings, moments, sizes, together)}


def warm_up(folder: Path) -> None:
    """What is loaded and computed once is so here, before the forks; no thread is started."""
    importlib.import_module("duckdb")
    sys.argv = ["leastnoise", "preview", str(folder / "plan.toml")]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(to_the_end=False)
    assert threading.active_count() == 1


def run(place: str, mode: str, *numbers: str) -> None:
    folder = Path(place)
    prepare(folder)
    warm_up(folder)
    print(json.dumps(MODES[mode](folder, *map(int, numbers))))


if __name__ == "__main__":
    run(*sys.argv[1:])
