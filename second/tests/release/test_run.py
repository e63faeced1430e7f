"""`run`: charge, read, draw, store, in this order, whatever fails in between.

The engine, the ledger and the source are real or nearly so, but every step that they take is an
event, and a test may look at the ledger, fail, or end the process at any event.
"""

import json
import os
import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Price
from leastnoise.ledger.records import MOST_ATTEMPTS
from leastnoise.ledger.sqlite import SQLite
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Box
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import BudgetExceeded, EngineError, LeastNoiseError, LedgerError
from leastnoise.release import draw
from leastnoise.release.auto_contributions import draw_price
from leastnoise.release.gate import NotAdmitted
from leastnoise.release.group_selection import selection_price
from leastnoise.release.measurement import (
    LEVELS,
    Drawn,
    Limit,
    Measurement,
    Part,
    Proposal,
    Selection,
    Shared,
)
from leastnoise.release.run import GROUPS, LIMITS, TOTALS, run
from leastnoise.release.shared_draws import noise_of
from leastnoise.tables.contributions import FULL, ONE, PART
from leastnoise.tables.dialect import DUCKDB, Dialect, Fragment
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Column
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.profile import STEPS
from leastnoise.tables.relations import Relation
from leastnoise.tables.schema import Schema, Table, Type
from leastnoise.tables.totals import Rows
from tests import oracle
from tests.forked import in_child
from tests.ledger.charges import request

MANY = 10**9
SECRET = "Ann Example, 1950-01-01"


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Events:
    """What happened so far; `at` is called with the number and the name of every event."""

    at: Callable[[int, str], None] = lambda _, __: None
    names: list[str] = field(default_factory=list)

    def __call__(self, name: str) -> None:
        self.names.append(name)
        self.at(len(self.names) - 1, name)


@dataclass
class FakeEngine:
    """Two large groups, units with 3 rows at most, and totals that do not matter."""

    events: Events
    dialect: Dialect = DUCKDB

    def schema(self, table: Table) -> Schema:
        return table.schema

    def scan(self, table: Table, columns: list[str]) -> Fragment:
        return Fragment("rows")

    def prepare(self, query: Fragment) -> None:
        self.events("prepare")

    def candidates(self, query: Fragment) -> list[tuple[Any, ...]]:
        self.events("read groups")
        return [("b", MANY), ("a", MANY), ("c", 1)]

    def integers(self, query: Fragment) -> list[tuple[int, ...]]:
        if "FILTER" in query.text:
            self.events("read limits")
            return [tuple(MANY if level < 4 else 0 for level in range(LEVELS))]
        self.events("read totals")
        return [(0, 5)]


class Noise(Source):
    """Tells when it is asked."""

    def __init__(self, events: Events) -> None:
        super().__init__()
        self.events = events

    def _bytes(self, count: int) -> bytes:
        if self.events.names[-1] != "draw":
            self.events("draw")
        return super()._bytes(count)


class Recorded(SQLite):
    """Tells before and after whatever it writes."""

    def __init__(self, path: Path, events: Events) -> None:
        super().__init__(path)
        self.events = events

    def charge(self, *given: Any) -> Any:
        self.events("charge")
        found = super().charge(*given)
        self.events("charged")
        return found

    def attempt(self, charge: int, stage: str = "") -> None:
        self.events("attempt")
        super().attempt(charge, stage)
        self.events("attempted")

    def put_once(self, charge: int, stage: str, content: str) -> str:
        self.events("store")
        found = super().put_once(charge, stage, content)
        self.events("stored")
        return found


