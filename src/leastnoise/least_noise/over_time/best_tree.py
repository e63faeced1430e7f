r"""The tree of blocks with the least error of running totals: few levels, wide and unequal.

A search: whatever it finds is priced by `TreeNoise`. Equal shares and binary branching are poor: at
365 steps and ε = 1 they have an error of 25.7, one level of blocks of 21 steps has 11.9.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize

from leastnoise._dataclass import dataclass
from leastnoise.least_noise.over_time.half_inverse import Floats

_PARTS = 1 << 16
_WIDTHS = 20
_NARROW = 40  # widths up to here are all tried
_LEAST = 64  # parts that a level must have: one with less is none


@dataclass(frozen=True)
class BestTree:
    """Where the search ended.

    Attributes:
        branching: how many blocks make one of the next level.
        shares: which part of ε each level gets; they add up to 1.
        error: the root of the mean square of all running totals, at ε = 1, for one step of a unit.
    """

    branching: tuple[int, ...]
    shares: tuple[Fraction, ...]
    error: float


def best_tree(steps: int) -> BestTree:
    """The best of trees of up to three levels."""
    found = [_shared(steps, branching) for branching in _branchings(steps)]
    return min(found, key=lambda each: each.error)


def _branchings(steps: int) -> Iterator[tuple[int, ...]]:
    yield ()
    widths = np.unique(np.geomspace(2, max(2, steps // 2), _WIDTHS).astype(int)).tolist()
    for width in sorted({*widths, *range(2, _NARROW)}):
        if width <= steps // 2:
            yield (width,)
    for width in widths:
        for outer in widths:
            if width * outer <= steps // 2:
                yield width, outer


def _shared(steps: int, branching: tuple[int, ...]) -> BestTree:
    """The best shares for one way of branching."""
    digits = _digits(steps, branching)
    levels = len(branching) + 1
    if levels == 1:
        return BestTree((), (Fraction(1),), _error(np.ones(1), digits, branching))
    start = np.zeros(levels - 1)
    cost = lambda free: np.log(_error(_parts(free), digits, branching))  # noqa: E731
    best = minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-5})
    whole = [int(_PARTS * each) for each in _parts(best.x)]
    whole[0] += _PARTS - sum(whole)
    shares = tuple(Fraction(max(each, 1), _PARTS) for each in whole)
    if min(whole) < _LEAST:
        return BestTree(branching, shares, np.inf)
    return BestTree(branching, shares, _error(np.array(shares, np.float64), digits, branching))


def _parts(free: Floats) -> Floats:
    raw = np.exp(np.concatenate(([0.0], free)))
    return np.asarray(raw / raw.sum())


def _digits(steps: int, branching: tuple[int, ...]) -> Floats:
    """How many blocks of each level make up the total of each step."""
    rest, found = np.arange(1, steps + 1), []
    for width in branching:
        found.append(rest % width)
        rest //= width
    return np.array([*found, rest], np.float64)


def _error(shares: Floats, digits: Floats, branching: tuple[int, ...]) -> float:
    """The root of the mean variance: each block by least squares from all that is inside it."""
    variances = [2 / shares[0] ** 2]
    for width, share in zip(branching, shares[1:], strict=True):
        variances.append(1 / (share**2 / 2 + 1 / (width * variances[-1])))
    return float(np.sqrt(np.array(variances) @ digits.mean(axis=1)))
