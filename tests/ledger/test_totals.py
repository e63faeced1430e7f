"""Running totals beside the chain: always what the lines add up to, and never believed alone."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.errors import BudgetExceeded, LedgerError, UnsupportedQuery
from leastnoise.ledger import Ledger
from leastnoise.ledger.account import Account
from leastnoise.ledger.chain import linked
from leastnoise.ledger.entry import Cap, Charge
from leastnoise.ledger.header import Header
from leastnoise.ledger.limits import best_price
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.sqlite_store import _SQLiteTransaction
from leastnoise.ledger.store import Noted
from leastnoise.ledger.tally import Tally
from leastnoise.ledger.totals import Totals, cap_account
from leastnoise.ledger.totals_text import fingerprint, totals_from_text, totals_text
from leastnoise.privacy import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from tests.cli.run import run

TENTH = PureDP(epsilon="0.1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def begun(place: Path, charges: int = 3) -> Ledger:
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    for _ in range(charges):
        ledger.charge(TENTH, purpose="honest")
    return ledger


def changed(place: Path, statement: str, values: tuple[Any, ...] = ()) -> None:
    with closing(sqlite3.connect(place)) as connection:
        for name in ("line_stays", "line_lasts", "header_stays"):
            connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        connection.execute(statement, values)
        connection.commit()


def row(place: Path) -> tuple[Any, ...]:
    with closing(sqlite3.connect(place)) as connection:
        found: tuple[Any, ...] = connection.execute("SELECT number, text FROM totals").fetchone()
    return found


# What the lines add up to by another route: all charges of an account at once, by a filter.


def open_ways(account: Account, charges: list[Charge]) -> dict[Guarantee, PrivacyFilter]:
    own = [each.costs for each in charges if account.concerns(each.labels)]
    found = {}
    for limit in account.ways(own[0] if own else None):
        try:
            prices = [best_price(costs, limit) or costs[0] for costs in own]
            found[limit] = PrivacyFilter(limit).after(prices)
        except (BudgetExceeded, UnsupportedQuery):
            continue
    return found


def check(ledger: Ledger) -> None:
    events = [entry.event for entry in ledger.history()]
    charges = [each for each in events if isinstance(each, Charge)]
    caps = {(each.label, each.value): each for each in events if isinstance(each, Cap)}
    header = ledger._seen.header
    accounts = (*header.accounts, *(cap_account(cap, header) for cap in caps.values()))
    balances = ledger.balances
    assert len(balances) == len(accounts)
    for account, balance in zip(accounts, balances, strict=True):
        ways = open_ways(account, charges)
        assert balance.limits == tuple(ways)
        assert balance.spent == tuple(each.spent for each in ways.values())
        assert balance.remaining == tuple(each.remaining for each in ways.values())


MIXED = ApproxDP(epsilon=1, delta="1e-5")
BEGINNINGS: list[dict[str, Any]] = [
    {"total": PureDP(epsilon=1)},
    {"total": ZCDP(rho="0.05", delta="1e-6")},
    {"total": GDP(mu="0.5")},
    {"total": RDP(order=8, epsilon=1)},
    {"total": MIXED},
    {"total": MIXED, "mode": "approximate"},
    {"total": MIXED, "split": {"approximate": "0.3", "zcdp": "0.3", "leaks": "0.1", "gdp": "0.3"}},
    {
        "total": ApproxDP(epsilon=3, delta="1e-5"),
        "envelopes": {"a": ApproxDP(epsilon=1, delta="1e-6"), "b": PureDP(epsilon="0.5")},
    },
]
_fractions = st.fractions(0, Fraction(1, 4), max_denominator=60)
_pure = _fractions.map(lambda e: PureDP(epsilon=e))
_zcdp = _fractions.map(lambda r: ZCDP(rho=r / 20))
_gdp = _fractions.map(lambda m: GDP(mu=m / 2))
_approx = _fractions.map(lambda e: ApproxDP(epsilon=e, delta="2e-7"))
_costs = st.one_of(_pure, _zcdp, _gdp, _approx).map(lambda each: (each,)) | st.tuples(
    _approx, _zcdp
)
_labels = st.fixed_dictionaries(
    {}, optional={"analyst": st.sampled_from("xy"), "envelope": st.sampled_from("abc")}
)
_steps = st.one_of(
    st.tuples(st.just("charge"), _costs, _labels),
    st.tuples(st.just("cap"), st.one_of(_pure, _zcdp, _approx), st.sampled_from("xy")),
    st.tuples(st.just("keep"), st.sampled_from("mno"), st.just("")),
    st.tuples(st.just("open"), st.just(""), st.just("")),
)


def taken(ledger: Ledger, step: tuple[Any, ...]) -> None:
    kind, what, whose = step
    try:
        if kind == "charge":
            ledger.charge(what, purpose="x", labels=whose)
        elif kind == "cap":
            ledger.cap("analyst", whose, what)
        elif kind == "keep":
            ledger.keep(what, "text")
    except (BudgetExceeded, UnsupportedQuery):
        return


@settings(max_examples=30, deadline=None)
@given(
    beginning=st.sampled_from(BEGINNINGS),
    steps=st.lists(st.tuples(st.integers(0, 1), _steps), max_size=14),
)
def test_kept_totals_are_what_the_lines_add_up_to(
    tmp_path_factory: pytest.TempPathFactory,
    beginning: dict[str, Any],
    steps: list[tuple[int, tuple[Any, ...]]],
) -> None:
    """Charges, refusals, caps and stored releases, by two who take turns and open it again."""
    place = tmp_path_factory.mktemp("totals") / "budget.db"
    both = [Ledger(place, begin=True, **beginning), Ledger(place)]
    for who, step in steps:
        if step[0] == "open":
            both[who] = Ledger(place)
        taken(both[who], step)
    fresh = Ledger(place)
    assert fresh.verify() == both[0].number == both[1].number
    assert fresh.balances == both[0].balances == both[1].balances
    assert fresh.about == both[0].about == both[1].about
    check(fresh)
    if fresh.number:
        noted, _ = fresh.noted
        assert row(place) == (fresh.number, noted.text)
        assert totals_text(totals_from_text(noted.text, fresh._seen.header)) == noted.text


# What is believed, and what is not.


def looks(ledger: Callable[[], Ledger], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many lines are read."""
    real, count = _SQLiteTransaction.lines, [0]

    def counted(transaction: _SQLiteTransaction, first: int, most: int) -> Any:
        found = real(transaction, first, most)
        count[0] += len(found)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(_SQLiteTransaction, "lines", counted)
        ledger()
    return count[0]


