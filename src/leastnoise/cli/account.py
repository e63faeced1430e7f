"""`leastnoise account`: the price of training with noisy gradients on Poisson samples."""

from typing import Annotated, Literal

import typer

from leastnoise.accounting.training import Training, least_noise, most_steps, rounded_outward
from leastnoise.cli.screen import show_json, show_table
from leastnoise.errors import InvalidParameter
from leastnoise.numeric.nearest_float import nearest_float


def account(
    rate: Annotated[str, typer.Option(help="The chance of a record to be in a step's sample.")],
    delta: Annotated[str, typer.Option(help="δ of the guarantee.")],
    noise: Annotated[
        str | None, typer.Option(help="Noise multiplier; left out, the least for --epsilon.")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="How many steps; left out, the most for --epsilon.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="ε to keep, where noise or steps are left out.")
    ] = None,
    neighbours: Annotated[
        Literal["add_remove", "zero_out", "replace"], typer.Option(help="What one record can do.")
    ] = "add_remove",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say which ε a training run costs, or the least noise or the most steps for an ε."""
    if sum(given is not None for given in (noise, steps, epsilon)) != 2:
        raise InvalidParameter(
            "two of --noise, --steps and --epsilon must be given; got another number of them. "
            "The one left out is computed."
        )
    if noise is None and steps is not None and epsilon is not None:
        found = least_noise(
            rate=rate, steps=steps, epsilon=epsilon, delta=delta, neighbours=neighbours
        )
        noise = str(found)
    if steps is None and noise is not None and epsilon is not None:
        steps = most_steps(
            noise=noise, rate=rate, epsilon=epsilon, delta=delta, neighbours=neighbours
        )
    assert noise is not None  # two were given, and the third was computed
    assert steps is not None
    run = Training(noise, rate, steps, neighbours)
    ends = run.directions(delta)
    if as_json:
        facts = {"noise": nearest_float(run.noise), "steps": run.steps, "neighbours": neighbours}
        brackets = {way: list(rounded_outward(bracket, 9)) for way, bracket in ends.items()}
        show_json(facts | {"epsilon": brackets})
        return
    title = f"noise {nearest_float(run.noise)}, {run.steps} steps, {neighbours}: ε at δ = {delta}"
    rows = [[way, *rounded_outward(bracket)] for way, bracket in ends.items()]
    show_table(title, ["a record is", "at least", "at most"], rows)