@cache
def three_stages() -> Proposal:
    """Groups to find, a limit to draw, two parts that have both, and one with a shared draw."""
    table = pa.table({"u": ["p"], "g": ["a"]})
    relation: Relation = ln.read(table, privacy_unit="u").agg(n=ln.count()).relation
    selection = Selection(36 * STEPS**2, 45 * STEPS, Fraction(1, 10**8))
    found = Unlisted((Column("g", Type.TEXT),), (None,))
    measurement = Measurement(relation, found, (Rows(),), Drawn())
    first = Part(measurement, (ONE**2 * 100,), exponent=Fraction(1, 8), selection=selection)
    second = Part(measurement, (ONE**2 * 100,), leader=0)
    all_rows = Measurement(relation, Groups(), (Rows(),), Limit(1))
    law = CentredGaussian(200 * ONE**2, ONE, (Box(0, ONE),), (1,))
    shared = Part(all_rows, (Shared(0, 0),))
    price = (
        selection_price(selection) + draw_price(Fraction(1, 8)) + Price.gaussian(Fraction(3, 100))
    )
    return Proposal("gaussian", (first, second, shared), price, (law,))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return new_ledger(tmp_path / "x.ledger")


def new_ledger(path: Path) -> Path:
    Ledger.create(path, privacy_unit="person", epsilon=6, delta="1e-6")
    return path


def attempted(
    path: Path, events: Events, unfinished: int | None = None, **changed: Any
) -> int | None:
    store = Recorded(path, events)
    made = replace(three_stages(), **changed)
    last = store.last
    number = run(
        made, request(), FakeEngine(events), store, Noise(events), after=last, unfinished=unfinished
    )
    events("returned")
    return number


def content(path: Path) -> dict[str, str | None]:
    store = SQLite(path)
    store.verify()
    return {stage: store.stored(1, stage) for stage in store.entries[1].stored}


ORDER = [
    *["prepare"] * 3, "prepare", "prepare", "charge", "charged",
    "read groups", "draw", "store", "stored",
    "read limits", "draw", "store", "stored",
    "read totals", "read totals", "read totals", "draw", "store", "stored", "returned",
]  # fmt: skip


def test_the_order_is_prepare_charge_read_draw_store(path: Path) -> None:
    """Whatever an event sees is on the disk: another connection looks at the ledger."""
    seen: list[list[str]] = []

    def look(number: int, name: str) -> None:
        entries = SQLite(path).entries
        seen.append([name, *map(str, entries), *(entries[1].stored if entries else ())])

    events = Events(look)
    assert attempted(path, events) == 1
    assert events.names == ORDER
    assert all(len(each) == 1 for each in seen[:6])
    stored = {"read groups": [], "read limits": [GROUPS], "read totals": [GROUPS, LIMITS]}
    for name, *found in seen[6:]:
        assert found[0] == "1"
        if name in stored:
            assert found[1:] == stored[name]
    assert seen[-1] == ["returned", "1", GROUPS, LIMITS, TOTALS]


def test_each_stage_depends_on_what_the_one_before_gave(path: Path) -> None:
    attempted(path, Events())
    found = {stage: json.loads(text or "") for stage, text in content(path).items()}
    assert found[GROUPS] == [[["a"], ["b"]], None, None]
    assert found[LIMITS][0] >= 4  # the chance of a lower one is below e^(-10^8)
    assert found[LIMITS][1:] == [None, None]
    assert [len(each["totals"][0]) for each in found[TOTALS]] == [2, 2, 1]
    assert all(each["units"] == [] for each in found[TOTALS])


def killed(number: int, way: str) -> Callable[[int, str], None]:
    def at(now: int, name: str) -> None:
        if now == number:
            if way == "exit":
                os._exit(1)
            raise Killed

    return at


@pytest.mark.parametrize("way", ["exception", "exit"])
@pytest.mark.parametrize("number", range(3, len(ORDER)))
def test_a_release_that_was_killed_is_finished_with_what_it_stored(
    number: int, way: str, path: Path
) -> None:
    def work() -> bytes:
        attempted(path, Events(killed(number, way)))
        return b"done"

    if way == "exit":
        assert in_child(work) == b""
    else:
        with pytest.raises(Killed):
            work()
    if number < ORDER.index("charged"):
        assert not SQLite(path).entries
        return
    before, line = content(path), SQLite(path).entries[1].line
    events = Events()
    assert attempted(path, events, 1) == 1
    after = content(path)
    assert before.items() <= after.items()
    assert [*after] == [GROUPS, LIMITS, TOTALS]
    assert SQLite(path).entries[1].line == line
    assert len(SQLite(path).entries) == 1
    assert events.names.count("store") == 3 - len(before)
    kept = {GROUPS: "read groups", LIMITS: "read limits", TOTALS: "read totals"}
    assert not {kept[stage] for stage in before} & {*events.names}
    assert events.names.index("attempted") < len(ORDER) - 1
    read = [i for i, name in enumerate(events.names) if name.startswith("read")]
    assert all(events.names.index("attempted") < i for i in read)