@pytest.mark.parametrize("charges", [5, 60])
def test_the_past_is_not_read_again(
    place: Path, monkeypatch: pytest.MonkeyPatch, charges: int
) -> None:
    total = ApproxDP(epsilon=100, delta="1e-5")
    ledger = Ledger(place, total=total, begin=True)
    for _ in range(charges):
        ledger.charge(TENTH, purpose="x", labels={"analyst": "ann"})
    assert looks(lambda: Ledger(place), monkeypatch) <= 3

    def used() -> Ledger:
        ledger.charge(TENTH, purpose="x")
        ledger.require(TENTH)
        ledger.ahead(TENTH)
        assert ledger.remaining is not None
        assert ledger.balances
        assert ledger.seal
        return ledger

    assert looks(used, monkeypatch) <= 6
    noted, seal = ledger.noted

    def goes_on() -> Ledger:
        assert ledger.goes_on_from(noted, seal)
        return ledger

    assert looks(goes_on, monkeypatch) <= 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE totals SET text = replace(text, '3/a', '1/a')",
        "UPDATE totals SET text = replace(text, '\"sums\"', '\"summe\"')",
        "UPDATE totals SET text = '1 {}'",
        "UPDATE totals SET number = 2",
        "UPDATE totals SET number = 9",
        "UPDATE totals SET number = -1",
    ],
)
def test_totals_that_were_changed_are_refused(place: Path, statement: str) -> None:
    ledger = begun(place)
    assert "3/a" in row(place)[1]
    changed(place, statement)
    with pytest.raises(LedgerError):
        Ledger(place)
    with pytest.raises(LedgerError, match="running totals must be"):
        ledger.verify()
    # Who has added the lines up goes on, and writes the true ones again.
    ledger.charge(TENTH, purpose="x")
    assert Ledger(place).spent == PureDP(epsilon="0.4")


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM totals", "DROP TABLE totals", "UPDATE totals SET text = '2 of another version'"],
)
def test_totals_that_are_gone_are_added_up_anew(place: Path, statement: str) -> None:
    begun(place)
    changed(place, statement)
    ledger = Ledger(place)
    assert ledger.spent == PureDP(epsilon="0.3")
    ledger.charge(TENTH, purpose="x")
    assert Ledger(place).spent == PureDP(epsilon="0.4")
    assert ledger.verify() == 4


def test_old_totals_are_no_way_back(place: Path) -> None:
    """They were true once, and the lines since are added up."""
    ledger = begun(place, 2)
    old = row(place)
    ledger.charge(TENTH, purpose="later")
    changed(place, "UPDATE totals SET number = ?, text = ?", old)
    assert Ledger(place).spent == PureDP(epsilon="0.3")
    assert ledger.verify() == 3


