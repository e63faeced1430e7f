"""Calls that people get wrong are answered by one plain sentence, and values print in short."""

from collections.abc import Callable
from typing import Any

import pytest

from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.line import Laplace
from leastnoise.numbers.errors import InvalidInput
from leastnoise.optima.noise_bounds import noise_bounds
from leastnoise.optima.staircase import staircase_theory
from leastnoise.privacy import (
    GDP,
    PrivacyLoss,
    PureDP,
    basic_composition,
    calibrate,
    convert,
    group_privacy,
    optimal_composition,
    verify,
)

wrong: Any = "ZCDP"


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (lambda: convert(GDP(mu=1), wrong), r"convert\(GDP\(mu=1\), ZCDP\)"),
        (lambda: convert(wrong, GDP), "a guarantee, then a class"),
        (lambda: group_privacy(wrong, size=2), "type str. Give PureDP"),
        (lambda: basic_composition([]), "no list"),
        (lambda: basic_composition(PureDP(epsilon=1)), "no list"),  # type: ignore[arg-type]
        (lambda: optimal_composition([]), "no list"),
        (lambda: verify(wrong, sensitivity=1, epsilon=1), "noise on the integers"),
        (lambda: calibrate(wrong, epsilon=1, delta="1e-6"), "no function"),
        (lambda: calibrate(lambda v: v, epsilon=1, delta="1e-6"), "noise on the integers"),
        (lambda: calibrate(DiscreteLaplace, epsilon=1, delta="1e-6"), "noise grow"),
        (lambda: PrivacyLoss.laplace(epsilon=1).compose(wrong), "takes privacy losses"),
        (lambda: PrivacyLoss.of_noise(Laplace(0, 1), 1), "PrivacyLoss.laplace"),  # type: ignore[arg-type]
    ],
)
def test_a_mistake_is_answered_by_a_sentence(call: Callable[[], object], answer: str) -> None:
    with pytest.raises(InvalidInput, match=answer):
        call()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (PrivacyLoss.gaussian(mu=2), "PrivacyLoss(Gaussian(square=4))"),
        (PrivacyLoss.gaussian(mu=0), "PrivacyLoss(nothing)"),
        (PrivacyLoss.worst_case(epsilon=1, delta="1e-6"), "PrivacyLoss(worst(1, 1e-06))"),
        (PrivacyLoss.of_laws({0: 1, 1: 3}, {0: 3, 1: 1}), "PrivacyLoss(finite())"),
        (
            PrivacyLoss.of_noise(DiscreteLaplace(1), 2).self_compose(3),
            "PrivacyLoss(3 × Shifted(law=DiscreteLaplace(rate=1), shift=2))",
        ),
        (
            staircase_theory(epsilon=2),
            "Staircase of epsilon 2, moment 1, dimension 1, sensitivity 1: cost 0.4255 at gamma "
            "0.2689, 0.8509 times that of Laplace",
        ),
        (
            noise_bounds(epsilon=1, delta="0.01", sensitivity=3),
            "(1, 0.01)-DP, sensitivity 3: E|error| at least 2.395, Laplace 2.945, uniform 75; "
            "ratio 1.229",
        ),
    ],
)
def test_values_print_in_short(value: object, shown: str) -> None:
    assert repr(value) == shown
