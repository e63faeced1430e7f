"""A warm process that forks releasing children, kills them, and checks what they left behind.

Usage: python -m tests.faults.releaser FOLDER MODE FIRST LAST STEP. Prints one line of JSON.

Modes: "statements" kills child n at the n-th different statement of the path from the plan to the
files; "stored" likewise, of a plan that stores its answers, each in a folder of its own, and then
releases it again; "paid" likewise, at random times after the charge; "beginnings" does so while
there is no ledger yet; "moments" kills at random times; "sizes" lets no file grow beyond n·1024
bytes, as a full disk would; "together" starts them at the same time and kills none.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from leastnoise.errors import LeastNoiseError
from leastnoise.ledger import Charge, Ledger
from leastnoise.ledger.entry import Kept
from leastnoise.privacy.guarantee import PureDP
from leastnoise.release.result.plan_release import PlanRelease
from tests.faults.forked import FEW_KEYS, KEYS, NEVER, Child, prepare, prepare_stored, warm_up


class Inspector:
    """What must be true whatever happened, and what was seen so far."""

    def __init__(self, folder: Path, keys: int = KEYS) -> None:
        self._folder, self._keys = folder, keys
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
        assert len(values) == self._keys + 1
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
        prepare_stored(place)
        status, notes = Child(place, fatal).ended()
        assert status in (0, -signal.SIGKILL), notes
        if status == 0:
            break  # it has no more statements
        kills += 1
        before, _ = released_again(place, notes)
        charged += before != []
        unstored += before == [Charge]
    return {"kills": kills, "charged": charged, "unstored": unstored}


def paid(folder: Path, first: int, last: int, _: int) -> dict[str, int]:
    """Killed after the charge and before the last file: nobody is left without the answers."""
    chance, usual = random.Random(first), 0.1  # seconds from the charge to the last file
    kills = between = unstored = 0
    while between < last - first:
        place = folder / f"paid {kills}"
        prepare_stored(place)
        Ledger(place / "budget.db", total=PureDP(epsilon=1000), begin=True)
        before_it = (place / "budget.db").stat().st_mtime_ns
        child = Child(place, traced=False)
        _wait_for_charge(place / "budget.db", before_it, child)
        time.sleep(chance.random() * usual)
        os.kill(child.number, signal.SIGKILL)
        status, notes = child.ended()
        assert status in (0, -signal.SIGKILL), notes
        usual *= 0.9 if status == 0 else 1.03  # now and then one is quicker: then all of it is met
        kills += status != 0
        before, whole = released_again(place, notes)
        between += before != [] and status != 0 and not whole
        unstored += before == [Charge]
    return {"kills": kills, "between": between, "unstored": unstored}


def _wait_for_charge(ledger: Path, known: int, child: Child) -> None:
    while ledger.stat().st_mtime_ns == known:
        over = os.waitid(os.P_PID, child.number, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        assert over is None, "it ended without a charge"
        time.sleep(0.0005)


def released_again(place: Path, notes: str) -> tuple[list[type], bool]:
    """What a dead release left is whole, and the same plan released again has all it paid for.

    Returns:
        What was in the ledger, and whether all files were there, before that.
    """
    inspector = Inspector(place, FEW_KEYS)
    inspector.look(drawn="drawn" in notes)
    before, shown = _events(place), _shown(place)
    files = {path.name for path in (place / "out").glob("*")}
    again, notes = Child(place, traced=False).ended()
    assert again == 0, notes
    inspector.look(drawn=False)
    assert _events(place) == [Charge, Kept], "a second charge, or none"
    made = _shown(place)
    assert made is not None
    assert shown is None or _texts(shown) == _texts(made), "two draws were shown for one charge"
    assert made.entry.number == 1
    spent, promised = Ledger(place / "budget.db").spent, made.guarantee
    assert isinstance(spent, PureDP)
    assert isinstance(promised, PureDP)
    assert spent.epsilon <= promised.epsilon
    whole = files == {path.name for path in (place / "out").glob("*")}
    shutil.rmtree(place)
    return before, whole


def _texts(made: PlanRelease) -> list[str]:
    return [table.to_csv() for table in made.tables]


def _shown(place: Path) -> PlanRelease | None:
    path = place / "out" / "release.json"
    return PlanRelease.from_json(path.read_text("utf-8")) if path.exists() else None


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


MODES = {
    each.__name__: each for each in (statements, stored, paid, beginnings, moments, sizes, together)
}


def run(place: str, mode: str, *numbers: str) -> None:
    folder = Path(place)
    prepare(folder)
    warm_up(folder)
    print(json.dumps(MODES[mode](folder, *map(int, numbers))))


if __name__ == "__main__":
    run(*sys.argv[1:])
