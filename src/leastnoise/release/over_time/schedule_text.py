"""What a ledger stores of a schedule: what its steps are drawn by, and what each of them showed."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.certificates.strict_json import integer
from leastnoise.errors import LeastNoiseError, LedgerError
from leastnoise.ledger.guarantee_text import guarantee_from_text, guarantee_text, number_from_text
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.over_time.stream_design import StreamDesign

DESIGN_FORMAT = "leastnoise schedule, version 1"
STEP_FORMAT = "leastnoise step, version 1"
_WRONG = (KeyError, ValueError, TypeError, AttributeError, RecursionError, LeastNoiseError)
_SMALL = 1 << 62


@dataclass(frozen=True)
class StepRecord:
    """What one step showed. All of it is public.

    Attributes:
        label: the first day of the step.
        measured: y_t of each question, an integer for each group.
        told: the running totals that were published, likewise.
    """

    label: str
    measured: tuple[NDArray[np.object_], ...]
    told: tuple[NDArray[np.int64], ...]


def design_text(plan: str, budget: Guarantee, design: StreamDesign) -> str:
    """What all steps are drawn by, and the budget, for the plan with this fingerprint."""
    said = {
        "format": DESIGN_FORMAT,
        "plan": plan,
        "budget": guarantee_text(budget),
        "parameters": [str(each) for each in design.parameters],
        "coarser": list(design.coarser),
        "certificate": design.certificate.to_values(),
    }
    return json.dumps(said, ensure_ascii=False)


def design_from_text(text: str, plan: str) -> tuple[Guarantee, StreamDesign]:
    """The budget and the design again.

    Raises:
        LedgerError: not written by `design_text` for this plan.
    """
    try:
        said = json.loads(text)
        if (said["format"], said["plan"]) != (DESIGN_FORMAT, plan):
            raise ValueError("of another plan")
        parameters = tuple(Fraction(number_from_text(each)) for each in said["parameters"])
        proof = StreamCertificate.from_values(said["certificate"])
        coarser = tuple(integer(each, 0, 24) for each in said["coarser"])
        return guarantee_from_text(said["budget"]), StreamDesign(proof, parameters, coarser)
    except _WRONG:
        raise _not_ours("the design of this schedule") from None


def step_text(record: StepRecord) -> str:
    """What a step showed, as the ledger keeps it."""
    said = {
        "format": STEP_FORMAT,
        "step": record.label,
        "measured": [_numbers_text(each) for each in record.measured],
        "told": [_numbers_text(each) for each in record.told],
    }
    return json.dumps(said)


def step_from_text(text: str, label: str, groups: Sequence[int]) -> StepRecord:
    """What a step showed again.

    Args:
        text: as the ledger has it.
        label: of which step it must be.
        groups: how many numbers each question has.

    Raises:
        LedgerError: not written by `step_text` for this step.
    """
    try:
        said = json.loads(text)
        if (said["format"], said["step"]) != (STEP_FORMAT, label):
            raise ValueError("of another step")
        pairs = zip(said["measured"], groups, strict=True)
        measured = tuple(_numbers(*pair).astype(np.object_) for pair in pairs)
        told = tuple(_numbers(*pair) for pair in zip(said["told"], groups, strict=True))
        return StepRecord(label, measured, tuple(each.astype(np.int64) for each in told))
    except _WRONG:
        raise _not_ours(f"the step {label}") from None


def _numbers_text(numbers: NDArray[Any]) -> str | list[str]:
    """Numbers of 64 bits side by side; larger ones as they are written."""
    small = numbers.dtype != np.object_ or all(-_SMALL < int(each) < _SMALL for each in numbers)
    if small:
        return base64.b64encode(numbers.astype("<i8").tobytes()).decode()
    return [str(each) for each in numbers]


def _numbers(said: Any, count: int) -> NDArray[Any]:
    if isinstance(said, str):
        found: NDArray[Any] = np.frombuffer(base64.b64decode(said, validate=True), "<i8")
    else:
        found = np.array([int(each) for each in said], np.object_)
    if len(found) == count:
        return found
    raise ValueError("another number of groups")


def _not_ours(what: str) -> LedgerError:
    return LedgerError(
        f"the ledger must hold {what} as this library wrote it; it holds something else. Restore a "
        "backup of the ledger, or the plan as it was begun."
    )
