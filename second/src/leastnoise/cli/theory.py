"""The commands without any data: `optimal`, `account`, `sample-size` and `check`."""

import json as json_text
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from leastnoise import bounds
from leastnoise.bounds.question import Objective
from leastnoise.cli.options import JsonOption
from leastnoise.cli.output import REFUSED, CommandExit, bad_input, show, show_json
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.numbers.cost import CostLike, Moment, TailProbability
from leastnoise.numbers.errors import CertificateRejected, InvalidInput
from leastnoise.numbers.exact import Exact, positive, probability, whole, written
from leastnoise.numbers.interval import End, Interval
from leastnoise.optima.optimal import optimal as optimal_noise
from leastnoise.privacy.calibration import calibrate
from leastnoise.privacy.loss import PrivacyLoss

Neighbours = Literal["add_remove", "replace"]
EpsilonArgument = Annotated[str, typer.Option("--epsilon", metavar="NUMBER", help="To promise.")]
DeltaOption = Annotated[str, typer.Option("--delta", metavar="NUMBER", help="To promise.")]


def optimal(
    epsilon: EpsilonArgument,
    sensitivity: Annotated[
        str, typer.Option(metavar="NUMBER", help="How far one privacy unit moves the answer.")
    ] = "1",
    delta: DeltaOption = "0",
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
    """The least noise for one count or sum, and other noise beside it."""
    found = optimal_noise(
        sensitivity=whole(sensitivity, "sensitivity"),
        epsilon=epsilon,
        delta=delta,
        cost=_cost(cost),
    )
    proof = found.certificate()
    if certificate is not None:
        if proof is None:
            raise bad_input("This cost has no certificate. Leave --certificate out.")
        _write(certificate, proof.to_json())
    if json:
        rows = [
            {"law": repr(law), "cost": float(mean), "times_the_least": ratio}
            for law, mean, ratio in found.alternatives().rows
        ]
        body = {"law": repr(found.law), "cost": _ends(found.expected_cost()), "alternatives": rows}
        show_json(body | {"least_possible": float(found.bound)})
    else:
        show(f"{found!r}\n\n{found.alternatives()!r}")


def account(
    delta: DeltaOption,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Standard deviation over the clipping norm. Left out: the least for --epsilon.",
        ),
    ] = None,
    rate: Annotated[
        str, typer.Option(metavar="NUMBER", help="The chance of a record to be in a step.")
    ] = "1",
    steps: Annotated[str, typer.Option(metavar="NUMBER", help="How many steps.")] = "1",
    epsilon: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="To keep, where --noise is left out.")
    ] = None,
    neighbours: Annotated[
        Neighbours, typer.Option(help="Whether one record is there or not, or is another one.")
    ] = "add_remove",
    events: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Price the DpEvents of this JSON file instead."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """The epsilon of Gaussian noise in many steps, or the noise for it."""
    if events is not None:
        if noise is not None or epsilon is not None:
            raise bad_input("--events says what is priced. Leave --noise and --epsilon out.")
        loss = PrivacyLoss.from_events(_events(events), neighbours=neighbours)
        _show_epsilon(loss, delta, json)
        return
    if (noise is None) == (epsilon is None):
        raise bad_input("Give --noise to see the epsilon, or --epsilon to see the least noise.")
    make = _training(probability(rate, "rate"), whole(steps, "steps"), neighbours)
    if noise is not None:
        _show_epsilon(make(positive(noise, "noise")), delta, json)
        return
    assert epsilon is not None
    found = calibrate(make, epsilon=epsilon, delta=delta)
    if json:
        show_json({"noise": _ends(found.parameter), "epsilon": epsilon, "delta": delta})
    else:
        shown = _digits(found.parameter.upper, ROUND_CEILING)
        show(
            f"noise {shown} keeps epsilon {epsilon} at delta {delta}, and is the least up to 0.1 %"
        )


def sample_size(
    dimension: Annotated[str, typer.Option(metavar="NUMBER", help="How many means.")],
    error: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="What they may be off by.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(metavar="NUMBER", help="To promise.")] = None,
    records: Annotated[str | None, typer.Option(metavar="NUMBER", help="How many.")] = None,
    delta: DeltaOption = "0",
    objective: Annotated[Objective, typer.Option(help="How errors are judged.")] = "max",
    confidence: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Of max: how often it holds. [0.95]")
    ] = None,
    bits: Annotated[bool, typer.Option("--bits", help="Means of 0 and 1, not -1 and 1.")] = False,
    json: JsonOption = False,
) -> None:
    """The least records, error or epsilon of noisy means: give two, and the third is found."""
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
    """Check a certificate: every number of its claim is computed anew."""
    try:
        found = Certificate.from_json(_read(certificate))
        proved = found.check()
    except CertificateRejected as error:
        raise CommandExit(REFUSED, f"Rejected: {error}") from None
    if json:
        show_json({"kind": found.kind, "claim": dict(found.claim), "proved": proved})
    else:
        show(f"{found!r}\nProved: {proved}")


def _cost(text: str) -> CostLike:
    if text in ("absolute", "squared"):
        return text
    kind, colon, limit = text.partition(":")
    if colon and kind == "tail":
        return TailProbability(whole(limit, "the T of tail:T"))
    try:
        return Moment(text)
    except InvalidInput:
        raise bad_input(
            f"--cost {text:.40} is not known. Give absolute, squared, a power such as 3, or tail:T."
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


def _show_epsilon(loss: PrivacyLoss, delta: Exact, json: bool) -> None:
    found = loss.epsilon(delta)
    if json:
        show_json({"epsilon": _ends(found), "delta": written(probability(delta, "delta"))})
    else:
        low, high = _digits(found.lower, ROUND_FLOOR), _digits(found.upper, ROUND_CEILING)
        between = f"{high}, and at least {low}," if low != high else high
        show(f"epsilon is {'at most ' if low != high else ''}{between} at delta {delta}")


def _digits(end: End, rounding: str) -> str:
    """Five significant digits."""
    if isinstance(end, float):
        return str(end)
    context = Context(prec=5, rounding=rounding)
    return (
        f"{context.divide(Decimal(end.numerator), Decimal(end.denominator)).normalize(context):g}"
    )


def _ends(found: Interval) -> list[float]:
    """Both ends as floats, rounded outward."""
    low, high = float(found.lower), float(found.upper)
    return [
        low if low <= found.lower else nextafter(low, -inf),
        high if high >= found.upper else nextafter(high, inf),
    ]


def _events(path: str) -> Any:
    try:
        return json_text.loads(_read(path))
    except ValueError:
        raise bad_input(f"{path} is no JSON.") from None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise bad_input(f"There is no file {path}.") from None
    except (OSError, ValueError):
        raise bad_input(f"{path} cannot be read as text.") from None


def _write(path: str, text: str) -> None:
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text + "\n")
    except FileExistsError:
        raise bad_input(f"{path} is there already. Give another name.") from None
    except OSError as error:
        raise bad_input(f"{path} cannot be written: {error.strerror}.") from None
