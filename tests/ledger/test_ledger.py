"""The ledger: exact, append-only, for one body of data, and honest about what is left."""

import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import BudgetExceeded, InvalidParameter, LedgerError, UnsupportedQuery
from leastnoise.ledger import Cap, Charge, Ledger
from leastnoise.ledger.guarantee_text import guarantee_from_text, guarantee_text
from leastnoise.privacy import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def test_spending_to_the_last_fraction(place: Path) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    for n in range(1, 11):
        assert ledger.charge(PureDP(epsilon="0.1"), purpose="tenth").number == n
    assert ledger.remaining == PureDP(epsilon=0)
    with pytest.raises(BudgetExceeded) as refused:
        ledger.charge(PureDP(epsilon="1e-40"), purpose="one too many")
    assert refused.value.remaining == PureDP(epsilon=0)
    assert len(ledger.history()) == 10
    assert Ledger(place).spent == PureDP(epsilon=1)


@pytest.mark.parametrize(
    ("total", "cost", "left"),
    [
        (ApproxDP(epsilon=3, delta="1e-6"), ApproxDP(epsilon=1, delta="1e-7"), 2),
        (ZCDP(rho=2), ZCDP(rho=1), 1),
        (GDP(mu=5), GDP(mu=3), 4),
        (RDP(order=8, epsilon=3), RDP(order=8, epsilon=1), 2),
    ],
)
def test_every_kind_of_budget(place: Path, total: Guarantee, cost: Guarantee, left: int) -> None:
    ledger = Ledger(place, total=total, begin=True)
    ledger.charge(cost, purpose="one")
    remaining = ledger.remaining
    numbers = [getattr(remaining, name, None) for name in ("epsilon", "rho", "mu")]
    assert Fraction(left) in numbers
    assert type(remaining) is type(total)


def test_mixed_costs_under_concentrated_budgets(place: Path) -> None:
    ledger = Ledger(place, total=ZCDP(rho=1, delta="1e-6"), begin=True)
    ledger.charge(PureDP(epsilon="0.5"), purpose="selection")
    ledger.charge(ApproxDP(epsilon="0.5", delta="1e-7"), purpose="canonical noise")
    assert ledger.spent.rho < Fraction(1, 4)  # type: ignore[union-attr]
    with pytest.raises(UnsupportedQuery):
        Ledger(place.with_name("pure.db"), total=PureDP(epsilon=1), begin=True).charge(
            ZCDP(rho="0.1"), purpose="not pure"
        )


def test_reopening_keeps_total_and_dataset(place: Path) -> None:
    Ledger(place, total=ZCDP(rho=1), dataset="visits 2026", begin=True)
    again = Ledger(place)
    assert (again.total, again.dataset) == (ZCDP(rho=1), "visits 2026")
    assert Ledger(place, total=ZCDP(rho=1), dataset="visits 2026").total == ZCDP(rho=1)
    with pytest.raises(InvalidParameter, match="begun with"):
        Ledger(place, total=ZCDP(rho=2))
    with pytest.raises(LedgerError, match="one body of data"):
        Ledger(place, dataset="staff 2026")


def test_caps_hold_inside_the_total(place: Path) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=3), begin=True)
    ledger.charge(PureDP(epsilon="0.5"), purpose="early", labels={"analyst": "ann"})
    ledger.cap("analyst", "ann", PureDP(epsilon=1))
    assert ledger.remaining_for("analyst", "ann") == PureDP(epsilon="0.5")
    assert ledger.remaining_for("analyst", "bob") == PureDP(epsilon="2.5")
    with pytest.raises(BudgetExceeded):
        ledger.charge(PureDP(epsilon="0.6"), purpose="too much", labels={"analyst": "ann"})
    ledger.charge(PureDP(epsilon="0.6"), purpose="fine", labels={"analyst": "bob"})
    ledger.cap("analyst", "ann", PureDP(epsilon=2))  # the latest cap holds
    ledger.charge(PureDP(epsilon="0.6"), purpose="now fine", labels={"analyst": "ann"})
    with pytest.raises(BudgetExceeded):
        ledger.cap("analyst", "ann", PureDP(epsilon="0.1"))  # already exceeded
    kinds = [type(entry.event) for entry in ledger.history()]
    assert kinds == [Charge, Cap, Charge, Cap, Charge]


def test_a_new_ledger_needs_a_total(place: Path) -> None:
    with pytest.raises(InvalidParameter, match="`total` must be given"):
        Ledger(place, begin=True)
    assert not place.exists()
    assert Ledger(place, total=PureDP(epsilon=1), begin=True).history() == []


@pytest.mark.parametrize("bad", ["x" * 2000, "two\nlines", "\x00"])
def test_odd_texts_are_refused(place: Path, bad: str) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    with pytest.raises(InvalidParameter, match="printable"):
        ledger.charge(PureDP(epsilon="0.1"), purpose=bad)
    assert ledger.history() == []


@pytest.mark.parametrize("cost", ["0.1", None, 3])
def test_only_guarantees_can_be_charged(place: Path, cost: Any) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    with pytest.raises(InvalidParameter, match="guarantee"):
        ledger.charge(cost, purpose="what?")


def tamper(place: Path, *statements: str) -> None:
    with sqlite3.connect(place) as connection:
        for name in ("line_stays", "line_lasts", "header_stays", "header_lasts"):
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
    connection.close()


