"""Frozen values: what a field's check returns is kept, what it refuses is named after the field."""

import dataclasses
import inspect
import pickle
from dataclasses import KW_ONLY, FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import PureDP, _check
from leastnoise._frozen import Number, Whole, checked, frozen, keep
from leastnoise.errors import InvalidParameter


@frozen
class Box:
    width: Number = checked(_check.positive)
    _: KW_ONLY
    count: Whole = checked(_check.whole(1, 9), default=2)
    label: str = "box"

    def __post_init__(self) -> None:
        if self.width > self.count:
            raise _check.refuse("`width` must not exceed `count`", str(self.width), "Narrow it.")


@frozen
class Crate(Box):
    weight: Number = checked(_check.non_negative, default="0.5")


class Parcel(Box):
    """Without fields of its own it needs no decorator."""


def test_exact_values_are_kept() -> None:
    box = Box("1/3", count=np.int64(4))
    assert (box.width, box.count, box.label) == (Fraction(1, 3), 4, "box")
    assert type(box.count) is int
    assert repr(box) == "Box(width=Fraction(1, 3), count=4, label='box')"
    assert box == Box(Fraction(1, 3), count=4)
    assert hash(box) == hash(Box(Fraction(1, 3), count=4))


def test_defaults_are_checked_too() -> None:
    assert Box(1).count == 2
    assert Crate(1).weight == Fraction(1, 2)


def test_a_refusal_names_the_field() -> None:
    with pytest.raises(InvalidParameter, match="`width` must be positive; got width='-1'"):
        Box("-1")
    with pytest.raises(InvalidParameter, match=r"`count` must be an integer in 1\.\.9"):
        Box(1, count=10)


def test_rules_about_several_fields_see_exact_values_once_per_class() -> None:
    for kind in (Box, Crate):
        with pytest.raises(InvalidParameter, match="must not exceed"):
            kind("2.5")


def test_nothing_changes_afterwards() -> None:
    box = Box(1)
    with pytest.raises(FrozenInstanceError):
        box.width = Fraction(2)  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del box.width
    with pytest.raises(FrozenInstanceError):
        Parcel(1).address = "here"  # type: ignore[attr-defined]
    assert replace(box, count=3) == Box(1, count=3)
    assert pickle.loads(pickle.dumps(box)) == box
    keep(box, label="other")  # the one door, for constructors
    assert box.label == "other"


def test_help_shows_what_may_be_given() -> None:
    assert inspect.signature(PureDP).parameters["epsilon"].annotation == _check.Exact
    assert [field.name for field in dataclasses.fields(PureDP)] == ["epsilon"]


class Data:
    """Stands for a table: its repr would show what it holds."""

    def __repr__(self) -> str:
        return "secret rows"


class Broken(int):
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("a%", "'a%'"),
        (Fraction(1, 3), "Fraction(1, 3)"),
        (PureDP(epsilon=1), "PureDP(epsilon=1)"),
        (Data(), "a Data"),
        (np.array([41, 42]), "a ndarray"),
        ({"name": 41}, "a dict"),
        ("x" * 100, f"'{'x' * 56}..."),
    ],
)
def test_findings_are_short_and_show_no_data(value: object, text: str) -> None:
    assert _check.shown(value) == text


def test_rows_in_the_place_of_a_parameter_are_not_shown() -> None:
    with pytest.raises(InvalidParameter, match="got a list"):
        _check.kind([41, 42], PureDP, "`promise` must be a promise", "Write one.")


def test_a_finding_that_cannot_be_written_is_no_error() -> None:
    for value in (Broken(1), 10**5000):
        assert _check.shown(value) == "a number too long to write out"
