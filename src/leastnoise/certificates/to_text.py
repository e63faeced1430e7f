"""A certificate as JSON: rationals as text, so that nothing is rounded."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, assert_never

from leastnoise.certificates.check_dual import dual_reach
from leastnoise.certificates.claim import Claim
from leastnoise.certificates.described_law import (
    CanonicalNoise,
    CutSteps,
    DescribedLaw,
    Steps,
    WeightTable,
)
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Rounded, Theorem, Witness
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.cost import Moment, TabulatedCost, TailProbability

FORMAT = "leastnoise certificate, version 1"


def certificate_text(claim: Claim) -> dict[str, Any]:
    """The certificate as plain values of JSON."""
    cost = _cost_in_text(claim)
    problem = replace(claim.problem, cost=cost)
    return {
        "format": FORMAT,
        "claim": replace(claim, problem=problem).sentence,
        "problem": {
            "sensitivity": problem.sensitivity,
            "epsilon": str(problem.epsilon),
            "delta": str(problem.delta),
            "step": str(problem.step),
            "cost": _cost(cost),
        },
        "achieved": str(claim.achieved),
        "bound": str(claim.bound),
        "law": _law(claim.law),
        "witness": _witness(claim.witness),
        "reference": claim.reference,
    }


def _cost_in_text(claim: Claim) -> Moment | TailProbability | TabulatedCost:
    """The cost itself, or its values where they are asked: a reader knows no more than these."""
    problem = claim.problem
    if isinstance(problem.cost, Moment | TailProbability | TabulatedCost):
        return problem.cost
    if isinstance(claim.law, WeightTable) and isinstance(claim.witness, Dual):
        places = max(dual_reach(claim.witness) + 1, claim.law.radius) + 1
        values = tuple(_exact_price(problem, place) for place in range(places))
        return TabulatedCost(values, problem.step)
    raise UnsupportedQuery(
        "`to_json` needs a cost that text can hold; got a function of your own with a law that has "
        "no end. Use a Moment, a TailProbability, or a positive delta."
    )


def _cost(cost: Moment | TailProbability | TabulatedCost) -> dict[str, Any]:
    match cost:
        case Moment():
            return {"kind": "moment", "order": str(cost.order)}
        case TailProbability():
            return {"kind": "tail", "threshold": str(cost.threshold)}
        case TabulatedCost():
            return {"kind": "table", "values": [str(value) for value in cost.values]}
        case _:
            assert_never(cost)


def _exact_price(problem: Problem, place: int) -> Fraction:
    return Fraction(problem.price(place).lower)


def _law(law: DescribedLaw) -> dict[str, Any]:
    match law:
        case WeightTable():
            return {"kind": "table", "weights": [str(weight) for weight in law.weights]}
        case Steps():
            return {"kind": "staircase", "width": law.width}
        case CutSteps():
            return {"kind": "cut staircase", "width": law.width, "radius": law.radius}
        case CanonicalNoise():
            return {"kind": "canonical"}
        case _:
            assert_never(law)


def _witness(witness: Witness) -> dict[str, Any]:
    match witness:
        case Dual():
            return {"kind": "dual", **_dual(witness)}
        case Rounded():
            coarse = {"sensitivity": witness.sensitivity, "step": str(witness.step)}
            return {"kind": "rounded", **coarse, **_dual(witness.dual)}
        case Theorem():
            return {"kind": "theorem", "name": witness.name, "statement": witness.value}
        case _:
            assert_never(witness)


def _dual(dual: Dual) -> dict[str, Any]:
    rows = [
        {
            "shift": row.shift,
            "first": row.first,
            "values": [str(value) for value in row.values],
            "beyond": str(row.beyond),
        }
        for row in dual.rows
    ]
    return {"level": str(dual.level), "bits": dual.bits, "rows": rows}
