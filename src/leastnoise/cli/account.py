"""`leastnoise account`: the price of training with noisy gradients on random batches."""

from pathlib import Path
from typing import Annotated, Literal

from leastnoise._check import refuse, shown
from leastnoise.accounting.epoch_table import EpochCosts, epoch_costs, rounded_outward
from leastnoise.accounting.events import loss_of_event
from leastnoise.accounting.training import Batches, Training
from leastnoise.accounting.training_calibration import largest_rate, least_noise, most_steps
from leastnoise.cli.declared import Option
from leastnoise.cli.screen import show_json, show_table, show_text
from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.sampling import Neighbours

_KINDS = (".svg", ".png", ".html", ".json")
_GIVEN = ("--noise", "--rate", "--steps", "--epsilon")


def account(
    delta: Annotated[str, Option(help="δ of the guarantee.")],
    rate: Annotated[
        str | None,
        Option(help="The chance of a record to be in a step; left out, the largest for --epsilon."),
    ] = None,
    noise: Annotated[
        str | None, Option(help="Noise multiplier; left out, the least for --epsilon.")
    ] = None,
    steps: Annotated[
        int | None, Option(help="How many steps; left out, the most for --epsilon.")
    ] = None,
    epsilon: Annotated[
        str | None, Option(help="ε to keep, where noise, rate or steps are left out.")
    ] = None,
    neighbours: Annotated[
        Literal["add_remove", "zero_out", "replace"], Option(help="What one record can do.")
    ] = "add_remove",
    batches: Annotated[
        Literal["poisson", "fixed", "allocated", "shuffled"],
        Option(help="How the records of a step are chosen."),
    ] = "poisson",
    by_epoch: Annotated[
        bool, Option("--by-epoch", help="Tell ε after 1, 2, 5, 10, … epochs.")
    ] = False,
    picture: Annotated[
        Path | None,
        Option(help="Draw ε by epoch into a file: .svg, .png, .html or .json."),
    ] = None,
    events: Annotated[
        Path | None, Option(help="Price the DpEvents in this JSON file instead.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say which ε a training run costs, or the least noise, largest rate or most steps for an ε."""
    if events is not None:
        if any(given is not None for given in (noise, rate, steps, epsilon)):
            raise InvalidParameter(
                f"a run must be told by --events or by {', '.join(_GIVEN)}; got both. "
                "Leave out one."
            )
        _show_events(events, delta, neighbours, as_json=as_json)
        return
    run = _run(noise, rate, steps, epsilon, delta, neighbours, batches)
    _refuse_no_place(picture)
    ends = run.directions(delta)
    by_epochs = epoch_costs(run, delta=delta) if by_epoch or picture is not None else None
    if as_json:
        facts = {
            "noise": nearest_float(run.noise),
            "rate": nearest_float(run.rate),
            "steps": run.steps,
            "neighbours": neighbours,
            "batches": batches,
        }
        told = {} if by_epochs is None else {"by_epoch": _epochs_as_json(by_epochs)}
        show_json(facts | {"epsilon": _as_json(ends)} | told)
    else:
        title = (
            f"noise {nearest_float(run.noise)}, rate {_short(rate, run)}, {run.steps} steps, "
            f"{batches} batches, {neighbours}: ε at δ = {delta}"
        )
        _show_ends(title, ends)
        if run.caveat:
            show_text(run.caveat)
        if by_epochs is not None:
            _show_epochs(by_epochs)
    if picture is not None and by_epochs is not None:
        by_epochs.plot().save(picture)


def _short(rate: str | None, run: Training) -> str:
    return rate if rate is not None else f"{nearest_float(run.rate):g}"


def _run(
    noise: str | None,
    rate: str | None,
    steps: int | None,
    epsilon: str | None,
    delta: str,
    neighbours: Neighbours,
    batches: Batches,
) -> Training:
    """The run as it is told, or with the one number computed that was left out."""
    if epsilon is None:
        if noise is None or rate is None or steps is None:
            raise _three_of_four()
        return Training(noise, rate, steps, neighbours, batches)
    if batches != "poisson":
        raise InvalidParameter(
            f"noise, rate or steps must be sought for Poisson samples; got --batches {batches}. "
            "Try values with it, or leave out --epsilon."
        )
    if noise is None and rate is not None and steps is not None:
        found = least_noise(
            rate=rate, steps=steps, epsilon=epsilon, delta=delta, neighbours=neighbours
        )
        return Training(found, rate, steps, neighbours)
    if steps is None and noise is not None and rate is not None:
        most = most_steps(
            noise=noise, rate=rate, epsilon=epsilon, delta=delta, neighbours=neighbours
        )
        return Training(noise, rate, most, neighbours)
    if rate is None and noise is not None and steps is not None:
        largest = largest_rate(
            noise=noise, steps=steps, epsilon=epsilon, delta=delta, neighbours=neighbours
        )
        return Training(noise, largest, steps, neighbours)
    raise _three_of_four()


def _three_of_four() -> InvalidParameter:
    return InvalidParameter(
        f"three of {', '.join(_GIVEN)} must be given; got another number of them. "
        "The one left out is computed."
    )


def _refuse_no_place(picture: Path | None) -> None:
    if picture is not None and (picture.suffix not in _KINDS or not picture.parent.is_dir()):
        raise refuse(
            "`--picture` must be a file in a folder that is there, of a kind that can be drawn",
            shown(str(picture)),
            f"Write one of: {', '.join(_KINDS)}.",
        )


def _show_events(path: Path, delta: str, neighbours: Neighbours, *, as_json: bool) -> None:
    loss = loss_of_event(path.read_text("utf-8"), neighbours=neighbours)
    ways = {"either": loss.forward}
    if loss.backward is not None:
        ways = {"removed": loss.forward, "added": loss.backward}
    ends = {way: PrivacyLoss(variable).epsilon(delta) for way, variable in ways.items()}
    if as_json:
        show_json({"neighbours": neighbours, "epsilon": _as_json(ends)})
    else:
        _show_ends(f"{path.name}, {neighbours}: ε at δ = {delta}", ends)


def _as_json(ends: dict[str, Interval]) -> dict[str, list[str]]:
    return {way: list(rounded_outward(bracket, 9)) for way, bracket in ends.items()}


def _epochs_as_json(found: EpochCosts) -> list[dict[str, object]]:
    return [
        {"epochs": nearest_float(row.epochs), "steps": row.steps, "epsilon": _as_json(row.epsilon)}
        for row in found.rows
    ]


def _show_ends(title: str, ends: dict[str, Interval]) -> None:
    rows = [[way, *rounded_outward(bracket)] for way, bracket in ends.items()]
    show_table(title, ["a record is", "at least", "at most"], rows)


def _show_epochs(found: EpochCosts) -> None:
    ways = list(found.rows[0].epsilon)
    rows = [
        [
            f"{nearest_float(row.epochs):g}",
            str(row.steps),
            *(rounded_outward(row.epsilon[way])[1] for way in ways),
        ]
        for row in found.rows
    ]
    show_table("at most, by epoch", ["epochs", "steps", *ways], rows)
