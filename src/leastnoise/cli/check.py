"""`leastnoise check`: an independent check of a published certificate."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.check import Check
from leastnoise.cli.files import read_text
from leastnoise.errors import CertificateRejected
from leastnoise.numeric.nearest_float import nearest_float


def check(
    certificate: Annotated[Path, typer.Argument(help="The file that `to_json` wrote.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Check a published certificate of optimality, in exact arithmetic.

    What is shown was verified; a certificate's own words never are. Exit status 0 if every claim
    holds, 1 if the certificate is rejected, 2 if it cannot be read.
    """
    text = read_text(certificate)
    try:
        read = Certificate.from_json(text)
        verdict = read.check()
    except CertificateRejected as rejection:
        verdict = Check(False, str(rejection))
    _report(as_json, verdict, _verified(read, verdict) if verdict else {})
    raise typer.Exit(0 if verdict else 1)


def _verified(read: Certificate, verdict: Check) -> dict[str, str | float]:
    problem = read.problem
    return {
        "claim": verdict.claim,
        "cost": problem.cost.name,
        "achieved": _upward(read.achieved),
        "bound": -_upward(-read.bound),
        "ratio": _upward(read.ratio),
        "sensitivity": nearest_float(problem.sensitivity * problem.step),
        "epsilon": _upward(problem.epsilon),
        "delta": _upward(problem.delta),
        "scope": read.scope,
        "reference": read.reference,
    }


def _upward(value: Fraction | float) -> float:
    """A float whose digits say no less than the number: a tiny δ is not shown as none."""
    near = nearest_float(value)
    enough = math.isinf(near) or Fraction(repr(near)) >= value
    return near if enough else math.nextafter(near, math.inf)


def _report(as_json: bool, verdict: Check, facts: dict[str, str | float]) -> None:
    if as_json:
        known = {name: value for name, value in facts.items() if value != math.inf}
        print(json.dumps({"accepted": verdict.accepted, "finding": verdict.finding, **known}))
        return
    print(verdict)
    for name, value in facts.items():
        print(f"  {name:12} {value}")
