"""Guarantees are exact frozen values, and are shown rounded up."""

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

KINDS: list[tuple[type[Guarantee], str]] = [
    (PureDP, "epsilon"), (ApproxDP, "epsilon"), (ApproxDP, "delta"), (ZCDP, "rho"), (GDP, "mu"),
]  # fmt: skip


def made(kind: type[Guarantee], name: str, value: Any) -> Guarantee:
    """A guarantee of this size; other sizes are 0."""
    return kind(**{each.name: value if each.name == name else 0 for each in fields(kind)})


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_guarantee_is_exact_and_never_below_0(kind: type[Guarantee], name: str) -> None:
    tenth = made(kind, name, 0.1)
    assert getattr(tenth, name) == Fraction(1, 10) == getattr(made(kind, name, "1/10"), name)
    assert pickle.loads(pickle.dumps(tenth)) == tenth == replace(tenth)
    assert getattr(made(kind, name, 0), name) == 0
    for bad in (-1, "-1e-300", float("nan"), float("inf"), True, None, "much"):
        with pytest.raises(InvalidInput, match=f"^{name} is"):
            made(kind, name, bad)
    with pytest.raises(FrozenInstanceError):
        setattr(tenth, name, 1)


def test_delta_is_a_probability_and_0_if_it_is_left_out() -> None:
    assert ApproxDP(epsilon=3) == ApproxDP(epsilon=3, delta=0) != ApproxDP(epsilon=3, delta=1)
    with pytest.raises(InvalidInput, match=r"delta is 1\.01"):
        ApproxDP(epsilon=3, delta="1.01")
    assert PureDP(epsilon=10**400).epsilon == 10**400  # no size is too large


POSITIONAL: list[Callable[..., object]] = [PureDP, ApproxDP, ZCDP, GDP]


@pytest.mark.parametrize("kind", POSITIONAL)
def test_a_size_is_given_by_its_name(kind: Callable[..., object]) -> None:
    with pytest.raises(TypeError):
        kind(1)


@given(st.fractions(0))
def test_what_is_shown_holds(size: Fraction) -> None:
    name, shown = repr(GDP(mu=size)).removesuffix(")").split("=")
    assert name == "GDP(mu"
    assert size <= Fraction(shown) <= size * (1 + Fraction(1, 10**14))
