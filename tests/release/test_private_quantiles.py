"""Groups found in the data: what is answered of those shown is what listing them would answer."""

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.auditing.plans import audit_plan
from leastnoise.errors import NotAdmitted
from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.asking.question_list import asked_of
from leastnoise.release.draw.shown_groups import ShownGroups
from leastnoise.release.gate import admit
from leastnoise.release.measure.measure import measure
from leastnoise.release.plan import Plan
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountUnits
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals

CITY, PART = col("city"), Bin(col("x"), Grid(lower=0, upper=2), 2)
MANY = Bounds(max_groups=2, max_rows=9)
Rows = tuple[tuple[int, str, float], ...]
LEAKY, APPROX = ZCDP(rho="0.5", delta="1e-6"), ApproxDP(epsilon=2, delta="1e-6")


def shown(keys: tuple[str, ...]) -> ShownGroups:
    """Groups that somebody else chose: nothing of the data decides where they are."""
    return ShownGroups(tuple((key,) for key in keys), np.zeros(len(keys), np.intp), (("others",),))


@cache
def measured(rows: tuple[tuple[int, str, float], ...], *, private: bool) -> list[SecretTotals]:
    """One row of a unit counts in the parts, and units with a row in the upper part."""
    table = read(pd.DataFrame(rows, columns=["who", "city", "x"]), unit="who")
    keys = None if private else Keys(("city",), ALL)
    parts = Histograms((Grouping((CITY, PART), keys),), max_rows=1)
    return measure(table, [parts, Measurement((CountUnits(),), MANY, (CITY,), keys, col("x") > 1)])


def answered_from(rows: Rows, keys: tuple[str, ...]) -> list[Any]:
    """What steps among chosen groups get noise for."""
    parts, count = measured(rows, private=True)
    blocks = shown(keys).parts(parts, 2)
    return [np.concatenate([*blocks]), shown(keys).totals(count).totals[0]]


def listed(rows: Rows, keys: tuple[str, ...]) -> list[Any]:
    """The same for groups that were listed before."""
    parts, count = measured(rows, private=False)
    places = [ALL.index((key,)) for key in keys]
    return [parts.totals[0].reshape(len(ALL), 2)[places], count.totals[0][places]]


ALL = [("a",), ("b",), ("c",), ("d",)]
ROWS = [(1, "a", 0.5), (1, "b", 1.5), (2, "a", 1.5), (2, "c", 0.5)]
TABLES = [each for n in (1, 2, 3, 4) for each in combinations(ROWS, n)]
CHOICES = [("a",), ("b", "a"), ("c", "d", "a")]


def test_groups_that_are_shown_have_the_numbers_of_listed_ones() -> None:
    for rows, keys in product(TABLES, CHOICES):
        pairs = zip(answered_from(rows, keys), listed(rows, keys), strict=True)
        assert all(np.array_equal(one, other) for one, other in pairs), rows


def test_one_unit_moves_what_is_answered_no_farther_than_the_noise_is_for() -> None:
    """Every table of these rows, without either unit, for every choice of groups."""
    for rows, keys, who in product(TABLES, CHOICES, (1, 2)):
        rest = tuple(row for row in rows if row[0] != who)
        if not rest:
            continue
        parts, units = (
            np.abs(one - other).sum()
            for one, other in zip(answered_from(rows, keys), answered_from(rest, keys), strict=True)
        )
        assert parts <= WEIGHT, "one row of a unit counts"
        assert units <= MANY.max_groups


def test_totals_of_another_order_are_found_by_their_keys() -> None:
    found = (("a",), ("b",), ("c",))
    groups = ShownGroups((("b",), ("c",)), np.array([1, 2]), found)
    same = SecretTotals(found, (np.array([1, 2, 3]),))
    other = SecretTotals((("c",), ("a",)), (np.array([30, 10]),))
    huge = SecretTotals((("c",),), (np.array([2**80], dtype=np.object_),))
    assert groups.totals(same).totals[0].tolist() == [2, 3]
    assert groups.totals(other).totals[0].tolist() == [0, 30]
    assert groups.totals(huge).totals[0].tolist() == [0, 2**80]


