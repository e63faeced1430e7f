"""A warm process that forks children which release steps of a schedule, and kills them.

Usage: python -m tests.faults.stepper FOLDER MODE FIRST LAST STEP. Prints one line of JSON.

Modes: "statements" kills child n at the n-th different statement on the path; "beginnings" does so
while the schedule is begun; "together" starts them at the same time and kills none. After each of
them: one charge, no step lost, and no step ever shown with two different numbers.
"""

import contextlib
import csv
import io
import json
import os
import signal
import sys
import traceback
from datetime import date, timedelta
from pathlib import Path

from leastnoise.cli.main import main
from leastnoise.errors import LeastNoiseError
from leastnoise.ledger import Charge, Kept, Ledger
from leastnoise.release.file.plan_file import PlanFile, plan_file
from tests.faults import forked
from tests.faults.forked import NEVER, Tracer

START = date(2020, 1, 1)
PLAN = f"""
[data]
path = "visits.csv"
unit = "person"
types = {{person = "integer", day = "date"}}
[bounds]
max_rows = 1
[budget]
ledger = "budget.db"
total = {{rho = 1}}
spend = {{rho = "0.001"}}
[schedule]
every = "day"
from = {START.isoformat()}
steps = STEPS
column = "day"
closed = "closed.db"
[[question]]
ask = "count"
name = "visits"
[output]
folder = "out"
report = false
"""
_FEW = 20  # steps, where one or two are released
PATH = (
    "leastnoise/ledger/", "leastnoise/release/stream_gate", "leastnoise/release/over_time/sch",
    "leastnoise/release/over_time/closed", "leastnoise/release/result/step", "leastnoise/cli/",
)  # fmt: skip


