"""`leastnoise optimal`: the least noise for a guarantee and a cost, on the screen."""

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from leastnoise._check import probability
from leastnoise.cli.files import write_text
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.numeric.cost import CostLike, Moment, TailProbability
from leastnoise.numeric.nearest_float import nearest_float


def optimal(
    sensitivity: Annotated[str, typer.Option(help="The most the query changes.")],
    epsilon: Annotated[str, typer.Option(help="ε of the guarantee.")],
    delta: Annotated[str, typer.Option(help="δ of the guarantee.")] = "0",
    cost: Annotated[
        str,
        typer.Option(help="absolute, squared, a power such as 3, or tail:T for P(|error| > T)."),
    ] = "absolute",
    granularity: Annotated[str | None, typer.Option(help="Step for real-valued queries.")] = None,
    confidence: Annotated[str, typer.Option(help="For the error bound.")] = "0.95",
    certificate: Annotated[
        Path | None, typer.Option(help="Write the certificate of optimality to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the least noise for one query, its error, its rivals and its certificate."""
    chosen = optimal_scalar(
        sensitivity=sensitivity,
        epsilon=epsilon,
        delta=delta,
        cost=_cost(cost),
        granularity=granularity,
    )
    facts = _facts(chosen, confidence)
    if certificate is not None:
        write_text(certificate, chosen.certificate().to_json())
    print(json.dumps(facts) if as_json else _table(facts))


def _cost(text: str) -> CostLike:
    if text in ("absolute", "squared"):
        return text
    if text.startswith("tail:"):
        return TailProbability(text.removeprefix("tail:"))
    return Moment(text)


def _facts(chosen: OptimalNoise, confidence: str) -> dict[str, Any]:
    try:
        proof: float | None = nearest_float(chosen.certificate().ratio)
    except UnsupportedQuery:
        proof = None
    return {
        "noise": repr(chosen.law),
        "why": chosen.why,
        "guarantee": repr(chosen.guarantee),
        "cost": chosen.problem.cost.name,
        "expected": float(chosen.expected_cost()),
        "confidence": float(probability(confidence, "confidence")),
        "error": float(chosen.error(confidence)),
        "ratio_to_bound": None if proof == math.inf else proof,
        "alternatives": [
            {"noise": repr(rival.law), "expected": float(rival.cost), "ratio": rival.ratio}
            for rival in chosen.alternatives()
        ],
    }


def _table(facts: dict[str, Any]) -> str:
    ratio = facts["ratio_to_bound"]
    proof = "none known" if ratio is None else f"at most {ratio:.12g} × the least possible"
    lines = [
        f"{facts['noise']}",
        f"  {facts['why']}",
        f"  {facts['guarantee']}",
        f"  {facts['cost']} = {facts['expected']:.6g}",
        f"  |error| ≤ {facts['error']:.6g} in {100 * facts['confidence']:g} % of releases",
        f"  proof: {proof}",
        "alternatives",
    ]
    lines += [
        f"  {rival['ratio']:10.4g} × {rival['expected']:12.6g}  {rival['noise']}"
        for rival in facts["alternatives"]
    ]
    return "\n".join(lines)
