"""What releases cost and what still fits: what is said fits, and one step more does not."""

from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.ledger.costs import (
    Asked,
    cost_of,
    history,
    most_laplace_beside,
    most_that_fits,
    price_of,
    releases_left,
    require,
)
from leastnoise.ledger.ledger import Remaining
from leastnoise.ledger.meters import Family, Meters, Price, Total
from leastnoise.numbers.errors import BudgetExceeded, InvalidInput
from leastnoise.report.numbers import rounded_down

E, D = Fraction(6), Fraction(1, 10**6)
EPSILON, PURE, RHO = Total.of(E, D), Total.of(E, Fraction(0)), Total.of_rho(Fraction(1, 2), D)
FAMILIES: tuple[Family, ...] = get_args(Family)


def asked(meters: Meters, amount: Any) -> Asked:
    name = "rho" if meters.total is RHO else "epsilon"
    return Asked.of(meters, **{"epsilon": None, "rho": None, name: amount})


def spent(total: Total, *charges: tuple[Family, Any]) -> Meters:
    meters = Meters(total)
    for family, amount in charges:
        price = price_of(asked(meters, amount), family, meters)
        assert meters.fits(price)
        meters = meters.after(price)
    return meters


AMOUNTS = st.fractions(Fraction(1, 50), Fraction(2), max_denominator=50)


@st.composite
def states(draw: st.DrawFn) -> Meters:
    """What a few releases leave of a ledger, those that do not fit left out."""
    meters = Meters(draw(st.sampled_from([EPSILON, PURE, RHO])))
    for family, amount in draw(st.lists(st.tuples(st.sampled_from(FAMILIES), AMOUNTS), max_size=4)):
        if family == "laplace" or meters.total is not PURE:
            price = price_of(asked(meters, amount), family, meters)
            meters = meters.after(price) if meters.fits(price) else meters
    return meters


@settings(max_examples=60, deadline=None)
@given(states(), st.sampled_from(FAMILIES))
def test_the_most_that_fits_does_and_one_more_of_its_last_digit_does_not(
    meters: Meters, family: Family
) -> None:
    most = most_that_fits(meters, family)
    shown = Decimal(rounded_down(most))
    if most:
        assert meters.fits(price_of(asked(meters, most), family, meters))
    if shown:
        assert meters.fits(price_of(asked(meters, shown), family, meters))
    step = max(Decimal(1).scaleb(shown.adjusted() - 1), Decimal("0.0001"))
    if family == "laplace" or meters.total is not PURE:
        assert not meters.fits(price_of(asked(meters, shown + step), family, meters))


@pytest.mark.parametrize("total", [EPSILON, RHO])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_whole_amount_fits_and_leaves_nothing(total: Total, family: Family) -> None:
    whole = total.epsilon if total is EPSILON else Fraction(1, 2)
    meters = spent(total, (family, whole))
    assert most_that_fits(Meters(total), family) == whole
    left = Remaining.of(meters)
    assert left.percent == 0 or (
        family == "laplace" and total is RHO
    )  # rho of an epsilon is rounded
    assert (left.epsilon, left.laplace_epsilon) == (0, 0)


def test_a_sum_that_ends_exactly_leaves_exactly_the_rest() -> None:
    assert most_that_fits(spent(PURE, ("laplace", 1), ("laplace", "0.1")), "laplace") == Fraction(
        49, 10
    )
    assert Remaining.of(spent(PURE, ("laplace", 5))).epsilon == 1
    assert Remaining.of(spent(RHO, ("gaussian", "0.1"))).epsilon == 0.4
    assert most_that_fits(spent(PURE, ("laplace", "5.9999999")), "laplace") == Fraction(1, 10**7)


def test_what_is_left_after_the_releases_of_a_notebook() -> None:
    """Design: T7."""
    meters = spent(EPSILON, ("gaussian", 2), ("gaussian", 1), ("gaussian", 2))
    assert Remaining.of(meters) == Remaining(percent=68, epsilon=4.8, laplace_epsilon=0.79)
    assert releases_left(meters, Fraction(1)) == 17


def test_per_cent_are_rounded_down() -> None:
    assert Remaining.of(spent(PURE, ("laplace", "0.0001"))).percent == 99
    assert Remaining.of(spent(PURE, ("laplace", "5.9999"))).percent == 0


@settings(max_examples=20, deadline=None)
@given(states().filter(lambda meters: meters.total is EPSILON), st.sampled_from(["0.3", "1", "2"]))
def test_as_many_releases_fit_as_are_said(meters: Meters, amount: str) -> None:
    count = releases_left(meters, Fraction(amount))
    price = price_of(asked(meters, amount), "gaussian", meters)
    for _ in range(count):
        assert meters.fits(price)
        meters = meters.after(price)
    assert count >= 0 and not meters.fits(price)


