"""`PlanRelease`: everything that left the building, and what it cost."""

import json
from dataclasses import dataclass

from leastnoise import _check
from leastnoise.engine.released_table import ReleasedTable
from leastnoise.ledger.entry import Entry
from leastnoise.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class PlanRelease:
    """The answers to a plan; all of it is public.

    Attributes:
        tables: one per question.
        guarantee: the promise for all of them together.
        entry: the ledger's line.
        digest: the plan's fingerprint.
    """

    tables: tuple[ReleasedTable, ...]
    guarantee: Guarantee
    entry: Entry
    digest: str

    def __getitem__(self, name: str) -> ReleasedTable:
        """The answers to one question, by its name."""
        for table in self.tables:
            if table.name == name:
                return table
        names = ", ".join(repr(table.name) for table in self.tables)
        raise _check.refuse("`name` must be that of a question", repr(name), f"One of: {names}.")

    def to_json(self) -> str:
        """Everything as JSON text."""
        facts = {
            "guarantee": repr(self.guarantee),
            "ledger_line": self.entry.number,
            "time": self.entry.time,
            "plan": self.digest,
            "tables": [json.loads(table.to_json()) for table in self.tables],
        }
        return json.dumps(facts, ensure_ascii=False, indent=1)

    def __str__(self) -> str:
        promise = f"{self.guarantee}; line {self.entry.number} of the ledger"
        return "\n\n".join([*map(str, self.tables), promise])
