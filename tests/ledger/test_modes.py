"""Modes: how charges add up, what is left in each, and that none of them promises too much."""

import json
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.accounting.pricing import price
from leastnoise.errors import BudgetExceeded, InvalidParameter, LedgerError, UnsupportedQuery
from leastnoise.ledger import Ledger, Mode
from leastnoise.ledger.account import Account
from leastnoise.ledger.entry import Charge
from leastnoise.ledger.limits import best_price, limits
from leastnoise.ledger.mode import usual_mode
from leastnoise.ledger.tally import Tally
from leastnoise.privacy import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.to_approx import gdp_to_approx, zcdp_to_approx
from tests.examples import examples

TOTAL = ApproxDP(epsilon=3, delta="1e-6")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


@pytest.mark.parametrize(
    ("total", "mode"),
    [
        (PureDP(epsilon=1), Mode.PURE),
        (TOTAL, Mode.MIXED),
        (ApproxDP(epsilon=1, delta=0), Mode.APPROXIMATE),
        (ApproxDP(epsilon=0, delta="0.1"), Mode.APPROXIMATE),
        (ZCDP(rho=1), Mode.ZCDP),
        (GDP(mu=1), Mode.GDP),
        (RDP(order=4, epsilon=1), Mode.RENYI),
    ],
)
def test_the_usual_mode_is_written_down_and_stays(
    place: Path, total: Guarantee, mode: Mode
) -> None:
    assert Ledger(place, total=total, begin=True).mode is mode
    assert Ledger(place).mode is mode
    assert Ledger(place, mode=mode).mode is mode
    other = Mode.PURE if mode is not Mode.PURE else Mode.GDP
    with pytest.raises(InvalidParameter, match="`mode` must be what the ledger was begun with"):
        Ledger(place, mode=other)
    connection = sqlite3.connect(place)
    (text,) = connection.execute("SELECT text FROM header").fetchone()
    connection.close()
    assert json.loads(text)["mode"] == mode


@pytest.mark.parametrize("mode", ["mixed", "zcdp", "gdp", "approximate"])
def test_limits_imply_the_total(mode: str) -> None:
    parts = limits(TOTAL, Mode(mode))
    implied = Fraction(0)
    for limit in parts:
        match limit:
            case ApproxDP():
                assert limit.epsilon == TOTAL.epsilon
                implied += limit.delta
            case ZCDP():
                implied += zcdp_to_approx(limit, epsilon=TOTAL.epsilon).delta
                more = ZCDP(rho=limit.rho * Fraction("1.000001"), delta=limit.delta)
                assert zcdp_to_approx(more, epsilon=TOTAL.epsilon).delta > TOTAL.delta / len(parts)
            case GDP():
                implied += gdp_to_approx(limit, epsilon=TOTAL.epsilon).delta
                more_mu = GDP(mu=limit.mu * Fraction("1.000001"))
                assert gdp_to_approx(more_mu, epsilon=TOTAL.epsilon).delta > TOTAL.delta
    assert implied <= TOTAL.delta


def test_few_large_releases_and_many_small_ones(place: Path) -> None:
    """What either way of adding up allows is granted, without choosing in advance."""
    ledger = Ledger(place, total=TOTAL, begin=True)
    for _ in range(3):
        ledger.charge(PureDP(epsilon=1), purpose="large")  # rho 0.46 each: beyond all of rho
    assert ledger.remaining == ApproxDP(epsilon=0, delta="5e-7")
    with pytest.raises(BudgetExceeded):
        ledger.charge(PureDP(epsilon="0.01"), purpose="one more")
    many = Ledger(place.with_name("many.db"), total=TOTAL, begin=True)
    both: set[Guarantee] = {ApproxDP(epsilon=1, delta="1e-7"), ZCDP(rho="0.015")}
    for _ in range(12):  # three by epsilon alone
        many.charge(both, purpose="Gaussian noise")
    with pytest.raises(BudgetExceeded) as refused:
        many.charge(both, purpose="Gaussian noise")
    assert isinstance(refused.value.remaining, ZCDP)
    assert isinstance(many.remaining, ZCDP)
    (balance,) = many.balances
    assert [type(each) for each in balance.remaining] == [ZCDP]
    assert balance.spent == (ZCDP(rho="0.18"),)


