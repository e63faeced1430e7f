r"""Floats with a proved error: exponentials of whole arrays, and the ends of balls.

NumPy's own exponentials come without a proof. Here arrays are only added, subtracted and
multiplied, which IEEE 754 rounds to nearest; every other number is rounded from a ball.

Proof: docs/proofs/transforms.md, section 4.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.numeric import ball as balls

Floats = NDArray[np.float64]

UNIT = 2.0**-53
"""u: by which part of itself a rounded sum, difference or product may err."""

EXP_ERROR = 4 * UNIT
"""By which part of itself an exponential from this file may err."""

SHARP_ERROR = 2.0**-49
"""By which part of itself a ball that counts as sharp may err, and be rounded."""

FALL_ERROR = 16 * UNIT
"""By which part of itself a difference 1 − e^−x from this file may err."""

TINY = 2.0**-1000
"""Numbers below this may have underflowed, by less than 2**-1022."""

_PARTS = 64  # a binade is cut into so many: arguments of the polynomial are below log(2)/128
_COEFFICIENTS = [1 / math.factorial(n) for n in range(7, 1, -1)]
_LOG_COEFFICIENTS = [(-1) ** (n + 1) / n for n in range(8, 0, -1)]
_CHUNK = 1 << 13
_LEAST = -690.0  # exponentials of less are taken for 0: they are below TINY
_BITS = 128
_SHARP = 51  # bits
_RATE_BITS = 96  # exponents of up to 2**30 times the rate keep 66 bits
_SPARSE = 4  # fewer places than one in so many are looked up one by one


def above(value: arb) -> float:
    """A float that is not below the ball."""
    most = value.upper()
    return math.nextafter(float(most), math.inf) if most != 0 else 0.0


def below(value: arb) -> float:
    """A float that is not above the ball."""
    least = value.lower()
    return math.nextafter(float(least), -math.inf) if least != 0 else 0.0


def sharp_floats(values: Sequence[arb]) -> tuple[Floats, NDArray[np.bool_], float]:
    """Non-negative balls as floats, which of them are good to SHARP_ERROR, and the rest's sum.

    The sum is an upper bound, also on what is too small for a float.
    """
    found = np.array([float(value) for value in values])
    sharp = np.array([value.rel_accuracy_bits() >= _SHARP for value in values]) & (found > TINY)
    rest = sum((values[i] for i in np.flatnonzero(~sharp).tolist()), arb(0))
    return found, sharp, max(0.0, above(rest))


def exp(values: Floats) -> Floats:
    """e^x to within EXP_ERROR for x ≤ 700; 0 instead of what is below TINY."""
    return _in_chunks(_exp, values)


def _exp(values: Floats) -> Floats:
    kept = np.maximum(values, _LEAST)
    places, rest = _reduced(kept)
    lead = _roots()[places % _PARTS]
    result: Floats = np.ldexp(lead + lead * _excess(rest), places // _PARTS)
    result[values < _LEAST] = 0.0
    return result


def fall(values: Floats) -> Floats:
    """1 − e^−x to within FALL_ERROR, for x ≥ 0."""
    return _in_chunks(_fall, values)


def _fall(values: Floats) -> Floats:
    near = np.minimum(values, 1.0)
    places, rest = _reduced(-near)
    # 1 − 2**(n/64)·e^r = (1 − 2**(n/64)) − 2**(n/64)·(e^r − 1)
    falls_at, powers = _falling_tables()
    small = _excess(rest)
    result: Floats = falls_at[-places] - powers[-places] * small
    far = values > 1.0
    result[far] = 1.0 - _exp(-values[far])
    return result


def log(values: Floats) -> Floats:
    """Log x to within 8u + 4u·|log x|, for x > 0 that are not below 2**-1022."""
    mantissas, exponents = np.frexp(values)  # exact, with 1/2 ≤ mantissa < 1
    places = ((mantissas - 0.5) * (2 * _PARTS)).astype(np.int64)
    inverses, logs = _log_tables()
    rest = mantissas * inverses[places] - 1.0
    tail = np.full_like(rest, _LOG_COEFFICIENTS[0])
    for coefficient in _LOG_COEFFICIENTS[1:]:
        tail *= rest
        tail += coefficient
    coarse, fine = _logarithm()
    whole = exponents.astype(np.float64) * _PARTS
    result: Floats = (whole * fine + (logs[places] + rest * tail)) + whole * coarse
    return result


def _in_chunks(function: Callable[[Floats], Floats], values: Floats) -> Floats:
    """The function of a long array, by pieces that stay in the processor's cache."""
    if len(values) <= _CHUNK:
        return function(values)
    found = np.empty_like(values)
    for start in range(0, len(values), _CHUNK):
        found[start : start + _CHUNK] = function(values[start : start + _CHUNK])
    return found


