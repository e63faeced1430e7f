"""What is made as small as possible."""

from contextlib import suppress
from enum import Enum
from typing import Literal

from leastnoise import _check

ObjectiveName = Literal["max", "average", "squared"]
"""How users name the objectives."""


class Objective(Enum):
    """The expected error that decides between mechanisms, always of counts.

    Attributes:
        MAX: E max |noisy − true| over the columns, the worst case.
        AVERAGE: the mean over the columns of E |noisy − true|.
        SQUARED: the mean over the columns of E (noisy − true)².
    """

    MAX = "max"
    AVERAGE = "average"
    SQUARED = "squared"


def checked_objective(objective: ObjectiveName | Objective) -> Objective:
    """The objective a user means.

    Raises:
        InvalidParameter: there is no such objective.
    """
    with suppress(ValueError):
        return Objective(objective)
    raise _check.refuse(
        "`objective` must be 'max', 'average' or 'squared'",
        f"objective={_check.shown(objective)}",
        "'max' is the worst column, 'average' and 'squared' are means over the columns.",
    )
