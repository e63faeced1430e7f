"""`python -m tests.mutants`: changes the trusted code one place at a time; do the tests notice?

python -m tests.mutants                  all changes
python -m tests.mutants --quick          40 of them, chosen by the hash of the commit
python -m tests.mutants privacy noise    those of some parts
python -m tests.mutants --again noise    those that nothing noticed last time
"""

import argparse
import hashlib
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

from tests.mutants.changes import Change
from tests.mutants.justified import JUSTIFIED
from tests.mutants.trial import (
    DEAD,
    Verdicts,
    keep,
    keep_noticed,
    last,
    noticed,
    tried,
    tried_as_before,
)
from tests.mutants.trusted import PARTS

QUICK = 40
Chosen = dict[str, list[Change]]


def main() -> int:
    """1 if there is a change that nothing noticed and nobody justified."""
    asked = _options().parse_args()
    chosen = {name: _unjustified(PARTS[name].chosen()) for name in asked.parts or PARTS}
    if asked.again:
        chosen = {name: _left(name, changes) for name, changes in chosen.items()}
    if asked.quick:
        chosen = _some(chosen)
    found = _judged(chosen, asked.tests, asked.jobs)
    if not asked.quick:
        keep_noticed([each for changes in chosen.values() for each in changes], found)
    return _report(chosen, found, part_of_them=asked.quick or asked.again)


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m tests.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="part")
    options.add_argument("--quick", action="store_true", help=f"{QUICK} chosen by the commit")
    options.add_argument("--again", action="store_true", help="only what nothing noticed before")
    options.add_argument("--tests", action="append", help="other tests than those of the part")
    options.add_argument("--jobs", type=int, default=2, help="how many changes at a time")
    return options


def _unjustified(changes: Sequence[Change]) -> list[Change]:
    return [change for change in changes if change.name not in JUSTIFIED]


def _left(name: str, changes: Sequence[Change]) -> list[Change]:
    before = last(name)
    return [each for each in changes if before.get(each.name, ("", ""))[0] not in DEAD]


def _some(chosen: Chosen) -> Chosen:
    """Others for every commit; the same ones where there is no commit.

    Of changes that were noticed before: whether tests still do is a quick question, and what the
    verdict on new code is must not hang on the hash of a commit. `make mutants` asks of all.
    """
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    before = noticed()
    pairs = [
        (name, change)
        for name, changes in chosen.items()
        for change in changes
        if change.rank in before
    ]
    pairs.sort(key=lambda pair: hashlib.sha256((commit + pair[1].rank).encode()).digest())
    taken = pairs[:QUICK]
    return {name: [change for own, change in taken if own == name] for name in chosen}


def _judged(chosen: Chosen, tests: Sequence[str] | None, jobs: int) -> Verdicts:
    """First the tests that noticed them last time, all in one process; then all tests of a part."""
    found = tried_as_before([each for changes in chosen.values() for each in changes], jobs)
    for name, changes in chosen.items():
        alive = [each for each in changes if found.get(each.name, ("", ""))[0] not in DEAD]
        if alive:
            print(f"{name}: {len(alive)} changes", flush=True)
            found |= {each.name: ("no verdict", "") for each in alive}
            found |= tried(alive, tests or PARTS[name].places(), jobs)
        keep(name, {each.name: found[each.name] for each in changes})
    return found


def _report(chosen: Chosen, found: Verdicts, *, part_of_them: bool) -> int:
    print(
        f"\n{'part':14}{'changes':>9}{'noticed':>9}{'by time':>9}{'survived':>10}{'justified':>11}"
    )
    total: Counter[str] = Counter()
    for name, changes in chosen.items():
        count = Counter(found[each.name][0] for each in changes)
        if not part_of_them:
            whole = PARTS[name].chosen()
            count["justified"] = len(whole) - len(_unjustified(whole))
        total += count
        print(_line(name, count))
    print(_line("all", total))
    alive = [name for name, (outcome, _) in found.items() if outcome not in DEAD]
    for name in alive:
        print(f"{found[name][0]}: {name}")
    return 1 if alive else 0


def _line(name: str, count: "Counter[str]") -> str:
    dead, late, excused = count["killed"], count["out of time"], count["justified"]
    alive = count.total() - dead - late - excused
    return f"{name:14}{count.total():9}{dead:9}{late:9}{alive:10}{excused:11}"


if __name__ == "__main__":
    sys.exit(main())
