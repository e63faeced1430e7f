"""What joint mechanisms refuse, release and promise."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source
from tests.scripted import NoEntropy

SOME: list[Part] = [Box(0, 1, cells=2, start=2), Simplex(3, 2), Everyone()]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "at least one"),
        (None, "at least one"),
        ("Box", "at least one"),
        ([1], "parts such as Box"),
        ([Box(1, 0)], "must not exceed"),
        ([Box(0, 1, start=1)], "must be even"),
        ([Box(0, 1, start=-2)], "at least 0|in 0"),
        ([Box(0, 1, cells=0)], "`cells`"),
        ([Box(0, 2**201)], "`high`"),
        ([Box(0, 0.5)], "`high` must be an integer"),  # type: ignore[arg-type]
        ([Box(True, 1)], "`low` must be an integer"),
        ([Simplex(2, -1)], "`total`"),
        ([Simplex(0, 1)], "`cells`"),
        ([Simplex(2, 1, -1)], "`start`"),
        ([Diamond(2, 1)], "two counters"),
    ],
    ids=str,
)
def test_parts_that_make_no_sense(parts: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        TwoCounterNoise(1, parts)


@pytest.mark.parametrize("part", [Box(0, 1), Box(-1, 2), Everyone()], ids=str)
def test_one_counter_wants_both_directions_alike(part: Any) -> None:
    with pytest.raises(InvalidParameter, match="up and down alike"):
        OneCounterNoise(1, [part])


@pytest.mark.parametrize("kind", [OneCounterNoise, TwoCounterNoise])
def test_wide_histograms_are_refused(kind: Any) -> None:
    with pytest.raises(UnsupportedQuery, match="at most 400 cells"):
        kind(1, [Simplex(200, 1), Simplex(201, 1)])


@pytest.mark.parametrize("epsilon", [0, -1, "1e-13", 4097, "one", float("nan")])
def test_prices_that_make_no_sense(epsilon: Any) -> None:
    with pytest.raises(InvalidParameter, match="epsilon"):
        TwoCounterNoise(epsilon, [Box(0, 1)])


def test_foreign_integers_become_pythons() -> None:
    noise = TwoCounterNoise(1, [Box(np.int8(0), np.int8(100), np.int64(3))])  # type: ignore[arg-type]
    part = noise.parts[0]
    assert isinstance(part, Box)
    assert {type(x) for x in (part.low, part.high, part.cells, part.start)} == {int}


def test_release_keeps_its_word() -> None:
    noise = TwoCounterNoise("1/2", SOME)
    assert isinstance(noise, Mechanism)
    release = noise.release([[5, 6], [1, 2, 3], [100]])
    assert release.guarantee == noise.guarantee == PureDP(epsilon="1/2")
    assert [row.dtype for row in release.value] == [np.int64] * 3
    assert noise.privacy().epsilon(0).upper == Fraction(1, 2)
    assert noise.privacy(3).epsilon(0).upper == Fraction(3, 2)
    assert noise.privacy().for_group(4).epsilon(0).upper == 2
    # three units are three steps of ε each, less than what 3ε-DP alone allows
    assert noise.privacy(3).delta(0) == DiscreteLaplace(scale=2).privacy(3).delta(0)
    assert noise.privacy(3).delta(0).upper < PrivacyLoss.worst_case(epsilon="1.5").delta(0).lower
    costs = [noise.cell(place).moment(1).upper for place in range(3)]
    assert noise.expected_cost().upper == max(costs)


def test_release_adds_the_noise() -> None:
    """At a large price nearly all noise is 0."""
    noise = TwoCounterNoise(1000, [Box(0, 1, cells=2), Simplex(2, 1), Everyone()])
    one, two, all_ = noise.release([[2**80, 7], np.array([1, 2]), [9]]).value
    assert one.tolist() == [2**80, 7]
    assert two.tolist() == [1, 2]
    assert all_.tolist() == [9]
    assert one.dtype == object


@pytest.mark.parametrize(
    "value",
    [
        [[5, 6], [1, 2, 3]],
        [[5, 6], [1, 2, 3], [100], [1]],
        [[5, 6], [1, 2], [100]],
        [[5, 6.5], [1, 2, 3], [100]],
        [[5, 6], [1, 2, 3], 100],
        [[5, True], ["secret", 2, 3], [100]],
        5,
        None,
    ],
    ids=str,
)
def test_rows_that_do_not_fit(value: Any) -> None:
    with pytest.raises(InvalidParameter, match="one row of integers") as caught:
        TwoCounterNoise(1, SOME).release(value, NoEntropy())
    assert "secret" not in str(caught.value)
    assert "100" not in str(caught.value)


def test_made_ready_without_entropy() -> None:
    for noise in (
        TwoCounterNoise(1, SOME),
        TwoCounterNoise(1, [Box(0, 1)]),
        OneCounterNoise(1, [Box(-1, 1), Diamond(2, 1)]),
    ):
        noise.make_ready()
        noise.expected_cost()
        copy = pickle.loads(pickle.dumps(noise))
        assert copy == noise
        assert eval(repr(noise)) == noise


@pytest.mark.parametrize("epsilon", ["1e-9", 1])
@pytest.mark.parametrize("cap", [1, 2**40, 2**150])
def test_any_caps_and_prices(epsilon: str, cap: int) -> None:
    """Sizes are as forecast, in 64 bits or beyond; each bound fails once in 10^6."""
    both = TwoCounterNoise(epsilon, [Box(0, cap, cells=3), Simplex(2, cap), Everyone()])
    alike = OneCounterNoise(epsilon, [Box(-cap, cap), Diamond(2, cap), Simplex(2, cap)])
    for noise in (both, alike):
        rows = noise.draw(Source())
        for place, row in enumerate(rows):
            bound = noise.cell(place).quantile("0.999999")
            assert max(map(abs, row.tolist())) <= bound
            assert row.shape == (noise.parts[place].cells,)


def test_many_cells() -> None:
    noise = TwoCounterNoise(1, [Box(0, 1, cells=100_000), Everyone()])
    cells, _ = noise.draw(Source())
    deviation = float(noise.cell(0).moment(2)) ** 0.5
    assert cells.size == 100_000
    assert np.unique(cells).size > 10_000
    assert np.abs(cells).max() < 4 * deviation
