"""The maker of plans' certificates: looks for a law of units with a large bound, in floats.

It is not trusted: whatever it chooses proves something, which the checker computes anew.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor

from leastnoise.certificates.check_plan import bound_below, is_moderate, weighed_above
from leastnoise.certificates.make_units import best_chances
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.certificates.plan_claim import PlanBound
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope
from leastnoise.certificates.plan_spectrum import root_sum_below
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.privacy.guarantee import Guarantee

_FINE = 2**24
_CHANCES = 32


def make_plan_certificate(
    parts: Sequence[PlanPart | TablesPart],
    budget: Guarantee,
    *,
    replaced: bool,
    outside: Sequence[int] = (),
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
    if not is_moderate(budget):
        return None
    chosen = tuple(_replaced(part) for part in parts) if replaced else _added(merged(parts))
    root_sum = root_sum_below(chosen, replaced=replaced)
    achieved = weighed_above(chosen)
    found = ((scope, bound_below(root_sum, scope, budget)) for scope in Scope)
    bounds = tuple(PlanBound(scope, bound) for scope, bound in found if bound and bound <= achieved)
    if not bounds:
        return None
    return PlanCertificate(budget, replaced, chosen, tuple(outside), achieved, bounds)


def merged(parts: Sequence[PlanPart | TablesPart]) -> list[PlanPart | TablesPart]:
    """Equal boxes as one: their numbers change places without a difference."""
    alike: dict[object, list[PlanPart]] = {}
    others: list[PlanPart | TablesPart] = []
    for part in parts:
        if isinstance(part, PlanPart) and part.is_box and part.weight:
            alike.setdefault((part.low, part.high, part.weight), []).append(part)
        else:
            others.append(part)
    return [*map(_one, alike.values()), *others]


def _one(boxes: Sequence[PlanPart]) -> PlanPart:
    if len(boxes) == 1:
        return boxes[0]
    cells = sum(each.cells for each in boxes)
    variance = sum((each.cells * each.variance for each in boxes), Fraction(0)) / cells
    places = sorted({place for each in boxes for place in each.questions})
    whole = replace(boxes[0], cells=cells, moved=cells, variance=variance)
    return replace(whole, questions=tuple(places))


def _added(parts: Sequence[PlanPart | TablesPart]) -> tuple[PlanPart | TablesPart, ...]:
    ready = [_ready(part) for part in parts]
    pairs = zip(ready, best_chances(ready), strict=True)
    return tuple(_with_mean(part, chance) for part, chance in pairs)


def _ready(part: PlanPart | TablesPart) -> PlanPart | TablesPart:
    """In a box numbers that move to both sides do so each by itself; else more to the larger."""
    if isinstance(part, TablesPart):
        return part
    if part.is_box:
        return replace(part, alone=part.low < 0)
    return replace(part, upper=Fraction(part.high, (part.high - part.low) or 1))


def _with_mean(part: PlanPart | TablesPart, wanted: float) -> PlanPart | TablesPart:
    """A box whose numbers move together takes whole numbers beside the mean that is wanted."""
    near = Fraction(floor(wanted * _FINE), _FINE)
    if isinstance(part, TablesPart):
        return replace(part, chance=near)
    if part.alone:
        return replace(part, fewer=0, more=0, chance=near)
    if not part.is_box:
        return replace(part, fewer=0, more=part.moved, chance=near)
    rows = near * part.cells
    fewer = min(floor(rows), part.cells - 1)
    return replace(part, fewer=fewer, more=fewer + 1, chance=rows - fewer)


def _replaced(part: PlanPart | TablesPart) -> PlanPart | TablesPart:
    if isinstance(part, PlanPart):
        part = replace(part, fewer=0, more=part.moved, chance=Fraction(1), upper=Fraction(1))
    if part.is_box:
        return part
    tried = [replace(part, chance=Fraction(i, _CHANCES)) for i in range(_CHANCES + 1)]
    return max(tried, key=lambda each: root_sum_below([each], replaced=True))