def test_a_charge_by_rho_alone_closes_the_sum_of_epsilons(place: Path) -> None:
    ledger = Ledger(place, total=TOTAL, begin=True)
    ledger.charge(ZCDP(rho="0.01"), purpose="its epsilon has no bound")
    with pytest.raises(BudgetExceeded):
        ledger.charge(PureDP(epsilon=1), purpose="0.46 of rho")
    ledger.charge(PureDP(epsilon="0.1"), purpose="0.005 of rho")


@pytest.mark.parametrize(
    ("mode", "cost", "times"),
    [
        ("zcdp", ZCDP(rho="0.01"), 17),
        ("gdp", GDP(mu="0.1"), 41),
        ("approximate", ApproxDP(epsilon=1, delta="3e-7"), 3),
    ],
)
def test_modes_for_a_total_with_delta(place: Path, mode: str, cost: Guarantee, times: int) -> None:
    ledger = Ledger(place, total=TOTAL, mode=mode, begin=True)
    assert type(ledger.remaining) is type(cost)
    for _ in range(times):
        ledger.charge(cost, purpose="x")
    with pytest.raises(BudgetExceeded):
        ledger.charge(cost, purpose="x")
    assert type(ledger.spent) is type(cost)
    assert Ledger(place).spent == ledger.spent


@pytest.mark.parametrize(
    ("total", "mode"),
    [
        (PureDP(epsilon=1), "zcdp"),
        (ZCDP(rho=1), "approximate"),
        (ApproxDP(epsilon=1, delta=0), "mixed"),
        (GDP(mu=1), "pure"),
        (TOTAL, "renyi"),
        (TOTAL, "plan"),
        (TOTAL, "unheard-of"),
    ],
)
def test_modes_that_do_not_fit(place: Path, total: Guarantee, mode: str) -> None:
    with pytest.raises(InvalidParameter, match=r"mode|envelopes"):
        Ledger(place, total=total, mode=mode, begin=True)
    assert Ledger(place, total=total, begin=True).history() == []  # nothing was begun before


def test_the_best_of_several_guarantees_counts() -> None:
    costs = (ApproxDP(epsilon=1, delta="1e-7"), ZCDP(rho="0.02"), GDP(mu="0.19"))
    assert best_price(costs, ZCDP(rho=1)) == GDP(mu="0.19")  # rho = 0.01805
    assert best_price(costs, GDP(mu=1)) == GDP(mu="0.19")
    assert best_price(costs, TOTAL) == costs[0]
    assert best_price(costs, PureDP(epsilon=1)) is None
    two = (ApproxDP(epsilon=1, delta="1e-3"), ApproxDP(epsilon=2, delta="1e-7"))
    assert best_price(two, TOTAL) == two[1]  # the other has more delta than there is
    assert best_price(two, ApproxDP(epsilon=3, delta="0.1")) == two[0]
    none_left = (ApproxDP(epsilon="0.1", delta="1e-7"), PureDP(epsilon=1))
    assert best_price(none_left, ApproxDP(epsilon=3, delta=0)) == none_left[1]


def test_several_costs_survive_as_text(place: Path) -> None:
    ledger = Ledger(place, total=TOTAL, begin=True)
    both: list[Guarantee] = [ApproxDP(epsilon=1, delta="1e-7"), ZCDP(rho="1/3")]
    with pytest.raises(BudgetExceeded):
        ledger.charge([ZCDP(rho="1/3")], purpose="too much of rho")
    ledger.charge(both, purpose="fits by epsilon")
    (entry,) = Ledger(place).history()
    assert isinstance(entry.event, Charge)
    assert entry.event.costs == tuple(both)
    assert entry.event.cost == both[0]
    for bad in ([], ["0.1"], [None], [PureDP(epsilon=n) for n in range(20)]):
        with pytest.raises(InvalidParameter, match="cost"):
            ledger.charge(bad, purpose="what?")  # type: ignore[arg-type]


costs_ = st.one_of(
    st.fractions(0, 1, max_denominator=20).map(lambda e: (PureDP(epsilon=e),)),
    st.fractions(0, Fraction(1, 20), max_denominator=400).map(lambda r: (ZCDP(rho=r),)),
    st.fractions(0, 1, max_denominator=10).map(
        lambda e: (ApproxDP(epsilon=e, delta="1e-7"), ZCDP(rho=e * e / 50))
    ),
)


