"""Geometric draws in groups of digits: the law of the whole, at every shape of table."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.randomness import Source
from leastnoise.randomness.geometric import Geometric
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import ScriptedSource, words

DRAWS = 200_000

# Rate, bits of the cap, and the cells to count in: their width and number.
SHAPES = {
    "no cap, one table": (Fraction(1, 2), None, 1, 12),
    "no cap, low digits": (Fraction(1, 3000), None, 500, 30),
    "a cap above the low digits": (Fraction(1, 3000), 12, 256, 16),
    "a cap inside the low digits": (Fraction(1, 100), 2, 1, 4),
    "a cap, one table": (Fraction(1, 5), 3, 1, 8),
    "fair bits": (Fraction(0), 5, 1, 32),
}


def contradicts(drawn: NDArray[Any], name: str) -> bool:
    """Whether draws contradict the law of that shape; the last cell has all greater values."""
    rate, cap_bits, width, number = SHAPES[name]
    end = math.inf if cap_bits is None else 2.0**cap_bits

    def below(edge: float) -> float:
        return math.expm1(-rate * edge) / math.expm1(-rate * end) if rate else edge / end

    edges = [below(width * cell) for cell in range(number)]
    return rejects(drawn // width, list(np.diff([*edges, 1.0])))


@pytest.mark.parametrize("name", SHAPES)
def test_the_law(name: str) -> None:
    rate, cap_bits, *_ = SHAPES[name]
    drawn = Geometric(rate, cap_bits).sample(DRAWS, Source())
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert cap_bits is None or drawn.max() < 2**cap_bits
    assert not contradicts(drawn, name)


@pytest.mark.parametrize(("start", "bits"), [(0, 8), (8, 9)])
def test_each_group_of_digits_is_a_capped_geometric(start: int, bits: int) -> None:
    """Two low groups: digits that hardly differ in chance, told apart by a fine test."""
    rate = 2.0**-20
    drawn = Geometric(Fraction(rate)).sample(1_000_000, Source())
    digit = np.asarray(drawn >> start, dtype=np.int64) % 2**bits
    assert not rejects(digit // 2 ** (bits - 4), _sixteenths(rate * 2**start, bits))
    steeper = _sixteenths(rate * 2 ** (start + 3), bits)
    assert start == 0 or rejects(digit // 2 ** (bits - 4), steeper)


def _sixteenths(rate: float, bits: int) -> list[float]:
    """The chances of sixteen equal parts of 0..2**bits − 1."""
    below = [math.expm1(-rate * part * 2.0 ** (bits - 4)) for part in range(17)]
    return list(np.diff(below) / below[-1])


@pytest.mark.parametrize("wrong", [Fraction(9, 10), Fraction(11, 10)])
@pytest.mark.parametrize("name", ["no cap, one table", "no cap, low digits", "a cap, one table"])
def test_the_test_sees_a_tenth(name: str, wrong: Fraction) -> None:
    rate, cap_bits, *_ = SHAPES[name]
    assert contradicts(Geometric(wrong * rate, cap_bits).sample(DRAWS, Source()), name)


def test_beyond_64_bits() -> None:
    """Low digits of a law this wide are nearly fair bits, and none is lost."""
    drawn = Geometric(Fraction(1, 2**80)).sample(2000, Source())
    assert drawn.dtype == np.object_
    mean = sum(map(int, drawn)) / 2000 / 2**80
    assert abs(mean - 1) < 5 / math.sqrt(2000)  # 5 standard deviations
    ones = sum(int(each).bit_count() for each in drawn % 2**64)
    assert abs(ones - 64_000) < 5 * math.sqrt(2000 * 64 / 4)


def test_fair_bits_beyond_64() -> None:
    source = ScriptedSource(bytes(range(9)) + bytes([255] * 9))
    drawn = Geometric(Fraction(0), 70).sample(2, source)
    assert list(drawn) == [int.from_bytes(bytes(range(9)), "little") >> 2, 2**70 - 1]


def test_no_bits_are_0() -> None:
    assert list(Geometric(Fraction(0), 0).sample(3, Source())) == [0, 0, 0]


def test_fair_bits_are_the_low_bits_of_words() -> None:
    source = ScriptedSource(words(0b1011, 2**64 - 1))
    assert list(Geometric(Fraction(0), 3).sample(2, source)) == [3, 7]


def test_memory_is_that_of_its_tables() -> None:
    assert Geometric(Fraction(0), 5).nbytes == 0
    few, many = Geometric(Fraction(1, 2)), Geometric(Fraction(1, 2**40))
    assert 0 < few.nbytes < many.nbytes < 2**23


def test_rate_0_needs_a_cap() -> None:
    with pytest.raises(ValueError, match="needs a cap"):
        Geometric(Fraction(0))
