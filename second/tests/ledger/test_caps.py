"""One analyst's part of a ledger."""

from pathlib import Path

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.costs import meters_of

ROWS = ln.read(pa.table({"u": [1, 2, 2, 3]}), privacy_unit={"patient": "u"}, data_version="1")
QUERY = ROWS.agg(max_contributions=2, n=ln.count())


def ledger_at(folder: Path, **totals: object) -> ln.Ledger:
    return ln.Ledger.create(folder / "a.ledger", privacy_unit="patient", **totals)  # type: ignore[arg-type]


def test_releases_of_a_capped_analyst_stop_at_the_cap(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path, epsilon=3, delta=0)
    ledger.cap("ann", epsilon=1)
    QUERY.release(ledger, epsilon="0.75", analyst="ann")
    with pytest.raises(ln.BudgetExceeded) as refused:
        QUERY.release(ledger, epsilon="0.5", analyst="ann")
    assert str(refused.value) == (
        '"data" at epsilon 0.5 would cost 50 % of ann\'s part of a.ledger; 25 % is left. '
        "Nothing was read or charged.\nThe most that fits is epsilon 0.25."
    )
    QUERY.release(ledger, epsilon="0.5", analyst="bob")
    QUERY.release(ledger, epsilon="0.25", analyst="ann")
    found = meters_of(ledger.store, "ann")
    assert found is not None
    assert found.spent == 1
    assert len(ledger.entries) == 3


def test_a_cap_is_kept_in_the_chain_and_the_last_one_holds(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path, epsilon=3, delta="1e-6")
    ledger.cap("ann", epsilon=1)
    QUERY.release(ledger, epsilon=1, analyst="ann")
    ledger.cap("ann", epsilon=2)
    again = ln.Ledger(tmp_path / "a.ledger")
    again.verify()
    assert again.store.caps == {"ann": 2}
    assert "ann may spend epsilon 2; 72 % of it is left." in str(again)
    QUERY.release(again, epsilon="0.5", analyst="ann")
    again.cap("ann", epsilon="0.1")
    assert "ann may spend epsilon 0.1; 0 % of it is left." in str(again)


def test_a_cap_never_lets_more_through_than_the_ledger(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path, rho=1)
    ledger.cap("ann", rho=5)
    with pytest.raises(ln.BudgetExceeded, match=r"of a\.ledger; 100 % is left"):
        QUERY.release(ledger, rho=2, analyst="ann")


@pytest.mark.parametrize(
    ("name", "amount", "text"),
    [
        ("", {"epsilon": 1}, 'analyst is a name: analyst="ann".'),
        (3, {"epsilon": 1}, 'analyst is a name: analyst="ann".'),
        ("ann", {}, "epsilon is missing"),
        ("ann", {"rho": 1}, "This ledger counts in epsilon."),
        ("ann", {"epsilon": 0}, "epsilon is 0. Give a number above 0."),
    ],
)
def test_bad_caps_are_refused(tmp_path: Path, name: str, amount: dict[str, int], text: str) -> None:
    ledger = ledger_at(tmp_path, epsilon=3, delta=0)
    with pytest.raises(ln.InvalidInput, match=text.replace(".", r"\.")):
        ledger.cap(name, **amount)
    assert ledger.store.last == 0