def test_the_fourth_continuation_is_refused_and_reads_nothing(path: Path) -> None:
    for number in range(1 + MOST_ATTEMPTS):
        stop = killed(ORDER.index("read groups") + (1 if number else 0), "exception")
        with pytest.raises(Killed):
            attempted(path, Events(stop), 1 if number else None)
    events = Events()
    with pytest.raises(LedgerError, match="closed"):
        attempted(path, events, 1)
    assert not [name for name in events.names if name.startswith(("read", "draw", "store"))]


def test_a_charge_is_finished_with_its_own_noise_at_its_own_price(path: Path) -> None:
    with pytest.raises(Killed):
        attempted(path, Events(killed(ORDER.index("charged"), "exception")))
    made = three_stages()
    law: Any = made.draws[0]
    quiet = replace(made.parts[2], noise=(200 * ONE**2,))
    other: list[dict[str, Any]] = [
        {"parts": (*made.parts[:2], quiet), "draws": ()},
        {"price": replace(made.price, delta=made.price.delta * 2)},
        {"draws": (replace(law, variance=300 * ONE**2),)},
    ]  # fmt: skip
    for changed in other:
        events = Events()
        with pytest.raises(LeastNoiseError, match="other noise"):
            attempted(path, events, 1, **changed)
        assert {*events.names} == {"prepare"}
    events = Events()
    with pytest.raises(NotAdmitted):
        attempted(path, events, 1, price=Price.gaussian(Fraction(1, 100)))
    assert not events.names
    assert SQLite(path).entries[1].attempts == 0


def test_nothing_is_charged_if_the_ledger_has_moved_on_or_is_spent(path: Path) -> None:
    def between(number: int, name: str) -> None:
        if name == "charge":
            store = SQLite(path)
            store.charge(charge_of("other"), store.last)

    events = Events(between)
    assert attempted(path, events) is None
    assert events.names[-3:] == ["charge", "charged", "returned"]
    rich = replace(three_stages().price, squared_mu=Fraction(2))
    with pytest.raises(BudgetExceeded):
        attempted(path, Events(), price=rich)
    assert len(SQLite(path).entries) == 1


def charge_of(name: str) -> Any:
    from tests.ledger.charges import charge

    return charge(name=name)


@pytest.mark.parametrize("stage", ["read groups", "read limits", "read totals"])
def test_of_two_that_finish_one_stores_and_both_go_on_with_it(stage: str, path: Path) -> None:
    """The second one runs to its end while the first one reads."""
    with pytest.raises(Killed):
        attempted(path, Events(killed(ORDER.index("read groups"), "exception")))
    inner: list[dict[str, str | None]] = []

    def meanwhile(number: int, name: str) -> None:
        if name == stage and not inner:
            inner.append({})
            attempted(path, Events(), 1)
            inner.append(content(path))

    events = Events(meanwhile)
    assert attempted(path, events, 1) == 1
    assert content(path) == inner[1]
    late = {"read groups": ["read limits", "read totals"], "read limits": ["read totals"]}
    assert not {*late.get(stage, [])} & {*events.names}


