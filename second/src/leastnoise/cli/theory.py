"""The commands without any data: `optimal`, `account`, `sample-size` and `check`."""

import json as json_text
from collections.abc import Callable
from fractions import Fraction
from math import inf, isinf, nextafter
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, Literal

import typer

from leastnoise import bounds
from leastnoise.auditing.evidence import rounded
from leastnoise.bounds.question import Objective
from leastnoise.cli.options import JsonOption
from leastnoise.cli.output import REFUSED, WIDTH, CommandExit, bad_input, folded, show, show_json
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.numbers.cost import CostLike, Moment, TailProbability
from leastnoise.numbers.errors import CertificateRejected, InvalidInput
from leastnoise.numbers.exact import inside, positive, probability, whole
from leastnoise.numbers.interval import Interval
from leastnoise.optima.optimal import optimal as optimal_noise
from leastnoise.privacy.calibration import calibrate
from leastnoise.privacy.loss import PrivacyLoss

Neighbours = Literal["add_remove", "replace"]
_LONGEST = 400  # characters of a part of a claim that are shown


def number(help_text: str) -> Any:
    """An option that takes a number; it stays text, so that it is taken exactly."""
    return typer.Option(metavar="NUMBER", help=help_text)


def optimal(
    epsilon: Annotated[str, number("To promise.")],
    sensitivity: Annotated[str, number("How far one privacy unit moves the answer.")] = "1",
    delta: Annotated[str, number("To promise.")] = "0",
    cost: Annotated[
        str,
        typer.Option(
            metavar="COST", help="absolute, squared, a power such as 3, or tail:T for P(error > T)."
        ),
    ] = "absolute",
    certificate: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the proof, for `leastnoise check`.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """The least noise for one count or sum, beside other noise."""
    found = optimal_noise(
        sensitivity=whole(sensitivity, "sensitivity"),
        epsilon=epsilon,
        delta=delta,
        cost=_cost(cost),
    )
    if certificate is not None:
        proof = found.certificate()
        if proof is None:
            raise bad_input("This cost has no certificate. Leave --certificate out.")
        _write(certificate, proof.to_json())
    if json:
        rows = [
            {"law": repr(law), "cost": float(mean), "times_the_least": ratio}
            for law, mean, ratio in found.alternatives().rows
        ]
        body = {"law": repr(found.law), "cost": ends(found.expected_cost()), "alternatives": rows}
        show_json(body | {"least_possible": float(found.bound)})
    else:
        show(f"{folded(repr(found))}\n\n{found.alternatives()!r}")


def account(
    delta: Annotated[str, number("To promise.")],
    noise: Annotated[
        str | None,
        number("Standard deviation over the clipping norm. Left out: the least for --epsilon."),
    ] = None,
    rate: Annotated[str, number("The chance of a record to be in a step.")] = "1",
    steps: Annotated[str, number("How many steps.")] = "1",
    epsilon: Annotated[str | None, number("To keep, where --noise is left out.")] = None,
    neighbours: Annotated[
        Neighbours, typer.Option(help="Whether one record is there or not, or is another one.")
    ] = "add_remove",
    events: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Price the DpEvents of this JSON file instead."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """The epsilon of many steps with Gaussian noise, or the noise."""
    if [noise, epsilon, events].count(None) != 2:
        raise bad_input(
            "Give --noise or --events to see the epsilon, or --epsilon to see the least noise."
        )
    make = _training(probability(rate, "rate"), whole(steps, "steps"), neighbours)
    body: dict[str, Any]
    if epsilon is not None:
        found = calibrate(make, epsilon=epsilon, delta=inside(delta, "delta")).parameter
        least = rounded(found.upper, up=True, digits=5)
        body = {"noise": ends(found), "epsilon": epsilon}
        text = f"noise {least} keeps epsilon {epsilon} at delta {delta}; the least up to 0.1 %"
    else:
        if noise is not None:
            loss = make(positive(noise, "noise"))
        else:
            loss = PrivacyLoss.from_events(_events(str(events)), neighbours=neighbours)
        price = loss.epsilon(delta)
        low, high = rounded(price.lower, digits=5), rounded(price.upper, up=True, digits=5)
        body = {"epsilon": ends(price)}
        known = high if low == high else f"at most {high}, and at least {low},"
        text = f"epsilon is {known} at delta {delta}"
    if json:
        show_json(body | {"delta": delta})
    else:
        show(text)


def sample_size(
    dimension: Annotated[str, number("How many means.")],
    error: Annotated[str | None, number("What they may be off by.")] = None,
    epsilon: Annotated[str | None, number("To promise.")] = None,
    records: Annotated[str | None, number("How many.")] = None,
    delta: Annotated[str, number("To promise.")] = "0",
    objective: Annotated[Objective, typer.Option(help="How errors are judged.")] = "max",
    confidence: Annotated[str | None, number("Of max: how often it holds. [0.95]")] = None,
    bits: Annotated[bool, typer.Option("--bits", help="Means of 0 and 1, not -1 and 1.")] = False,
    json: JsonOption = False,
) -> None:
    """Records, error or epsilon of noisy means: two give the third."""
    asked: Any = {"dimension": dimension, "delta": delta, "objective": objective}
    asked |= {"confidence": confidence, "values": (0, 1) if bits else (-1, 1)}
    given = {"error": error, "epsilon": epsilon, "records": records}
    asked |= {name: value for name, value in given.items() if value is not None}
    if len(asked) != 7:
        raise bad_input("Give two of --error, --epsilon and --records; the third is found.")
    find: Callable[..., Any] = bounds.sample_size
    if records is not None:
        find = bounds.least_error if error is None else bounds.least_epsilon
    found = find(**asked)
    if json:
        options = {name: float(least) for name, least in found.options}
        show_json({"options": options, "impossible_below": float(found.impossible_below)})
    else:
        show(f"{found!r}")


def check(
    certificate: Annotated[
        str, typer.Argument(metavar="FILE", help="A certificate, as --certificate wrote it.")
    ],
    json: JsonOption = False,
) -> None:
    """Check a certificate; every number is computed anew."""
    try:
        found = Certificate.from_json(_read(certificate))
        proved = found.check()
    except CertificateRejected as error:
        raise CommandExit(REFUSED, f"Rejected: {error}") from None
    if json:
        show_json({"kind": found.kind, "claim": dict(found.claim), "proved": proved})
    else:
        lines = f"{found!r}\nProved: {proved}".split("\n")
        short = (each if len(each) <= _LONGEST else f"{each:.{_LONGEST}} ..." for each in lines)
        show("\n".join(fill(each, WIDTH, subsequent_indent="    ") for each in short))


def _cost(text: str) -> CostLike:
    if text in ("absolute", "squared"):
        return text
    kind, _, limit = text.partition(":")
    try:
        return TailProbability(whole(limit, "T")) if kind == "tail" else Moment(text)
    except InvalidInput:
        raise bad_input(
            f"--cost {text:.40} is not known. Give absolute, squared, a power such as 3, or tail:10."
        ) from None


def _training(
    rate: Fraction, steps: int, neighbours: Neighbours
) -> Callable[[Fraction], PrivacyLoss]:
    def loss(noise: Fraction) -> PrivacyLoss:
        step = PrivacyLoss.gaussian(mu=1 / noise)
        if rate < 1:
            step = step.poisson_sampled(rate, neighbours=neighbours)
        elif neighbours == "replace":
            step = PrivacyLoss.gaussian(mu=2 / noise)
        return step.self_compose(steps)

    return loss


def ends(found: Interval) -> list[float | None]:
    """Both ends as floats, rounded outward; None for an infinity, which JSON does not have."""
    low, high = float(found.lower), float(found.upper)
    low = low if low <= found.lower else nextafter(low, -inf)
    high = high if high >= found.upper else nextafter(high, inf)
    return [None if isinf(end) else end for end in (low, high)]


def _events(path: str) -> Any:
    try:
        return json_text.loads(_read(path))
    except (RecursionError, ValueError):
        raise bad_input(f"{path} is no JSON. Write the events as JSON.") from None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise bad_input(f"There is no file {path}. Name one that is there.") from None
    except (OSError, ValueError):
        raise bad_input(f"{path} cannot be read as text. Name another file.") from None


def _write(path: str, text: str) -> None:
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text + "\n")
    except FileExistsError:
        raise bad_input(f"{path} is there already. Give another name.") from None
    except OSError as error:
        raise bad_input(f"{path} cannot be written: {error.strerror}. Give another name.") from None
