"""A certificate as JSON: rationals as text, so that nothing is rounded."""

from fractions import Fraction
from typing import Any, assert_never

from leastnoise.certificates.check_dual import dual_reach
from leastnoise.certificates.claim import Claim
from leastnoise.certificates.described_law import (
    CanonicalNoise,
    CutSteps,
    DescribedLaw,
    Steps,
    Table,
)
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Rounded, Theorem, Witness
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.cost import Moment, TabulatedCost, TailProbability
from leastnoise.numeric.nearest_float import nearest_float

FORMAT = "leastnoise certificate, version 1"


def certificate_text(claim: Claim) -> dict[str, Any]:
    """The certificate as plain values of JSON."""
    problem = claim.problem
    return {
        "format": FORMAT,
        "claim": (
            f"{problem.cost.name} ≤ {nearest_float(claim.achieved):.12g}, and no less than "
            f"{nearest_float(claim.bound):.12g} is possible among {claim.scope}"
        ),
        "problem": {
            "sensitivity": problem.sensitivity,
            "epsilon": str(problem.epsilon),
            "delta": str(problem.delta),
            "step": str(problem.step),
            "cost": _cost(claim),
        },
        "achieved": str(claim.achieved),
        "bound": str(claim.bound),
        "law": _law(claim.law),
        "witness": _witness(claim.witness),
        "reference": claim.reference,
    }


def _cost(claim: Claim) -> dict[str, Any]:
    problem = claim.problem
    match problem.cost:
        case Moment():
            return {"kind": "moment", "order": str(problem.cost.order)}
        case TailProbability():
            return {"kind": "tail", "threshold": str(problem.cost.threshold)}
        case TabulatedCost():
            return _table(list(problem.cost.values))
    if isinstance(claim.law, Table) and isinstance(claim.witness, Dual):
        places = max(dual_reach(claim.witness) + 1, claim.law.radius) + 1
        return _table([_exact_price(problem, place) for place in range(places)])
    raise UnsupportedQuery(
        "`to_json` needs a cost that text can hold; got a function of your own with a law that has "
        "no end. Use a Moment, a TailProbability, or a positive delta."
    )


def _exact_price(problem: Problem, place: int) -> Fraction:
    return Fraction(problem.price(place).lower)


def _table(values: list[Fraction]) -> dict[str, Any]:
    return {"kind": "table", "values": [str(value) for value in values]}


def _law(law: DescribedLaw) -> dict[str, Any]:
    match law:
        case Table():
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
