"""`leastnoise check`: an independent check of a published certificate."""

import json
import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from leastnoise.certificates.answers_certificate import AnswersCertificate
from leastnoise.certificates.answers_text import ANSWERS_FORMAT
from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.check import Check
from leastnoise.certificates.over_time.stream_claim import (
    STREAM_FORMAT,
    STREAM_REFERENCE,
    STREAM_SCOPE,
    StreamClaim,
)
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.certificates.plan_claim import REFERENCE
from leastnoise.certificates.plan_text import PLAN_FORMAT
from leastnoise.certificates.strict_json import read_object
from leastnoise.cli.declared import Argument, Ended, Option
from leastnoise.cli.files import read_text
from leastnoise.cli.screen import show_text
from leastnoise.errors import CertificateRejected, InvalidParameter
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.people import said_number
from leastnoise.release.result.checked_proofs import checked_proofs
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_text import RELEASE_FORMAT

Facts = dict[str, str | float]
_NINE = Context(9, ROUND_CEILING), Context(9, ROUND_FLOOR)


def check(
    certificate: Annotated[
        Path, Argument(help="A certificate, or a release, as `to_json` wrote it.")
    ],
    as_json: Annotated[bool, Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Check a published certificate, or those of a release, in exact arithmetic.

    What is shown was verified; a certificate's own words never are. Exit status 0 if every claim
    holds, 1 if the certificate is rejected, 2 if it cannot be read.
    """
    try:
        verdict, facts = _judged(read_text(certificate))
    except CertificateRejected as rejection:
        verdict, facts = Check(False, str(rejection)), {}
    _report(as_json, verdict, facts if verdict else {})
    raise Ended(0 if verdict else 1)


def _judged(text: str) -> tuple[Check, Facts]:
    """The verdict on whatever the text is, and what was verified."""
    said = read_object(text)
    kind = said.get("format") if isinstance(said, dict) else None
    if kind == PLAN_FORMAT:
        plan = PlanCertificate.from_values(said)
        verdict = plan.check()
        return verdict, _of_plan(plan, verdict) if verdict else {}
    if kind == RELEASE_FORMAT:
        return _judged_release(text)
    if kind == ANSWERS_FORMAT:
        answers = AnswersCertificate.from_values(said)
        verdict = answers.check()
        return verdict, _of_answers(answers, verdict) if verdict else {}
    if kind == STREAM_FORMAT:
        # Loaded here: solvers that other certificates need not wait for.
        from leastnoise.certificates.over_time.stream_certificate import (  # noqa: PLC0415
            StreamCertificate,
        )

        stream = StreamCertificate.from_values(said)
        verdict = stream.check()
        return verdict, _of_stream(stream, verdict) if verdict else {}
    read = Certificate.from_json(text)
    verdict = read.check()
    return verdict, _verified(read, verdict) if verdict else {}


def _judged_release(text: str) -> tuple[Check, Facts]:
    try:
        release = PlanRelease.from_json(text)
    except InvalidParameter as refusal:
        return Check(False, str(refusal)), {}
    verdict, proof = checked_proofs(release), release.certificate
    if proof is None:
        return verdict, {"claim": verdict.claim}
    return verdict, _of_plan(proof, verdict) if verdict else {}


def _of_plan(read: PlanCertificate, verdict: Check) -> Facts:
    return {
        "claim": verdict.claim,
        "cost": "weighted sum of variances",
        "achieved": _upward(read.achieved),
        "bound": -_upward(-read.bounds[0].bound),
        "ratio": _upward(read.ratio),
        "scope": read.scope,
        "reference": REFERENCE,
    }


def _of_stream(read: StreamClaim, verdict: Check) -> Facts:
    return {
        "claim": verdict.claim,
        "cost": "largest error of a total" if read.worst else "root of the mean square of errors",
        "achieved": _upward(read.achieved),
        "bound": -_upward(-read.bound),
        "ratio": _upward(read.ratio),
        "scope": STREAM_SCOPE,
        "reference": STREAM_REFERENCE,
    }


def _of_answers(read: AnswersCertificate, verdict: Check) -> Facts:
    problem = read.problem
    return {
        "claim": verdict.claim,
        "cost": problem.cost.name,
        "bound": -_upward(-read.bound),
        "answers": problem.count,
        "epsilon": _upward(problem.epsilon),
        "delta": _upward(problem.delta),
        "scope": read.scope,
        "reference": read.reference,
    }


def _verified(read: Certificate, verdict: Check) -> Facts:
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


def _report(as_json: bool, verdict: Check, facts: Facts) -> None:
    if as_json:
        known = {name: value for name, value in facts.items() if value != math.inf}
        print(json.dumps({"accepted": verdict.accepted, "finding": verdict.finding, **known}))
        return
    show_text(str(verdict), hanging="  ")
    for name, value in facts.items():
        told = value if isinstance(value, str) else _told(name, value)
        show_text(told, indent=f"  {name:12} ")


def _told(name: str, value: float) -> str:
    """A verified number with nine digits, to the side on which it stays true."""
    if not math.isfinite(value):
        return said_number(value)
    return said_number(Fraction(_NINE[name == "bound"].create_decimal(value)), 9)
