"""Caps: how much of a ledger one analyst may spend.

A cap is a rule of the house, not a promise about people: it holds for whoever gives that name. The
releases of one analyst are counted on meters of their own, with the cap in place of the ledger's total.
Two releases at once cannot both slip under it, because `Store.charge` refuses a price that was decided
before the last line.
"""

from collections.abc import Iterator
from fractions import Fraction

from leastnoise.ledger.costs import Asked, require
from leastnoise.ledger.meters import Meters, Price, Total
from leastnoise.ledger.store import Store
from leastnoise.numbers.exact import written
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.report.numbers import percent


def meters_of(store: Store, analyst: str) -> Meters | None:
    """What an analyst spent of the own part; None if there is no cap."""
    amount = store.caps.get(analyst)
    if amount is None:
        return None
    meters = Meters(_total(store.header.total, amount))
    for entry in store.entries.values():
        if entry.charge.request.shown["analyst"] == analyst:
            meters = meters.after(entry.price)
    return meters


def require_cap(
    store: Store, analyst: str | None, price: Price, asked: Asked, title: str, ledger: str
) -> None:
    """Refuses a release that does not fit an analyst's part."""
    meters = None if analyst is None else meters_of(store, analyst)
    if meters is not None:
        require(meters, price, asked, title, f"{analyst}'s part of {ledger}")


def sentences(store: Store) -> Iterator[str]:
    """What each capped analyst may spend and has left."""
    currency = "rho" if isinstance(store.header.total.guarantee, ZCDP) else "epsilon"
    for analyst, amount in sorted(store.caps.items()):
        meters = meters_of(store, analyst)
        assert meters is not None
        left = percent(max(Fraction(0), 1 - meters.spent))
        yield f"{analyst} may spend {currency} {written(amount)}; {left} of it is left."


def _total(whole: Total, amount: Fraction) -> Total:
    if isinstance(whole.guarantee, ZCDP):
        return Total.of_rho(amount, whole.delta_of_groups)
    return Total.of(amount, whole.guarantee.delta)
