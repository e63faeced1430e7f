"""Searches by floats: the least scale that leaks little enough, the choice that costs least."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, sqrt

from leastnoise.numeric.inverse import crossing

Curve = Callable[[float], float]

_CLOSE = Fraction(3, 10**5)
_FIRST_STEP = 1.02
_MOST_STEPS = 60
_GOLDEN = (3 - sqrt(5)) / 2


def least_scale(leak: Curve, delta: float, start: float) -> float | None:
    """About the least scale at which a leak that falls with the scale is at most delta.

    The search widens from the start; None if there is no such scale anywhere near.
    """
    known = lru_cache(maxsize=None)(leak)
    enough = known(start) <= delta
    place, factor = start, _FIRST_STEP
    for _ in range(_MOST_STEPS):
        beyond = place / factor if enough else place * factor
        if (known(beyond) <= delta) != enough:
            low, high = sorted((Fraction(place), Fraction(beyond)))
            return float(
                crossing(
                    lambda scale: Fraction(known(float(scale))),
                    Fraction(delta),
                    low,
                    high,
                    relative=_CLOSE,
                )[1]
            )
        place, factor = beyond, min(2.0, factor * factor)
    return None


def least_cost(cost: Curve, places: Sequence[float], refinements: int) -> float:
    """About where a cost is least: a scan of increasing places, then a golden section at the best.

    A cost with several valleys is searched in the one that the scan sees deepest.
    """
    known = lru_cache(maxsize=None)(cost)
    best = min(range(len(places)), key=lambda i: known(places[i]))
    low, high = places[max(0, best - 1)], places[min(len(places) - 1, best + 1)]
    middle = places[best]
    for _ in range(refinements):
        longer_below = middle - low > high - middle
        end = low if longer_below else high
        trial = middle + _GOLDEN * (end - middle)
        if known(trial) < known(middle):
            low, high = (low, middle) if longer_below else (middle, high)
            middle = trial
        else:
            low, high = (trial, high) if longer_below else (low, trial)
    return middle if known(middle) < inf else places[best]
