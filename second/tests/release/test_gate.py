"""The gate: for every case one unit of noise less is refused."""

from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.meters import Family, Price
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Box, KNormNoise
from leastnoise.numbers.ball import ball, normal_tail, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.conversion import squared_mu_of_pure
from leastnoise.release.auto_contributions import draw_price
from leastnoise.release.choose_noise import proposal
from leastnoise.release.gate import Admitted, NotAdmitted, admit
from leastnoise.release.group_selection import is_safe, selection_price
from leastnoise.release.measurement import (
    LEVELS,
    NORM,
    Drawn,
    Limit,
    Measurement,
    Part,
    Proposal,
    Selection,
    Shared,
)
from leastnoise.tables.contributions import ONE
from leastnoise.tables.expressions import Call, Column, Literal
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.profile import STEPS
from leastnoise.tables.relations import Relation
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Above, Below, Rows, Total, Units

FAMILIES: list[Family] = ["laplace", "gaussian"]
N = Column("n", Type.INTEGER)
LOW, HIGH = Fraction(0), Fraction(8)
ABOVE, BELOW = Above(None, N, LOW, HIGH), Below(None, N, LOW, HIGH)

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


def test_a_limit_is_a_whole_number_of_python() -> None:
    """Those of NumPy overflow in silence: the sensitivity of 2^20 rows would be 0."""
    for bad in (np.int64(2**20), 5.0, True, "5"):
        with pytest.raises(InvalidInput, match="Give a number from 1 to"):
            Limit(bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="Give a number from 1 to"):
            Limit(2**20, bad)  # type: ignore[arg-type]


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
    admitted: Any = admit(proposed("u", "gaussian", Fraction(1)))
    with pytest.raises(FrozenInstanceError):
        admitted.proposal = proposed("u", "gaussian", Fraction(2))


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


def relation(unit: Any = "u") -> Relation:
    found: Relation = ln.read(TABLE, privacy_unit=unit).agg(n=ln.count()).relation
    return found


def measured(*totals: Total, limit: Any = None, groups: Any = None) -> Measurement:
    return Measurement(relation(), groups or Groups(), totals or (Rows(),), limit or Limit(3))


def at_the_price(family: Family, one: Fraction, *extra: Price) -> Price:
    """What a total with this part of the price, and what comes beside it, cost together."""
    noise = Price.pure(one) if family == "laplace" else Price.gaussian(one)
    return sum(extra, noise)


def refused(made: Proposal) -> None:
    with pytest.raises(NotAdmitted, match="Nothing was read or charged"):
        admit(made)


def test_both_sides_of_a_value_cost_as_much_as_one_under_laplace_noise_only() -> None:
    size = 3 * 8 * ONE
    assert isqrt(measured(ABOVE).sensitivity(ABOVE, "l1")) == size
    pair = Part(measured(ABOVE, BELOW), (size, size))
    once = Proposal("laplace", (pair,), Price.pure(Fraction(1)))
    admit(once)
    # Of two sizes, of two values, and with two of one side, both sides cost something.
    refused(replace(once, parts=(replace(pair, noise=(size, size + 1)),)))
    refused(replace(once, parts=(replace(pair, noise=(size, 10**20)),)))
    other = Below(None, N, LOW, HIGH + 2)
    refused(replace(once, parts=(Part(measured(ABOVE, other), (size, size)),)))
    filtered = Below(Call(">", (N, Literal(0))), N, LOW, HIGH)
    refused(replace(once, parts=(Part(measured(ABOVE, filtered), (size, size)),)))
    refused(replace(once, parts=(Part(measured(ABOVE, BELOW, BELOW), (size,) * 3),)))
    squared = Part(measured(ABOVE, BELOW), (size**2, size**2))
    admit(Proposal("gaussian", (squared,), Price.gaussian(Fraction(2))))
    refused(Proposal("gaussian", (squared,), Price.gaussian(Fraction(2) - Fraction(1, 10**30))))


