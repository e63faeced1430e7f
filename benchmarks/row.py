"""`Row`: one measured figure beside its target."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    """A figure, how it came about, and what it should be; without a target it only informs."""

    case: str
    ours: str
    peer: str
    figure: float
    unit: str = "×"
    sense: Literal["at least", "at most"] = "at least"
    target: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        if self.sense == "at least":
            return self.figure >= self.target
        return self.figure <= self.target

    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        verdict = {None: "–", True: "met", False: "**MISSED**"}[self.met]
        wish = "–" if self.target is None else f"{self.sense} {self.target:g} {self.unit}"
        figure = f"{self.figure:.3g} {self.unit}" if math.isfinite(self.figure) else "–"
        return self.case, self.ours, self.peer, figure, wish, verdict


HEADINGS = ("case", "leastnoise", "compared with", "figure", "target", "")


def rate(per_second: float) -> str:
    """A number of samples a second, readable."""
    return f"{per_second / 1e6:.3g} M/s"


def markdown(rows: list[Row]) -> str:
    """All rows as a Markdown table."""
    return table_text(HEADINGS, [row.cells() for row in rows])


def table_text(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(map(line_text, lines))


def line_text(cells: Sequence[str]) -> str:
    """One line of a Markdown table."""
    return f"| {' | '.join(cells)} |"
