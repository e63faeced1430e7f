"""`ReleasedTable`: noisy answers with their errors; public."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from leastnoise.engine.keys import Key


@dataclass(frozen=True)
class ReleasedTable:
    """One question's answers.

    Attributes:
        name: the question.
        columns: the names of the key columns.
        rows: the key of each answer.
        values: the answers.
        lower: the lower end of each 95 % interval for the noise.
        upper: the upper end.
        mechanism: the noise that was added.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Key, ...], ...]
    values: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    mechanism: str

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per answer."""
        answers = zip(self.rows, self.values, self.lower, self.upper, strict=True)
        return [
            dict(zip(self.columns, row, strict=True)) | {"value": v, "lower": low, "upper": high}
            for row, v, low, high in answers
        ]

    def to_json(self) -> str:
        """As JSON text."""
        facts = {"question": self.name, "mechanism": self.mechanism, "answers": self.records()}
        return json.dumps(facts, ensure_ascii=False)

    def to_csv(self) -> str:
        """As CSV text."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [*self.columns, "value", "lower", "upper"])
        writer.writeheader()
        writer.writerows(self.records())
        return text.getvalue()

    def to_pandas(self) -> Any:
        """As a pandas data frame; needs pandas."""
        import pandas  # noqa: PLC0415 - only where it is asked for

        return pandas.DataFrame(self.records())

    def __repr__(self) -> str:
        return f"ReleasedTable({self.name!r}, {len(self.values)} answers)"

    def __str__(self) -> str:
        head = [*self.columns, "value", "95 % interval"]
        body = [
            [*map(str, row), f"{v:.6g}", f"{low:.6g} … {high:.6g}"]
            for row, v, low, high in zip(
                self.rows, self.values, self.lower, self.upper, strict=True
            )
        ]
        return f"{self.name}\n{_aligned([head, *body])}"


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths) for line in lines)


def _line(cells: Iterable[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
