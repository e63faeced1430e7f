r"""`TiltedSum`: independent grid laws multiplied by e^(θl) and added up on a window, with a bound.

With p_i the tilted masses of part i as floats, Σp_i ≤ 1, and k_i its count, the law of the sum
modulo N grid points is the inverse transform of Π X_i^(k_i). What is bounded (docs/proofs/
transforms.md):

- the Euclidean norm of the rounding errors of that law (section 3);
- the share of the tilted sum that lies outside of the window, on either side (section 5);
- the factor by which products of rounded masses differ from products of exact ones (section 4).
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import EXP_ERROR, TINY, UNIT, above, falls, geometric_at
from leastnoise.privacy.variables.pooling import Floats
from leastnoise.privacy.variables.transform import (
    Complexes,
    entry_error,
    inverse,
    norm_error,
    transform,
)

LONGEST = 1 << 24
"""Points of the longest window: 128 MB of floats."""

_BITS = 128  # of the few numbers that are balls
_PRODUCT = 3 * UNIT  # by which a complex product may err: √2·2u/(1 − 2u)
_TOO_SMALL = 2.0**-900  # a total that underflowed masses would change
_FADED = 50.0  # weights below e^-50 are left out
_UNDERFLOW = 2.0**-70  # far above all that underflow can add
_ROUNDS = 3  # the third changes the bound no more


@dataclass(frozen=True)
class GridAtoms:
    """The grid points of a law that have mass, in increasing order."""

    places: NDArray[np.int64]
    masses: Floats

    @cached_property
    def last(self) -> int:
        """The greatest place."""
        return int(self.places[-1])


@dataclass(frozen=True)
class Window:
    """Where a sum is computed: N = `length` points from `start` on.

    `lower` and `upper` are further tilts, with which Chernoff's bound says what lies outside.
    """

    start: int
    length: int
    lower: float
    upper: float


@dataclass(frozen=True)
class TiltedSum:
    """The law of the tilted sum: values[i] ≈ P(sum = (start + i)·step).

    Args:
        step: of the grid.
        tilt: θ.
        start: the window's first place.
        values: at least 0.
        log_factor: a ball around K, with Π(masses) = e^(K − θ·sum)·Π(tilted masses).
        doubt: products of tilted masses are known up to a factor between 1/(1 + doubt) and
            1 + doubt.
        error: bounds the Euclidean norm of the errors of `values`.
        below, above: bound the mass outside of the window.
    """

    step: float
    tilt: float
    start: int
    values: Floats
    log_factor: arb
    doubt: float
    error: float
    below: float
    above: float

    @cached_property
    def fading(self) -> Floats:
        """e^(−θ·step·j) until it is negligible."""
        length, rate = len(self.values), self.tilt * self.step
        count = length if rate * length <= _FADED else math.ceil(_FADED / rate)
        with balls.precision(_BITS):
            exact = -arb(self.tilt) * arb(self.step)
        return geometric_at(exact, np.arange(count), 0)

    @cached_property
    def rising(self) -> Floats:
        """1 − e^(−step·j)."""
        return falls(arb(self.step), len(self.fading))

    @cached_property
    def left_out(self) -> float:
        """The most that a weight can be where it is taken for 0."""
        return 0.0 if len(self.fading) == len(self.values) else 2 * math.exp(-_FADED)

    @cached_property
    def weight_norm(self) -> float:
        """Bounds the Euclidean norm of e^(−θx)·(1 − e^−x) over x = x₀ + step·j, for any x₀ > 0.

        The weight is at most e^(−θx) and 1/(θ+1), so that its square is at most their product.
        """
        with balls.precision(_BITS):
            rate = arb(self.tilt) * arb(self.step)
            terms = arb(len(self.values))
            if self.tilt > 0:
                terms = terms.min(1 / -(-rate).expm1())
            return above((terms / (arb(self.tilt) + 1)).sqrt())


def tilted_sum(
    parts: Sequence[tuple[GridAtoms, int]], step: float, tilt: float, window: Window
) -> TiltedSum | None:
    """The sum of parts, each with its count; None if the tilt makes masses too small for floats."""
    if window.length > LONGEST:
        raise UnsupportedQuery(
            "the sum of the losses must fit a grid; this one is spread too widely for the size "
            "of its parts. Compose fewer releases, or releases of more equal size."
        )
    with balls.precision(_BITS):
        rate = arb(tilt) * arb(step)
        log_factor, outside = arb(0), [arb(0), arb(0)]
        tilted = []
        for atoms, count in parts:
            masses = atoms.masses * geometric_at(rate, atoms.places, atoms.last)
            total = float(masses.sum())
            if total < _TOO_SMALL:
                return None
            # So much below 1/total that the sum of rounded masses is at most 1.
            scale = (1 - 4 * (len(masses) + 8) * UNIT) / total
            masses *= scale
            tilted.append(masses)
            log_part = rate * atoms.last - arb(scale).log()
            log_factor += count * log_part
            for side, extra in enumerate((-window.lower, window.upper)):
                further = _log_moment(atoms, (arb(tilt) + arb(extra)) * arb(step))
                outside[side] += count * (further - log_part)
        edges = (window.start - 1, window.start + window.length)
        ends = [
            above((moment - arb(extra) * arb(step) * edge).exp())
            for moment, extra, edge in zip(
                outside, (-window.lower, window.upper), edges, strict=True
            )
        ]
    values, folded = _powers(parts, tilted, window.length)
    count = sum(times for _, times in parts)
    with balls.precision(_BITS):
        # Each mass is a product of a mass, an exponential and the scale, added up in folding.
        doubt = above((2 * count * arb(EXP_ERROR + (folded + 4) * UNIT)).expm1())
        # Σv ≥ Π(1 − 8(m+8)u)^k, and by Cauchy–Schwarz ‖v‖ ≥ Σv/√N.
        kept = (
            -sum(16 * k * (len(m) + 8) for (_, k), m in zip(parts, tilted, strict=True)) * arb(UNIT)
        ).exp()
        shortest = float((kept / arb(window.length).sqrt()).lower())
    error = _norm_of_error(values, [times for _, times in parts], shortest)
    values = np.maximum(np.roll(values, -(window.start % window.length)), 0.0)
    return TiltedSum(step, tilt, window.start, values, log_factor, doubt, error, ends[0], ends[1])


def _log_moment(atoms: GridAtoms, rate: arb) -> arb:
    """A ball whose upper end bounds log Σ mass·e^(rate·place), and its tilted masses' rounding.

    From the masses themselves: the tilted ones may be too small for floats where a further tilt
    makes them large again.
    """
    origin = atoms.last if rate > 0 else int(atoms.places[0])
    weights = geometric_at(rate, atoms.places, origin)
    total, count = float((atoms.masses * weights).sum()), len(weights)
    most = arb(total) * (1 + arb((2 * count + 32) * UNIT)) + arb(count * TINY)
    return most.log() + rate * origin


def _powers(
    parts: Sequence[tuple[GridAtoms, int]], tilted: list[Floats], length: int
) -> tuple[Floats, int]:
    """The product's inverse transform, and how often places fold."""
    product: Complexes | None = None
    folded = 0
    for (atoms, count), masses in zip(parts, tilted, strict=True):
        places = atoms.places % length
        folded = max(folded, -(-(atoms.last - int(atoms.places[0]) + 1) // length))
        sums = np.bincount(places, masses, minlength=length).astype(np.float64, copy=False)
        found = _power(transform(sums), count)
        product = found if product is None else product * found
    assert product is not None  # a sum has parts
    return inverse(product), folded


def _norm_of_error(values: Floats, counts: list[int], shortest: float) -> float:
    r"""Theorem 3: bounds ‖v̂ − v‖, with v the exact law of the folded sum of rounded masses.

    With e the error of an entry and ν = ‖v‖ the products err by at most
    Σ k·e·ν^(1 − 1/k)·g, g = exp(Σ k·e·ν^(−1/k)), then by 3u for each factor, then the inverse by
    `norm_error`. A first bound knows of ν that it is at most 1 and at least `shortest`; each
    further one that it is as close to ‖v̂‖ as the last one says.
    """
    length, whole = len(values), sum(counts)
    with balls.precision(_BITS):
        entry = arb(entry_error(length)) + arb(_UNDERFLOW)
        rounding = (whole * arb(_PRODUCT)).expm1() + arb(norm_error(length))
        squares = arb(float(np.square(values).sum()))
        slack = 2 * length * arb(UNIT)
        low, high = (squares * (1 - slack)).sqrt(), (squares * (1 + slack) + arb(TINY)).sqrt()
        error = arb(2)
        for _ in range(_ROUNDS):
            most, least = (high + error).min(arb(1)), (low - error).max(arb(shortest))
            growth = sum((k * entry * least ** (arb(-1) / k) for k in counts), arb(0)).exp()
            first = growth * sum((k * entry * most ** (1 - arb(1) / k) for k in counts), arb(0))
            error = first + rounding * (most + first) + arb(_UNDERFLOW)
            error = arb(above(error)) if error < 2 else arb(2)
        return float(error)


def _power(values: Complexes, exponent: int) -> Complexes:
    """Repeated squaring: each product errs by a few units in the last place, no logarithms."""
    result: Complexes | None = None
    while True:
        if exponent & 1:
            result = values if result is None else result * values
        exponent >>= 1
        if not exponent:
            assert result is not None  # the leading bit is set
            return result
        values = values * values