def test_values_that_differ_by_type_alone_are_no_pair() -> None:
    """n * n * 1 is missing beyond 64 bits, and n * n * 1.0 is not: one row may be above and below."""

    def value(one: Any) -> Call:
        square = Call("*", (Call("*", (N, N)), Literal(one)))
        return Call("coalesce", (Call("-", (Literal(0), square)), Literal(100)))

    above = Above(None, value(1), Fraction(-100), Fraction(100))
    below = Below(None, value(Fraction(1)), Fraction(-100), Fraction(100))
    assert below.other != above
    size = 3 * above.bound * ONE
    refused(
        Proposal("laplace", (Part(measured(above, below), (size, size)),), Price.pure(Fraction(1)))
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_measured_is_refused(family: Family) -> None:
    price = at_the_price(family, Fraction(1))
    refused(Proposal(family, (), price))
    with pytest.raises(InvalidInput, match="Nothing is measured"):
        Measurement(relation(), Groups(), (), Limit(3))


def with_drawn_limit(family: Family, *totals: Total) -> Proposal:
    """A limit that is drawn with exponent 1/8, and one unit of noise for each unit moved."""
    measurement = measured(*totals, limit=Drawn(), groups=Groups((N,), ((1,), (2,))))
    first = replace(measurement, limit=Drawn(0))
    squares = [first.sensitivity(total, NORM[family]) for total in measurement.totals]
    noise = tuple(square if family == "gaussian" else isqrt(square) for square in squares)
    part = Part(measurement, noise, exponent=Fraction(1, 8))
    price = at_the_price(family, Fraction(len(noise)), draw_price(Fraction(1, 8)))
    return Proposal(family, (part,), price)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_draw_of_a_limit_is_paid_for(family: Family) -> None:
    made = with_drawn_limit(family, Rows(), Units())
    (part,) = made.parts
    admit(made)
    for place, size in enumerate(part.noise):
        assert isinstance(size, int)
        noise = tuple(each - (at == place) for at, each in enumerate(part.noise))  # type: ignore[operator]
        refused(replace(made, parts=(replace(part, noise=noise),)))
    more = Fraction(1, 8) + Fraction(1, 10**12)
    for exponent in (more, Fraction(0), Fraction(-1, 8), None):
        refused(replace(made, parts=(replace(part, exponent=exponent),)))
    typed = replace(part, measurement=replace(part.measurement, limit=Limit(1)))
    refused(replace(made, parts=(typed,)))
    cheap = {name: value - Fraction(1, 10**12) for name, value in vars(made.price).items()
             if name != "delta" and value is not None}  # fmt: skip
    for name, value in cheap.items():
        refused(replace(made, price=replace(made.price, **{name: value})))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("level", range(LEVELS))
def test_noise_is_proved_for_every_limit_that_may_be_drawn(
    family: Family, level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, at = with_drawn_limit(family), Part.at

    def with_less_at_one_level(part: Part, here: int, family: Family) -> Part:
        found = at(part, here, family)
        (size,) = found.noise
        assert isinstance(size, int)
        # In l1 norm the noise is rounded up and the sensitivity down: two units less are too few.
        return (
            replace(found, noise=(size - (1 if here != level else 3),)) if here == level else found
        )

    monkeypatch.setattr(Part, "at", with_less_at_one_level)
    refused(made)


@pytest.mark.parametrize("family", FAMILIES)
def test_noise_grows_with_the_limit_and_no_more(family: Family) -> None:
    made = with_drawn_limit(family, Rows(), Units())
    for level in range(LEVELS):
        rows, units = made.parts[0].at(level, family).noise
        presence = min(isqrt(1 << level), 2) if family == "laplace" else min(1 << level, 2)
        if family == "gaussian":
            assert (rows, units) == (ONE**2 << level, ONE**2 * presence)
        else:
            assert (rows, units) == (isqrt((ONE**2 << level) - 1) + 1, ONE * presence)


def followers(family: Family) -> Proposal:
    made = with_drawn_limit(family)
    second = replace(made.parts[0], exponent=None, leader=0)
    price = at_the_price(family, Fraction(2), draw_price(Fraction(1, 8)))
    return replace(made, parts=(*made.parts, second), price=price)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_part_takes_its_limit_from_one_that_draws_it(family: Family) -> None:
    made = followers(family)
    first, second = made.parts
    admit(made)
    rich = replace(made, price=at_the_price(family, Fraction(50)))
    listed = replace(first, measurement=replace(first.measurement, limit=Limit(1)), exponent=None)
    wrong = [
        (first, replace(second, leader=1)),  # its own
        (first, replace(second, leader=2)),
        (first, replace(second, leader=-2)),
        (first, second, replace(second, leader=1)),  # a follower's
        (first, replace(second, leader=None)),
        (first, replace(second, exponent=Fraction(1, 8))),
        (first, replace(second, exponent=Fraction(0))),
        (listed, second),
        (first, replace(listed, leader=0)),
    ]
    for parts in wrong:
        refused(replace(rich, parts=parts))
    refused(replace(made, price=at_the_price(family, Fraction(1), draw_price(Fraction(1, 8)))))


@cache
def least_threshold(variance: int, delta: Fraction, *, one_row_each: bool) -> int:
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        safe = is_safe(Selection(variance, middle, delta), one_row_each=one_row_each)
        low, high = (low, middle) if safe else (middle, high)
    return high


def with_groups_to_find(unit: Any = "u", **changed: Any) -> Proposal:
    """Groups found with noise of six units, and one unit of noise for each unit moved."""
    rows, alone = relation(unit), unit is ln.ROW
    variance, delta = 36 * STEPS**2, Fraction(1, 10**9)
    threshold = least_threshold(variance, delta, one_row_each=alone)
    selection = replace(Selection(variance, threshold, delta), **changed)
    limit = None if alone else Limit(1)
    text = Column("g", Type.TEXT)
    measurement = Measurement(rows, Unlisted((text,), (None,)), (Rows(),), limit)
    part = Part(measurement, (ONE**2,), selection=selection)
    price = Price.gaussian(1 + Fraction(1, 36))
    return Proposal("gaussian", (part,), replace(price, delta=delta))


@pytest.mark.parametrize("unit", ["u", ln.ROW])
def test_groups_are_found_with_the_noise_that_is_paid_for(unit: Any) -> None:
    made = with_groups_to_find(unit)
    (part,) = made.parts
    found = part.selection
    assert found is not None
    admit(made)
    refused(with_groups_to_find(unit, variance=found.variance - 1))
    refused(with_groups_to_find(unit, threshold=found.threshold - 1))
    refused(with_groups_to_find(unit, delta=found.delta / 10))
    refused(with_groups_to_find(unit, delta=found.delta + Fraction(1, 10**30)))
    refused(replace(made, price=replace(made.price, delta=found.delta - Fraction(1, 10**30))))
    refused(replace(made, parts=(replace(part, selection=None),)))
    listed = replace(part.measurement, groups=Groups((Column("g", Type.TEXT),), (("a",),)))
    refused(replace(made, parts=(replace(part, measurement=listed),)))
    refused(replace(made, family="laplace", price=Price.pure(Fraction(99))))
    admit(with_groups_to_find(unit, min_units=5))


def test_a_selection_without_noise_or_without_units_cannot_be_made() -> None:
    for wrong in ({"variance": 0}, {"variance": -1}, {"min_units": 0}, {"min_units": -9}):
        with pytest.raises(InvalidInput, match="at least one unit"):
            with_groups_to_find(**wrong)


def test_the_threshold_of_one_group_is_for_units_with_one_row() -> None:
    """A limit of 1 is not such a case: it gives a unit with m groups a weight in each of them."""
    alone = with_groups_to_find(ln.ROW).parts[0].selection
    made = with_groups_to_find()
    (part,) = made.parts
    assert part.selection is not None
    assert alone is not None
    assert alone.threshold < part.selection.threshold
    assert part.measurement.limit == Limit(1)
    refused(replace(made, parts=(replace(part, selection=alone),)))


@pytest.mark.parametrize("alone", [False, True])
def test_delta_a_hair_less_is_refused(alone: bool) -> None:
    """delta is the greatest chance, rounded up in its 64th bit; its 60th bit less is too little."""
    variance, threshold = 36 * STEPS**2, 42 * STEPS

    def chance(k: int) -> Fraction:
        above = Fraction(2 * (threshold - isqrt(STEPS**2 // k)) - 1, 2)
        return upper_end(lambda: k * normal_tail(ball(above) / ball(variance).sqrt()))

    delta = max(map(chance, range(1, 2 if alone else STEPS + 1)))
    exact = Selection(variance, threshold, delta)
    assert is_safe(exact, one_row_each=alone)
    assert not is_safe(replace(exact, delta=delta * (1 - Fraction(1, 2**60))), one_row_each=alone)
    assert not is_safe(replace(exact, threshold=0, delta=Fraction(1)), one_row_each=alone)
    assert selection_price(exact) == Price(None, Fraction(1, 36), Fraction(1, 72), delta)


def with_shared_draw(family: Family) -> Proposal:
    """The rows, and the rows with a sum that goes both ways, of two parts; the limit is 3."""
    sums = ln.read(TABLE, privacy_unit="u").agg(
        s=ln.sum("n", lower=-4, upper=4), max_contributions=3
    )
    (centred,) = [t for t in sums.measurements("gaussian", over_limit=False)[0][0].totals
                  if t.bound == 4]  # fmt: skip
    parts = (Part(measured(Rows()), (Shared(0, 0),)), Part(measured(centred), (Shared(0, 1),)))
    boxes = (Box(0, 3 * ONE), Box(-12 * ONE, 12 * ONE))
    if family == "laplace":
        return Proposal(
            family, parts, Price.pure(Fraction(1, 2)), (KNormNoise(Fraction(1, 2), boxes),)
        )
    # A unit moves 2x - 3n by 3, and 2y by 24; n by 1; all times ONE.
    law = CentredGaussian(4 * ONE**2 * (9 + 24**2 + 3**2), 3 * ONE, boxes, (1, 1))
    return Proposal(family, parts, Price.gaussian(Fraction(1, 4)), (law,))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_shared_draw_has_the_noise_that_is_paid_for(family: Family) -> None:
    made = with_shared_draw(family)
    law: Any = made.draws[0]
    low, high = law.blocks
    admit(made)
    if isinstance(law, KNormNoise):
        worse: list[Any] = [
            replace(law, rate=law.rate + Fraction(1, 10**30)),
            with_shared_draw("gaussian").draws[0],
        ]
        smaller = [(Box(0, 3 * ONE - 1), high), (low, Box(-12 * ONE + 1, 12 * ONE)), (low, Box(-12 * ONE, 12 * ONE - 1)),
                   (Box(1, 3 * ONE), high)]  # fmt: skip
        worse += [
            replace(law, blocks=blocks)
            for blocks in (*smaller, (high, low), (low,), (low, high, low))
        ]
    else:
        worse = [replace(law, variance=law.variance - 1), replace(law, common=law.common + 1),
                 replace(law, weights=(2, 1)), replace(law, weights=(1, 2)), with_shared_draw("laplace").draws[0]]  # fmt: skip
    for other in worse:
        refused(replace(made, draws=(other,)))
    for name, value in vars(made.price).items():
        if value:
            refused(replace(made, price=replace(made.price, **{name: value - Fraction(1, 10**30)})))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_place_of_a_shared_draw_is_used_once(family: Family) -> None:
    made = with_shared_draw(family)
    (law,), (first, second) = made.draws, made.parts
    for noise in (Shared(0, 0), Shared(0, 2), Shared(1, 1), Shared(-1, 1), 10**40):
        refused(replace(made, parts=(first, replace(second, noise=(noise,)))))
    refused(replace(made, draws=()))
    refused(replace(made, draws=(law, law)))
    refused(replace(made, parts=(first,)))
    two = Groups((N,), ((1,), (2,)))
    for wrong in (
        replace(second.measurement, groups=two),
        replace(second.measurement, limit=Drawn()),
    ):
        refused(replace(made, parts=(first, replace(second, measurement=wrong))))
    drawn = replace(
        second, measurement=replace(second.measurement, limit=Drawn()), exponent=Fraction(1, 99)
    )
    refused(replace(made, parts=(first, drawn)))
    wider = replace(first.measurement, limit=Limit(4))
    refused(replace(made, parts=(replace(first, measurement=wider), second)))


@pytest.mark.parametrize("family", FAMILIES)
def test_counts_of_units_share_no_draw(family: Family) -> None:
    made = with_shared_draw(family)
    first, second = made.parts
    counted = replace(second.measurement, over_limit=True)
    wrong: Any = Shared(0, 1)
    rich = at_the_price(family, Fraction(99))
    refused(replace(made, parts=(first, Part(counted, second.noise, wrong)), price=rich))
    size = ONE if family == "laplace" else ONE**2
    admit(replace(made, parts=(first, Part(counted, second.noise, size)), price=rich))