def test_a_full_disk_stops_a_release_at_any_write_and_it_can_be_finished(tmp_path: Path) -> None:
    """The greatest size of a file is set in a child, from no room at all to enough."""
    ended = set[str]()
    for number in range(100):
        path, most = new_ledger(tmp_path / f"{number}.ledger"), 1024 * number

        def work(path: Path = path, most: int = most) -> bytes:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            events = Events()
            try:
                attempted(path, events)
            except LedgerError as error:
                assert SECRET not in str(error)
            return events.names[-1].encode()

        last = in_child(work).decode()
        ended.add(last)
        entries = SQLite(path).entries
        assert bool(entries) == (ORDER.index(last) > ORDER.index("charge"))
        if entries:
            before = content(path)
            attempted(path, Events(), 1)
            assert before.items() <= content(path).items()
        path.unlink()
        if last == "returned":
            break
    assert ended == {"charge", "store", "returned"}


class _Failing:
    """A connection whose statement number `at` fails, with the data in its words."""

    def __init__(self, connection: Any, at: int, begun: list[str]) -> None:
        self._connection, self._at, self._begun = connection, at, begun

    def execute(self, text: str, *values: Any) -> Any:
        if not text.startswith("SET"):
            self._begun.append(text)
            if len(self._begun) - 1 == self._at:
                raise duckdb.Error(f"Conversion Error: {SECRET}")
        return self._connection.execute(text, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def test_whatever_statement_fails_the_error_has_no_data_and_no_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"u": [f"{i}" for i in range(300)], "g": ["a", "b", SECRET] * 100})
    query = ln.read(table, privacy_unit={"person": "u"}, data_version="1").group_by(
        "g", groups="auto"
    )
    asked = query.agg(n=ln.count())
    connect, stages = duckdb.connect, set[str]()
    for at in range(30):
        ledger = Ledger.create(
            tmp_path / f"{at}.ledger", privacy_unit="person", epsilon=6, delta="1e-6"
        )
        begun: list[str] = []
        monkeypatch.setattr(duckdb, "connect", lambda *a, at=at, begun=begun, **k:
                            _Failing(connect(*a, **k), at, begun))  # fmt: skip
        try:
            asked.release(ledger, epsilon=3)
        except LeastNoiseError as error:
            shown = "".join(traceback.format_exception(error))
            assert SECRET not in shown
            assert "Conversion" not in shown
            charged = bool(SQLite(ledger.path).entries)
            assert ("reason is not shown" in shown) is charged
            stages.add("after" if charged else "before")
            monkeypatch.setattr(duckdb, "connect", connect)
            if charged:
                asked.release(ledger, epsilon=3)
                assert len(SQLite(ledger.path).entries) == 1
        else:
            stages.add("never")
            break
    assert stages == {"before", "after", "never"}


def test_many_processes_never_spend_more_than_there_is(path: Path) -> None:
    """Sixty-four at once, of which the ledger has room for nine."""
    price, made = Price.gaussian(Fraction(3, 20)), three_stages()
    oracle.check(made.parts[2], "gaussian")  # once, and not in every process

    def work() -> bytes:
        while True:
            try:
                if attempted(path, Events(), price=price, parts=made.parts[2:]):
                    return b"1"
            except BudgetExceeded:
                return b"0"

    children = [os.pipe() for _ in range(64)]
    ids = list(_started(children, work))
    answers = b""
    for reader, writer in children:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            answers += pipe.read()
    assert all(os.waitpid(child, 0)[1] == 0 for child in ids)
    store = SQLite(path)
    store.verify()
    assert len(answers) == 64
    assert answers.count(b"1") == len(store.entries) == 9
    assert not store.meters.fits(price)


def _started(pipes: list[tuple[int, int]], work: Callable[[], bytes]) -> Iterator[int]:
    import warnings

    for _, writer in pipes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if not child:
            status = 1
            try:
                os.write(writer, work())
                status = 0
            finally:
                os._exit(status)
        yield child


# --- noise on totals


