"""`PairBlocks`: pairs of counters cut into squares, with a bound for the weights in each."""

from math import log

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.mechanisms.joint.radius_table import peak
from leastnoise.numeric import ball as balls

_NEGLIGIBLE = 36.0  # a square below e**-36 of all is not worth cutting
_LOOSE = 3.0  # a square whose bounds are e**3 apart is kept as it is, and more where it is rare
_TAIL = 45.0  # nor is what lies beyond all squares, below e**-45
_MARGIN = 1e-6  # of a logarithm: floats err by far less,
_ROUNDING = 1e-12  # unless it is very large itself
_BITS = 58  # of the shares' sum
_CHUNK = 1 << 13

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class PairBlocks:
    r"""Squares of pairs (p, q) in 0..limit−1, and one region for all other pairs.

    A pair of a square is to be proposed with share·2**exponent/size² and a pair outside with
    tail·2**exponent times a law of its own; both lie above the true weight, for whoever proposes
    must check it.

    Attributes:
        corners: the least p and the least q of each square.
        sizes: the sides of the squares, powers of 2.
        shares: of the squares.
        tail: the share of all pairs outside.
        limit: a power of 2.
        exponent: what one unit of a share is worth.
    """

    corners: Integers
    sizes: Integers
    shares: Integers
    tail: int
    limit: int
    exponent: int

    @classmethod
    def of(cls, law: PairLaw) -> "PairBlocks":
        """Squares in which the bound is near the weights, larger ones where these are small."""
        most = _greatest(law)
        limit = _limit(law, most)
        corners, sizes, logs = _squares(law, limit, most)
        top = float(logs.max()) + log(logs.size)
        exponent = int(np.ceil(top / log(2))) - _BITS
        logs = logs + _ROUNDING * (np.abs(logs).max() + float(law.rate) * limit)
        beyond = _log_bound(law, limit) - log(-np.expm1(-float(law.rate) / 2))
        shares = _units(logs, exponent)
        return cls(corners, sizes, shares, int(_units(np.array(beyond), exponent)), limit, exponent)


def _units(logs: Floats, exponent: int) -> Integers:
    """The numbers in units of 2**exponent, rounded up with a margin."""
    units = np.exp2(np.maximum((logs + _MARGIN) / log(2) - exponent, -1.0))
    return np.ceil(units).astype(np.int64)


def _greatest(law: PairLaw) -> float:
    """About the greatest logarithm of a weight, which lies near p = q."""
    half = np.array([peak(lambda radii: law.log_weight(radii / 2, radii / 2)) / 2])
    return float(law.log_weight(half, half)[0])


def _log_bound(law: PairLaw, radius: int) -> float:
    with balls.precision(balls.FIRST_PRECISION):
        return float(law.bound(radius).log())


def _limit(law: PairLaw, most: float) -> int:
    """A power of 2 beyond which hardly any weight is left, and the bound falls by half of ε."""
    limit, slack = 1, log(1 / float(law.rate) + 1) + _TAIL
    while _log_bound(law, limit) + slack > most or not _falls(law, limit):
        limit *= 2
    return limit


def _falls(law: PairLaw, radius: int) -> bool:
    """Whether the bound falls by exp(−rate/2) from here; it then does so everywhere beyond."""

    def fall() -> arb:
        return law.bound(radius + 1) - law.bound(radius) * (-balls.ball(law.rate / 2)).exp()

    return balls.sign(fall) < 0


def _squares(law: PairLaw, limit: int, most: float) -> tuple[Integers, Integers, Floats]:
    """Squares, cut in four while they matter and are loose, with logarithms of their shares."""
    kept: list[tuple[Integers, Integers, Floats]] = []
    corners, size = np.zeros((1, 2), dtype=np.int64), limit
    while corners.size:
        above, below = _bounds(law, corners, size)
        near = above - below < _LOOSE + (most - above) / 2
        final = near | (above + 2 * log(size) < most - _NEGLIGIBLE) | (size == 1)
        logs = above[final] + 2 * log(size)
        kept.append((corners[final], np.full(logs.size, size), logs))
        size //= 2
        quarters = size * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        corners = (corners[~final][:, np.newaxis, :] + quarters).reshape(-1, 2)
    first, second, third = (np.concatenate(part) for part in zip(*kept, strict=True))
    return first, second, third


def _bounds(law: PairLaw, corners: Integers, size: int) -> tuple[Floats, Floats]:
    p, q = corners.T.astype(np.float64)
    found = [
        law.log_bounds(p[start : start + _CHUNK], q[start : start + _CHUNK], size - 1.0)
        for start in range(0, len(corners), _CHUNK)
    ]
    above, below = (np.concatenate(part) for part in zip(*found, strict=True))
    return above, below
