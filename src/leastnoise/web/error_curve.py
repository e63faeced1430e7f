"""`error_curve`: how far off answers are for every ε, to draw beside the one that was chosen."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from leastnoise.web.ask import Ask
from leastnoise.web.sketch import best_at_once

_EPSILONS = [Fraction(n, 100) for n in (10, 14, 20, 30, 40, 50, 70)] + [
    Fraction(n, 10) for n in (10, 14, 20, 30, 40, 50, 70, 100, 140, 200)
]
_KEPT = 256  # small; sliders come back to the same places


def error_curve(ask: Ask) -> dict[str, Any]:
    """The errors that 95 % of answers stay within, for ε from 0.1 to 20, whatever ε is asked."""
    points = _points(replace(ask, epsilon=Fraction(1)))
    return {"points": [{"epsilon": float(each), "error95": error} for each, error in points]}


@lru_cache(maxsize=_KEPT)
def _points(ask: Ask) -> tuple[tuple[Fraction, float], ...]:
    return tuple(
        (each, best_at_once(replace(ask, epsilon=each))[0].error("0.95")) for each in _EPSILONS
    )
