"""Makes certificates of how small v is; nothing here need be trusted, for `bound` checks them."""

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log1p

import numpy as np

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.numbers import ball as balls
from leastnoise.relative.bound import (
    KIND,
    RIVALS,
    greatest,
    floor_of_all,
    is_below_spectrum,
    verdict,
)
from leastnoise.relative.design import Design

_START = 1000  # over the error: where the range begins
_SPAN = 50_000  # its last size over its first
_POINTS = 4000  # of the guess


@lru_cache(maxsize=64)
def certify(design: Design, relative_error: Fraction) -> Certificate:
    """The certificate for a range of sizes where the two sides are close."""
    slack = design.channel.offset
    first = max(design.channel.bend, ceil(_START / relative_error))
    last = _SPAN * first
    level, multiplier, ends = best_level(relative_error)
    with balls.precision(balls.FIRST_BITS):
        achieved = balls.exact_value(greatest(design.channel, first, last).upper())
        found = floor_of_all((level, multiplier), relative_error, first + slack, last + slack)
        bound = max(balls.exact_value(found.lower()), Fraction(0))
    achieved, bound = Fraction(ceil(achieved * 2**40), 2**40), Fraction(floor(bound * 2**40), 2**40)
    claim = {
        "relative_error": str(relative_error),
        "smallest": design.smallest,
        "slack": str(slack),
        "above": first,
        "up_to": last,
        "achieved": str(achieved),
        "bound": str(bound),
        "rivals": RIVALS,
        "verdict": verdict(achieved, bound),
    }
    described = {
        "bits": design.channel.bits,
        "deviation": design.channel.deviation,
        "threshold": design.threshold,
        "chances": list(design.chain.chances),
        "gaps": list(design.channel.gaps),
    }
    witness = {
        "design": described,
        "level": str(level),
        "multiplier": str(multiplier),
        "left": str(ends[0]),
        "right": str(ends[1]),
    }
    return Certificate(KIND, claim, witness)


@lru_cache(maxsize=256)
def best_level(error: Fraction) -> tuple[Fraction, Fraction, tuple[Fraction, Fraction]]:
    """A level, a multiplier and ends that `is_below_spectrum` proves: about the best for this error.

    The multiplier 1.2533/error^3 is close to the best for all errors, for the bound is flat there. The
    level is a guess from finite differences, lowered until it is proved.

    >>> level, multiplier, _ = best_level(Fraction(1, 10))
    >>> round(float(level - multiplier / 10), 2)
    62.05
    """
    r = min(float(error), 0.999)
    multiplier = Fraction(floor(2**20 * 1.2533 / r**3), 2**20)
    # Further to the left than 30 the potential is 1 for all purposes.
    ends = min(-14 * log1p(-r) * (1 + r), 30.0), min(9 * r, 6.0)
    exact_ends = Fraction(ends[0]), Fraction(ends[1])
    guess = Fraction(_lowest(float(multiplier), ends))

    def level(slack: Fraction) -> Fraction:
        return Fraction(floor(guess * (1 - slack) * 2**60), 2**60)

    slack = Fraction(1, 10**7)
    while slack < 1 and not is_below_spectrum(level(slack), multiplier, exact_ends):
        slack *= Fraction(3, 2)
    return level(slack), multiplier, exact_ends


def _lowest(multiplier: float, ends: tuple[float, float]) -> float:
    """About the lowest eigenvalue, by finite differences."""
    from scipy.linalg import eigh_tridiagonal

    z = np.linspace(-ends[0], ends[1], _POINTS)
    step = z[1] - z[0]
    diagonal = 8 / step**2 + multiplier * np.abs(np.expm1(z))
    beside = np.full(_POINTS - 1, -4 / step**2)
    return float(eigh_tridiagonal(diagonal, beside, True, "i", (0, 0))[0])