def prepare(folder: Path, steps: int) -> None:
    with (folder / "visits.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["person", "day"])
        writer.writerows([n, (START + timedelta(days=n % steps)).isoformat()] for n in range(3000))
    (folder / "plan.toml").write_text(PLAN.replace("STEPS", str(steps)), "utf-8")


def child(folder: Path, words: list[str], fatal: int | None, note: int) -> None:
    """Never returns. What it shows goes to the note, as far as it comes."""
    status = 0
    forked.PATH = PATH
    try:
        sys.argv = ["leastnoise", "release", str(folder / "plan.toml"), "--yes", *words]
        tracer = Tracer(fatal, os.open(os.devnull, os.O_WRONLY))
        sys.settrace(tracer)
        shown = io.TextIOWrapper(os.fdopen(os.dup(note), "wb", buffering=0), write_through=True)
        try:
            with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
                main(to_the_end=False)
        finally:
            sys.settrace(None)
            (folder / "statements").write_text(str(len(tracer.seen)))
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException as failure:
        os.write(note, "".join(traceback.format_exception(failure)).encode())
        status = 99
    os._exit(status)


class Child:
    """One releasing process."""

    def __init__(self, folder: Path, *words: str, fatal: int | None = None) -> None:
        self._reading, writing = os.pipe()
        self.number = os.fork()
        if not self.number:
            child(folder, list(words), fatal, writing)
        os.close(writing)

    def ended(self) -> tuple[int, str]:
        """Its status and what it showed."""
        with os.fdopen(self._reading, "rb") as notes:
            shown = notes.read().decode()
        _, status = os.waitpid(self.number, 0)
        return os.waitstatus_to_exitcode(status), shown


def _plan(folder: Path) -> PlanFile:
    return plan_file((folder / "plan.toml").read_text("utf-8"), folder)


class Inspector:
    """What must be true whatever happened, and what anybody saw so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        plan = _plan(folder).steps
        assert plan is not None
        self._plan = plan
        self.seen: dict[str, int] = {}
        self.kept = self.drawn = 0

    @property
    def next(self) -> str:
        """The first step that the ledger has not."""
        return (START + timedelta(days=self.drawn)).isoformat()

    def look(self, shown: str) -> None:
        """Everything after one more child."""
        ledger = Ledger(self._folder / "budget.db")
        events = [entry.event for entry in ledger.history()]
        assert sum(isinstance(each, Charge) for each in events) <= 1, "charged twice"
        kept = sum(isinstance(each, Kept) for each in events)
        assert kept >= self.kept, "a step was lost"
        self.kept = kept
        if kept:
            self._compare(ledger, shown)

    def _compare(self, ledger: Ledger, shown: str) -> None:
        (table,) = self._plan.released_steps(ledger=ledger)
        stored = {
            str(row[0]): int(value) for row, value in zip(table.rows, table.values, strict=True)
        }
        self.drawn = len(stored)
        for step, value in self.seen.items():
            assert stored.get(step) == value, "what was shown has changed"
        self.seen |= stored
        release = self._folder / "out" / "release.json"
        texts = [shown, release.read_text("utf-8") if release.exists() else ""]
        for text in texts:
            with contextlib.suppress(ValueError):
                told = json.loads(text)
                value = told["to_date"][0]["answers"][0]["value"]
                assert stored[told["step"]] == value, "another number was shown than was stored"


def statements(folder: Path, first: int, last: int, step: int) -> dict[str, int]:
    assert Child(folder, "--begin", "--begin-schedule").ended()[0] == 0
    inspector, kills, twice = Inspector(folder), 0, 0
    status, shown = Child(folder, "--step", inspector.next, "--json", fatal=NEVER).ended()
    assert status == 0, shown
    total = int((folder / "statements").read_text())
    inspector.look(shown)
    for fatal in range(first, last, step):
        wanted = inspector.next
        status, shown = Child(folder, "--step", wanted, "--json", fatal=fatal % total).ended()
        kills += status == -signal.SIGKILL
        assert status in (0, -signal.SIGKILL), (fatal, status, shown)
        inspector.look(shown)
        if wanted in inspector.seen:  # once more: the same must be told
            twice += 1
            again, told = Child(folder, "--step", wanted, "--json").ended()
            assert again == 0
            assert json.loads(told)["to_date"][0]["answers"][0]["value"] == inspector.seen[wanted]
    assert Child(folder, "--step", inspector.next).ended()[0] == 0, "a death must not be for ever"
    return {"kills": kills, "statements": total, "steps": inspector.drawn, "twice": twice}


def beginnings(folder: Path, first: int, last: int, step: int) -> dict[str, int]:
    kills = charged = 0
    for fatal in range(first, last, step):
        place = folder / str(fatal)
        place.mkdir()
        prepare(place, _FEW)
        _plan(place).opened(begin=True)
        status, shown = Child(place, "--begin-schedule", fatal=fatal).ended()
        assert status in (0, -signal.SIGKILL), (fatal, status, shown)
        kills += status == -signal.SIGKILL
        inspector = Inspector(place)
        inspector.look("")
        charged += inspector.kept
        status, shown = Child(place, "--begin-schedule", "--step", START.isoformat()).ended()
        assert status == 0, (status, shown)
        inspector.look("")
        assert inspector.drawn == 1
    return {"kills": kills, "charged": charged}


def together(folder: Path, first: int, last: int, _: int) -> dict[str, int]:
    """All ask for one step at once: all are told the same."""
    assert Child(folder, "--begin", "--begin-schedule").ended()[0] == 0
    wanted = (START + timedelta(days=2)).isoformat()
    children = [Child(folder, "--step", wanted, "--json") for _ in range(first, last)]
    answers = set()
    for each in children:
        status, shown = each.ended()
        assert status in (0, 2), shown  # two that close one step at once: one is told to try again
        if status == 0:
            answers.add(json.loads(shown)["to_date"][0]["answers"][0]["value"])
    assert len(answers) == 1
    inspector = Inspector(folder)
    inspector.look("")
    return {"steps": inspector.drawn}


MODES = {each.__name__: each for each in (statements, beginnings, together)}


def run(place: str, mode: str, *numbers: str) -> None:
    folder, (first, last, step) = Path(place), map(int, numbers)
    prepare(folder, max(_FEW, len(range(first, last, step)) + 2))  # no child needs more than one
    sys.argv = ["leastnoise", "preview", str(folder / "plan.toml")]
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.suppress(SystemExit, LeastNoiseError),
    ):
        main(to_the_end=False)
    print(json.dumps(MODES[mode](folder, first, last, step)))


if __name__ == "__main__":
    run(*sys.argv[1:])
