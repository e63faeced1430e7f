"""`leastnoise sample-size`: how many records an accuracy needs, and how many are too few."""

from dataclasses import asdict
from typing import Annotated, Literal

from leastnoise.cli.declared import Option
from leastnoise.cli.screen import show_json, show_table, show_text
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.people import said_count
from leastnoise.sizes.sample_size import sample_size as planned


def sample_size(
    dimension: Annotated[int, Option(help="How many means are asked for.")],
    error: Annotated[str, Option(help="What they may be off by.")],
    epsilon: Annotated[str, Option(help="ε of the guarantee.")],
    delta: Annotated[str, Option(help="δ of the guarantee.")] = "0",
    objective: Annotated[
        Literal["max", "average", "squared"],
        Option(help="Of the worst mean, of the average one, or its root mean square."),
    ] = "max",
    confidence: Annotated[
        str | None, Option(help="For the worst mean: how often; 0.95 if left out.")
    ] = None,
    values: Annotated[tuple[str, str], Option(help="The two values an attribute can have.")] = (
        "0",
        "1",
    ),
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many records suffice for an error, by mechanism, and how many cannot."""
    usual = "0.95" if objective == "max" else None
    answer = planned(
        dimension=dimension,
        error=error,
        epsilon=epsilon,
        delta=delta,
        objective=objective,
        confidence=usual if confidence is None else confidence,
        values=values,
    )
    if as_json:
        options = [
            {"mechanism": each.mechanism, "records": each.records, "certain": each.certain}
            for each in answer.options
        ]
        facts = {"records": answer.records, "impossible_below": answer.impossible_below}
        reason = {"reason": answer.reason, "gap": nearest_float(answer.gap)}
        bounds = [asdict(bound) for bound in answer.bounds]
        show_json(facts | reason | {"bounds": bounds, "options": options})
        return
    rows = [
        [each.mechanism, said_count(each.records), str(each.certain or "")]
        for each in answer.options
    ]
    show_table("records that suffice", ["mechanism", "records", "for certainty"], rows)
    why = f" ({answer.reason})" if answer.reason else ""
    show_text(
        f"with fewer than {said_count(answer.impossible_below)} records no mechanism can do it{why}"
    )
    for bound in answer.bounds[1:]:
        show_text(
            f"with fewer than {said_count(bound.records)} none of this kind can: {bound.scope}"
        )
