"""Every answer stands beside its own key, and no key stands there twice."""

import json
import math
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import PureDP
from leastnoise.release.ask.key_rows import KeyRows
from leastnoise.release.ask.keys import Keys
from leastnoise.release.plan import plan
from leastnoise.release.read import read
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable


class Alone(int):
    """A number that says it is no other, not even one of the same value."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __abs__(self) -> int:
        return 0


class City(str, Enum):  # noqa: UP042 - what many still write
    OSLO = "Oslo"


class Separate(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


@pytest.mark.parametrize("kind", [Alone, Separate])
def test_keys_of_types_of_ones_own_are_compared_as_what_they_are(kind: type) -> None:
    with pytest.raises(InvalidParameter, match="must not name a group twice"):
        Keys.of("i", [kind(1), kind(1), kind(2)])
    found = Keys.cross(i=[kind(1)], j=["a", "b"])
    assert [type(row[0]) for row in found.rows] == [kind.__mro__[1]] * 2


def test_a_number_cannot_lie_about_its_size() -> None:
    with pytest.raises(InvalidParameter):
        Keys.of("i", [Alone(2**63)])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (np.int64(3), r"got \(int64\)\. Write array\.tolist\(\)"),
        (2**63, r"smaller than 2\^63"),
        ("a" * 1001, "at most 1000 characters"),
        (None, "Missing values cannot be keys"),
        (math.nan, "Missing values cannot be keys"),
        (1.5, r"must have 1 value, .* got \(float\)\. Write whole numbers as integers"),
    ],
)
def test_what_can_be_no_key_is_refused_with_what_to_do(value: Any, told: str) -> None:
    with pytest.raises(InvalidParameter, match=told):
        Keys.of("i", [value])


def test_a_key_of_too_many_values_is_told_so() -> None:
    with pytest.raises(InvalidParameter, match=r"2 values, .*\(int\)\. Write one value for each"):
        Keys(("a", "b"), [(1,)])


def test_a_named_text_is_its_text() -> None:
    assert [type(value) for (value,) in Keys.of("city", [City.OSLO]).rows] == [str]
    assert Keys.of("city", [City.OSLO]) == Keys.of("city", ["Oslo"])


def made(keys: int, *answers: int) -> ReleasedTable:
    values, error, lower, upper = (np.zeros(count) for count in answers)
    rows = KeyRows([np.arange(keys)], keys)
    return ReleasedTable("q", ("a",), rows, values, error, lower, upper, "m")


@pytest.mark.parametrize("counts", [(5, 4, 4, 4, 4), (4, 5, 5, 5, 5), (4, 4, 4, 3, 4)])
def test_a_table_has_one_answer_for_each_key(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="one answer for each of its keys"):
        made(*counts)
    assert len(made(4, 4, 4, 4, 4)) == 4


@pytest.fixture
def release(tmp_path: Path) -> PlanRelease:
    rows = pa.table(
        {"who": list(range(8)), "value": [1, 2] * 4, "value_key": ["a", "b", "b", "a"] * 2}
    )
    keys = Keys.cross({"value": [1, 2], "value_key": ["a", "b"]})
    asked = plan(read(rows, unit="who"), max_groups=1, max_rows=1)
    asked = asked.count(by=["value", "value_key"], keys=keys, name="n")
    ledger = Ledger(tmp_path / "a.db", total=PureDP(epsilon=100), begin=True)
    return asked.release(PureDP(epsilon=100), ledger=ledger)


def test_columns_called_like_measures_and_their_marks_are_all_there(release: PlanRelease) -> None:
    table = release["n"]
    assert table.to_csv().splitlines()[0].startswith("value_key_key,value_key,value,")
    assert list(table.to_pandas())[:3] == ["value_key_key", "value_key", "value"]
    assert [line.split(",")[:2] for line in table.to_csv().splitlines()[1:]] == [
        ["1", "a"], ["1", "b"], ["2", "a"], ["2", "b"],
    ]  # fmt: skip


def test_a_stored_release_that_lost_an_answer_is_refused(release: PlanRelease) -> None:
    stored = json.loads(release.to_json())
    (table,) = stored["tables"]
    for name in ("values", "standard_error", "lower", "upper"):
        table[name] = table[name][1:]
    with pytest.raises(InvalidParameter, match="a stored release must be text"):
        PlanRelease.from_json(json.dumps(stored))
