"""Releases in forked children of a warm process: small plans, and how a child dies."""

import contextlib
import csv
import importlib
import io
import json
import os
import resource
import shutil
import signal
import sys
import threading
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from leastnoise.cli.main import main
from leastnoise.errors import LedgerMissing
from leastnoise.ledger import Ledger

PATH = (
    "leastnoise/ledger/", "leastnoise/release/plan", "leastnoise/release/file/plan",
    "leastnoise/release/result/plan", "leastnoise/release/result/rel", "leastnoise/cli/",
)  # fmt: skip
NOISE = "leastnoise/noise/"
NEVER = 10**9
ROWS, KEYS = 1000, 300  # many keys: the files of a release outgrow the ledger
FEW_KEYS = 12  # where kills are many and files may be small
PLAN = """
[data]
path = "visits.csv"
unit = "row"
[budget]
ledger = "budget.db"
total = {epsilon = 1000}
spend = {epsilon = "0.00001"}
[[question]]
ask = "count"
by = "town"
keys = KEYS
[[question]]
ask = "units"
name = "everybody"
[output]
folder = "out"
report = false
"""


def prepare(folder: Path, keys: int = KEYS) -> None:
    with (folder / "visits.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["person", "town"])
        writer.writerows([n, f"town {n % keys}"] for n in range(ROWS))
    towns = json.dumps([f"town {k}" for k in range(keys)])
    (folder / "plan.toml").write_text(PLAN.replace("KEYS", towns), "utf-8")


def prepare_stored(folder: Path) -> None:
    """A small plan that stores its answers; of little noise, whose tables are quickly made."""
    folder.mkdir()
    prepare(folder, FEW_KEYS)
    plan = folder / "plan.toml"
    plan.write_text(plan.read_text("utf-8").replace("0.00001", "1") + "store = true\n", "utf-8")


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


def release(
    folder: Path, fatal: int | None, most_bytes: int | None, note: int, *, traced: bool
) -> None:
    """The child: never returns."""
    status = 0
    try:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        sys.argv = ["leastnoise", "release", str(folder / "plan.toml"), "--replace", "--yes"]
        sys.argv += beginning(folder)
        tracer = Tracer(fatal, note)
        sys.settrace(tracer if traced else None)
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
        self,
        folder: Path,
        fatal: int | None = None,
        most_bytes: int | None = None,
        *,
        traced: bool = True,
    ) -> None:
        self._reading, writing = os.pipe()
        self.number = os.fork()
        if not self.number:
            release(folder, fatal, most_bytes, writing, traced=traced)
        os.close(writing)

    def ended(self) -> tuple[int, str]:
        """Its status and what it noted."""
        _, status = os.waitpid(self.number, 0)
        with os.fdopen(self._reading, "rb") as notes:
            return os.waitstatus_to_exitcode(status), notes.read().decode()


def warm_up(folder: Path) -> None:
    """What is loaded and computed once is so here, before the forks; no thread is started."""
    importlib.import_module("duckdb")
    for name in _loaded_by_a_release(folder / "warm"):
        importlib.import_module(name)
    prepare_stored(folder / "warm")
    for place in (folder, folder / "warm"):
        sys.argv = ["leastnoise", "preview", str(place / "plan.toml")]
        _quietly_run()
    shutil.rmtree(folder / "warm")
    assert threading.active_count() == 1


def _quietly_run() -> None:
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        contextlib.suppress(SystemExit),
    ):
        main(to_the_end=False)


def _loaded_by_a_release(folder: Path) -> list[str]:
    """The modules of ours that a release has loaded at its end: a child tries one."""
    prepare_stored(folder)
    reading, writing = os.pipe()
    if not os.fork():
        sys.argv = ["leastnoise", "release", str(folder / "plan.toml"), "--yes", "--begin"]
        _quietly_run()
        os.write(writing, " ".join(m for m in sys.modules if m.startswith("leastnoise.")).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as names:
        found = names.read().decode().split()
    os.wait()
    shutil.rmtree(folder)
    return found