def test_many_groups_are_held_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leastnoise.release.draw.shown_groups._AT_ONCE", 8)
    keys = tuple("abcdefg")
    rows: Any = tuple((key, part) for key in ("x", *keys) for part in (0, 3))
    secret = SecretTotals(rows, (np.arange(16),))
    blocks = list(shown(keys).parts(secret, 4))
    assert [len(each) for each in blocks] == [2, 2, 2, 1]
    assert np.concatenate(blocks)[:, [0, 3]].ravel().tolist() == list(range(2, 16))


def planned() -> Plan:
    rows = [(f"{c}{i}", c, i % 100) for c, n in {"a": 900, "b": 300, "d": 1}.items()
            for i in range(n)]  # fmt: skip
    table = read(pd.DataFrame(rows, columns=["who", "city", "x"]), unit="who")
    return ln.plan(table, max_groups=1, max_rows=1, measure_cut=False)


def quantiles(start: Plan, keys: Any = "private") -> Plan:
    return start.quantiles("x", [0.25, 0.5], lower=0, upper=100, by="city", keys=keys)


@pytest.mark.parametrize("budget", [LEAKY, APPROX], ids=repr)
def test_quantiles_of_groups_found_in_the_data(budget: Any, tmp_path: Any) -> None:
    asked = quantiles(planned()).count_units(by="city", keys="private")
    told = asked.preview(budget)
    assert [each.answers for each in told] == [None, None]
    mode = "zcdp" if isinstance(budget, ZCDP) else "approximate"
    ledger = ln.Ledger(tmp_path / "budget.db", total=budget, mode=mode, begin=True)
    table, units = asked.release(budget, ledger=ledger).tables
    assert table.rows == (("a", 0.25), ("a", 0.5), ("b", 0.25), ("b", 0.5))
    assert units.rows == (("a",), ("b",))
    assert (abs(table.values - [25, 50, 25, 50]) < 20).all()
    assert (table.lower <= table.values).all()
    assert (table.values <= table.upper).all()


def test_no_group_is_large_enough(tmp_path: Any) -> None:
    asked = quantiles(planned()).count(name="all")
    few = asked.questions[0].groups
    assert few.are_private
    alone = quantiles(
        ln.plan(
            read(pd.DataFrame({"who": [1], "city": ["a"], "x": [3]}), unit="who"),
            max_groups=1,
            max_rows=1,
            measure_cut=False,
        )
    )
    ledger = ln.Ledger(tmp_path / "budget.db", total=APPROX, begin=True)
    (table,) = alone.release(APPROX, ledger=ledger).tables
    assert table.rows == ()
    assert table.values.shape == (0,)


def test_nobody_shows_quantiles_of_groups_that_were_not_chosen() -> None:
    asked = quantiles(planned())
    choice, step = asked.admitted(LEAKY).steps
    assert isinstance(choice.mechanism, KeepRule)
    assert isinstance(step.mechanism, Quantiles)
    others = quantiles(planned().count_units(by="x", keys="private")).admitted(LEAKY).steps
    by_x = next(each for each in others if each.asked.by == (col("x"),))  # type: ignore[union-attr]
    bad: list[list[Any]] = [
        [replace(step, among=None)],
        [choice, replace(step, among=None)],
        [by_x, replace(step, among=by_x)],
    ]
    for steps in bad:
        with pytest.raises(NotAdmitted, match="choice of their groups"):
            admit(asked.table, steps, ZCDP(rho=9, delta="1e-3"))


def test_an_audit_finds_no_unit_that_moves_more() -> None:
    table = read(pd.DataFrame(ROWS, columns=["who", "city", "x"]), unit="who")
    asked = quantiles(ln.plan(table, max_groups=2, max_rows=1, measure_cut=False))
    asked = asked_of(asked.count_units(by="city", keys="private"), col("x") > 1)
    assert not audit_plan(asked, budget=LEAKY, orders=1).violated
