import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import NameAndShame
from leastnoise.privacy.guarantee import ApproxDP
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import NoEntropy, ScriptedSource, words

Output = tuple[tuple[int, str], ...]

DELTAS = [Fraction(0), Fraction(1, 10**6), Fraction(1, 3), Fraction(9, 10)]


def law(records: str, delta: Fraction) -> dict[Output, Fraction]:
    """Every output with its exact probability."""
    found: dict[Output, Fraction] = {}
    for shamed in product([False, True], repeat=len(records)):
        output = tuple((i, x) for i, x in enumerate(records) if shamed[i])
        chance = math.prod((delta if told else 1 - delta for told in shamed), start=Fraction(1))
        found[output] = found.get(output, Fraction(0)) + chance
    return found


def distance(one: str, other: str, delta: Fraction) -> Fraction:
    p, q = law(one, delta), law(other, delta)
    return sum((max(Fraction(0), p[y] - q.get(y, Fraction(0))) for y in p), Fraction(0))


@pytest.mark.parametrize("delta", DELTAS)
def test_total_variation_is_delta_by_enumeration(delta: Fraction) -> None:
    mechanism = NameAndShame(delta=delta)
    assert distance("abcd", "abXd", delta) == delta == mechanism.total_variation()
    assert distance("abcd", "aYXd", delta) == mechanism.total_variation(2)
    assert distance("abcd", "WXYZ", delta) == mechanism.total_variation(4)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_loss_is_all_or_nothing(delta: Fraction) -> None:
    mechanism = NameAndShame(delta=delta)
    assert mechanism.guarantee == ApproxDP(epsilon=0, delta=delta)
    for people in (1, 3):
        loss = mechanism.privacy(people)
        for epsilon in (0, 1, 50):
            assert mechanism.total_variation(people) in loss.delta(epsilon)
            assert loss.delta(epsilon).width < Fraction(1, 2**70)


@pytest.mark.parametrize(
    ("delta", "records", "expected"),
    [("1e-5", 10**5, 0.632), (1e5**-1.1, 10**5, 0.271), (1e7**-1.1, 10**7, 0.181)],
)
def test_exposure_of_somebody(delta: object, records: int, expected: float) -> None:
    exposure = NameAndShame(delta=delta).exposure(records=records)  # type: ignore[arg-type]
    assert float(exposure) == pytest.approx(expected, abs=5e-4)


def test_exposure_is_the_chance_of_any_output_but_none() -> None:
    delta = Fraction(1, 7)
    assert 1 - law("abc", delta)[()] in NameAndShame(delta=delta).exposure(records=3)
    assert float(NameAndShame(delta=0).exposure(records=10**9)) == 0


def test_sampling_is_decided_by_the_coins() -> None:
    threshold = 2**64 // 3
    source = ScriptedSource(words(0, 2**64 - 1, threshold - 1, threshold + 1))
    release = NameAndShame(delta=Fraction(1, 3)).release("abcd", source)
    assert release.value == {0: "a", 2: "c"}
    assert source.left == 0


def test_samples_fit_and_wrong_probabilities_are_found() -> None:
    count = 1 << 17
    published = NameAndShame(delta="0.1").release(range(count)).value
    assert all(place == record for place, record in published.items())
    drawn = np.zeros(count, dtype=np.int64)
    drawn[list(published)] = 1
    assert not rejects(drawn, [0.9, 0.1])
    assert rejects(drawn, [0.89, 0.11])
    assert rejects(drawn, [0.91, 0.09])


def test_nothing_is_published_at_delta_0() -> None:
    assert NameAndShame(delta=0).release("abc").value == {}
    assert NameAndShame(delta="0.5").release([], NoEntropy()).value == {}


@pytest.mark.parametrize("delta", [-1, 1, 2, math.nan, "x"])
def test_delta_is_a_probability_below_1(delta: object) -> None:
    with pytest.raises(InvalidParameter, match="delta"):
        NameAndShame(delta=delta)  # type: ignore[arg-type]
