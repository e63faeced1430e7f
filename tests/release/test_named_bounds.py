"""Nobody's bounds are assumed: a question that depends on one is refused until it is said."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.clip import Clip
from leastnoise.release.plan import Plan

ROWS = pd.DataFrame({"who": [1, 1, 2], "city": ["a", "b", "a"], "x": [1, 2, 3]})
RANGE: dict[str, Any] = {"lower": 0, "upper": 9}
BY: dict[str, Any] = {"by": "city", "keys": ["a", "b"]}
PRIVATE: dict[str, Any] = {"by": "city", "keys": "private"}
ONE: dict[str, Any] = {"by": "city", "keys": ["a"]}

USES: list[tuple[str, set[str], Callable[[Plan], Plan]]] = [
    ("a total", {"max_rows"}, lambda p: p.count()),
    ("all units", set(), lambda p: p.count_units()),
    ("one group", {"max_rows"}, lambda p: p.sum("x", **RANGE, **ONE)),
    ("units of one group", set(), lambda p: p.count_units(**ONE)),
    ("groups", {"max_groups", "max_rows"}, lambda p: p.mean("x", **RANGE, **BY)),
    ("units by groups", {"max_groups"}, lambda p: p.count_units(**BY)),
    ("private groups", {"max_groups", "max_rows"}, lambda p: p.count(**PRIVATE)),
    ("units of private groups", {"max_groups"}, lambda p: p.count_units(**PRIVATE)),
    ("common", {"max_groups"}, lambda p: p.most_common("city", count=1, keys=["a", "b"])),
    ("a clip", set(), lambda p: p.count(**BY, clip=Clip(max_norm=2))),
    ("a histogram", {"max_rows"}, lambda p: p.histogram("x", **RANGE, parts=3, **BY)),
    ("a median", {"max_rows"}, lambda p: p.median("x", **RANGE)),
    ("marginals", {"max_rows"}, lambda p: p.marginals(["city"], keys={"city": ["a", "b"]})),
]


@pytest.mark.parametrize(("needed", "ask"), [(n, a) for _, n, a in USES], ids=[i for i, *_ in USES])
def test_what_has_an_effect_must_be_said_and_nothing_else(
    needed: set[str], ask: Callable[[Plan], Plan]
) -> None:
    table = ln.read(ROWS, unit="who")
    assert ask(ln.plan(table, **dict.fromkeys(needed, 2))).questions
    for missing in needed:
        said = dict.fromkeys(needed - {missing}, 2)
        with pytest.raises(InvalidParameter, match=f"`{missing}` must be given.*got none for"):
            ask(ln.plan(table, **said))
    assert ask(ln.plan(ln.read(ROWS, unit=None))).questions


def test_both_that_are_missing_are_named() -> None:
    with pytest.raises(InvalidParameter, match="`max_groups` and `max_rows` must be given"):
        ln.plan(ln.read(ROWS, unit="who")).count(**BY)


@pytest.mark.parametrize("bound", [0, 2**20 + 1, 1.5, "many"])
def test_bounds_are_whole_numbers(bound: Any) -> None:
    for name in ("max_groups", "max_rows"):
        with pytest.raises(InvalidParameter, match=name):
            ln.plan(ln.read(ROWS, unit="who"), **{name: bound})