@pytest.mark.parametrize(("total", "most"), [(EPSILON, "0.96"), (Total.of(Fraction(1), D), "0.18")])
def test_the_largest_laplace_release_that_leaves_meter_b_open(total: Total, most: str) -> None:
    found = most_laplace_beside(Meters(total))
    assert rounded_down(found) == most
    assert Meters(total).after(Price.pure(found)).b_holds
    assert not Meters(total).after(Price.pure(found * (1 + Fraction(1, 2**18)))).b_holds
    closed = spent(total, ("laplace", total.epsilon / 2))
    assert most_laplace_beside(closed) == 0 and most_that_fits(closed, "gaussian") == 0
    assert most_laplace_beside(spent(total, ("gaussian", total.epsilon))) == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(FAMILIES), AMOUNTS), max_size=5))
def test_a_cost_is_the_lesser_part_of_a_meter_that_holds(charges: list[tuple[Family, Any]]) -> None:
    prices = [price_of(asked(Meters(EPSILON), amount), f, Meters(EPSILON)) for f, amount in charges]
    granted, kept = Meters(EPSILON), list[tuple[Price, Fraction, Meters]]()
    for price in prices:
        parts = [price.squared_mu / EPSILON.squared_mu] * granted.after(price).b_holds
        if granted.after(price).a_holds and price.epsilon is not None:
            parts.append(price.epsilon / E)
        if granted.fits(price):
            assert cost_of(granted, price) == min(parts)
            granted, kept = granted.after(price), [*kept, (price, min(parts), granted.after(price))]
    found = history(EPSILON, (price for price, _, _ in kept))
    assert list(found) == [(cost, meters) for _, cost, meters in kept]


def test_costs_of_a_ledger_in_rho() -> None:
    meters = Meters(RHO)
    gaussian, laplace = (price_of(asked(meters, "0.1"), f, meters) for f in ("gaussian", "laplace"))
    assert gaussian == Price.gaussian(Fraction(1, 5)) and cost_of(meters, gaussian) == Fraction(
        1, 5
    )
    assert laplace.epsilon is not None and laplace.rho <= Fraction(1, 10)
    assert Price.pure(laplace.epsilon * (1 + Fraction(1, 2**50))).rho > Fraction(1, 10)


REFUSED: list[tuple[Meters, Family, Any, str]] = [
    (spent(EPSILON, ("gaussian", 2), ("gaussian", 1), ("gaussian", 2)), "gaussian", 5,
     '"t" at epsilon 5 would cost 73 % of x.ledger; 68 % is left. Nothing was read or charged.\n'
     "The most that fits is epsilon 4.8."),
    (spent(EPSILON, ("laplace", 3)), "gaussian", 1,
     '"t" at epsilon 1 would cost 4 % of x.ledger; 50 % is left. Nothing was read or charged.\n'
     'The ledger takes laplace noise only: noise="laplace".'),
    (spent(EPSILON, ("gaussian", 6)), "laplace", 1,
     '"t" at epsilon 1 would cost 107 % of x.ledger; 0 % is left. Nothing was read or charged.\n'
     "Nothing fits any more."),
    (spent(RHO, ("gaussian", "0.4")), "gaussian", "0.2",
     '"t" at rho 0.2 would cost 40 % of x.ledger; 20 % is left. Nothing was read or charged.\n'
     "The most that fits is rho 0.1."),
]  # fmt: skip


@pytest.mark.parametrize(("meters", "family", "amount", "message"), REFUSED)
def test_a_refusal_says_what_would_fit(
    meters: Meters, family: Family, amount: Any, message: str
) -> None:
    this = asked(meters, amount)
    with pytest.raises(BudgetExceeded) as refused:
        require(meters, price_of(this, family, meters), this, "t", "x.ledger")
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("total", "given", "message"),
    [
        (
            EPSILON,
            {"epsilon": None, "rho": "0.1"},
            "counts in epsilon. Give epsilon= and leave rho= out",
        ),
        (RHO, {"epsilon": 1, "rho": "0.1"}, "counts in rho. Give rho= and leave epsilon= out"),
        (EPSILON, {"epsilon": None, "rho": None}, "epsilon is missing"),
        (RHO, {"epsilon": None, "rho": None}, "rho is missing"),
        (EPSILON, {"epsilon": 0, "rho": None}, "above 0"),
        (RHO, {"epsilon": None, "rho": -1}, "above 0"),
    ],
)
def test_an_amount_is_in_the_currency_of_its_ledger(total: Total, given: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Asked.of(Meters(total), **given)
