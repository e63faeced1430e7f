"""`StepRelease`: what one step of a schedule shows, and what all steps before it showed."""

import json
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.guarantee_text import guarantee_text
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.result.released_table import ReleasedTable

STEP_RELEASE_FORMAT = "leastnoise release of a step, version 1"


@dataclass(frozen=True, eq=False, repr=False)
class StepRelease:
    """The answers of one step; all of it is public, and none of it will be revised.

    Attributes:
        step: the first day of the step.
        number: 1, 2, 3, …
        every: how long a step is.
        to_date: for each question the running totals, from the first step to this one.
        this_step: for each question the step alone: the difference of two running totals.
        guarantee: the promise for all steps of the schedule together.
        entry: the ledger's line, which paid for all of them.
        digest: the plan's fingerprint.
        seal: the hash of the ledger's last line: noted elsewhere, it shows if a step is drawn anew.
    """

    step: str
    number: int
    every: str
    to_date: tuple[ReleasedTable, ...]
    this_step: tuple[ReleasedTable, ...]
    guarantee: Guarantee
    entry: Entry
    digest: str
    seal: str

    def __getitem__(self, name: str) -> ReleasedTable:
        """The running totals of one question, by its name."""
        return _named(self.to_date, name)

    def alone(self, name: str) -> ReleasedTable:
        """The step alone, of one question, by its name."""
        return _named(self.this_step, name)

    def to_json(self) -> str:
        """Everything, as JSON."""
        said: dict[str, Any] = {
            "format": STEP_RELEASE_FORMAT,
            "step": self.step,
            "number": self.number,
            "every": self.every,
            "promise": f"{self.guarantee}, for all steps together",
            "guarantee": guarantee_text(self.guarantee),
            "ledger_line": self.entry.number,
            "plan": self.digest,
            "seal": self.seal,
            "to_date": [json.loads(table.to_json()) for table in self.to_date],
            "this_step": [json.loads(table.to_json()) for table in self.this_step],
        }
        return json.dumps(said, ensure_ascii=False, indent=1)

    def __repr__(self) -> str:
        return f"StepRelease({self.step}, {len(self.to_date)} questions)"

    def __str__(self) -> str:
        told = [f"{self.every} {self.step}, step {self.number}"]
        told += [
            str(table) for pair in zip(self.to_date, self.this_step, strict=True) for table in pair
        ]
        return "\n\n".join([*told, visible(f"{self.guarantee}, for all steps together")])


def _named(tables: tuple[ReleasedTable, ...], name: str) -> ReleasedTable:
    for table in tables:
        if table.name == name:
            return table
    names = ", ".join(repr(table.name) for table in tables)
    raise _check.refuse("`name` must be that of a question", repr(name), f"One of: {names}.")
