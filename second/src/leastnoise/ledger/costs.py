"""What a release costs and what still fits, in per cent of a ledger or of one analyst's cap.

A cap is a rule of the house, not a promise about people: it holds for whoever gives that name. The
releases of one analyst are counted on meters of their own, with the cap in place of the ledger's total.
Two releases at once cannot both slip under it, because `Store.charge` refuses a price that was decided
before the last line.

Nothing here is trusted: `Store.charge` decides with the meters alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from leastnoise.ledger.meters import Family, Meters, Price, Total
from leastnoise.ledger.store import Store
from leastnoise.numbers.ball import greatest
from leastnoise.numbers.errors import BudgetExceeded, InvalidInput
from leastnoise.numbers.exact import Exact, positive, written
from leastnoise.privacy.conversion import rho_of_pure, squared_mu_of_pure
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.report.numbers import percent, rounded_down


@dataclass(frozen=True)
class Asked:
    """What a release was asked to cost, in the currency of its ledger.

    Attributes:
        amount: epsilon, or rho.
        currency: which of the two.
    """

    amount: Fraction
    currency: Literal["epsilon", "rho"]

    @classmethod
    def of(cls, meters: Meters, epsilon: Exact | None, rho: Exact | None) -> "Asked":
        """From the arguments of a release, checked against the ledger's currency."""
        in_rho = isinstance(meters.total.guarantee, ZCDP)
        given, other, name = (rho, epsilon, "rho") if in_rho else (epsilon, rho, "epsilon")
        if other is not None:
            wrong = "epsilon" if in_rho else "rho"
            raise InvalidInput(
                f"This ledger counts in {name}. Give {name}= and leave {wrong}= out."
            )
        if given is None:
            raise InvalidInput(
                f"{name} is missing: how much of the ledger may this cost?  {name}=0.1"
            )
        return cls(positive(given, name), "rho" if in_rho else "epsilon")

    def __str__(self) -> str:
        return f"{self.currency} {written(self.amount)}"


def price_of(asked: Asked, family: Family, meters: Meters) -> Price:
    """What a release of this family may cost at what was asked."""
    if asked.currency == "rho":
        if family == "gaussian":
            return Price.gaussian(2 * asked.amount)
        return Price.pure(_epsilon_of_rho(asked.amount))
    if family == "gaussian":
        return Price.gaussian(meters.total.squared_mu_at(asked.amount))
    return Price.pure(asked.amount)


def _epsilon_of_rho(rho: Fraction) -> Fraction:
    """The greatest epsilon whose rho is at most this."""
    return greatest(lambda epsilon: rho_of_pure(epsilon) <= rho, rho)


def require(meters: Meters, price: Price, asked: Asked, title: str, ledger: str) -> None:
    """Refuses a release that does not fit, and says what would."""
    if meters.fits(price):
        return
    family: Family = "laplace" if price.epsilon is not None else "gaussian"
    most = most_that_fits(meters, family)
    cost = percent(cost_of(meters, price))
    left = percent(1 - meters.spent)
    message = (
        f'"{title}" at {asked} would cost {cost} of {ledger}; {left} is left. '
        "Nothing was read or charged."
    )
    if most <= 0:
        other: Family = "gaussian" if family == "laplace" else "laplace"
        if most_that_fits(meters, other) > 0:
            raise BudgetExceeded(
                f'{message}\nThe ledger takes {other} noise only: noise="{other}".'
            )
        raise BudgetExceeded(f"{message}\nNothing fits any more.")
    raise BudgetExceeded(f"{message}\nThe most that fits is {asked.currency} {rounded_down(most)}.")


def cost_of(meters: Meters, price: Price) -> Fraction:
    """The part of a ledger that a price is: of the meter that holds after it, the lesser of two."""
    guarantee = meters.total.guarantee
    if isinstance(guarantee, ZCDP):
        return price.rho / guarantee.rho
    after, shares = meters.after(price), {}
    if after.epsilon is not None and price.epsilon is not None:
        shares["a"] = price.epsilon / guarantee.epsilon
    if meters.total.squared_mu:
        shares["b"] = price.squared_mu / meters.total.squared_mu
    holding = [share for meter, share in shares.items() if getattr(after, f"{meter}_holds")]
    return min(holding or shares.values())


def history(total: Total, prices: Iterable[Price]) -> Iterator[tuple[Fraction, Meters]]:
    """For each charge in turn its part of the ledger, and the meters after it."""
    meters = Meters(total)
    for price in prices:
        cost = cost_of(meters, price)
        meters = meters.after(price)
        yield cost, meters


def most_that_fits(meters: Meters, family: Family) -> Fraction:
    """The greatest epsilon (or rho) of a release of this family that still fits; 0 if none does."""
    guarantee = meters.total.guarantee
    currency: Literal["epsilon", "rho"] = "rho" if isinstance(guarantee, ZCDP) else "epsilon"
    whole = guarantee.rho if isinstance(guarantee, ZCDP) else guarantee.epsilon

    def fits(amount: Fraction) -> bool:
        return meters.fits(price_of(Asked(amount, currency), family, meters))

    if family == "gaussian" and not isinstance(guarantee, ZCDP) and not guarantee.delta:
        return Fraction(0)
    low, high = Fraction(0), whole
    if fits(high):
        return high
    rest = whole - ((meters.rho if currency == "rho" else meters.epsilon) or 0)
    if rest > 0 and fits(rest):  # exactly what a sum leaves
        low = rest
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def most_laplace_beside(meters: Meters) -> Fraction:
    """The greatest epsilon of a Laplace release after which Gaussian ones still fit."""
    if isinstance(meters.total.guarantee, ZCDP) or not meters.b_holds:
        return Fraction(0)
    room = meters.total.squared_mu - meters.squared_mu
    if room <= 0:
        return Fraction(0)
    return greatest(lambda epsilon: squared_mu_of_pure(epsilon) <= room, room, bits=20)


def releases_left(meters: Meters, epsilon: Fraction) -> int:
    """How many Gaussian releases at this epsilon still fit."""
    price = price_of(Asked(epsilon, "epsilon"), "gaussian", meters)
    room = meters.total.squared_mu - meters.squared_mu
    return max(0, int(room // price.squared_mu)) if price.squared_mu else 0


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


def cap_sentences(store: Store) -> Iterator[str]:
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
