"""What a ledger stores of a schedule: what its steps are drawn by, and what each of them showed."""

import base64
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.certificates.strict_json import integer
from leastnoise.errors import LeastNoiseError, LedgerError
from leastnoise.ledger.guarantee_text import guarantee_from_text, guarantee_text, number_from_text
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.over_time.stream_design import Design, StreamDesign, TreeDesign

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


def design_text(plan: str, budget: Guarantee, design: Design) -> str:
    """What all steps are drawn by, and the budget, for the plan with this fingerprint."""
    said = {
        "format": DESIGN_FORMAT,
        "plan": plan,
        "budget": guarantee_text(budget),
        **(_gaussian(design) if isinstance(design, StreamDesign) else _tree(design)),
    }
    return json.dumps(said, ensure_ascii=False)


def _gaussian(design: StreamDesign) -> dict[str, Any]:
    return {
        "parameters": [str(each) for each in design.parameters],
        "coarser": list(design.coarser),
        "certificate": design.certificate.to_values(),
    }


def _tree(design: TreeDesign) -> dict[str, Any]:
    return {
        "branching": list(design.branching),
        "scales": [[str(each) for each in scales] for scales in design.scales],
        "most": design.allowed.most,
        "apart": design.allowed.apart,
        "steps": design.steps,
    }


def design_from_text(text: str, plan: str) -> tuple[Guarantee, Design]:
    """The budget and the design again.

    Raises:
        LedgerError: not written by `design_text` for this plan.
    """
    try:
        said = json.loads(text)
        if (said["format"], said["plan"]) != (DESIGN_FORMAT, plan):
            raise ValueError("of another plan")
        read = _tree_from if "branching" in said else _gaussian_from
        return guarantee_from_text(said["budget"]), read(said)
    except _WRONG:
        raise _not_ours("the design of this schedule") from None


def _gaussian_from(said: dict[str, Any]) -> Design:
    parameters = tuple(Fraction(number_from_text(each)) for each in said["parameters"])
    coarser = tuple(integer(each, 0, 24) for each in said["coarser"])
    return StreamDesign(StreamCertificate.from_values(said["certificate"]), parameters, coarser)


def _tree_from(said: dict[str, Any]) -> Design:
    return TreeDesign(
        tuple(integer(each, 2, 1 << 20) for each in said["branching"]),
        tuple(
            tuple(Fraction(number_from_text(each)) for each in scales) for scales in said["scales"]
        ),
        Participation(most=integer(said["most"], 1, 4096), apart=integer(said["apart"], 1, 4096)),
        integer(said["steps"], 1, 4096),
    )


def step_text(record: StepRecord) -> str:
    """What a step showed, as the ledger keeps it."""
    said = {
        "format": STEP_FORMAT,
        "step": record.label,
        "measured": [_numbers_text(each) for each in record.measured],
        "told": [_numbers_text(each) for each in record.told],
    }
    return json.dumps(said)


def step_from_text(text: str, label: str, sizes: Sequence[tuple[int, int]]) -> StepRecord:
    """What a step showed again.

    Args:
        text: as the ledger has it.
        label: of which step it must be.
        sizes: how many numbers each question measures in it, and how many totals it has.

    Raises:
        LedgerError: not written by `step_text` for this step.
    """
    try:
        said = json.loads(text)
        if (said["format"], said["step"]) != (STEP_FORMAT, label):
            raise ValueError("of another step")
        pairs = zip(said["measured"], sizes, strict=True)
        measured = tuple(_numbers(each, size[0]).astype(np.object_) for each, size in pairs)
        told = tuple(
            _numbers(each, size[1]) for each, size in zip(said["told"], sizes, strict=True)
        )
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