def test_totals_of_another_ledger(place: Path) -> None:
    begun(place)
    other = place.with_name("other.db")
    begun(other)
    changed(place, "UPDATE totals SET number = ?, text = ?", row(other))
    with pytest.raises(LedgerError, match="running totals must be"):
        Ledger(place)


def test_a_greater_total_in_the_header_shows(place: Path) -> None:
    begun(place)
    changed(place, """UPDATE header SET text = replace(text, '"epsilon":"1"', '"epsilon":"9"')""")
    with pytest.raises(LedgerError):
        Ledger(place)


def forged(place: Path, ledger: Ledger) -> None:
    """A line that fits the chain and says that nothing was spent, and totals that fit it."""
    header = ledger._seen.header
    text = totals_text(Totals.begun(header))
    body = (
        '{"cost":{"epsilon":"0","kind":"pure"},"digest":"","event":"charge","labels":{},'
        f'"number":4,"purpose":"","time":"","totals":"{fingerprint(text)}"}}'
    )
    line = (4, body, linked(ledger.seal, body))
    changed(place, "INSERT INTO line VALUES (?, ?, ?)", line)
    changed(place, "UPDATE totals SET number = 4, text = ?", (text,))


def test_a_forged_line_shows_to_all_who_add_up(place: Path) -> None:
    """Who can write the file can do this; so could they before, by writing all lines anew."""
    ledger = begun(place)
    noted, seal = ledger.noted
    assert ledger.goes_on_from(noted, seal)
    forged(place, ledger)
    for use in (ledger.verify, ledger.history, lambda: ledger.remaining):
        with pytest.raises(LedgerError, match="running totals must be"):
            use()
    stranger = Ledger(place)  # it sees nothing but the end, until it looks
    assert not stranger.goes_on_from(noted, seal)
    with pytest.raises(LedgerError, match="running totals must be"):
        stranger.verify()
    with pytest.raises(LedgerError, match="running totals must be"):
        Ledger(place, seal=seal)


def test_where_a_note_leads(place: Path) -> None:
    ledger = begun(place)
    noted, seal = ledger.noted
    ledger.charge(TENTH, purpose="later")
    ledger.cap("analyst", "ann", TENTH)
    assert ledger.goes_on_from(noted, seal)
    assert ledger.goes_on_from(Noted(0, ""), ledger.id)
    assert ledger.goes_on_from(Noted(noted.number, "of another version"), seal)
    assert not ledger.goes_on_from(noted, "0" * 64)
    assert not ledger.goes_on_from(Noted(99, noted.text), seal)
    assert not ledger.goes_on_from(Noted(noted.number, noted.text.replace("3/a", "1/a")), seal)
    assert not ledger.goes_on_from(Noted(0, ""), "0" * 64)


@pytest.mark.parametrize("failing", ["append", "note"])
def test_a_line_and_its_totals_come_together(
    place: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    ledger = begun(place)
    real, before = getattr(_SQLiteTransaction, failing), row(place)

    def cut(*arguments: Any) -> None:
        real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_SQLiteTransaction, failing, cut)
        with pytest.raises(KeyboardInterrupt):
            ledger.charge(TENTH, purpose="cut")
    assert row(place) == before
    assert Ledger(place).verify() == 3
    assert ledger.charge(TENTH, purpose="again").number == 4
    assert row(place)[0] == 4


def line_of_an_earlier_version(place: Path, number: int, before: str) -> None:
    body = (
        '{"cost":{"epsilon":"1/10","kind":"pure"},"digest":"","event":"charge","labels":{},'
        f'"number":{number},"purpose":"","time":""}}'
    )
    changed(place, "INSERT INTO line VALUES (?, ?, ?)", (number, body, linked(before, body)))


def test_lines_of_an_earlier_version_count(place: Path) -> None:
    """They have no fingerprint, and were written without totals."""
    ledger = begun(place, 0)
    line_of_an_earlier_version(place, 1, ledger.seal)
    ledger = Ledger(place)
    assert ledger.spent == TENTH
    ledger.charge(TENTH, purpose="by this one")
    line_of_an_earlier_version(place, 3, ledger.seal)
    for each in (ledger, Ledger(place)):
        assert each.spent == PureDP(epsilon="0.3")
        assert each.verify() == 3


def test_a_cap_counts_what_came_before_it_for_everybody(place: Path) -> None:
    """Whoever has not kept the charges by label looks at them again."""
    one = Ledger(place, total=PureDP(epsilon=1), begin=True)
    one.charge(TENTH, purpose="x", labels={"analyst": "ann"})
    two = Ledger(place)
    one.cap("analyst", "ann", PureDP(epsilon="0.15"))
    for each in (one, two, Ledger(place)):
        assert each.remaining_for("analyst", "ann") == PureDP(epsilon="0.05")
        with pytest.raises(BudgetExceeded):
            each.charge(TENTH, purpose="too much", labels={"analyst": "ann"})