@examples(24, 120)
@given(requests=st.lists(costs_, max_size=25))
def test_what_is_granted_is_within_a_limit_all_the_way(
    requests: list[tuple[Guarantee, ...]],
) -> None:
    """Beside the account, sums by hand: granted exactly if one of the two sums is in bounds."""
    account, granted = Account((), TOTAL, limits(TOTAL, Mode.MIXED)), list[Charge]()
    for costs in requests:
        candidate = Charge(costs, "", {}, "")
        fits = any(_within(limit, [*granted, candidate]) for limit in account.limits)
        try:
            Tally.begun(account).after(granted).request(costs)
        except (BudgetExceeded, UnsupportedQuery):
            assert not fits
        else:
            assert fits
            granted.append(candidate)
    assert Tally.begun(account).after(granted).balance.remaining


def _within(limit: Guarantee, charges: list[Charge]) -> bool:
    best = [best_price(charge.costs, limit) for charge in charges]
    if None in best:
        return False
    amounts = [price(cost, limit) for cost in best if cost is not None]
    whole = price(limit, limit)
    return all(sum(a[i] for a in amounts) <= whole[i] for i in range(len(whole)))


def test_two_filters_at_once_keep_the_total_exactly() -> None:
    """The theorem's worst case by enumeration: after a first answer the analyst turns to the side
    that hurts most there; the two deltas add up and no more."""
    one, other = Fraction(1, 100), Fraction(1, 200)
    first = {"+": (Fraction(2, 3), Fraction(1, 3)), "-": (Fraction(1, 3), Fraction(2, 3))}
    # After "+" all of the first filter's delta is spent, after "-" all of the second's.
    leak = {"+": one, "-": other}
    e = 2  # a ratio: the first answer has likelihood ratio exactly e^epsilon = 2
    excess = Fraction(0)
    for answer, (p, q) in first.items():
        for shown, chance in ((True, leak[answer]), (False, 1 - leak[answer])):
            weight_p, weight_q = p * chance, 0 if shown else q * chance
            excess += max(Fraction(0), weight_p - e * weight_q)
    assert max(one, other) * Fraction(1, 3) < excess <= one + other


def test_envelopes_compose_by_their_losses(place: Path) -> None:
    weeks = {f"week {n}": ApproxDP(epsilon="0.1", delta="1e-9") for n in range(100)}
    total = ApproxDP(epsilon="4.8", delta="2e-6")  # a sum of epsilons would be 10
    ledger = Ledger(place, total=total, mode="plan", envelopes=weeks, begin=True)
    loss = PrivacyLoss.worst_case(epsilon="0.1", delta="1e-9").self_compose(100)
    assert loss.delta(total.epsilon).upper <= total.delta
    assert ledger.mode is Mode.PLAN
    ledger.charge(PureDP(epsilon="0.05"), purpose="half a week", labels={"envelope": "week 3"})
    assert ledger.remaining_for("envelope", "week 3") == ApproxDP(epsilon="0.05", delta="5e-10")
    assert ledger.remaining_for("envelope", "week 4") == ApproxDP(epsilon="0.1", delta="1e-9")
    assert ledger.remaining == ledger.remaining_for("envelope", "week 0")
    assert len(ledger.balances) == 100
    with pytest.raises(BudgetExceeded, match="envelope week 3"):
        ledger.charge(PureDP(epsilon="0.06"), purpose="more", labels={"envelope": "week 3"})
    for labels in ({}, {"envelope": "week 100"}, {"analyst": "ann"}):
        with pytest.raises(BudgetExceeded, match="must name one of its envelopes"):
            ledger.charge(PureDP(epsilon="0.01"), purpose="whose?", labels=labels)
    again = Ledger(place, envelopes=weeks)
    assert again.balances == ledger.balances
    with pytest.raises(InvalidParameter, match="`envelopes` must be what"):
        Ledger(place, envelopes={**weeks, "more": PureDP(epsilon=1)})


