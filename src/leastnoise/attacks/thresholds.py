"""Scores that an innocent person exceeds with at most a given probability.

The scores are sums of d products in floating point. A sum of d terms, in any order, is off by at
most d·2^−53/(1 − d·2^−53) times the sum of magnitudes; the room left below is larger than that, so
that the bounds hold for the scores as computed.
"""

import math
from fractions import Fraction

import numpy as np

from leastnoise.attacks.attribute_rows import Floats

_ROUNDING = 2.0**-49  # sixteen times what one rounding loses
_TINY = 2.0**-960  # no division by 0
_TILTS = 2.0 ** (np.arange(-48, 9) / 8)  # from 1/64 of the Gaussian λ to twice it


def hoeffding_threshold(weights: Floats, low: float, high: float, risk: Fraction) -> float:
    """For Σ weightⱼ·(yⱼ − meanⱼ) with independent yⱼ in low..high: Hoeffding's inequality."""
    peak, shape = _scaled(weights)
    exact = (high - low) * math.sqrt(float(shape @ shape) * _log_inverse(risk) / 2)
    return peak * _with_room(exact, shape, max(abs(low), abs(high)))


def chernoff_threshold(weights: Floats, chances: Floats, risk: Fraction) -> float:
    """For Σ weightⱼ·(bitⱼ − chanceⱼ) with independent bits: (ln(1/risk) + K(λ))/λ, any λ > 0.

    K is the sum's exact cumulant function. All λ are sound; the least of some fifty values near
    the best λ of a Gaussian sum is within 0.1 % of the least there is.
    """
    peak, shape = _scaled(weights)
    variance, log_risk = float((shape**2 * chances * (1 - chances)).sum()), _log_inverse(risk)
    if not variance:
        return peak * _with_room(0.0, shape, 1.0)
    tilts = math.sqrt(2 * log_risk / variance) * _TILTS
    exact = min((log_risk + _cumulant(float(tilt) * shape, chances)) / tilt for tilt in tilts)
    return peak * _with_room(float(exact), shape, 1.0)


def _scaled(weights: Floats) -> tuple[float, Floats]:
    """The weights as a factor times others of magnitude at most 1, so that no square underflows."""
    peak = max(float(np.abs(weights).max()), _TINY)
    return peak, weights / peak


def _cumulant(tilted: Floats, chances: Floats) -> float:
    with np.errstate(over="ignore"):
        return float((np.log1p(chances * np.expm1(tilted)) - chances * tilted).sum())


def _log_inverse(risk: Fraction) -> float:
    return math.log(risk.denominator) - math.log(risk.numerator)


def _with_room(exact: float, weights: Floats, greatest: float) -> float:
    room = _ROUNDING * (weights.size + 8)
    return exact * (1 + room) + room * greatest * float(np.abs(weights).sum())
