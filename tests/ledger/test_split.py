"""How δ is divided in mode mixed, by the first charge or as asked; limits less spent are left."""

import json
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.accounting.pricing import as_amounts, price
from leastnoise.errors import BudgetExceeded, InvalidParameter, UnsupportedQuery
from leastnoise.ledger import Ledger, Split
from leastnoise.ledger.account import Account
from leastnoise.ledger.entry import Charge
from leastnoise.ledger.limits import limits, other_splits, split_limits
from leastnoise.ledger.mode import Mode
from leastnoise.ledger.split import EVEN, FOLLOWING
from leastnoise.ledger.tally import Tally
from leastnoise.privacy import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.to_approx import gdp_to_approx, zcdp_to_approx

TOTAL = ApproxDP(epsilon=1, delta="1e-5")
LIMITS, OTHERS = limits(TOTAL, Mode.MIXED), other_splits(TOTAL, Mode.MIXED)
ACCOUNT = Account((), TOTAL, LIMITS, OTHERS)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def charges(*costs: Guarantee) -> list[Charge]:
    return [Charge((cost,), "", {}, "") for cost in costs]


@pytest.mark.parametrize("split", [EVEN, *FOLLOWING, Split(zcdp=1), Split(gdp="0.95", zcdp="0.05")])
def test_every_division_implies_the_total(split: Split) -> None:
    implied = Fraction(0)
    for limit in split_limits(TOTAL, split):
        match limit:
            case ApproxDP():
                assert limit.epsilon == TOTAL.epsilon
                implied += limit.delta
            case ZCDP():
                implied += zcdp_to_approx(limit, epsilon=TOTAL.epsilon).delta
            case GDP():
                implied += gdp_to_approx(limit, epsilon=TOTAL.epsilon).delta
    used = sum(share for _, share in split) * TOTAL.delta
    assert used * Fraction("0.99999") < implied <= used <= TOTAL.delta


@pytest.mark.parametrize(
    ("first", "ways"),
    [
        (PureDP(epsilon="0.01"), LIMITS),
        (ApproxDP(epsilon="0.1", delta="1e-6"), LIMITS),
        (ZCDP(rho="0.001"), OTHERS[0]),
        (ZCDP(rho="0.001", delta="2e-6"), OTHERS[1]),
        (GDP(mu="0.01"), OTHERS[2]),
        (ApproxDP(epsilon="0.1", delta="9e-6"), (TOTAL,)),
        (ZCDP(rho=9), LIMITS),  # refused by all
    ],
)
def test_the_first_charge_settles_it(first: Guarantee, ways: tuple[Guarantee, ...]) -> None:
    assert ACCOUNT.ways((first,)) == ways


def test_later_charges_do_not(place: Path) -> None:
    ledger = Ledger(place, total=TOTAL, begin=True)
    assert ledger.balances[0].limits == (TOTAL, OTHERS[0][1], OTHERS[2][2])
    ledger.charge(ZCDP(rho="0.001"), purpose="by rho")
    ledger.charge(GDP(mu="0.01"), purpose="by mu")
    assert Ledger(place).balances[0].limits == (OTHERS[0][1],)
    assert ledger.limit == OTHERS[0][1]


def test_a_cap_follows_its_own_first_charge(place: Path) -> None:
    ledger = Ledger(place, total=ApproxDP(epsilon=9, delta="1e-4"), begin=True)
    ledger.cap("analyst", "ann", TOTAL)
    ledger.charge(PureDP(epsilon="0.1"), purpose="by bob")
    ledger.charge(GDP(mu="0.01"), purpose="by ann", labels={"analyst": "ann"})
    assert ledger.balances[1].limits == OTHERS[2][1:]


def times(first: Guarantee, account: Account) -> int:
    """How often a charge is granted, in the way that is open to it."""
    (limit,) = Tally.begun(account).after(charges(first)).balance.limits[-1:]
    return int(as_amounts(limit)[0] / price(first, limit)[0])


def test_what_following_the_first_charge_is_worth() -> None:
    """Beside an even division, by which δ/4 turns ρ into ε."""
    even = Account((), TOTAL, LIMITS)
    rho, mu = ZCDP(rho="0.00002"), GDP(mu="0.005")
    assert (times(rho, ACCOUNT), times(rho, even)) == (1470, 1325)
    assert (times(mu, ACCOUNT), times(mu, even)) == (2755, 2120)


