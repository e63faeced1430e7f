"""Noise in floating point: which doubles can come out tells what went in.

The attacks are part of the exhibits: what an attacker computes from a release is post-processing,
so a private release would stay private under it.
"""

import numpy as np
from numpy.typing import NDArray

from tests.museum.evidence import Measured, Sampled, generator
from tests.museum.exhibit import exhibit

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]


def textbook_laplace(steps: Floats, negative: Bits) -> Floats:
    """±log of the uniform number steps/2^53."""
    log = np.log(steps * 2.0**-53)
    return np.where(negative, log, -log)


def reachable_by_laplace(released: Floats, value: float) -> Bits:
    """Whether some 53-bit uniform number leads from the value to exactly this release."""
    noise = released - value
    steps = np.rint(np.exp(-np.abs(noise)) * 2.0**53)
    found = np.zeros(len(released), dtype=bool)
    for near in range(-8, 9):
        tried = np.clip(steps + near, 1, 2.0**53)
        found |= value + textbook_laplace(tried, noise < 0) == released
    return found


@exhibit(Sampled(neighbours=(0.0, 1.0)))
def textbook_laplace_in_doubles(value: float, *, size: int) -> Bits:
    """The logarithm of a 53-bit uniform number reaches few of the doubles, and others from 0 than
    from 1: the attack asks whether 0 can have led to the release.

    Shown by: Mironov2012.
    """
    steps = generator().integers(1, 2**53, size=size, endpoint=True).astype(np.float64)
    noise = textbook_laplace(steps, generator().random(size) < 0.5)
    return reachable_by_laplace(value + noise, 0.0)


@exhibit(Sampled(neighbours=(0.0, 1.0)))
def perfect_noise_in_doubles(value: float, *, size: int) -> Bits:
    """Even noise with all its digits is rounded when it is added: next to 1 every sum is a multiple
    of 2^-53, next to 0 it is not. Rounding to a fixed lattice (snapping) was forgotten.

    Shown by: HaneyEtAl2022, Mironov2012.
    """
    released = value + generator().exponential(size=size) - generator().exponential(size=size)
    return np.asarray(np.rint(released * 2.0**53) == released * 2.0**53)


def normal_pair(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    radius, angle = np.sqrt(-2 * np.log1p(-second)), 2 * np.pi * first
    return radius * np.cos(angle), radius * np.sin(angle)


def reachable_by_box_muller(x: Floats, y: Floats) -> Bits:
    """Whether some pair of 53-bit uniform numbers gives exactly this pair of normal ones."""
    first = np.rint(np.mod(np.arctan2(y, x) / (2 * np.pi), 1) * 2.0**53)
    second = np.rint(-np.expm1(-(x * x + y * y) / 2) * 2.0**53)
    found = np.zeros(len(x), dtype=bool)
    for i in range(-4, 5):
        for j in range(-4, 5):
            tried = np.mod(first + i, 2.0**53), np.clip(second + j, 0, 2.0**53 - 1)
            again = normal_pair(tried[0] * 2.0**-53, tried[1] * 2.0**-53)
            found |= (again[0] == x) & (again[1] == y)
    return found


@exhibit(Sampled(neighbours=(0.0, 1.0), delta="1e-6", samples=4000))
def textbook_gaussian_in_doubles(value: float, *, size: int) -> Bits:
    """Two normal numbers from two uniform ones (Box and Muller): from both releases an attacker
    computes the uniform numbers, which exist for the true value only.

    Shown by: JinMcMurtryRubinsteinOhrimenko2022.
    """
    draws = generator().random((2, size))
    x, y = normal_pair(draws[0], draws[1])
    return reachable_by_box_muller(value + x, y)


@exhibit(Measured(neighbours=([2**24] + [1.5] * 2**22, [1.5] * 2**22), sensitivity=2**24))
def rounded_running_total(values: list[float]) -> float:
    """A running total in 32-bit floats rounds every later addition up once it is large: one large
    record moves the sum by more than its own value.

    Shown by: CasacubertaShoemateVadhanWagaman2022.
    """
    return float(np.cumsum(np.array(values, dtype=np.float32), dtype=np.float32)[-1])


@exhibit(Measured(neighbours=(0.5, 1.5)))
def rounding_half_to_even(value: float) -> float:
    """Python rounds 0.5 to 0 and 1.5 to 2: after it a sensitivity of 1 is 2.

    Shown by: CasacubertaShoemateVadhanWagaman2022.
    """
    return round(value)


@exhibit(Measured(neighbours=(4, 5)))
def rounding_to_tens_before_the_noise(count: int) -> float:
    """Rounding after the noise is harmless; before it, a sensitivity of 1 becomes 10.

    Shown by: CasacubertaShoemateVadhanWagaman2022.
    """
    return 10 * ((count + 5) // 10)


@exhibit(Measured(neighbours=([2**31 - 1], [2**31 - 1, 1]), sensitivity=2**31 - 1))
def total_that_wraps_around(values: list[int]) -> float:
    """A sum in 32-bit integers starts again from below when it overflows.

    Shown by: CasacubertaShoemateVadhanWagaman2022.
    """
    return float(np.sum(np.array(values, dtype=np.int32), dtype=np.int32))


BASE = 2.0**50  # values lie in BASE..BASE+1


@exhibit(
    Measured(neighbours=([BASE + 0.25] * 1024, [BASE + 0.5] + [BASE + 0.25] * 1023), sensitivity=41)
)
def deviations_from_a_rounded_mean(values: list[float]) -> float:
    """Squared deviations from the mean in doubles: one value tips the rounding of the mean, and
    with it the deviation of every other value. 41 is what was claimed, rounding included.

    Shown by: OpenDpSquaredDeviations2026, CasacubertaShoemateVadhanWagaman2022.
    """
    array = np.array(values)
    total = array
    while len(total) > 1:  # pairwise, the usual way to sum
        total = total[::2] + total[1::2]
    mean = total[0] / len(array)
    return float(((array - mean) ** 2).sum())


@exhibit(Sampled(neighbours=([1.0, 2.0], [1.0, float("nan")]), samples=1000))
def clamp_that_lets_nan_through(values: list[float], *, size: int) -> Bits:
    """No comparison with NaN is true, so clamping does not touch it: one such value makes the
    release NaN, and who made it so is in the data.

    Shown by: DiffprivlibNan2023, GoogleClampNan2026.
    """
    released = np.clip(values, 0, 10).sum() + generator().laplace(scale=10, size=size)
    return np.asarray(np.isnan(released))
