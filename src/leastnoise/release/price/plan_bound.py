"""How near to the least the noise of a whole plan is: the parts of its certificate."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from leastnoise.certificates.make_plan import make_plan_certificate
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.price.gaussian_price import shortened_up
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.step.aggregate import DistanceBelow
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.reach import bounds_of

Paid = Sequence[tuple[Demand, Grant]]


@dataclass
class _Numbers:
    """Numbers that get noise, and all that ask for them.

    Attributes:
        demand: what is measured, and what one unit adds.
        given: its noise.
        weight: how much their mean error matters to all who ask.
        questions: the places of these.
    """

    demand: Demand
    given: Grant
    weight: Fraction = Fraction(0)
    questions: list[int] = field(default_factory=list)


def plan_certificate(priced: PricedPlan, budget: Guarantee) -> PlanCertificate | None:
    """What is proved of the whole plan; None if nothing is, or if one number has its own proof.

    A number's weight is that of its question over the standard deviation of its noise: so the plan,
    which makes the weighted sum of mean errors small, is judged where it stands.
    """
    if alone_among(priced) is not None:
        return None
    paid = [
        list(zip(question.demands(priced.table), given, strict=True))
        for question, given in zip(priced.questions, priced.grants, strict=True)
    ]
    table = priced.table.table
    inside = [all(_is_inside(demand, given) for demand, given in own) for own in paid]
    found = _gathered([own if here else () for own, here in zip(paid, inside, strict=True)])
    parts = [_part(each, table) for each in found]
    if not any(part.weight for part in parts):
        return None
    outside = [place for place, here in enumerate(inside) if not here]
    replaced = table.neighbours is Neighbours.REPLACE
    return make_plan_certificate(parts, budget, replaced=replaced, outside=outside)


def alone_among(priced: PricedPlan) -> str | None:
    """The scope of the proof that a plan's one number has by itself; None if it has none."""
    if len(priced.grants) > 1 or len(priced.grants[0]) > 1:
        return None
    proof = priced.grants[0][0].certificate()
    return None if proof is None or priced.questions[0].groups.count != 1 else proof.scope


def with_bound(
    told: Sequence[Forecast], priced: PricedPlan, proof: PlanCertificate | None
) -> list[Forecast]:
    """The forecasts with *times the least*, where something is proved."""
    if proof is None:
        among = alone_among(priced)
        return [
            each if among is None else replace(each, times_least=each.ratio, among=among)
            for each in told
        ]
    return [
        replace(each, times_least=proof.ratio, among=proof.scope)
        if place in proof.questions
        else each
        for place, each in enumerate(told)
    ]


def _is_inside(demand: Demand, given: Grant) -> bool:
    """Noise on public cells whose limits are plain: one grouping, one sum, or both of a mean."""
    if demand.asked is None or demand.adds is None or demand.adds.cells is None:
        return False
    if given.noise is None:
        return False
    if isinstance(demand.asked, Histograms):
        return len(demand.asked.groupings) == 1
    return len(demand.asked.aggregates) == 1 or _is_mean(demand)


def _is_mean(demand: Demand) -> bool:
    assert not isinstance(demand.asked, Histograms | None)
    below, *others = demand.asked.aggregates
    return isinstance(below, DistanceBelow) and len(others) == 1


def _gathered(paid: Sequence[Paid]) -> list[_Numbers]:
    """The numbers, each once, whoever asks for them."""
    found: dict[object, _Numbers] = {}
    for place, own in enumerate(paid):
        for demand, given in own:
            numbers = found.setdefault(demand.asked, _Numbers(demand, given))
            numbers.weight += demand.weight
            if place not in numbers.questions:
                numbers.questions.append(place)
    return list(found.values())


def _part(numbers: _Numbers, table: Table) -> PlanPart:
    adds, asked = numbers.demand.adds, numbers.demand.asked
    assert adds is not None
    assert adds.cells is not None
    assert asked is not None
    variance = Fraction(numbers.given.law.moment(2).upper)
    paired = not isinstance(asked, Histograms) and len(asked.aggregates) == 2
    either = 2 if paired and adds.cells > 2 else 1  # the two sums of one mean are one row of two
    return PlanPart(
        questions=tuple(numbers.questions),
        cells=adds.cells,
        low=1 if adds.everyone else adds.low,
        high=adds.high,
        moved=1 if isinstance(asked, Histograms) else _moved(bounds_of(asked, table)),
        weight=_weight(numbers.weight / adds.cells, variance),
        variance=shortened_up(variance) if variance else variance,
        either=either,
    )


def _moved(bounds: Bounds | Clip) -> int:
    """In how many groups one unit can be with all it has; under a clip, in one."""
    return 1 if isinstance(bounds, Clip) else bounds.max_groups


def _weight(weight: Fraction, variance: Fraction) -> Fraction:
    if not variance:
        return Fraction(0)
    return shortened_up(Fraction(float(weight) / math.sqrt(variance)))
