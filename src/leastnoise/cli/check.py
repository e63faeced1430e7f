"""`leastnoise check`: an independent check of a published certificate."""

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from leastnoise.certificates.certificate import Certificate
from leastnoise.cli.files import read_text
from leastnoise.errors import CertificateRejected
from leastnoise.numeric.nearest_float import nearest_float


def check(
    certificate: Annotated[Path, typer.Argument(help="The file that `to_json` wrote.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Check a published certificate of optimality, in exact arithmetic.

    Exit status 0 if every claim holds, 1 if the certificate is rejected, 2 if it cannot be read.
    """
    text = read_text(certificate)
    try:
        read = Certificate.from_json(text)
        verdict = read.check()
    except CertificateRejected as rejection:
        _report(as_json, accepted=False, finding=str(rejection))
        raise typer.Exit(1) from None
    claims: dict[str, str | float] = {
        "cost": read.problem.cost.name,
        "achieved": nearest_float(read.achieved),
        "bound": nearest_float(read.bound),
        "ratio": nearest_float(read.ratio),
        "sensitivity": nearest_float(read.problem.sensitivity * read.problem.step),
        "epsilon": nearest_float(read.problem.epsilon),
        "delta": float(read.problem.delta),
        "scope": read.scope,
        "reference": read.reference,
    }
    _report(as_json, accepted=verdict.accepted, finding=verdict.finding, **claims)
    raise typer.Exit(0 if verdict else 1)


def _report(as_json: bool, *, accepted: bool, finding: str, **claims: str | float) -> None:
    if as_json:
        known = {name: value for name, value in claims.items() if value != math.inf}
        print(json.dumps({"accepted": accepted, "finding": finding, **known}))
        return
    print(f"{'ACCEPTED' if accepted else 'REJECTED'}: {finding}")
    for name, value in claims.items():
        print(f"  {name:12} {value}")
