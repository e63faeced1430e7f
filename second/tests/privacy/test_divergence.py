"""Divergences of laws, next to plain sums and closed forms."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.line import Laplace, Normal
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.divergence import hockey_stick, privacy_loss, renyi

ONE, OTHER = {"a": 3, "b": 1, "c": 1}, {"a": 1, "b": 1, "d": 2}


def test_weights() -> None:
    p, q = {"a": 0.6, "b": 0.2, "c": 0.2}, {"a": 0.25, "b": 0.25, "d": 0.5}
    for epsilon in (-1.0, 0.0, 0.7):
        truth = sum(max(0, p.get(y, 0) - math.exp(epsilon) * q.get(y, 0)) for y in "abcd")
        assert float(hockey_stick(ONE, OTHER, epsilon)) == pytest.approx(truth, rel=1e-12)
    assert renyi(ONE, OTHER, 2) == Interval.exactly(math.inf)
    p, q = {"a": 0.75, "b": 0.25}, {"a": 0.5, "b": 0.5}
    truth = math.log(sum(p[y] ** 3 * q[y] ** -2 for y in "ab")) / 2
    assert float(renyi(p, q, 3)) == pytest.approx(truth, rel=1e-12)
    kl = sum(p[y] * math.log(p[y] / q[y]) for y in "ab")
    assert float(renyi(p, q, 1)) == pytest.approx(kl, rel=1e-12)
    assert float(renyi(p, q, math.inf)) == pytest.approx(math.log(1.5), rel=1e-12)
    assert renyi(p, p, math.inf) == Interval.exactly(0)


def test_losses() -> None:
    assert privacy_loss(ONE, OTHER, "c") == Interval.exactly(math.inf)
    assert privacy_loss(ONE, OTHER, "d") == Interval.exactly(-math.inf)
    assert float(privacy_loss(ONE, OTHER, "a")) == pytest.approx(math.log(2.4))
    assert privacy_loss(Normal(0, 1), Normal(1, 1), "-0.5") == Interval.exactly(1)
    assert float(privacy_loss(DiscreteLaplace(1), DiscreteLaplace(1), 4)) == 0
    with pytest.raises(InvalidInput, match="no loss"):
        privacy_loss(ONE, OTHER, "e")


def test_laws_on_the_integers_are_summed_point_by_point() -> None:
    def pmf(rate: float, k: int) -> float:
        return math.tanh(rate / 2) * math.exp(-rate * abs(k))

    truth = sum(max(0, pmf(1, k) - math.exp(0.2) * pmf(2, k)) for k in range(-60, 61))
    found = hockey_stick(DiscreteLaplace(1), DiscreteLaplace(2), "0.2")
    assert float(found) == pytest.approx(truth, rel=1e-12) and found.width < Fraction(1, 10**12)
    with pytest.raises(InvalidInput, match="shifted copies"):
        renyi(DiscreteLaplace(1), DiscreteLaplace(2), 2)


def test_bad_input_gets_one_sentence() -> None:
    bad: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: hockey_stick(Normal(0, 1), Laplace(0, 1), 0), "different kinds"),
        (lambda: renyi(ONE, OTHER, "0.5"), "order is below 1"),
        (lambda: hockey_stick({"a": 0}, OTHER, 0), "All weights are 0"),
    )
    for call, sentence in bad:
        with pytest.raises(InvalidInput, match=sentence):
            call()
