"""Runs tests against changes: everything is loaded once, and a forked child tries each change.

A child's verdict counts processor time only: a change that makes a test run for ever is one that a
test noticed. The changed code is never written anywhere.
"""

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.changes import Change, source_path
from tests.mutants.installed import install, prepare

SECONDS_OF_ONE_TEST = 3
"""Tests that need more are left to the other suites."""
SECONDS_OF_ALL = 20
"""Of processor time for the tests of one change: the quickest ones are taken."""
SECONDS_TO_SPARE = 5
CASES_OF_ONE_TEST = 6
"""Whose lines are measured: the first, the last, and some between. The others come last."""
MEMORY = 4 << 30
HUNG = 1200
"""Seconds of waiting after which a child that does nothing is no verdict but an error."""


@dataclass(frozen=True)
class Verdict:
    """What became of a change: killed, out of time, survived or unreached, and by which test."""

    outcome: str
    test: str = ""


@dataclass
class _Known:
    """What the tests do to the code as it is."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[int, list[str]]] = field(default_factory=lambda: defaultdict(dict))


class Judge:
    """A plugin of pytest that tries changes in place of the usual run.

    Args:
        changes: what to try.
        before: the test that noticed a change last time, by the change's name.
        told: is given each verdict as soon as it is known.
        only_before: whether to run no other tests than those.
        jobs: how many children at a time.
    """

    def __init__(
        self,
        changes: Sequence[Change],
        before: dict[str, str],
        told: Callable[[tuple[str, str, str]], None],
        *,
        only_before: bool = False,
        jobs: int = 2,
    ) -> None:
        self.changes, self.before, self.told = changes, before, told
        self.only_before, self.jobs = only_before, jobs

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Hypothesis without chance and without shrinking: that a test fails is all we ask."""
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutants",
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Only what is wanted, and no limit of seconds on the wall."""
        wanted = set(self.before.values())
        if self.only_before:
            items[:] = [item for item in items if item.nodeid in wanted]
        for item in items:
            names = getattr(item, "fixturenames", [])
            if "_in_time" in names:
                names.remove("_in_time")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        assert not session.testsfailed, "the tests could not be collected"
        prepare()
        items = {item.nodeid: item for item in session.items}
        some = _few_cases(items, set(self.before.values()))
        known = self._unchanged({name: items[name] for name in some})
        self._cases = _cases(items)
        tasks = [(change, self._tests(change, known)) for change in self.changes]
        for change, verdict in self._tried(tasks, items, known):
            self.told((change.name, verdict.outcome, verdict.test))
        return True

    def _unchanged(self, items: dict[str, pytest.Item]) -> _Known:
        """Time and reach of every test on the code as it is. What fails there tells nothing."""
        files = {change.module: str(source_path(change.module)) for change in self.changes}
        limit = SECONDS_OF_ONE_TEST
        if self.only_before:  # which tests are run is known, and they were quick enough
            files, limit = {}, 5 * limit
        by_file: dict[str, list[str]] = defaultdict(list)
        for name in items:
            by_file[name.split("::")[0]].append(name)
        tasks: list[Task] = [
            (name, partial(_measure, [items[n] for n in names], files, limit))
            for name, names in by_file.items()
        ]
        known = _Known()
        for name, status, told in _forked(tasks, self.jobs):
            if status or not told:
                print(f"no tests of {name}: status {status}", file=sys.stderr)
                continue
            known.seconds.update(told["seconds"])
            for module, lines in told["lines"].items():
                for line, tests in lines.items():
                    known.lines[module].setdefault(int(line), []).extend(tests)
        return known

    def _tests(self, change: Change, known: _Known) -> list[str]:
        """The tests that walk through the changed lines, quickest first."""
        reached = known.lines[change.module]
        first, last = change.lines
        lines: Sequence[int] = range(first, last + 1)
        if "." not in change.function and not any(reached.get(line) for line in lines):
            lines = _uses(change)
        found = {test for line in lines for test in reached.get(line, [])}
        if change.function.lstrip("_").isupper():
            found |= {test for test in known.seconds if change.function in _file(test)}
        found &= set(known.seconds)
        ordered = sorted(found, key=lambda test: (known.seconds[test], test))
        before = self.before.get(change.name, "")
        if before in known.seconds:
            ordered = [before, *(test for test in ordered if test != before)]
        # Their other cases come last: those whose time is not known are as slow as one that is.
        guesses = {other: known.seconds[test] for test in reversed(ordered)
                   for other in self._cases[_function(test)] if test != before}  # fmt: skip
        others = sorted(set(guesses) - set(known.seconds), key=lambda test: (guesses[test], test))
        taken, seconds = [], 0.0
        for test in ordered + others:
            seconds += known.seconds.get(test, guesses.get(test, 0.0))
            if seconds <= SECONDS_OF_ALL:
                taken.append(test)
        return taken

    def _tried(
        self, tasks: list[tuple[Change, list[str]]], items: dict[str, pytest.Item], known: _Known
    ) -> Iterator[tuple[Change, Verdict]]:
        work: list[Task] = []
        changes = {change.name: change for change, _ in tasks}
        for change, tests in tasks:
            if not tests:
                yield change, Verdict("unreached")
                continue
            limit = SECONDS_TO_SPARE + 2 * min(
                SECONDS_OF_ALL, sum(known.seconds.get(test, SECONDS_OF_ONE_TEST) for test in tests)
            )
            own = [items[test] for test in tests]
            work.append((change.name, partial(_try, change, own, int(limit))))
        for name, status, told in _forked(work, self.jobs):
            change = changes[name]
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL}:
                test = told.get("running", "")
                sure = test in known.seconds  # another case may be slow by itself
                yield change, Verdict("out of time" if sure else "survived", test)
            elif os.WIFSIGNALED(status):
                yield change, Verdict("killed", told.get("running", ""))
            else:
                yield change, Verdict(told["outcome"], told.get("running", ""))


def _function(test: str) -> str:
    return test.split("[", maxsplit=1)[0]


@cache
def _text(file: str) -> str:
    return Path(file).read_text()


def _file(test: str) -> str:
    """The text of a test's file: a constant may be looked at without a line that uses it."""
    return _text(test.split("::", maxsplit=1)[0])


