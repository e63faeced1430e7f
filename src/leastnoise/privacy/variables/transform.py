r"""A Fourier transform of real numbers whose rounding error is proved from IEEE arithmetic alone.

A transform of N = L·W points is one of all columns of an L×W table, a multiplication by powers of
e^(−2πi/N), and one of all rows. Either is a row of passes y₀ = a + b, y₁ = (a − b)·w. Real input is
packed into N/2 complex numbers, which one more pass takes apart.

Theorem: with n = log₂N, every entry of `transform(x)` errs by at most
`entry_error(N)`·Σ|x|, and `inverse(y)` by at most `norm_error(N)` times its exact result, in the
Euclidean norm. Used of floats: +, − and × are rounded to nearest, fused or not.
Proof: docs/proofs/transforms.md, sections 1 and 2.
"""

from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import UNIT
from leastnoise.privacy.variables.pooling import Floats

Complexes = NDArray[np.complex128]

_PASS = 5 * UNIT  # by which one pass may err: 1 + 1.42 + 2.83 units, see the proof page
_JOIN = 11 * UNIT  # the multiplication between columns and rows, and the pass of packing
_BITS = 64  # of the balls that roots of unity are rounded from
LEAST_POINTS = 16  # N is a power of two, and at least this


def entry_error(points: int) -> float:
    """By which part of Σ|x| an entry of `transform(x)` may err."""
    return 2 * norm_error(points)


def norm_error(points: int) -> float:
    """By which part of its exact result, in the Euclidean norm, `inverse` may err."""
    first_order = (points.bit_length() - 1) * _PASS + 2 * _JOIN
    return first_order * (1 + 1e-9)  # (1 + a)(1 + b)… − 1 is that close to a + b + …


def transform(values: Floats) -> Complexes:
    """Σ x_j·e^(−2πijk/N) for k = 0 … N/2; the other half are conjugates."""
    half = len(values) // 2
    packed = _forward(values.view(np.complex128))
    turned = np.conj(packed[_turned(half)])
    even, odd = (packed + turned) * 0.5, (packed - turned) * 0.5
    result = np.empty(half + 1, dtype=np.complex128)
    result[:half] = even + odd * _turns(2 * half)
    result[half] = packed[0].real - packed[0].imag
    return result


def inverse(values: Complexes) -> Floats:
    """The real x whose transform begins with these N/2 + 1 numbers."""
    half = len(values) - 1
    turned = np.conj(values[::-1])
    even, odd = values[:-1] + turned[:-1], (values[:-1] - turned[:-1])
    odd *= np.conj(_turns(2 * half))
    packed = np.conj(_forward(np.conj(even + odd)))
    packed *= 0.5 / half
    return packed.view(np.float64)


def _forward(values: Complexes) -> Complexes:
    """The transform of a power of two complex numbers."""
    rows = 1 << ((len(values).bit_length() - 1) // 2)
    table = _columns(values.reshape(rows, -1))
    table = _columns(np.ascontiguousarray((table * _joint(rows, len(values))).T))
    return table.reshape(-1)


def _columns(table: Complexes) -> Complexes:
    """The transform of each column; the table is overwritten by later passes."""
    height, width = table.shape
    here, there = table, np.empty_like(table)
    spare: Complexes | None = None
    left, run = height, width
    while left > 1:
        left //= 2
        old, new = here.reshape(2, left, run), there.reshape(left, 2, run)
        np.add(old[0], old[1], out=new[:, 0])
        np.subtract(old[0], old[1], out=new[:, 1])
        if left > 1:
            new[:, 1] *= _roots(2 * left)[:left, None]
        run *= 2
        # What was given is not written to.
        if spare is None:
            spare = np.empty_like(table)
            here, there = there, spare
        else:
            here, there = there, here
    return here.reshape(height, width)


@lru_cache(maxsize=32)
def _turned(half: int) -> NDArray[np.int64]:
    """Where conjugates stand: −k modulo N/2."""
    return -np.arange(half) % half


@lru_cache(maxsize=32)
def _roots(order: int) -> Complexes:
    """e^(−2πik/order) for all k, each part rounded from a ball."""
    with balls.precision(_BITS):
        angles = (arb(2 * k) / order for k in range(order))
        pairs = [arb.sin_cos_pi(angle) for angle in angles]
        return np.array([complex(float(cos), -float(sin)) for sin, cos in pairs])


@lru_cache(maxsize=8)
def _joint(rows: int, points: int) -> Complexes:
    """e^(−2πijk/points) by row j and column k: a product of two roots that are rounded."""
    places = np.multiply.outer(np.arange(rows), np.arange(points // rows))
    fine, coarse = _power_tables(points)
    found: Complexes = coarse[places // len(fine)] * fine[places % len(fine)]
    return found


@lru_cache(maxsize=8)
def _turns(points: int) -> Complexes:
    """−i·e^(−2πik/points) for k < points/2."""
    places = np.arange(points // 2)
    fine, coarse = _power_tables(points)
    return -1j * (coarse[places // len(fine)] * fine[places % len(fine)])


@lru_cache(maxsize=8)
def _power_tables(points: int) -> tuple[Complexes, Complexes]:
    """The first powers of e^(−2πi/points), and powers of the next: any power is a product."""
    size = 1 << (points.bit_length() // 2)
    with balls.precision(_BITS):
        angles = [arb(2 * k) / points for k in range(size)]
        fine = [arb.sin_cos_pi(angle) for angle in angles]
    table = np.array([complex(float(cos), -float(sin)) for sin, cos in fine])
    return table, _roots(points // size)