@pytest.mark.parametrize(
    ("total", "envelopes", "fits"),
    [
        (PureDP(epsilon=1), {"a": PureDP(epsilon="0.5"), "b": PureDP(epsilon="0.5")}, True),
        (PureDP(epsilon=1), {"a": PureDP(epsilon="0.5"), "b": PureDP(epsilon="0.6")}, False),
        (ZCDP(rho=1), {"a": ZCDP(rho="0.5"), "b": GDP(mu=1)}, True),
        (ZCDP(rho=1), {"a": ZCDP(rho="0.51"), "b": GDP(mu=1)}, False),
        (TOTAL, {"a": GDP(mu="0.5"), "b": PureDP(epsilon="0.2")}, True),
        (TOTAL, {"a": GDP(mu="0.7"), "b": PureDP(epsilon="0.2")}, False),
        (TOTAL, {"a": ZCDP(rho="0.1"), "b": PureDP(epsilon="0.2")}, True),
        (TOTAL, {"a": ZCDP(rho="0.2"), "b": PureDP(epsilon="0.2")}, False),
        (TOTAL, {}, False),
    ],
)
def test_envelopes_must_fit(
    place: Path, total: Guarantee, envelopes: dict[str, Guarantee], fits: bool
) -> None:
    if fits:
        assert len(Ledger(place, total=total, envelopes=envelopes, begin=True).balances) == len(
            envelopes
        )
        return
    with pytest.raises(InvalidParameter, match="envelopes together must keep"):
        Ledger(place, total=total, envelopes=envelopes, begin=True)


@pytest.mark.parametrize("envelopes", [["a"], {"a": 1}, {3: PureDP(epsilon=1)}])
def test_odd_envelopes(place: Path, envelopes: Any) -> None:
    with pytest.raises(InvalidParameter, match="envelope"):
        Ledger(place, total=TOTAL, envelopes=envelopes, begin=True)


def test_analysts_and_periods_have_budgets_of_their_own(place: Path) -> None:
    ledger = Ledger(place, total=TOTAL, begin=True)
    ledger.cap("analyst", "ann", ApproxDP(epsilon=1, delta="1e-7"))
    ledger.cap("month", "2026-11", ApproxDP(epsilon="1.5", delta="2e-7"))
    cost = PureDP(epsilon="0.75")
    ledger.charge(cost, purpose="x", labels={"analyst": "ann", "month": "2026-11"})
    with pytest.raises(BudgetExceeded, match="analyst ann"):
        ledger.charge(cost, purpose="x", labels={"analyst": "ann", "month": "2026-12"})
    ledger.charge(cost, purpose="x", labels={"analyst": "bob", "month": "2026-11"})
    with pytest.raises(BudgetExceeded, match="month 2026-11"):
        ledger.charge(PureDP(epsilon="0.01"), purpose="x", labels={"month": "2026-11"})
    names = [balance.name for balance in ledger.balances]
    assert names == ["total", "analyst ann", "month 2026-11"]
    assert ledger.remaining_for("analyst", "ann") == ApproxDP(epsilon="0.25", delta="5e-8")
    assert ledger.remaining_for("month", "2026-11") == ApproxDP(epsilon=0, delta="1e-7")
    assert ledger.remaining == ApproxDP(epsilon="1.5", delta="5e-7")


def test_a_cap_of_another_kind_adds_up_in_its_own_way(place: Path) -> None:
    ledger = Ledger(place, total=TOTAL, begin=True)
    ledger.cap("analyst", "cyd", ZCDP(rho="0.01"))
    ledger.charge(ZCDP(rho="0.01"), purpose="x", labels={"analyst": "cyd"})
    with pytest.raises(BudgetExceeded, match="analyst cyd"):
        ledger.charge(ZCDP(rho="0.001"), purpose="x", labels={"analyst": "cyd"})
    with pytest.raises(UnsupportedQuery):
        ledger.cap("analyst", "cyd", PureDP(epsilon=1))  # rho does not count as epsilon


def test_a_cap_of_the_same_kind_that_does_not_fit_the_mode(place: Path) -> None:
    """Without δ nothing can be added up by ρ: the cap adds up by its own ε."""
    ledger = Ledger(place, total=TOTAL, mode="zcdp", begin=True)
    ledger.cap("analyst", "cyd", ApproxDP(epsilon="0.4", delta=0))
    assert [account.promise for account in ledger.accounts] == [TOTAL]
    ledger.charge(PureDP(epsilon="0.4"), purpose="x", labels={"analyst": "cyd"})
    with pytest.raises(BudgetExceeded, match="analyst cyd"):
        ledger.charge(PureDP(epsilon="0.001"), purpose="x", labels={"analyst": "cyd"})


