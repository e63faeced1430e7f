"""`audit_group_sizes`: a promise that grows with the group, held against exact divergences."""

from collections.abc import Iterator
from fractions import Fraction

from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.numeric.interval import Interval

_ORDERS = tuple(Fraction(text) for text in ("1.1", "2", "4", "16", "64"))
_NEAR, _FAR = 60, (10**2, 10**3, 10**4, 10**6, 10**9)  # near the smallest; far beyond


def audit_group_sizes(mechanism: GroupwiseCounts) -> ExactAudit:
    """The Rényi divergence of two sizes that differ by one record, over what the curve allows.

    For each pair (x − 1, x) above the smallest size the curve v promises α·v(x), both ways round.
    """
    places = [
        place
        for place in (*range(mechanism.smallest + 1, mechanism.smallest + _NEAR), *_FAR)
        if place > mechanism.smallest
    ]
    attained, worst = max(_quotients(mechanism, places), key=lambda found: found[0].upper)
    return ExactAudit(
        measure="the greatest Rényi divergence over what the curve allows",
        attained=attained,
        allowed=Fraction(1),
        pairs=len(places),
        scope=f"sizes {places[0]} to {places[-1]}, five orders each",
        worst=worst,
    )


def _quotients(
    mechanism: GroupwiseCounts, places: list[int]
) -> Iterator[tuple[Interval, tuple[int, int]]]:
    for place in places:
        loss, budget = mechanism.loss(place), mechanism.privacy(place)
        for order in _ORDERS:
            found = loss.renyi(order)
            allowed = order * budget
            ends = Fraction(found.lower) / allowed, Fraction(found.upper) / allowed
            yield Interval(*ends), (place - 1, place)
