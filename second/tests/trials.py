"""How `tests.mutants` tries a mistake: in a forked child, in a copy of the project, test by test.

The parent has the heavy libraries in memory and no thread; it never imports the project. A child
ends at the first test that fails, or that takes far more processor time than it should.
"""

import importlib
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutations import Mutant

ROOT, PACKAGE = Path(__file__).parents[1], "src/leastnoise"
WARM = "numpy flint duckdb scipy.optimize scipy.stats sqlglot mpmath typer rich"
T = TypeVar("T")


def warm() -> None:
    """Loads what most tests need; not pyarrow and polars, which start threads."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    for name in WARM.split():
        importlib.import_module(name)


class _Watch:
    """A plugin of pytest: measures tests and limits them, in processor time; slow ones come last."""

    def __init__(self, slot: Path, known: dict[str, float]) -> None:
        self.slot, self.known = slot, known
        self.codes, self.told = set[CodeType](), dict[str, tuple[float, list[str]]]()
        self._limit("", 60)

    def _limit(self, test: str, seconds: float) -> None:
        (self.slot / "now").write_text(test)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(60 + 10 * int(seconds))  # for a test that waits and computes nothing

    def called(self, frame: FrameType, _event: str, _argument: object) -> None:
        self.codes.add(frame.f_code)

    def run(self, *arguments: str) -> int:
        """Without chance and without shrinking: that a test fails is all we ask."""
        fixed = ("-q", "-p", "no:cacheprovider", f"--basetemp={self.slot / 'tmp'}")
        return int(pytest.main([*fixed, *arguments], plugins=[self]))

    def pytest_collection(self) -> None:
        settings.register_profile(
            "mutants", derandomize=True, database=None, deadline=None,
            phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.known:  # a test that fails without a mistake is not known
            items[:] = [each for each in items if each.nodeid in self.known]
            items.sort(key=lambda each: self.known[each.nodeid] > 1)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        start, failed, imported = time.process_time(), item.session.testsfailed, self.codes
        self._limit(item.nodeid, 5 + 5 * self.known.get(item.nodeid, 11))
        self.codes = imported.copy()
        done = yield
        own, self.codes = self.codes, imported
        if item.session.testsfailed == failed:
            reached = sorted(set(filter(None, map(_place, own))))
            self.told[item.nodeid] = time.process_time() - start, reached
        return done


def _place(code: CodeType) -> str:
    """A function of the project, as `release/gate.py:admit`; of an inner one the outer one."""
    _, found, module = code.co_filename.partition(f"{PACKAGE}/")
    return found and f"{module}:{code.co_qualname.partition('.<locals>')[0]}"


def timed(file: str, slot: Path) -> int:
    """Tells how long each test of a file takes, and which functions it calls in its own process."""
    watch = _Watch(slot, {})
    threading.settrace(watch.called)
    sys.settrace(watch.called)
    if watch.run(file) not in (0, 1, 5):
        raise RuntimeError(f"{file} cannot be looked at.")
    (slot / "told").write_text(json.dumps(watch.told))
    return 0


def collected(files: list[str], slot: Path) -> int:
    """Whether the tests can be collected as they are; also compiles the copy."""
    return _Watch(slot, {}).run("--collect-only", *files)


def tried(mutant: Mutant, stages: list[list[str]], known: dict[str, float], slot: Path) -> int:
    """0 if no test of any stage notices."""
    path = slot / PACKAGE / mutant.module
    path.write_text(mutant.source)
    os.utime(path, (mutant.number, mutant.number))  # compiled files are known by time and size
    statuses = (_Watch(slot, known).run("-x", *files) for files in stages)
    # 4: a test that is named was not found, as in a file that cannot be imported; 5: there were none.
    return next((each for each in statuses if each not in (0, 4, 5)), 0)


def _child(work: Callable[[Path], int], slot: Path) -> None:
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        log = os.open(slot / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(slot)
        own, ours = [str(slot), str(slot / "src")], ("", str(ROOT), str(ROOT / "src"))
        sys.path[:] = own + [each for each in sys.path if each not in ours]
        os.environ["PYTHONPATH"] = os.pathsep.join(own)
        for name in [each for each in sys.modules if each.partition(".")[0] == "tests"]:
            del sys.modules[name]
        os._exit(work(slot))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(99)


def forked(
    tasks: Iterable[tuple[T, Callable[[Path], int]]], slots: list[Path]
) -> Iterator[tuple[T, int, Path]]:
    """Every task in a child with a slot of its own: the task, how it ended, and where."""
    waiting, free, running = iter(tasks), [*slots], dict[int, tuple[T, Path]]()
    try:
        while True:
            while free and (task := next(waiting, None)):
                if not (child := os.fork()):
                    _child(task[1], free[-1])
                running[child] = task[0], free.pop()
            if not running:
                return
            child, status = os.wait()
            _end(child)
            what, slot = running.pop(child)
            if status == 99 << 8:
                sys.exit((slot / "log").read_text())
            yield what, status, slot
            free.append(slot)
    finally:
        for child in running:
            _end(child)


def _end(child: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
