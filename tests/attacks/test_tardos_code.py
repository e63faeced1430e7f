"""Codes: exact biases and bits, innocent users never accused too often, guilty ones caught."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import asin, mpf, pi, sin, sqrt

from leastnoise.attacks import (
    STRATEGIES,
    Strategy,
    TardosCode,
    bias_grid,
    majority,
    tardos_code,
)
from leastnoise.attacks.thresholds import chernoff_threshold
from leastnoise.errors import InvalidParameter
from tests.attacks.seeded import SeededSource
from tests.scripted import ScriptedSource, script, words


@pytest.mark.parametrize("coalition", [1, 3, 50])
def test_grid_is_the_rounded_sine(coalition: int) -> None:
    grid = bias_grid(coalition)
    least = asin(sqrt(mpf(1) / (300 * coalition)))
    for place in (0, 1, 100, 511):
        angle = least + (pi / 2 - 2 * least) * (2 * place + 1) / 2048
        assert int(grid[place]) == round(float(sin(angle) ** 2 * 2**32))
    assert len(grid) == 1024
    assert (np.diff(grid.astype(np.int64)) > 0).all()
    assert (grid + grid[::-1] == 2**32).all()
    assert int(grid[0]) > 2**32 / (300 * coalition)


def test_bits_follow_the_words_of_the_source() -> None:
    """One column: its bias, then one 32-bit word per user, 1 exactly if it is below the bias."""
    bias = int(bias_grid(2)[700])
    drawn = script([0, bias - 1, bias, 2**32 - 1], 4)
    code = TardosCode(users=4, length=1, coalition=2, source=ScriptedSource(words(700) + drawn))
    assert int(code.biases[0]) == bias
    assert code.words[:, 0].tolist() == [True, True, False, False]


def test_bits_do_not_depend_on_the_size_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = words(*range(0, 1000, 143)) + bytes(np.random.default_rng(4).bytes(7 * 6 * 4))
    whole = TardosCode(users=6, length=7, coalition=2, source=ScriptedSource(drawn))
    monkeypatch.setattr(tardos_code, "_CHUNK", 20)
    parts = TardosCode(users=6, length=7, coalition=2, source=ScriptedSource(drawn))
    assert (whole.words == parts.words).all()
    assert 0 < whole.words.sum() < 42


def all_words(length: int) -> np.ndarray:
    return np.array(list(product((0, 1), repeat=length)))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0.001, 0.999), st.floats(-1, 1)), min_size=1, max_size=9),
    st.sampled_from([Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)]),
)
def test_innocent_words_rarely_pass_the_threshold(
    columns: list[tuple[float, float]], risk: Fraction
) -> None:
    chances, signs = (np.array(part) for part in zip(*columns, strict=True))
    weights = signs / np.sqrt(chances * (1 - chances))
    threshold = chernoff_threshold(weights, chances, risk)
    every = all_words(len(chances))
    odds = np.prod(np.where(every == 1, chances, 1 - chances), axis=1)
    assert odds[(every - chances) @ weights > threshold].sum() <= float(risk)


def test_the_threshold_is_close_to_what_is_needed() -> None:
    """Power: with 400 fair columns it lies within 25 % of the true quantile, found by counting."""
    chances, weights = np.full(400, 0.5), np.full(400, 2.0)
    threshold = chernoff_threshold(weights, chances, Fraction(1, 1000))
    tails = np.cumsum([math.comb(400, k) / 2**400 for k in range(400, -1, -1)])
    quantile = 2 * (400 - int((tails <= 1e-3).sum())) - 400
    assert quantile < threshold < 1.25 * quantile


def coalition_score(strategy: Strategy, size: int) -> float:
    """The expected score of a coalition per column, summed over the grid and all counts of ones."""
    total = 0.0
    for bias in bias_grid(size) / 2**32:
        for ones in range(size + 1):
            chance = math.comb(size, ones) * bias**ones * (1 - bias) ** (size - ones)
            forced = {0: Fraction(0), size: Fraction(1)}
            written = forced[ones] if ones in forced else strategy(ones, size)
            sum_ = (ones - size * bias) / math.sqrt(bias * (1 - bias))
            total += chance * float(2 * written - 1) * sum_
    return total / 1024


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.__name__)
@pytest.mark.parametrize("size", [2, 5])
def test_no_strategy_changes_what_the_coalition_scores(strategy: Strategy, size: int) -> None:
    """On the uncut arcsine law it is 2/π for every strategy; the cut moves it by under 7 %."""
    assert coalition_score(strategy, size) == pytest.approx(2 / math.pi, rel=0.07)


def test_tracing_a_copied_word_names_its_owner() -> None:
    code = TardosCode(users=50, length=700, coalition=2, source=SeededSource(1))
    result = code.trace(code.words[17], false_accusation="1e-9")
    assert result.accused.nonzero()[0].tolist() == [17]
    assert result.false_accusation == Fraction(1, 10**9)


def test_a_copy_that_says_nothing_accuses_nobody() -> None:
    code = TardosCode(users=20, length=300, coalition=2, source=SeededSource(2))
    assert not code.trace([0.5] * 300, false_accusation="0.4").accused.any()


def test_shares_are_traced_like_bits() -> None:
    code = TardosCode(users=12, length=4000, coalition=5, source=SeededSource(3))
    mean = code.words[:5].mean(axis=0)
    named = code.trace(mean, false_accusation="1e-6").accused
    assert named[:5].all()
    assert not named[5:].any()


def test_read_only_and_silent() -> None:
    code = TardosCode(users=3, length=5, coalition=1)
    assert repr(code) == "<TardosCode of 3 words of 5 bits>"
    with pytest.raises(ValueError, match="read-only"):
        code.words[0, 0] = True


@pytest.mark.parametrize("copy", [[1] * 4, [2] * 5, [math.nan] * 5, [[1] * 5]])
def test_bad_copies(copy: object) -> None:
    code = TardosCode(users=3, length=5, coalition=1)
    with pytest.raises(InvalidParameter, match="`copy`"):
        code.trace(copy, false_accusation="0.1")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["users", "length", "coalition"])
@pytest.mark.parametrize("value", [0, -1, 2.0])
def test_bad_sizes(name: str, value: object) -> None:
    sizes = {"users": 3, "length": 5, "coalition": 1, name: value}
    with pytest.raises(InvalidParameter, match=f"`{name}`"):
        TardosCode(**sizes)  # type: ignore[arg-type]


def test_majority_is_what_it_says() -> None:
    assert [majority(ones, 4) for ones in (1, 2, 3)] == [0, Fraction(1, 2), 1]