def geometric(rate: arb, first: int, count: int) -> Floats:
    """e^(rate·j) for j = first … first + count − 1, to within EXP_ERROR; each must be a float.

    Each is a product of two table entries, so that a million need two thousand balls. What is below
    TINY may be anything up to that.
    """
    assert rate.rel_accuracy_bits() > _RATE_BITS, "the rate is not known well enough"
    size = 1 << (count.bit_length() + 1) // 2
    with balls.precision(_BITS):
        # From the largest one down: no table entry is larger than that.
        start = first if rate < 0 else -(first + count - 1)
        fall = rate if rate < 0 else -rate
        fine = _powers(fall, 0, 1, min(size, count))
        coarse = _powers(fall, start, size, -(-count // size))
    found = np.multiply.outer(coarse, fine).reshape(-1)[:count]
    return found if rate < 0 else found[::-1]


def geometric_at(rate: arb, places: NDArray[np.int64], origin: int) -> Floats:
    """e^(rate·(j − origin)) for increasing places j, like `geometric`."""
    assert rate.rel_accuracy_bits() > _RATE_BITS, "the rate is not known well enough"
    first, last = int(places[0]), int(places[-1])
    count = last - first + 1
    if count <= _SPARSE * len(places):
        return geometric(rate, first - origin, count)[places - first]
    size = 1 << (count.bit_length() + 1) // 2
    with balls.precision(_BITS):
        rising = not rate < 0
        start, fall = (origin - last, -rate) if rising else (first - origin, rate)
        down = last - places if rising else places - first
        fine = _powers(fall, 0, 1, size)
        coarse = _powers(fall, start, size, -(-count // size))
    found: Floats = coarse[down // size] * fine[down % size]
    return found


def falls(rate: arb, count: int) -> Floats:
    """1 − e^(−rate·j) for j = 0 … count − 1 and a rate ≥ 0, to within 2·EXP_ERROR."""
    size = 1 << (count.bit_length() + 1) // 2
    rows = -(-count // size)
    with balls.precision(_BITS):
        fine = np.array([float(-(-rate * j).expm1()) for j in range(size)])
        coarse = np.array([float(-(-rate * (j * size)).expm1()) for j in range(rows)])
        left = _powers(-rate, 0, size, rows)
    # 1 − xy = (1 − x) + x·(1 − y): nothing cancels.
    found: Floats = (coarse[:, None] + np.multiply.outer(left, fine)).reshape(-1)[:count]
    return found


def _powers(rate: arb, first: int, stride: int, count: int) -> Floats:
    """e^(rate·(first + stride·i)), rounded from balls."""
    power, ratio = (rate * first).exp(), (rate * stride).exp()
    found = []
    for _ in range(count):
        found.append(float(power))
        power *= ratio
    return np.array(found)


def _reduced(values: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Whole numbers n and rests r with x = n·log(2)/64 + r and |r| ≤ log(2)/128, or hardly more."""
    coarse, fine = _logarithm()
    places = np.rint(values * (_PARTS / math.log(2)))
    rest: Floats = (values - places * coarse) - places * fine
    return places.astype(np.int64), rest


def _excess(rest: Floats) -> Floats:
    """e^r − 1 for small r, by its power series."""
    tail = np.full_like(rest, _COEFFICIENTS[0])
    for coefficient in _COEFFICIENTS[1:]:
        tail *= rest
        tail += coefficient
    result: Floats = rest + rest * rest * tail
    return result


@lru_cache(maxsize=1)
def _logarithm() -> tuple[float, float]:
    """log(2)/64 in two parts, of which the first has 32 bits."""
    with balls.precision(_BITS):
        whole = arb(2).log() / _PARTS
        coarse = math.ldexp(math.floor(math.ldexp(float(whole), 38)), -38)
        return coarse, float(whole - coarse)


@lru_cache(maxsize=1)
def _roots() -> Floats:
    """2**(n/64) for n = 0 … 63."""
    with balls.precision(_BITS):
        return np.array([float(arb(2) ** (arb(n) / _PARTS)) for n in range(_PARTS)])


@lru_cache(maxsize=1)
def _log_tables() -> tuple[Floats, Floats]:
    """Floats f near 1/x in the middle of 64 parts of 1/2 … 1, and −log f."""
    inverses = [_PARTS * 2 / (_PARTS + n + 0.5) for n in range(_PARTS)]
    with balls.precision(_BITS):
        return np.array(inverses), np.array([float(-arb(inverse).log()) for inverse in inverses])


@lru_cache(maxsize=1)
def _falling_tables() -> tuple[Floats, Floats]:
    """1 − 2**(−n/64) and 2**(−n/64) for n = 0 … 93: down to e^−1."""
    with balls.precision(_BITS):
        powers = [arb(2) ** (arb(-n) / _PARTS) for n in range(_PARTS + _PARTS // 2)]
        return (
            np.array([float(1 - power) for power in powers]),
            np.array([float(power) for power in powers]),
        )
