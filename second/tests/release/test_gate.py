"""The gate: for every case one unit of noise less is refused."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.meters import Family, Price
from leastnoise.privacy.conversion import squared_mu_of_pure
from leastnoise.release.choose_noise import proposal
from leastnoise.release.gate import Admitted, NotAdmitted, admit
from leastnoise.release.measurement import Part, Proposal
from leastnoise.tables.contributions import ONE
from leastnoise.tables.totals import Below

TABLE = pa.table({"u": ["p", "q"], "g": ["a", "b"], "x": [1.0, 2.0], "n": [1, 2]})
ALL: dict[str, Any] = {
    "n": ln.count(), "people": ln.count_units(), "s": ln.sum("x", lower=0, upper=8),
    "m": ln.mean("n", lower=0, upper=8), "share": ln.share("x > 1"),
}  # fmt: skip


def select(unit: Any = "u", **aggregates: Any) -> Any:
    data = ln.read(TABLE, privacy_unit=unit).group_by("g", groups=["a", "b", "c"])
    limits: dict[str, Any] = {} if unit == ln.ROW else {"max_contributions": 12, "max_per_group": 3}
    return data.agg(**limits, **(aggregates or {"n": ln.count()}))


def proposed(unit: Any, family: Family, amount: Fraction, **aggregates: Any) -> Proposal:
    price = Price.pure(amount) if family == "laplace" else Price.gaussian(amount)
    return proposal([select(unit, **aggregates)], family, price)


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize("unit", ["u", ln.ROW])
@pytest.mark.parametrize("name", ["n", "people", "s", "m", "share"])
def test_less_noise_is_refused(family: Family, unit: Any, name: str) -> None:
    """Prices of one over a power of two divide the noise without a remainder."""
    made = proposed(unit, family, Fraction(1, 16), **{name: ALL[name]})
    (part,) = made.parts
    sizes = [part.measurement.sensitivity(total, "l1" if family == "laplace" else "l2")
             for total in part.measurement.totals]  # fmt: skip
    power = 0.5 if family == "laplace" else 1
    assert len(sizes) == len(part.noise)
    pairs = sum(type(total) is Below for total in part.measurement.totals)  # cost as one of them
    exact = [int(round(size**power)) * 16 * (len(sizes) - pairs) for size in sizes]
    whole = replace(part, noise=tuple(exact), measurement=replace(part.measurement, over_limit=False),
                    over_limit_noise=None)  # fmt: skip
    admit(replace(made, parts=(whole,)))
    for place in range(len(exact)):
        less = tuple(size - (at == place) for at, size in enumerate(exact))
        with pytest.raises(NotAdmitted):
            admit(replace(made, parts=(replace(whole, noise=less),)))


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_the_count_of_units_over_the_limit_needs_its_noise(family: Family) -> None:
    made = proposed("u", family, Fraction(1, 16))
    (part,) = made.parts
    counted = replace(part.measurement, over_limit=True)
    (squared,) = [
        part.measurement.sensitivity(t, "l1" if family == "laplace" else "l2")
        for t in counted.totals
    ]
    rows = int(squared**0.5) * 32 if family == "laplace" else squared * 32
    units = ONE * 32 if family == "laplace" else ONE**2 * 32
    whole = Part(counted, (rows,), units)
    admit(replace(made, parts=(whole,)))
    for worse in (replace(whole, over_limit_noise=units - 1), replace(whole, over_limit_noise=None),
                  replace(whole, noise=(rows - 1,))):  # fmt: skip
        with pytest.raises(NotAdmitted):
            admit(replace(made, parts=(worse,)))


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_parts_add_up(family: Family) -> None:
    made = proposed("u", family, Fraction(1, 16))
    admit(made)
    with pytest.raises(NotAdmitted):
        admit(replace(made, parts=made.parts * 2))


@pytest.mark.parametrize(
    "noise", [(), (0,), (-(10**30),), (10**30, 10**30), (1e30,), (True,), (Fraction(10**30),)]
)
def test_noise_of_no_whole_size_is_refused(noise: Any) -> None:
    made = proposed("u", "gaussian", Fraction(1, 16))
    with pytest.raises(NotAdmitted):
        admit(replace(made, parts=(replace(made.parts[0], noise=noise, over_limit_noise=10**30),)))


def test_every_currency_of_a_price_is_proved() -> None:
    made = proposed("u", "laplace", Fraction(1))
    cheap = replace(made.price, squared_mu=squared_mu_of_pure(Fraction(1, 2)))
    for price in (cheap, replace(made.price, rho=Fraction(0)), replace(made.price, epsilon=Fraction(1, 2)),
                  Price.pure(Fraction(1, 2))):  # fmt: skip
        with pytest.raises(NotAdmitted):
            admit(replace(made, price=price))
    gaussian = proposed("u", "gaussian", Fraction(1))
    for price in (Price.pure(Fraction(1, 2)), replace(gaussian.price, squared_mu=Fraction(99, 100)),
                  replace(gaussian.price, rho=Fraction(49, 100)),
                  replace(gaussian.price, epsilon=Fraction(9))):  # fmt: skip
        with pytest.raises(NotAdmitted):
            admit(replace(gaussian, price=price))


def test_nobody_else_can_admit() -> None:
    with pytest.raises(NotAdmitted):
        Admitted(proposed("u", "gaussian", Fraction(1)), object())


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_proposals_fill_their_price(family: Family) -> None:
    """What is proposed is admitted, and wastes less than a millionth of the price."""
    made = proposed("u", family, Fraction(1, 3), **ALL)
    admit(made)
    tight = (
        Price.pure(Fraction(333_333, 10**6))
        if family == "laplace"
        else Price.gaussian(Fraction(333_333, 10**6))
    )
    with pytest.raises(NotAdmitted):
        admit(replace(made, price=tight))