def _cases(items: Iterable[str]) -> dict[str, list[str]]:
    """All cases of each test."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in items:
        found[_function(name)].append(name)
    return found


def _few_cases(items: Iterable[str], wanted: set[str]) -> list[str]:
    """Some cases of each test, and all that are wanted."""
    kept: set[str] = set()
    for group in _cases(items).values():
        last = min(len(group), CASES_OF_ONE_TEST) - 1
        kept |= {group[place * (len(group) - 1) // max(last, 1)] for place in range(last + 1)}
    return [name for name in items if name in kept or name in wanted]


def _uses(change: Change) -> list[int]:
    """The lines that name a constant."""
    lines = source_path(change.module).read_text().split("\n")
    return [number for number, line in enumerate(lines, 1) if change.function in line]


Task = tuple[str, Callable[[Path], None]]


def _forked(tasks: list[Task], jobs: int) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Runs each task in a child of its own; what it wrote, and how it ended."""
    waiting = list(reversed(tasks))
    running: dict[int, tuple[str, Path]] = {}
    with tempfile.TemporaryDirectory() as folder:
        while waiting or running:
            while waiting and len(running) < jobs:
                name, task = waiting.pop()
                place = Path(folder) / str(len(waiting))
                place.mkdir()
                running[_child(task, place)] = name, place
            child, status = os.wait()
            if child in running:
                name, place = running.pop(child)
                out = place / "told.json"
                told = json.loads(out.read_text()) if out.exists() else {}
                shutil.rmtree(place, ignore_errors=True)
                yield name, status, told


def _child(task: Callable[[Path], None], place: Path) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(place)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.alarm(HUNG)
        task(place / "told.json")
        os._exit(0)
    finally:
        os._exit(3)


def _measure(items: list[pytest.Item], files: dict[str, str], limit: int, out: Path) -> None:
    seconds: dict[str, float] = {}
    seen = coverage.Coverage(data_file=None, config_file=False, include=list(files.values()))
    if files:
        seen.start()
    for number, item in enumerate(items):
        if files:
            seen.switch_context(item.nodeid)
        start = time.process_time()
        passed = _passes(item, items[number + 1 : number + 2], limit)
        if passed:
            seconds[item.nodeid] = time.process_time() - start
    if files:
        seen.stop()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # coverage warns of tests that reach none of the files
        data = seen.get_data()
    lines = {module: data.contexts_by_lineno(path) for module, path in files.items()}
    out.write_text(json.dumps({"seconds": seconds, "lines": lines}))


def _passes(item: pytest.Item, following: list[pytest.Item], limit: int) -> bool:
    """Whether the test passes within its seconds of processor time."""

    def stop(_signal: int, _frame: object) -> None:
        raise AssertionError("too slow for this kit")

    signal.signal(signal.SIGPROF, stop)
    after = following[0] if following else None
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        reports = runtestprotocol(item, log=False, nextitem=after)
    except Exception:  # the time was over between two phases: other tests of the file go on
        signal.setitimer(signal.ITIMER_PROF, 0)
        item.session._setupstate.teardown_exact(after)
        return False
    signal.setitimer(signal.ITIMER_PROF, 0)
    return all(report.passed for report in reports)


def _try(change: Change, items: list[pytest.Item], limit: int, out: Path) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    if not install(change):
        out.write_text(json.dumps({"outcome": "not installed"}))
        return
    for number, item in enumerate(items):
        out.write_text(json.dumps({"outcome": "killed", "running": item.nodeid}))
        following = items[number + 1] if number + 1 < len(items) else None
        reports = runtestprotocol(item, log=False, nextitem=following)
        if any(report.failed for report in reports):
            return
    out.write_text(json.dumps({"outcome": "survived"}))
