"""Guarantees: exact, checked, readable, and never changed."""

import math
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP

EXAMPLES: list[Guarantee] = [
    PureDP(epsilon=1),
    PureDP(epsilon=0.1),
    ApproxDP(epsilon="1/3", delta="1e-300"),
    ZCDP(rho="0.5"),
    ZCDP(rho=10**40, delta=Decimal("0.25")),
    RDP(order="1.5", epsilon=0),
    RDP(order=math.inf, epsilon=Fraction(22, 7)),
    GDP(mu="123456789.123456789"),
]

fractions = st.fractions(min_value=0, max_value=10**6)


def read_back(text: str) -> object:
    names = {kind.__name__: kind for kind in (PureDP, ApproxDP, ZCDP, RDP, GDP)}
    return eval(text, {"math": math, **names})


@pytest.mark.parametrize("promise", EXAMPLES, ids=repr)
def test_a_printed_guarantee_reads_back(promise: Guarantee) -> None:
    copy = read_back(repr(promise))
    assert copy == promise
    assert hash(copy) == hash(promise)


@given(fractions, st.fractions(min_value=0, max_value=Fraction(999, 1000)))
def test_any_guarantee_reads_back(epsilon: Fraction, delta: Fraction) -> None:
    promise = ApproxDP(epsilon=epsilon, delta=delta)
    assert read_back(repr(promise)) == promise
    assert (promise.epsilon, promise.delta) == (epsilon, delta)


def test_floats_stand_for_their_exact_value() -> None:
    assert PureDP(epsilon=0.1).epsilon == Fraction(0.1) != Fraction(1, 10)
    assert PureDP(epsilon="0.1").epsilon == Fraction(1, 10)


def test_kinds_differ() -> None:
    kinds: set[Guarantee] = {
        PureDP(epsilon=1),
        ApproxDP(epsilon=1, delta=0),
        GDP(mu=1),
        ZCDP(rho=1),
    }
    assert len(kinds) == 4


@pytest.mark.parametrize(
    ("promise", "words"),
    [
        (
            ApproxDP(epsilon=1, delta="0.01"),
            "approximate differential privacy with ε = 1, δ = 0.01",
        ),
        (
            ZCDP(rho=2, delta="0.5"),
            "zero-concentrated differential privacy with ρ = 2, δ = 0.5",
        ),
        (RDP(order=math.inf, epsilon=1), "Rényi differential privacy of order ∞ with ε = 1"),
    ],
)
def test_words(promise: Guarantee, words: str) -> None:
    assert str(promise) == words


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        PureDP(epsilon=1).epsilon = Fraction(2)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("kind", "arguments", "rule"),
    [
        (PureDP, {"epsilon": -1}, "`epsilon` must not be negative; got epsilon=-1. Choose"),
        (PureDP, {"epsilon": math.nan}, "`epsilon` must be a finite number; got epsilon=nan. Give"),
        (PureDP, {"epsilon": True}, "`epsilon` must be a finite number; got epsilon=True. Give"),
        (
            ApproxDP,
            {"epsilon": 1, "delta": 1},
            r"`delta` must lie in \[0, 1\); got delta=1. Choose",
        ),
        (
            ApproxDP,
            {"epsilon": 1, "delta": "x"},
            "`delta` must be a finite number; got delta='x'. ",
        ),
        (ZCDP, {"rho": math.inf}, "`rho` must be a finite number; got rho=inf. Give"),
        (RDP, {"order": 1, "epsilon": 1}, "`order` must be above 1; got order=1. Choose"),
        (RDP, {"order": math.nan, "epsilon": 1}, "`order` must be a finite number; got order=nan"),
        (GDP, {"mu": "-1/2"}, "`mu` must not be negative; got mu='-1/2'. Choose"),
    ],
)
def test_bad_input(kind: type, arguments: dict[str, object], rule: str) -> None:
    with pytest.raises(InvalidParameter, match=f"^{rule}"):
        kind(**arguments)


@pytest.mark.parametrize("kind", [PureDP, GDP])
def test_parameters_are_named(kind: type) -> None:
    with pytest.raises(TypeError):
        kind(1)