def test_a_total_too_small_for_its_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leastnoise.ledger.limits._MOST_HALVINGS", 3)
    with pytest.raises(UnsupportedQuery, match="Choose mode 'approximate'"):
        limits(ApproxDP(epsilon="1e-3", delta="1e-9"), Mode.ZCDP)


def test_a_ledger_of_the_first_version_still_opens(place: Path) -> None:
    """It has no mode: the total's own numbers add up, as they did when it was begun."""
    Ledger(place, total=TOTAL, mode="approximate", begin=True)
    connection = sqlite3.connect(place)
    connection.execute("DROP TRIGGER header_stays")
    (text,) = connection.execute("SELECT text FROM header").fetchone()
    body = json.loads(text)
    del body["mode"], body["accounts"]
    body["format"] = "leastnoise ledger, version 1"
    connection.execute("UPDATE header SET text = ?", (json.dumps(body),))
    connection.commit()
    connection.close()
    old = Ledger(place, total=TOTAL)
    assert old.mode is Mode.APPROXIMATE
    old.charge(ApproxDP(epsilon=1, delta="1e-7"), purpose="as ever")
    assert Ledger(place).remaining == ApproxDP(epsilon=2, delta="9e-7")


def test_a_ledger_of_a_later_version_is_refused(place: Path) -> None:
    Ledger(place, total=TOTAL, begin=True)
    connection = sqlite3.connect(place)
    connection.execute("DROP TRIGGER header_stays")
    connection.execute("UPDATE header SET text = replace(text, 'version 4', 'version 5')")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="later version"):
        Ledger(place)


def test_usual_modes_always_have_limits() -> None:
    for total in (ApproxDP(epsilon="1e-9", delta="1e-30"), ApproxDP(epsilon=50, delta="0.5")):
        for limit in limits(total, usual_mode(total)):
            if isinstance(limit, ZCDP):
                assert zcdp_to_approx(limit, delta=total.delta / 2).epsilon <= total.epsilon


@pytest.mark.parametrize("content", ["a\x00b", "half \ud800", 3, None])
def test_odd_contents_are_not_kept(place: Path, content: Any) -> None:
    ledger = Ledger(place, total=TOTAL, begin=True)
    with pytest.raises(InvalidParameter, match="content"):
        ledger.keep("abc", content)
    assert ledger.kept("abc") is None


def test_a_first_charge_may_take_all_of_delta(place: Path) -> None:
    total = ApproxDP(epsilon=3, delta="1e-7")
    ledger = Ledger(place, total=total, begin=True)
    assert ledger.remaining == total
    ledger.charge(ApproxDP(epsilon=1, delta="1e-7"), purpose="all of delta")
    assert ledger.remaining == ApproxDP(epsilon=2, delta=0)
    again = Ledger(place)
    assert again.remaining == ApproxDP(epsilon=2, delta=0)
    with pytest.raises(BudgetExceeded):
        again.charge(ZCDP(rho="0.001"), purpose="the other way is gone: delta was its price")
    again.charge(PureDP(epsilon=2), purpose="the rest")
    assert again.remaining == ApproxDP(epsilon=0, delta=0)


def test_a_later_charge_may_not(place: Path) -> None:
    ledger = Ledger(place, total=ApproxDP(epsilon=3, delta="1e-7"), begin=True)
    ledger.charge(PureDP(epsilon="0.1"), purpose="settles that there are two ways")
    with pytest.raises(BudgetExceeded):
        ledger.charge(ApproxDP(epsilon=1, delta="1e-7"), purpose="all of delta")


def test_a_first_charge_beyond_the_total(place: Path) -> None:
    ledger = Ledger(place, total=ApproxDP(epsilon=3, delta="1e-7"), begin=True)
    for cost in (ApproxDP(epsilon=1, delta="2e-7"), PureDP(epsilon=4), ZCDP(rho=9)):
        with pytest.raises(BudgetExceeded):
            ledger.charge(cost, purpose="too much")
    assert ledger.history() == []
