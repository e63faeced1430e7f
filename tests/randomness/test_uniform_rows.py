"""Uniform integers, one bound per row."""

import numpy as np
import pytest

from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform_rows import uniform_rows
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import ScriptedSource, script, words


@pytest.mark.parametrize("others", [[], [2**28], [2**28 + 1], [2**40], [2**63]])
def test_every_row_is_uniform(others: list[int]) -> None:
    bounds = np.array([1, 2, 7, 10, *others], dtype=np.object_)
    drawn = uniform_rows(bounds, 20_000, Source())
    assert drawn.dtype == np.int64
    for row, bound in zip(drawn, bounds.tolist(), strict=True):
        cells = min(bound, 16)
        assert 0 <= row.min() <= row.max() < bound
        coarse = np.array([int(value) * cells // bound for value in row])
        assert not rejects(coarse, [1 / cells] * cells)


def test_short_words_of_the_incomplete_round_are_drawn_again() -> None:
    # 2**32 mod 3 = 1: only the word 0, whose product has lower half 0, is drawn again.
    source = ScriptedSource(script([0, 1, 2**31, 2**32 - 1, 2**30], 4))
    assert uniform_rows(np.array([3]), 4, source).tolist() == [[0, 0, 1, 2]]
    assert source.left == 0


def test_long_words_of_the_incomplete_round_are_drawn_again() -> None:
    bound = 3 * 2**61
    last = 2 * bound - 1
    source = ScriptedSource(words(last, last + 1, 5, 2**64 - 1, bound + 4))
    assert uniform_rows(np.array([bound]), 3, source).tolist() == [[bound - 1, 4, 5]]


def test_rows_have_their_own_incomplete_rounds() -> None:
    source = ScriptedSource(script([0, 0, 2**31], 4))
    assert uniform_rows(np.array([4, 3]), 1, source).tolist() == [[0], [1]]


def test_bounds_beyond_64_bits() -> None:
    drawn = uniform_rows(np.array([2**70, 3], dtype=object), 500, Source())
    assert drawn.dtype == np.object_
    assert 2**69 < max(drawn[0]) < 2**70
    assert set(drawn[1]) == {0, 1, 2}


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_nothing_to_draw(shape: tuple[int, int]) -> None:
    drawn = uniform_rows(np.full(shape[0], 5), shape[1], ScriptedSource(b""))
    assert drawn.shape == shape


def test_many_rows_and_wide_rows_cross_the_chunks() -> None:
    wide = uniform_rows(np.array([5, 6]), 100_000, Source())
    assert wide.max(axis=1).tolist() == [4, 5]
    tall = uniform_rows(np.arange(1, 100_001), 2, Source())
    assert (tall < np.arange(1, 100_001)[:, np.newaxis]).all()
    assert tall[-1000:].max() > 50_000
