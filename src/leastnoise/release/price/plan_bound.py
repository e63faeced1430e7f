"""How near to the least the noise of a whole plan is, and what is told of it."""

from collections.abc import Sequence
from dataclasses import replace

from leastnoise.certificates.make_plan import make_plan_certificate
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.price.plan_parts import plan_parts
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.result.forecast import Forecast


def plan_certificate(priced: PricedPlan, budget: Guarantee) -> PlanCertificate | None:
    """What is proved of the whole plan; None if nothing is, or if one number has its own proof."""
    if alone_among(priced) is not None:
        return None
    parts, outside = plan_parts(priced)
    if not any(part.weight for part in parts):
        return None
    replaced = priced.table.neighbours is Neighbours.REPLACE
    return make_plan_certificate(parts, budget, replaced=replaced, outside=outside)


def alone_among(priced: PricedPlan) -> str | None:
    """The scope of the proof that a plan's one number has by itself; None if it has none."""
    if len(priced.grants) > 1 or len(priced.grants[0]) > 1 or priced.cuts:
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
