"""Places of counts: every one the rounded logarithm, gaps never understated."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from leastnoise.groupwise.count_map import CountMap
from leastnoise.groupwise.log_map import LogMap

LARGEST = 1 << 62
counts = st.integers(1, 10**6) | st.integers(1, LARGEST)
offsets = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(5, 2), Fraction(10**6)])


def reference(x: int, bits: int, offset: Fraction) -> int:
    exact = mpf(x) + mpf(offset.numerator) / offset.denominator
    return int(mp.floor(mp.log(exact) * 2**bits + mpf("0.5")))


@given(counts, offsets, st.sampled_from([4, 20, 40]))
def test_a_place_is_the_rounded_logarithm(x: int, offset: Fraction, bits: int) -> None:
    assert LogMap(bits, offset).place(x) == reference(x, bits, offset)


@pytest.mark.parametrize("offset", [Fraction(0), Fraction(1, 3)])
@pytest.mark.parametrize("largest", [100, 10**6, LARGEST])
def test_many_places_are_the_same_as_single_ones(offset: Fraction, largest: int) -> None:
    log_map = LogMap(40, offset)
    xs = np.random.default_rng(1).integers(1, largest, 3000, endpoint=True)
    assert log_map.places(xs).tolist() == [log_map.place(int(x)) for x in xs]


def test_counts_next_to_a_boundary_are_decided_by_balls() -> None:
    """Of many counts those whose logarithm is nearest to a half are the hardest."""
    log_map = LogMap(40, Fraction(0))
    xs = np.random.default_rng(2).integers(1, 10**9, 200_000)
    scaled = np.ldexp(np.log(xs.astype(np.longdouble)), 40)
    hardest = xs[np.argsort(np.abs(scaled % 1 - 0.5))[:200]]
    assert log_map.places(hardest).tolist() == [reference(int(x), 40, Fraction(0)) for x in hardest]


def test_the_places_of_one_and_of_nothing() -> None:
    assert LogMap(40, Fraction(0)).place(1) == 0
    assert LogMap(40, Fraction(1)).places(np.array([0])).tolist() == [0]
    assert LogMap(40, Fraction(0)).places(np.array([], dtype=np.int64)).size == 0


@given(st.integers(2, LARGEST), offsets, st.sampled_from([4, 40]))
def test_gaps_are_not_understated_and_never_grow(x: int, offset: Fraction, bits: int) -> None:
    log_map = LogMap(bits, offset)
    assert 0 <= log_map.place(x) - log_map.place(x - 1) <= log_map.gap(x)
    assert log_map.gap(x + 1) <= log_map.gap(x)


def test_a_gap_is_the_least_that_can_be_promised() -> None:
    """On a coarse lattice some pair within a short range is as far apart as is said."""
    log_map = LogMap(6, Fraction(0))
    for start in range(10, 60, 10):
        pairs = range(start, start + 10)
        attained = max(log_map.place(x) - log_map.place(x - 1) for x in pairs)
        assert log_map.gap(start + 9) <= attained <= log_map.gap(start)


def test_a_table_of_gaps_comes_before_the_logarithms() -> None:
    log = LogMap(20, Fraction(0))
    counts = CountMap(log, 5, (300_000, 250_000, 150_000))
    assert counts.bend == 8
    assert counts.gaps_never_grow
    assert counts.place(8) == log.place(8)
    assert counts.place(5) == log.place(8) - 700_000
    assert [counts.gap(x) for x in (6, 8, 9)] == [300_000, 150_000, log.gap(9)]
    assert counts.places(np.array([5, 7, 8, 9, 1000])).tolist() == [
        counts.place(x) for x in (5, 7, 8, 9, 1000)
    ]


def test_gaps_that_grow_are_noticed() -> None:
    log = LogMap(20, Fraction(0))
    assert not CountMap(log, 5, (250_000, 300_000, 150_000)).gaps_never_grow
    assert not CountMap(log, 5, (300_000, 250_000, 1)).gaps_never_grow