def test_a_pure_charge_costs_no_member_more_than_it_must(place: Path) -> None:
    """All three members count every charge, each in its own numbers."""
    ledger = Ledger(place, total=TOTAL, split=Split(zcdp="0.5", gdp="0.5"), begin=True)
    ledger.charge(PureDP(epsilon="0.1"), purpose="x")
    (balance,) = ledger.balances
    assert [type(each) for each in balance.spent] == [ApproxDP, ZCDP, GDP]
    assert balance.spent[0] == ApproxDP(epsilon="0.1", delta=0)
    assert float(as_amounts(balance.spent[1])[0]) == pytest.approx(0.1**2 / 2, rel=1e-2)
    assert float(as_amounts(balance.spent[2])[0]) == pytest.approx(1.5708 * 0.1**2, rel=1e-2)


costs_ = st.one_of(
    st.fractions(0, Fraction(1, 5), max_denominator=90).map(lambda e: PureDP(epsilon=e)),
    st.fractions(0, Fraction(1, 90), max_denominator=900).map(lambda r: ZCDP(rho=r)),
    st.fractions(0, Fraction(1, 9), max_denominator=90).map(lambda m: GDP(mu=m)),
    st.fractions(0, Fraction(1, 5), max_denominator=90).map(
        lambda e: ApproxDP(epsilon=e, delta="2e-7")
    ),
)


@settings(max_examples=25, deadline=None)
@given(requests=st.lists(costs_, max_size=20))
def test_limit_less_spent_is_left_in_every_view(requests: list[Guarantee]) -> None:
    tally = Tally.begun(ACCOUNT)
    for cost in requests:
        try:
            tally.request((cost,))
        except (BudgetExceeded, UnsupportedQuery):
            continue
        tally = tally.after(charges(cost))
        balance = tally.balance
        assert balance.limits
        for limit, spent, left in zip(
            balance.limits, balance.spent, balance.remaining, strict=True
        ):
            for whole, gone, rest in zip(*map(as_amounts, (limit, spent, left)), strict=True):
                if isinstance(limit, GDP):  # squares of rounded roots
                    assert abs(whole - gone - rest) <= Fraction(1, 2**100)
                else:
                    assert whole - gone == rest


def test_a_division_of_ones_own(place: Path) -> None:
    split = {"approximate": "0.3", "zcdp": "0.6", "leaks": "0.1"}
    ledger = Ledger(place, total=TOTAL, split=split, begin=True)
    assert ledger.accounts[0].limits == split_limits(TOTAL, Split(**split))
    assert ledger.accounts[0].others == ()
    assert Ledger(place).accounts == ledger.accounts
    ledger.charge(GDP(mu="0.01"), purpose="x")
    assert ledger.limit == split_limits(TOTAL, Split(**split))[1]


@pytest.mark.parametrize(
    ("split", "words"),
    [
        ({"zcdp": "0.9", "gdp": "0.2"}, "at most 1 together"),
        ({"zcdp": "-0.1"}, "zcdp"),
        ({"leaks": "0.1"}, "must go with a share for zcdp"),
        ({"zcdp": 0}, "above 0"),
        ({"renyi": "0.1"}, "`split` must be shares"),
        ({}, "`split` must be shares"),
        ("zcdp", "`split` must be shares"),
        (0.5, "`split` must be shares"),
    ],
)
def test_odd_divisions(place: Path, split: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        Ledger(place, total=TOTAL, split=split, begin=True)
    assert not place.exists()


def test_a_division_is_for_new_ledgers_in_mode_mixed(place: Path) -> None:
    for arguments in ({"mode": "zcdp"}, {"envelopes": {"a": PureDP(epsilon="0.1")}}):
        with pytest.raises(InvalidParameter, match="must go with mode mixed"):
            Ledger(place, total=TOTAL, split=Split(zcdp=1), begin=True, **arguments)
    Ledger(place, total=TOTAL, begin=True)
    with pytest.raises(InvalidParameter, match="for a new ledger"):
        Ledger(place, split=Split(zcdp=1))


def test_a_ledger_of_the_third_version_divides_as_it_did(place: Path) -> None:
    """Its limits, its cap's limits and what it has granted stay what they were."""
    Ledger(place, total=TOTAL, begin=True)
    connection = sqlite3.connect(place)
    connection.execute("DROP TRIGGER header_stays")
    (text,) = connection.execute("SELECT text FROM header").fetchone()
    body = json.loads(text)
    for account in body["accounts"]:
        del account["others"]
    body["format"] = "leastnoise ledger, version 3"
    connection.execute("UPDATE header SET text = ?", (json.dumps(body),))
    connection.commit()
    connection.close()
    old = Ledger(place)
    old.charge(ZCDP(rho="0.001"), purpose="as ever", labels={"analyst": "ann"})
    old.cap("analyst", "ann", ApproxDP(epsilon="0.5", delta="1e-6"))
    total, cap = Ledger(place).balances
    assert total.limits == LIMITS[1:]
    assert cap.limits == limits(ApproxDP(epsilon="0.5", delta="1e-6"), Mode.MIXED)[1:]
