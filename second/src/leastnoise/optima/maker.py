"""From a problem and a law to a proof and a certificate; nothing here need be trusted."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import Staircase, TableLaw
from leastnoise.numbers.cost import Cost, Moment, TailProbability
from leastnoise.optima.checker import (
    KIND,
    expected,
    half_line_bound,
    rivals,
    staircase_bound,
    verdict,
)
from leastnoise.optima.dual import Dual, Problem, dual_bound


@dataclass(frozen=True)
class Proof:
    """What no rival undercuts, and why.

    Attributes:
        bound: the least cost of any rival is at least this.
        method: "staircase", "half-lines", "dual" or "none"; see `checker`.
        dual: the dual point, if the method needs one.
    """

    bound: Fraction
    method: str
    dual: Dual | None = None


def prove(problem: Problem, law: Distribution, dual: Dual | None = None) -> Proof:
    """The proof with the greatest bound, which is rounded down to a short fraction."""
    if not problem.delta:
        return Proof(_short(staircase_bound(problem, width_of(law))), "staircase")
    proofs = [Proof(Fraction(0), "none"), Proof(_short(half_line_bound(problem)), "half-lines")]
    if dual is not None:
        proofs.append(Proof(_short(dual_bound(problem, dual) or Fraction(0)), "dual", dual))
    return max(proofs, key=lambda proof: proof.bound)


def _short(value: Fraction, *, up: bool = False) -> Fraction:
    """Rounded to about 64 bits, if it is longer."""
    if value <= 0 or max(value.numerator, value.denominator) < 1 << 200:
        return max(value, Fraction(0))
    shift = 64 + value.denominator.bit_length() - value.numerator.bit_length()
    unit = Fraction(2) ** -shift
    return (ceil(value / unit) if up else floor(value / unit)) * unit


def width_of(law: Distribution) -> int:
    """The first drop of a staircase, counted in its own period; 1 for Laplace noise."""
    return law.width if isinstance(law, Staircase | NormStaircase) else 1


def certificate(problem: Problem, law: Distribution, proof: Proof) -> Certificate | None:
    """The certificate; None if the cost cannot be written down."""
    cost = _described_cost(problem.cost)
    if cost is None:
        return None
    achieved = _short(Fraction(expected(problem, law).upper), up=True)
    claim = {
        "cost": cost,
        "sensitivity": problem.sensitivity,
        "dimension": problem.dimension,
        "norm": problem.norm,
        "epsilon": str(problem.epsilon),
        "delta": str(problem.delta),
        "law": _described(problem, law),
        "achieved": str(achieved),
        "bound": str(proof.bound),
        "rivals": rivals(problem),
        "verdict": verdict(achieved, proof.bound),
    }
    witness: dict[str, Any] = {"method": proof.method}
    if proof.dual is not None:
        witness["level"], witness["bits"] = str(proof.dual.level), proof.dual.bits
        witness["rows"] = [
            [row.shift, row.first, list(row.values), row.beyond] for row in proof.dual.rows
        ]
    return Certificate(KIND, claim, witness)


def _described_cost(cost: Cost) -> dict[str, Any] | None:
    match cost:
        case Moment(order=order) if order.denominator == 1:
            return {"moment": int(order)}
        case TailProbability(threshold=threshold):
            return {"tail": str(threshold)}
    return None


def _described(problem: Problem, law: Distribution) -> dict[str, Any]:
    """A law as a claim names it: all but the width and the weights follows from the problem."""
    match law:
        case NormStaircase(period=1) if problem.sensitivity > 1:
            return {"name": "NormLaplace"}
        case Staircase() | NormStaircase():
            return {"name": type(law).__name__, "width": law.width}
        case TableLaw():
            common = lcm(*(weight.denominator for weight in law.weights.values()))
            places = range(law.support[1] + 1)
            return {
                "name": "TableLaw",
                "weights": [int(law.weights.get(k, Fraction(0)) * common) for k in places],
            }
    return {"name": type(law).__name__}