BEFORE_THE_LAST = [
    "UPDATE line SET text = replace(text, '1/10', '1/100') WHERE number = 2",
    "DELETE FROM line WHERE number = 1",
]


@pytest.mark.parametrize(
    "statement",
    [
        *BEFORE_THE_LAST,
        "DELETE FROM line WHERE number = 2",
        "UPDATE line SET number = number + 10",
        "UPDATE line SET hash = 'x' || hash WHERE number = 3",
        'UPDATE header SET text = replace(text, \'"epsilon":"1"\', \'"epsilon":"9"\')',
        "UPDATE header SET text = 'other'",
        "INSERT INTO line SELECT 4, text, hash || 'x' FROM line WHERE number = 3",
    ],
)
def test_tampering_shows(place: Path, statement: str) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    for _ in range(3):
        ledger.charge(PureDP(epsilon="0.1"), purpose="honest")
    tamper(place, statement)
    if statement in BEFORE_THE_LAST:  # not looked at on opening, and what is spent stays spent
        assert Ledger(place).spent == PureDP(epsilon="0.3")
    with pytest.raises(LedgerError):
        Ledger(place).verify()
    if "header" not in statement:
        with pytest.raises(LedgerError, match="line"):
            ledger.history()


def test_cutting_the_end_shows_to_who_kept_the_seal(place: Path) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    ledger.charge(PureDP(epsilon="0.1"), purpose="one")
    ledger.charge(PureDP(epsilon="0.1"), purpose="two")
    seal = ledger.seal
    tamper(place, "DELETE FROM line WHERE number = 2", "DELETE FROM totals")
    assert Ledger(place).seal != seal  # a fresh reader cannot know, the seal's keeper can
    with pytest.raises(LedgerError):
        ledger.charge(PureDP(epsilon="0.1"), purpose="three")  # this process remembers


def test_ordinary_changes_are_refused_by_the_file_itself(place: Path) -> None:
    Ledger(place, total=PureDP(epsilon=1), begin=True).charge(PureDP(epsilon="0.1"), purpose="one")
    connection = sqlite3.connect(place)
    for statement in ("UPDATE line SET text = ''", "DELETE FROM line", "DELETE FROM header"):
        with pytest.raises(sqlite3.Error, match="append only"):
            connection.execute(statement)
    connection.close()


def test_files_that_are_no_ledgers(tmp_path: Path) -> None:
    noise = tmp_path / "noise"
    noise.write_bytes(b"not a database at all, but long enough to look" * 50)
    with pytest.raises(LedgerError, match="SQLite"):
        Ledger(noise, total=PureDP(epsilon=1), begin=True)
    with pytest.raises(LedgerError):
        Ledger(tmp_path / "no" / "such" / "folder.db", total=PureDP(epsilon=1), begin=True)
    with pytest.raises(InvalidParameter, match="path"):
        Ledger(3, total=PureDP(epsilon=1), begin=True)  # type: ignore[arg-type]


def test_a_file_damaged_where_its_tables_are_described(place: Path) -> None:
    """SQLite quotes the damaged text, which Python cannot decode."""
    Ledger(place, total=PureDP(epsilon=1), begin=True)
    content = place.read_bytes()
    assert b"tableline" in content
    place.write_bytes(content.replace(b"tableline", b"table\xff\xfe\xfd\xfc"))
    with pytest.raises(LedgerError, match="SQLite"):
        Ledger(place)


def test_releases_are_kept_once(place: Path) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    assert ledger.kept("abc") is None
    ledger.keep("abc", "first")
    ledger.keep("abc", "second")
    assert Ledger(place).kept("abc") == "first"


guarantees = st.one_of(
    st.fractions(0, 10).map(lambda x: PureDP(epsilon=x)),
    st.tuples(st.fractions(0, 10), st.fractions(0, 1).filter(lambda d: d < 1)).map(
        lambda pair: ApproxDP(epsilon=pair[0], delta=pair[1])
    ),
    st.fractions(0, 10).map(lambda x: ZCDP(rho=x)),
    st.fractions(0, 10).map(lambda x: GDP(mu=x)),
    st.fractions(Fraction(11, 10), 10).map(lambda a: RDP(order=a, epsilon=1)),
    st.just(RDP(order=float("inf"), epsilon=1)),
)


@given(guarantees)
def test_guarantees_survive_as_text(guarantee: Guarantee) -> None:
    assert guarantee_from_text(guarantee_text(guarantee)) == guarantee


@settings(max_examples=20, deadline=None)
@given(costs=st.lists(st.fractions(0, Fraction(1, 3), max_denominator=60), max_size=12))
def test_never_more_than_the_total(tmp_path_factory: Any, costs: list[Fraction]) -> None:
    place = tmp_path_factory.mktemp("ledger") / "budget.db"
    ledger, spent = Ledger(place, total=PureDP(epsilon=1), begin=True), Fraction(0)
    for cost in costs:
        fits = spent + cost <= 1
        if fits:
            ledger.charge(PureDP(epsilon=cost), purpose="x")
            spent += cost
        else:
            with pytest.raises(BudgetExceeded):
                ledger.charge(PureDP(epsilon=cost), purpose="x")
    assert ledger.spent == PureDP(epsilon=spent)
