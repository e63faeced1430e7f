"""Pirates write what they must where their words agree, and follow their strategy elsewhere."""

from fractions import Fraction

import numpy as np
import pytest

from leastnoise.attacks import (
    STRATEGIES,
    Strategy,
    all_ones,
    all_zeros,
    coin,
    forge,
    majority,
    minority,
    random_member,
)
from leastnoise.errors import InvalidParameter
from tests.attacks.seeded import SeededSource
from tests.scripted import NoEntropy

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("strategy", "chances"),
    [
        (majority, [0, HALF, 1]),
        (minority, [1, HALF, 0]),
        (random_member, [Fraction(1, 4), HALF, Fraction(3, 4)]),
        (all_ones, [1, 1, 1]),
        (all_zeros, [0, 0, 0]),
        (coin, [HALF, HALF, HALF]),
    ],
)
def test_strategies_of_four(strategy: Strategy, chances: list[Fraction]) -> None:
    assert [strategy(ones, 4) for ones in (1, 2, 3)] == chances


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.__name__)
def test_where_all_agree_nothing_can_be_changed(strategy: Strategy) -> None:
    words = np.array([[True, False]] * 3)
    assert forge(words, strategy, NoEntropy()).tolist() == [True, False]
    assert forge(words[:1], strategy, NoEntropy()).tolist() == [True, False]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.__name__)
def test_copies_have_the_stated_chances(strategy: Strategy) -> None:
    """20 000 columns with each count of ones; 6 standard errors are 0.021."""
    columns = np.repeat([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]], 20_000, axis=0)
    copy = forge(columns.T.astype(bool), strategy, SeededSource(9)).reshape(4, -1).mean(axis=1)
    stated = [0.0, *(float(strategy(ones, 4)) for ones in (1, 2, 3))]
    assert copy == pytest.approx(stated, abs=0.022)


def test_bad_words() -> None:
    with pytest.raises(InvalidParameter, match="`words`"):
        forge(np.array([True]), majority)
