"""Tries changes in a process of its own, which loads the tests once, and keeps the verdicts."""

import json
import multiprocessing
import os
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from tests.mutants.changes import Change

Verdicts = dict[str, tuple[str, str]]
"""From a change's name to what became of it, and the test that noticed it."""

DEAD = {"killed", "out of time"}
NOTICED = Path(__file__).with_name("noticed.json")
"""From a change's rank to the test that noticed it last: a run tries that one first."""
REPORTS = Path("build/mutants")


def tried(changes: Sequence[Change], tests: Sequence[str], jobs: int) -> Verdicts:
    """The verdicts of those tests on the code with each change."""
    known = noticed()
    before = {each.name: known[each.rank] for each in changes if each.rank in known}
    return _in_a_process(changes, before, tests, jobs)


def tried_as_before(changes: Sequence[Change], jobs: int) -> Verdicts:
    """The verdicts of the tests that noticed these changes last time; nothing of others."""
    known = noticed()
    some = [each for each in changes if each.rank in known]
    before = {each.name: known[each.rank] for each in some}
    return _in_a_process(some, before, (), jobs) if some else {}


def _in_a_process(
    changes: Sequence[Change], before: dict[str, str], tests: Sequence[str], jobs: int
) -> Verdicts:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.get_context("fork").Process(
        target=_run, args=(changes, before, tests, jobs, theirs)
    )
    worker.start()
    theirs.close()
    found: Verdicts = {}
    try:
        while True:
            change, outcome, test = ours.recv()
            found[change] = outcome, test
            if outcome not in DEAD and tests:
                print(f"  {outcome}: {change}", flush=True)
    except EOFError:
        worker.join()
    return found


def _run(
    changes: Sequence[Change],
    before: dict[str, str],
    tests: Sequence[str],
    jobs: int,
    pipe: Connection,
) -> None:
    import pytest

    from tests.mutants.judge import Judge

    os.environ["CI"] = "1"
    tell: Callable[[tuple[str, str, str]], None] = pipe.send
    judge = Judge(changes, before, tell, only_before=not tests, jobs=jobs)
    files = sorted({test.split("::")[0] for test in before.values()})
    there = [file for file in files if Path(file).exists()]
    pytest.main(["-q", "-s", "-p", "no:cacheprovider", *tests, *there], plugins=[judge])


def last(part: str) -> Verdicts:
    """The last verdicts on a part's changes."""
    place = REPORTS / f"{part}.json"
    found: Verdicts = json.loads(place.read_text()) if place.exists() else {}
    return found


def keep(part: str, verdicts: Verdicts) -> None:
    """Remembers verdicts for a next run on this machine."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    _write(REPORTS / f"{part}.json", last(part) | verdicts)


def noticed() -> dict[str, str]:
    """The tests that noticed changes last time."""
    found: dict[str, str] = json.loads(NOTICED.read_text()) if NOTICED.exists() else {}
    return found


def keep_noticed(changes: Sequence[Change], verdicts: Verdicts) -> None:
    """Remembers which test noticed which change, for a next run anywhere."""
    fresh = {
        each.rank: verdicts[each.name][1]
        for each in changes
        if verdicts.get(each.name, ("", ""))[0] in DEAD
    }
    _write(NOTICED, dict(sorted((noticed() | fresh).items())))


def _write(place: Path, content: object) -> None:
    place.write_text(json.dumps(content, indent=0, ensure_ascii=False) + "\n")
