"""Words of a question at their limits: refused before anything is read, or taken as they are."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.accounting.plan import Plan as Losses
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.privacy import ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.release.ask import keys
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.draw.noisy_numbers import scaled
from leastnoise.release.plan import Plan
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import reach_of

ROWS = pa.table({"who": [1, 2], "city": ["Oslo", "Bergen"], "age": [30, 40]})
ODD: Any = "age > 3"

REFUSED: dict[str, Callable[[Plan], object]] = {
    "groups by a number with decimals": lambda p: p.count(by=col("age") / 2, keys=[1]),
    "a text for a list": lambda p: p.count(where=col("city").isin("Oslo")),
    "a long list": lambda p: p.count(where=col("age").isin(range(10_001))),
    "a text for a condition": lambda p: p.count(where=(col("age") > 3) & ODD),
    "a grid far from 0": lambda _: Grid(lower=0, upper=2**40, bits=1),
    "one column twice": lambda _: Keys(["city", "city"], [["Oslo", "Oslo"]]),
    "no column": lambda _: Keys([], [[]]),
    "a weight of nearly nothing": lambda p: p.count(importance=Fraction(1, 10**13)),
    "a weight beyond all": lambda p: p.count(importance=10**13),
    "bounds that look the same": lambda p: p.mean("age", lower=10**30, upper=10**30 + 1),
}


def start() -> Plan:
    return ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=3)


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    with pytest.raises(InvalidParameter):
        REFUSED[case](start())


def test_keys_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_MOST_KEYS", 2)
    assert len(Keys(["n"], [[1], [2]]).rows) == 2
    with pytest.raises(InvalidParameter):
        Keys(["n"], [[1], [2], [3]])


def test_a_grid_far_from_0_has_larger_steps() -> None:
    far = Grid(lower=10**9, upper=10**9 + 1)
    assert far.step == Fraction(1, 2)
    assert far.most <= 2**31


def test_groups_that_a_step_chose_are_not_those_of_a_histogram_or_a_clip() -> None:
    table = start().table
    cells = Histograms((Grouping((col("city"),), None),), 3)
    with pytest.raises(UnsupportedQuery):
        reach_of(cells, table, chosen=2)
    clipped = Measurement((CountRows(),), Clip(max_norm=2), (col("city"),))
    with pytest.raises(UnsupportedQuery):
        reach_of(clipped, table, chosen=2)
    bounded = Measurement((CountRows(),), Bounds(max_groups=5, max_rows=3), (col("city"),))
    assert reach_of(bounded, table, chosen=2).total == 6


def test_numbers_beyond_doubles_are_scaled_to_the_nearest() -> None:
    large = np.array([2**70 + 1, -(10**400), 10**400], dtype=np.object_)
    assert scaled(large, Fraction(1, 3)).tolist() == [
        float(Fraction(2**70 + 1, 3)),
        -np.inf,
        np.inf,
    ]
    assert scaled(np.array([3]), Fraction(1, 3)).tolist() == [1.0]


def test_a_plan_of_one_loss_and_limits_it_keeps() -> None:
    one = Losses(PrivacyLoss.laplace(epsilon=1))
    assert one.within(PureDP(epsilon=1))
    assert not one.within(PureDP(epsilon="0.9"))
    assert one.within(ApproxDP(epsilon="0.9", delta="0.1"))
    odd: Any = ZCDP(rho=1)
    with pytest.raises(InvalidParameter):
        one.within(odd)
