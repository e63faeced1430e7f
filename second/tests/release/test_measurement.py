"""Limits, sensitivities and noise by numbers that were worked out by hand."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.meters import Price
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.measurement import (
    LEVELS,
    Drawn,
    Limit,
    Measurement,
    Part,
    Proposal,
    Selection,
    Shared,
    laws_of,
)
from leastnoise.release.run import with_groups, with_limits
from leastnoise.tables.contributions import MOST_ROWS, ONE, Limits, Norm
from leastnoise.tables.expressions import Column
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.relations import OfUnit, Public
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Centred, Rows, Units

G, N = Column("g", Type.TEXT), Column("n", Type.INTEGER)
TABLE = pa.table({"u": ["p"], "g": ["a"], "n": [1]})
PERSON: Any = ln.read(TABLE, privacy_unit="u").agg(n=ln.count(), max_contributions=1).relation
ROW: Any = ln.read(TABLE, privacy_unit=ln.ROW).agg(n=ln.count()).relation
PUBLIC = Public(replace(next(PERSON.tables), unit=None, public=True))
STEPS = Centred(None, N, Fraction(0), Fraction(6))  # |y| <= 3


def groups(count: int) -> Groups:
    return Groups((G,), tuple((f"g{i}",) for i in range(count)))


def measured(limit: Any, by: Any = None, **rest: Any) -> Measurement:
    relation = ROW if limit is None else PERSON
    return Measurement(
        relation, groups(5) if by is None else by, (Rows(), Units(), STEPS), limit, **rest
    )


UNKNOWN = Unlisted((G,), (None,))
LIMITS: list[tuple[Measurement, Norm, Limits | None]] = [
    (measured(Limit(12)), "l1", Limits(144, 25)),
    (measured(Limit(12)), "l2", Limits(144, 5)),
    (measured(Limit(12, 3)), "l1", Limits(144, 25)),
    (measured(Limit(12, 3)), "l2", Limits(36, 5)),
    (measured(Limit(2)), "l1", Limits(4, 4)),
    (measured(Limit(2)), "l2", Limits(4, 2)),
    (measured(Limit(12), Groups()), "l1", Limits(144, 1)),
    (measured(Limit(12), Groups()), "l2", Limits(144, 1)),
    (measured(Limit(12), Groups((G,), ())), "l2", Limits(144, 1)),
    (measured(Limit(12), UNKNOWN), "l1", Limits(144, 144)),
    (measured(Limit(12), UNKNOWN), "l2", Limits(144, 12)),
    (measured(Drawn(4)), "l1", Limits(16, 16)),
    (measured(Drawn(5)), "l1", Limits(32, 25)),
    (measured(Drawn(5), UNKNOWN), "l1", Limits(32, 25)),
    (measured(Drawn(5), UNKNOWN), "l2", Limits(32, 32)),
    (measured(Drawn(0)), "l2", Limits(1, 1)),
    (measured(Drawn(None), UNKNOWN), "l2", Limits(2**40, 2**40)),
    (measured(None), "l2", None),
]  # fmt: skip


@pytest.mark.parametrize(("measurement", "norm", "expected"), LIMITS)
def test_limits_of_rows_and_of_presence(
    measurement: Measurement, norm: Norm, expected: Limits | None
) -> None:
    assert measurement.limits(norm) == expected
    rows, units = (1, 1) if expected is None else (expected.rows, expected.units)
    sensitivities = [measurement.sensitivity(total, norm) for total in measurement.totals]
    assert sensitivities == [rows * ONE**2, units * ONE**2, rows * 9 * ONE**2]


def test_the_norm_is_that_of_the_noise_but_for_tables_with_noise_in_common() -> None:
    assert (LEVELS, MOST_ROWS, ONE) == (41, 2**20, 2**20)
    for common, expected in ((False, ["l1", "l2"]), (True, ["l1", "l1"])):
        measurement = measured(Limit(1), in_common=common)
        assert [measurement.norm("laplace"), measurement.norm("gaussian")] == expected


@pytest.mark.parametrize(("rows", "per_group", "words"), [
    (0, None, "max_contributions is 0"), (MOST_ROWS + 1, None, "from 1 to 1,048,576"), (True, None, "is True"),
    (5, 0, "max_per_group is 0"), (5, 6, "is above max_contributions=5"), (5, Fraction(2), "max_per_group is 2"),
])  # fmt: skip
def test_limits_that_are_none_are_refused(rows: Any, per_group: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Limit(rows, per_group)
    assert Limit(MOST_ROWS, MOST_ROWS) and Limit(1, 1)


@pytest.mark.parametrize(("family", "expected"), [("laplace", [57, 4, 17]), ("gaussian", [320, 4, 160])])  # fmt: skip
def test_noise_of_a_drawn_limit_grows_as_the_sensitivity_does(family: Any, expected: Any) -> None:
    """At level 5 a unit has 32 times the squared norm, and is in five groups for one."""
    shared = Shared(2, 1)
    part = Part(
        measured(Drawn()),
        (10, 1 if family == "gaussian" else shared, 3 if family == "laplace" else 5),
    )
    here = part.at(5, family)
    assert (part.is_drawn, here.measurement.limit) == (True, Drawn(5))
    expected[1] = 5 if family == "gaussian" else shared
    assert here.noise == tuple(expected)
    assert not Part(measured(Limit(1)), (1, 1, 1)).is_drawn
    # 2 * 5^2 = 7^2 + 1
    assert Part(measured(Drawn()), (5, 1, 12)).at(1, "laplace").noise == (8, 1, 17)


def test_the_charge_line_holds_the_noise_of_a_part() -> None:
    assert laws_of(Part(measured(Limit(1)), (7, Shared(0, 2), 8))) == {"totals": ["7", [0, 2], "8"]}
    selection = Selection(5, 6, Fraction(1, 7), 3)
    part = Part(measured(Drawn(), UNKNOWN), (1, 1, 1), 9, Fraction(1, 3), selection, 4)
    assert laws_of(part) == {
        "totals": ["1", "1", "1"], "units": "9", "exponent": "1/3",
        "selection": {"variance": "5", "threshold": "6", "delta": "1/7", "min_units": "3"},
    }  # fmt: skip
    found = part.with_groups([("x",), ("y",)])
    assert found.measurement.groups == Groups((G,), (("x",), ("y",)))
    assert (found.noise, found.leader, Selection(1, 1, Fraction(0)).min_units) == (part.noise, 4, 1)
    assert Proposal("laplace", (part,), Price.pure(Fraction(1))).draws == ()


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Measurement(PERSON, Groups(), (), Limit(1)), "Nothing is measured"),
    (lambda: Measurement(PUBLIC, Groups(), (Rows(),), Limit(1)), "are public"),
    (lambda: Measurement(PERSON, Groups(), (Rows(),), None), "A limit is needed just where"),
    (lambda: Measurement(ROW, Groups(), (Rows(),), Limit(1)), "A limit is needed just where"),
    (lambda: measured(Drawn(), over_limit=True), "Only a limit that was given"),
    (lambda: Measurement(ROW, Groups(), (Rows(),), None, over_limit=True), "Only a limit that was given"),
    (lambda: Measurement(PERSON, Groups((Column("h", Type.TEXT),), ()), (Rows(),), Limit(1)), "no column"),
    (lambda: Measurement(PERSON, Groups(), (Rows(N),), Limit(1)), "is no condition"),
    (lambda: Selection(0, 1, Fraction(0)), "found with noise"),
    (lambda: Selection(1, 1, Fraction(0), 0), "found with noise"),
])  # fmt: skip
def test_what_cannot_be_measured_cannot_be_built(make: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()
    assert isinstance(PERSON, OfUnit)


def test_parts_take_limits_and_groups_that_were_drawn_for_them_or_for_their_leaders() -> None:
    given = Part(measured(Limit(12)), (1, 1, 1))
    drawn = Part(measured(Drawn(), UNKNOWN), (10, 10, 10), exponent=Fraction(1, 3))
    follower = Part(measured(Drawn(), UNKNOWN), (20, 20, 20), leader=1)
    parts = with_limits((given, drawn, follower), [None, 5, None], "gaussian")
    assert parts == (given, drawn.at(5, "gaussian"), follower.at(5, "gaussian"))
    own, first, second = with_groups(parts, [None, [["x"], ["y"]], None])
    assert own == given
    assert first.measurement.groups == second.measurement.groups == Groups((G,), (("x",), ("y",)))
    assert (first.noise, second.noise) == (parts[1].noise, parts[2].noise)
