"""Expected errors of selection against brute force, and refusals that both ways share."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import ExponentialMechanism, PermuteAndFlip, Selection
from leastnoise.mechanisms.choosing.selection_error import flipping_worst_error
from tests.mechanisms.selection_reference import expected_error, exponential_law, flipping_law
from tests.scripted import NoEntropy

BOTH = [ExponentialMechanism, PermuteAndFlip]
LAWS = {ExponentialMechanism: exponential_law, PermuteAndFlip: flipping_law}
SECRET = 987654321

kinds = pytest.mark.parametrize("kind", BOTH, ids=lambda kind: kind.__name__)


@kinds
@settings(deadline=None, max_examples=25)
@given(
    rate=st.fractions(Fraction(1, 20), 3, max_denominator=30),
    utilities=st.lists(st.integers(-9, 9), min_size=1, max_size=5),
)
def test_expected_errors_agree_with_the_laws(
    kind: type[Selection], rate: Fraction, utilities: list[int]
) -> None:
    one = kind(candidates=len(utilities), epsilon=2 * rate, sensitivity=1)
    found = one.expected_error(utilities)
    expected = expected_error(utilities, LAWS[kind](utilities, rate))
    assert float(found) == pytest.approx(float(expected), rel=1e-14, abs=1e-60)
    assert found.width <= Fraction(1, 2**70) * max(found.upper, Fraction(1))
    assert found.lower <= one.expected_cost().upper


@kinds
def test_far_candidates_are_bounded_and_not_forgotten(kind: type[Selection]) -> None:
    """Around the limit between those that are summed and those that are bounded."""
    for far in (158, 159, 160, 161, 162, 10**18):
        found = kind(candidates=3, epsilon=2, sensitivity=1).expected_error([0, -far, -3])
        near = kind(candidates=2, epsilon=2, sensitivity=1).expected_error([0, -3])
        assert found.lower <= near.upper
        assert abs(float(found) - float(near)) < 1e-60 + 1e-14 * float(near)
        assert found.width < Fraction(1, 2**70)


@kinds
def test_what_is_too_far_to_sum_is_in_the_bracket(kind: type[Selection]) -> None:
    found = kind(candidates=3, epsilon=2, sensitivity=1).expected_error([0, -200, -201])
    assert found.lower == 0
    assert 200 * math.exp(-200) < float(found.upper) < 1e-60


def test_a_million_candidates_by_classes() -> None:
    utilities = np.arange(10**6) % 1000
    flipped = PermuteAndFlip(candidates=10**6, epsilon=1, sensitivity=1)
    weighed = ExponentialMechanism(candidates=10**6, epsilon=1, sensitivity=1)
    step = math.exp(-0.5)
    assert float(weighed.expected_error(utilities)) == pytest.approx(step / (1 - step), rel=1e-9)
    assert flipped.expected_error(utilities).upper < weighed.expected_error(utilities).lower


def flipping_error(gaps: tuple[int, ...], rate: float) -> float:
    """E[mean gap of the heads], by the number of heads and their sum, class by class."""
    rows = {(1, 0): 1.0}
    for gap in gaps:
        coin = math.exp(-rate * gap)
        after: dict[tuple[int, int], float] = {}
        for (count, total), chance in rows.items():
            for key, more in (((count + 1, total + gap), coin), ((count, total), 1 - coin)):
                after[key] = after.get(key, 0.0) + chance * more
        rows = after
    return sum(chance * total / count for (count, total), chance in rows.items())


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(1, 4), Fraction(2)])
@pytest.mark.parametrize("candidates", [2, 3, 4, 5])
def test_the_worst_case_of_permute_and_flip_by_search(rate: Fraction, candidates: int) -> None:
    """All integer gaps in a window: nothing above the bracket, and equal gaps nearly reach it."""
    stated = flipping_worst_error(candidates, rate)
    window = range(1, 9 if rate > 1 else 15)
    worst = max(
        flipping_error(gaps, float(rate))
        for gaps in combinations_with_replacement(window, candidates - 1)
    )
    assert float(stated.lower) <= worst * (1 + 1e-12)
    assert worst <= float(stated.upper) * (1 + 1e-12)
    if rate < 1:
        assert float(stated.width) < 0.06 * worst


@pytest.mark.parametrize("candidates", [2, 7, 1000])
def test_the_worst_equal_gap_on_a_fine_lattice(candidates: int) -> None:
    rate = Fraction(1, 997)
    stated = flipping_worst_error(candidates, rate)
    gaps = np.arange(1, 20_000)
    coins = np.exp(-gaps / 997)
    missed = 1 + np.expm1(candidates * np.log1p(-coins)) / (candidates * coins)
    worst = float((gaps * missed).max())
    assert float(stated.lower) <= worst * (1 + 1e-9)
    assert worst * (1 + 1e-4) <= float(stated.upper) <= worst * 1.006


def test_worst_cases_grow_like_the_logarithm() -> None:
    for count in (1000, 10**6):
        stated = PermuteAndFlip(candidates=count, epsilon="0.02", sensitivity=1).expected_cost()
        weighed = ExponentialMechanism(candidates=count, epsilon="0.02", sensitivity=1)
        assert stated.upper <= weighed.expected_cost().upper
        assert float(stated.upper) < math.log(count) / 0.01 * 1.3
        assert float(stated.width) < 0.01 * float(stated.upper)
    assert PermuteAndFlip(candidates=1, epsilon=1, sensitivity=1).expected_cost().upper == 0
    assert ExponentialMechanism(candidates=1, epsilon=1, sensitivity=1).expected_cost().upper == 0


# Refusals


@kinds
@pytest.mark.parametrize(
    "bad",
    [
        SECRET,
        [1, SECRET],
        [1, 2, 3, SECRET],
        [[1, 2, SECRET]],
        [1, 2, SECRET / 2],
        [1, 2, math.nan],
        [1, 2, None],
        ["1", "2", str(SECRET)],
        [True, False, True],
        [2**70, SECRET, 0],
        {"a": SECRET},
        np.array([1, 2, SECRET], dtype=object),
        np.ma.masked_array([1, 2, SECRET], mask=[False, True, False]),
        [1, [2, SECRET]],
    ],
    ids=lambda bad: type(bad).__name__,
)
def test_bad_data_is_refused_and_never_shown(kind: type[Selection], bad: Any) -> None:
    one = kind(candidates=3, epsilon=1, sensitivity=1)
    with pytest.raises(InvalidParameter, match="row of candidates=3") as caught:
        one.release(bad, NoEntropy())
    error: BaseException | None = caught.value
    while error is not None:
        assert str(SECRET) not in f"{error!r} {error}"
        error = error.__cause__
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@kinds
@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"candidates": 0}, "candidates"),
        ({"candidates": 2.0}, "candidates"),
        ({"candidates": 2**62 + 1}, "candidates"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"sensitivity": 0}, "sensitivity"),
        ({"sensitivity": -2}, "sensitivity"),
        ({"sensitivity": 0.5}, "sensitivity"),
        ({"monotone": 1}, "monotone"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(
    kind: type[Selection], changes: dict[str, Any], name: str
) -> None:
    with pytest.raises(InvalidParameter, match=f"`{name}`"):
        kind(**{"candidates": 3, "epsilon": 1, "sensitivity": 1, **changes})


@kinds
def test_values_do_not_change(kind: type[Selection]) -> None:
    one = kind(candidates=3, epsilon=1, sensitivity=1)
    with pytest.raises(AttributeError):
        one.epsilon = Fraction(2)  # type: ignore[misc]
    assert one == kind(candidates=3, epsilon="1", sensitivity=1)
    assert one.certificate() is None  # type: ignore[func-returns-value]
    with pytest.raises(InvalidParameter, match="source"):
        one.release([1, 2, 3], 5)  # type: ignore[arg-type]
