"""The maker of plans' certificates: looks for a law of units with a large bound, in floats.

It is not trusted: whatever it chooses proves something, which the checker computes anew.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor, sqrt

from leastnoise.certificates.check_plan import bound_below, weighed_above
from leastnoise.certificates.make_units import best_chances
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.certificates.plan_claim import PlanBound
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope
from leastnoise.certificates.plan_spectrum import root_sum_below
from leastnoise.privacy.guarantee import Guarantee

_FINE = 2**24
_CHANCES = 32


def make_plan_certificate(
    parts: Sequence[PlanPart], budget: Guarantee, *, replaced: bool, outside: Sequence[int] = ()
) -> PlanCertificate | None:
    """A certificate with a good bound; None if nothing is proved for such a budget.

    Args:
        parts: what one unit may add and how noisy the numbers are; how units are drawn is chosen.
        budget: the promise for the whole plan.
        replaced: whether neighbours differ by replacing one unit.
        outside: the places of questions whose numbers are not among the parts.

    Example:
        >>> from leastnoise.privacy.guarantee import ZCDP
        >>> counts = PlanPart((0, 1), 2, 0, 1, 2, Fraction(1), Fraction(3))
        >>> made = make_plan_certificate([counts], ZCDP(rho="1/2"), replaced=False)
        >>> f"{float(made.ratio):.4f}"
        '2.2500'
    """
    chosen = tuple(_replaced(part) for part in parts) if replaced else _added(merged(parts))
    root_sum = root_sum_below(chosen, replaced=replaced)
    achieved = weighed_above(chosen)
    found = ((scope, bound_below(root_sum, scope, budget)) for scope in Scope)
    bounds = tuple(PlanBound(scope, bound) for scope, bound in found if bound and bound <= achieved)
    if not bounds:
        return None
    return PlanCertificate(budget, replaced, chosen, tuple(outside), achieved, bounds)


def merged(parts: Sequence[PlanPart]) -> list[PlanPart]:
    """Equal boxes as one: their numbers change places without a difference."""
    alike: dict[object, list[PlanPart]] = {}
    for place, part in enumerate(parts):
        same = (part.low, part.high, part.weight) if part.is_box and part.weight else place
        alike.setdefault(same, []).append(part)
    return [_one(each) for each in alike.values()]


def _one(boxes: Sequence[PlanPart]) -> PlanPart:
    if len(boxes) == 1:
        return boxes[0]
    cells = sum(each.cells for each in boxes)
    variance = sum((each.cells * each.variance for each in boxes), Fraction(0)) / cells
    places = sorted({place for each in boxes for place in each.questions})
    whole = replace(boxes[0], cells=cells, moved=cells, variance=variance)
    return replace(whole, questions=tuple(places))


def _added(parts: Sequence[PlanPart]) -> tuple[PlanPart, ...]:
    """With the chances found; numbers that move to both sides do so each by itself."""
    ready = [
        replace(part, upper=_upper(part), alone=part.is_box and part.low < 0) for part in parts
    ]
    return tuple(
        _with_mean(part, chance) for part, chance in zip(ready, best_chances(ready), strict=True)
    )


def _upper(part: PlanPart) -> Fraction:
    """Outside of a box: the greater end more often."""
    return Fraction(1) if part.is_box else Fraction(part.high, (part.high - part.low) or 1)


def _with_mean(part: PlanPart, wanted: float) -> PlanPart:
    """A box whose numbers move together takes whole numbers beside the mean that is wanted."""
    near = Fraction(floor(wanted * _FINE), _FINE)
    if part.alone:
        return replace(part, fewer=0, more=0, chance=near)
    if not part.is_box:
        return replace(part, fewer=0, more=part.moved, chance=near)
    rows = near * part.cells
    fewer = min(floor(rows), part.cells - 1)
    return replace(part, fewer=fewer, more=fewer + 1, chance=rows - fewer)


def _replaced(part: PlanPart) -> PlanPart:
    plain = replace(part, fewer=0, more=part.moved, chance=Fraction(1), upper=Fraction(1))
    if part.is_box:
        return plain
    tried = (replace(plain, chance=Fraction(i, _CHANCES)) for i in range(_CHANCES + 1))
    return max(tried, key=_root_sum_replaced)


def _root_sum_replaced(part: PlanPart) -> float:
    return sqrt(root_sum_below([part], replaced=True))
