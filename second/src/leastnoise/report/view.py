"""One model of what is shown: a title, a sentence below it, a table, notes.

Results, previews, ledgers and data make one; text, notebooks and JSON render it.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        value: its text.
        margin: the margin of the value, if it has one.
        bar: low end, value and high end, as places from 0 to 1 on the scale of the column.
    """

    value: str
    margin: str | None = None
    bar: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class View:
    """What is shown.

    Attributes:
        header: the lines above the table.
        columns: the heads of the columns; no table if there are none.
        rows: the cells.
        notes: sentences below, each with lines of its own.
        left: how many columns are aligned to the left.
    """

    header: tuple[str, ...]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = field(default=())
    left: int = 1
