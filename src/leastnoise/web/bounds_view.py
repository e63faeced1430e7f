"""`bounds_curve`: what a limit on the rows of one person cuts, and the noise that it needs.

Of a guess of how people spread, never of data: `leastnoise bounds` measures it privately.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from leastnoise._check import refuse, shown
from leastnoise.web.ask import Ask, number, within
from leastnoise.web.sketch import best_at_once

BINS = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 128))
"""Rows of one person, in parts that double."""

_LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128)
_MOST_PEOPLE = Fraction(10**10)


def bounds_curve(said: Mapping[str, Any]) -> dict[str, Any]:
    """For each limit: the share of rows kept, rows cut, the noise of a total, and both together.

    Raises:
        InvalidParameter: no promise, or no guess of how many people have how many rows.
    """
    people = _people(said.get("people"))
    rows = sum(
        (count * Fraction(low + high, 2) for count, (low, high) in zip(people, BINS, strict=True)),
        Fraction(0),
    )
    if not rows:
        raise refuse("somebody must have a row", "none", "Say how many people have how many rows.")
    most = max(high for count, (_, high) in zip(people, BINS, strict=True) if count)
    found = [_at(limit, people, rows, said) for limit in _LIMITS if limit <= most]
    best = min(range(len(found)), key=lambda place: float(found[place]["both"]))
    return {"rows": float(rows), "most": most, "limits": found, "least": best}


def _at(limit: int, people: list[Fraction], rows: Fraction, said: Mapping[str, Any]) -> Any:
    cut = sum(
        (n * _beyond(limit, *part) for n, part in zip(people, BINS, strict=True)), Fraction(0)
    )
    ask = Ask.read({**said, "sensitivity": limit, "queries": 1, "cost": "absolute"})
    noise = best_at_once(ask)[0].error("0.95")
    kept = float(1 - cut / rows)
    return {
        "limit": limit,
        "kept": kept,
        "cut": float(cut),
        "noise": noise,
        "both": float(cut) + noise,
    }


def _beyond(limit: int, low: int, high: int) -> Fraction:
    """By how many rows people of one part are beyond the limit, if all numbers are as common."""
    over = range(max(low, limit + 1), high + 1)
    return Fraction(sum(each - limit for each in over), high - low + 1)


def _people(said: Any) -> list[Fraction]:
    if not isinstance(said, list) or len(said) != len(BINS):
        raise refuse(
            f"`people` must be {len(BINS)} numbers, one for each part",
            shown(said),
            "Reload the page.",
        )
    named = {str(place): each for place, each in enumerate(said)}
    return [within(number(named, name), name, Fraction(0), _MOST_PEOPLE) for name in named]
