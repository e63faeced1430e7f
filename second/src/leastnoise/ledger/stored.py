"""An answer as it was first shown, kept in the ledger beside its noisy totals."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leastnoise.ledger.records import canonical
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View

ANSWER = "answer"
"""The stage of a charge that holds what was shown."""


@dataclass(frozen=True)
class StoredAnswer:
    """What was shown, and the same numbers for programs.

    Attributes:
        view: what was shown.
        data: the JSON of the result.
    """

    view: View
    data: Mapping[str, Any]

    def text(self) -> str:
        """As the text that is stored."""
        view = self.view
        rows = [[[cell.value, cell.margin] for cell in row] for row in view.rows]
        shown = {
            "header": view.header,
            "columns": view.columns,
            "rows": rows,
            "notes": view.notes,
            "left": view.left,
        }
        return canonical({"view": shown, "data": self.data})

    @classmethod
    def read(cls, text: str) -> "StoredAnswer":
        """From the text that is stored."""
        body = json.loads(text)
        view = body["view"]
        rows = tuple(tuple(Cell(value, margin) for value, margin in row) for row in view["rows"])
        header, columns, notes = (tuple(view[name]) for name in ("header", "columns", "notes"))
        return cls(View(header, columns, rows, notes, view["left"]), body["data"])

    def __repr__(self) -> str:
        return text_of(self.view)
