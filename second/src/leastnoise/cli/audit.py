"""The command `audit`: does a law, a mechanism or a function of one's own keep a promise?"""

import dataclasses
import json as json_text
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from leastnoise import noise
from leastnoise.auditing.audit import audit as audit_promise
from leastnoise.cli.options import JsonOption
from leastnoise.cli.output import REFUSED, CommandExit, bad_input, show, show_json
from leastnoise.cli.theory import ends, number
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.mechanisms.response import RandomizedResponse
from leastnoise.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from leastnoise.noise.distribution import Distribution
from leastnoise.numbers.errors import did_you_mean
from leastnoise.numbers.exact import whole, written

_LAWS = ("DiscreteLaplace", "RoundedGaussian", "Staircase", "TruncatedLaplace", "Uniform")
_MECHANISMS = (RandomizedResponse, ExponentialMechanism, PermuteAndFlip)
_NAMED: dict[str, Callable[..., Any]] = {name: getattr(noise, name) for name in _LAWS}
_NAMED |= {kind.__name__: kind for kind in _MECHANISMS}


def audit(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="A law or mechanism by name, or module:function of the data."
        ),
    ],
    parameters: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Of the law: rate=0.5", show_default=False),
    ] = None,
    epsilon: Annotated[str | None, number("The promise.")] = None,
    delta: Annotated[str, number("Beside --epsilon.")] = "0",
    rho: Annotated[str | None, number("A promise of zCDP.")] = None,
    mu: Annotated[str | None, number("A promise of GDP.")] = None,
    sensitivity: Annotated[str | None, number("How far neighbours are apart, for a law.")] = None,
    neighbours: Annotated[
        tuple[str, str],
        typer.Option(metavar="JSON JSON", help="Two inputs, as 0 1.", show_default=False),
    ] = ("", ""),
    samples: Annotated[str, number("How many outputs of a function to draw at most.")] = "100000",
    confidence: Annotated[str, number("1 minus the chance of a false alarm.")] = "0.999999",
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Stop as soon as there is evidence.")
    ] = False,
    vectorised: Annotated[
        bool, typer.Option("--vectorised", help="The function takes size= and gives so many.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Look for a violation of a promise of privacy.

    Laws: DiscreteLaplace, RoundedGaussian, Staircase, TruncatedLaplace, Uniform. Mechanisms:
    RandomizedResponse, ExponentialMechanism, PermuteAndFlip. They are decided by proof, functions by
    samples. Exit status 1 if there is a violation.
    """
    audited = _subject(subject, parameters or [])
    pair = None if neighbours == ("", "") else (_input(neighbours[0]), _input(neighbours[1]))
    is_law = isinstance(audited, Distribution)
    if not isinstance(audited, Mechanism) and (epsilon, rho, mu) == (None, None, None):
        raise bad_input(
            "No promise is given. Give --epsilon, with or without --delta, --rho or --mu."
        )
    if pair is None and (sensitivity is None if is_law else not isinstance(audited, Mechanism)):
        raise bad_input(f"Give {'--sensitivity 1' if is_law else 'two inputs: --neighbours 0 1'}.")
    found = audit_promise(
        audited,
        neighbours=pair,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        mu=mu,
        sensitivity=None if sensitivity is None else whole(sensitivity, "sensitivity"),
        samples=whole(samples, "samples"),
        confidence=confidence,
        sequential=sequential,
        vectorised=vectorised,
    )
    if json:
        names = ("violated", "proved", "measure", "samples")
        facts = {name: getattr(found, name) for name in names} | {"promise": repr(found.promise)}
        facts |= {"promised": written(found.allowed), "found": ends(found.found)}
        show_json(facts | {"verdict": " ".join(repr(found).split())})
    else:
        show(found)
    if found.violated:
        raise CommandExit(REFUSED)


def _input(text: str) -> Any:
    try:
        return json_text.loads(text)
    except ValueError:
        raise bad_input(
            f"--neighbours {text:.40} is no JSON. Write 3, [1, 2] or '\"text\"'."
        ) from None


def _subject(name: str, parameters: Sequence[str]) -> Any:
    """What is audited: a law or mechanism made of its parameters, or a function."""
    module, colon, function = name.partition(":")
    if colon:
        if parameters:
            raise bad_input("A function gets no parameters. Leave them out.")
        return _function(module, function)
    kind = _NAMED.get(name)
    if kind is None:
        hint = did_you_mean(name, _NAMED) or " Give a law, as DiscreteLaplace, or module:function."
        raise bad_input(f"{name:.40} is not known.{hint}")
    pairs = [each.partition("=")[::2] for each in parameters]
    known = [each.name for each in dataclasses.fields(kind)]  # type: ignore[arg-type]
    needed = " ".join(f"{each}=..." for each in known)
    if len(dict(pairs)) < len(pairs) or not all(key in known and value for key, value in pairs):
        raise bad_input(f"{name} has other parameters. Write {name} {needed}")
    try:
        flags = {"true": True, "false": False}
        return kind(**{key: flags.get(value, value) for key, value in pairs})
    except TypeError:
        raise bad_input(f"{name} lacks parameters. Write {name} {needed}") from None


def _function(module: str, name: str) -> Any:
    """A function of a module, which may lie in the current folder."""
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = getattr(import_module(module), name, None)
    except (Exception, SystemExit) as error:  # it is the user's own code that fails
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise bad_input(f"The module {module} cannot be imported. {reason:.200}") from None
    if found is None:
        raise bad_input(f"The module {module} has no {name}.")
    return found
