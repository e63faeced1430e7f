"""`leastnoise optimal`: the least noise for a guarantee and a cost, on the screen."""

import json
import math
from pathlib import Path
from typing import Annotated, Any

from leastnoise._check import probability
from leastnoise.cli.declared import Option
from leastnoise.cli.files import write_text
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.numeric.cost import CostLike, Moment, TailProbability
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.people.digits import said_number
from leastnoise.pictures.names import cut
from leastnoise.privacy.spoken import said
from leastnoise.web.noise_view import law_name

_LONGEST = 160  # letters of a law


def optimal(
    sensitivity: Annotated[str, Option(help="The most the query changes.")],
    epsilon: Annotated[str, Option(help="ε of the guarantee.")],
    delta: Annotated[str, Option(help="δ of the guarantee.")] = "0",
    cost: Annotated[
        str,
        Option(help="absolute, squared, a power such as 3, or tail:T for P(|error| > T)."),
    ] = "absolute",
    granularity: Annotated[str | None, Option(help="Step for real-valued queries.")] = None,
    confidence: Annotated[str, Option(help="For the error bound.")] = "0.95",
    certificate: Annotated[
        Path | None, Option(help="Write the certificate of optimality to this file.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
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
    print(json.dumps(facts) if as_json else _table(chosen, facts))


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


def _table(chosen: OptimalNoise, facts: dict[str, Any]) -> str:
    ratio = facts["ratio_to_bound"]
    proof = "none known" if ratio is None else f"at most {ratio:.12g} × the least possible"
    rivals = [
        (said_number(rival.ratio, 4), said_number(float(rival.cost), 6), law_name(rival.law))
        for rival in chosen.alternatives()
    ]
    left_out = ", rounding not counted" if chosen.mechanism.rounding else ""
    wide = [max((len(rival[place]) for rival in rivals), default=0) for place in range(2)]
    return "\n".join(
        [
            f"the least noise for {said(chosen.guarantee)}: {law_name(chosen.law)}",
            f"  {facts['why']}",
            f"  {facts['cost']} = {said_number(facts['expected'], 6)}",
            f"  |error| ≤ {said_number(facts['error'], 6)} in {100 * facts['confidence']:g} % of "
            "releases",
            f"  proof: {proof}",
            f"  law: {_told(chosen)}",
            f"alternatives, with their cost{left_out}",
            *(f"  {r:>{wide[0]}} ×  {cost:>{wide[1]}}  {name}" for r, cost, name in rivals),
        ]
    )


def _told(chosen: OptimalNoise) -> str:
    """How the law is made in Python; a table of chances has no short way, so what is in it."""
    law, step = chosen.law, chosen.problem.step
    if isinstance(law, TableLaw):
        ends = " to ".join(said_number(float(step * end), 6) for end in law.shape.support)
        return f"a table of {len(law.entries)} chances, from {ends}"
    return cut(repr(law), _LONGEST)