def test_texts_stay_what_they_were() -> None:
    """Lines hold their hash: another text, or another price, needs another version."""
    body = (
        '{"accounts":[{"labels":[],"limits":[{"delta":"1/200000","epsilon":"1",'
        '"kind":"approximate"},{"delta":"0","kind":"zcdp","rho":"1/50"},{"kind":"gdp","mu":"1/5"}],'
        '"promise":{"delta":"1/100000","epsilon":"1","kind":"approximate"}}],"dataset":"",'
        '"format":"leastnoise ledger, version 4","mode":"mixed",'
        '"total":{"delta":"1/100000","epsilon":"1","kind":"approximate"}}'
    )
    totals = Totals.begun(Header.read(body))
    cap = Cap("analyst", "ann", PureDP(epsilon=1))
    charges = [
        Charge((PureDP(epsilon="0.1"),), "", {"analyst": "ann"}, "", Scope("", "person", "")),
        Charge((ApproxDP(epsilon="0.01", delta="1e-7"), ZCDP(rho="1e-5")), "", {}, ""),
    ]
    totals = totals.after(charges[0]).after(cap, charges[:1]).after(charges[1])
    assert fingerprint(totals_text(totals)) == (
        "1 f2f9217226e3fed4bc4ee7e7dea93ce16e45c2bbee5d2c786df4c537292a9372"
    )


def test_sums_stay_short_and_are_never_too_small() -> None:
    """A thousand denominators without a common factor would make every charge slower."""
    limit = PureDP(epsilon=1)
    tally, exact = Tally.begun(Account((), limit, (limit,))), Fraction(0)
    for n in range(400):
        part = Fraction(1, 10**9 + 2 * n + 1)
        tally, exact = tally.after([Charge((PureDP(epsilon=part),), "", {}, "")]), exact + part
    ((spent,),) = [each for each in tally.sums if each is not None]
    assert exact.denominator.bit_length() > 5000
    assert spent.denominator.bit_length() <= 4097
    assert exact <= spent <= exact + Fraction(400, 2**4096)
    rest = tally.balance.remaining[0]
    full = tally.after([Charge((rest,), "", {}, "")])
    assert full.balance.remaining == (PureDP(epsilon=0),)
    assert full.after([Charge((PureDP(epsilon=Fraction(1, 10**9)),), "", {}, "")]).sums == (None,)


def test_equal_charges_are_added_up_at_once_as_one_by_one() -> None:
    """Lines hold the fingerprint of what they add up to one by one."""
    long = Fraction(1, 3**2600)  # its denominator is longer than that of a sum may be
    both = ApproxDP(epsilon=Fraction(1, 7), delta=Fraction(1, 10**9))
    cases: list[tuple[Guarantee, PureDP | ApproxDP]] = [
        (PureDP(epsilon=1), PureDP(epsilon=Fraction(1, 7))),
        (PureDP(epsilon=1), PureDP(epsilon=0)),
        (ApproxDP(epsilon=1, delta="1e-6"), PureDP(epsilon=Fraction(1, 7))),
        (ApproxDP(epsilon=1, delta="1e-6"), both),
    ]
    for limit, cost in cases:
        for first in (PureDP(epsilon=long), PureDP(epsilon=Fraction(1, 5**1000))):
            tally = Tally.begun(Account((), limit, (limit,)))
            start = single = tally.after([Charge((each,), "", {}, "") for each in (first, cost)])
            charge = Charge((cost,), "", {}, "")
            for times in range(1, 8):
                single = single.after([charge])
                assert start.after([charge] * times) == single
            assert (single.sums == (None,)) == (cost.epsilon > 0)


def test_seen_from_the_header_is_seen_by_its_totals(place: Path) -> None:
    ledger = begun(place)
    both = ledger._store.locked(
        lambda t: (Seen.begun(ledger._seen.header).reread(t), Seen.opened(ledger._seen.header, t))
    )
    assert both[0] == both[1] == ledger._seen


def test_the_command_that_verifies(place: Path) -> None:
    ledger = begun(place)
    done = run("budget", str(place), "--verify")
    assert (done.status, "3 lines, checked" in done.output) == (0, True)
    asked = run("budget", str(place), "--verify", "--json")
    assert json.loads(asked.output) == {"lines": 3, "verified": True, "last": ledger.seal}
    forged(place, ledger)
    refused = run("budget", str(place), "--verify")
    assert refused.status == 2
    assert "running totals must be" in refused.errors