def noisy(part: Part, rows: Any, monkeypatch: pytest.MonkeyPatch, family: Any = "gaussian") -> Any:
    """The totals with noise 1000, 1001, 1002, ... times the size, in the order in which it is drawn."""
    drawn = iter(range(1000, 2000))

    def noise(size: Fraction, count: int, source: Source) -> list[int]:
        return [int(size) * next(drawn) for _ in range(count)]

    name = "rounded_gaussian" if family == "gaussian" else "discrete_laplace"
    monkeypatch.setattr(draw, name, noise)
    law = CentredGaussian(1, 1, (Box(0, 1), Box(0, 1)), (1, 1))
    return draw.noisy_totals(part, rows, [(law, ([], [7]))], family, Source())


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_every_group_gets_noise_on_every_total_and_so_do_both_counts_of_units(
    family: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    relation: Relation = (
        ln.read(pa.table({"u": ["p"], "g": ["a"]}), privacy_unit="u").agg(n=ln.count()).relation
    )
    groups = Groups((Column("g", Type.TEXT),), (("a",), ("b",), ("c",)))
    measurement = Measurement(relation, groups, (Rows(), Rows()), Limit(2), over_limit=True)
    part = Part(measurement, (10**4, 10**7), 10**10)
    found = noisy(part, [(2, 5, 6), (0, 3, 4), (PART, 9, 0)], monkeypatch, family)
    assert found["units"] == [10**10 * 1000, 9 + 10**10 * 1001]
    first = [3 + 10**4 * 1002, 10**4 * 1003, 5 + 10**4 * 1004]
    assert found["totals"] == [first, [4 + 10**7 * 1005, 10**7 * 1006, 6 + 10**7 * 1007]]
    for code in (3, -3):
        with pytest.raises(EngineError, match="not asked for"):
            noisy(part, [(code, 1, 1)], monkeypatch, family)
    everything = [(code, 8, 0) for code in (FULL, PART, 0, 1, 2)]
    assert noisy(part, everything, monkeypatch, family)["units"][0] == 8 + 10**10 * 1000


def test_a_shared_draw_is_added_where_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    part = three_stages().parts[2]
    part = replace(part, noise=(Shared(0, 1),))
    assert noisy(part, [(0, 5)], monkeypatch)["totals"] == [[12]]
    assert noisy(part, [], monkeypatch)["totals"] == [[7]]


def test_the_engine_that_a_release_gets_is_locked(tmp_path: Path) -> None:
    with DuckDB([]) as engine, pytest.raises(EngineError):
        engine.integers(Fragment(f"SELECT * FROM read_csv('{tmp_path}/x.csv')"))


def test_laws_in_a_charge_line_hold_all_noise() -> None:
    laws = noise_of(three_stages())
    assert laws["family"] == "gaussian"
    assert json.loads(json.dumps(laws)) == laws
    parts: Any = laws["parts"]
    assert [each["totals"] for each in parts] == [[str(100 * ONE**2)]] * 2 + [[[0, 0]]]
    assert parts[0]["exponent"] == "1/8"
    assert parts[0]["selection"] == {"variance": str(36 * STEPS**2), "threshold": str(45 * STEPS),
                                     "delta": "1/100000000", "min_units": "1"}  # fmt: skip
    assert noise_of(replace(three_stages(), draws=())).keys() == {"family", "parts"}


def test_no_line_of_a_ledger_depends_on_the_data_but_for_digests_of_noisy_totals(
    tmp_path: Path,
) -> None:
    """Two tables of other sizes with other values, through all three stages."""
    found = []
    for number, size in enumerate((3, 3000)):
        table = pa.table(
            {"u": [*range(size)], "g": [f"{SECRET} {i % (number + 1)}" for i in range(size)]}
        )
        path = new_ledger(tmp_path / f"{number}.ledger")
        data = ln.read(table, privacy_unit={"person": "u"}, data_version="1")
        data.group_by("g", groups="auto").agg(n=ln.count()).release(Ledger(path), epsilon=1)
        with SQLite(path).transaction(write=False) as rows:
            texts = [line.text for line in rows.lines_after(0)]
        assert SECRET not in "".join(texts)
        lines = [json.loads(text) for text in texts]
        found.append(
            [{k: v for k, v in line.items() if k not in ("time", "digest")} for line in lines]
        )
        assert [line["kind"] for line in lines] == ["charge", *["stored"] * (len(lines) - 1)]
    assert found[0] == found[1]
