"""A table of options between two bounds, as text and as HTML."""

from abc import ABC, abstractmethod
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from html import escape

from leastnoise._dataclass import dataclass

_DIGITS = Context(prec=6, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)

IMPOSSIBLE = "impossible below"
"""How a bound for every mechanism is called in tables."""


def bound_text(bound: Fraction) -> str:
    """A lower bound for a table: rounded down to 6 significant digits.

    Example:
        >>> bound_text(Fraction(2, 3))
        '0.666666'
    """
    return f"{_DIGITS.divide(Decimal(bound.numerator), Decimal(bound.denominator)):g}"


@dataclass(frozen=True)
class BoundsTable:
    """What a result shows of itself.

    Attributes:
        title: what was asked.
        heading: the name of the quantity.
        impossible: name and value of each bound, and its reason.
        rows: name and value of each option, the best first, and a remark.
    """

    title: str
    heading: str
    impossible: tuple[tuple[str, str, str], ...]
    rows: tuple[tuple[str, str, str], ...]

    def text(self) -> str:
        """Lines of aligned columns."""
        lines = [*self.impossible, ("achievable with", "", ""), *self.rows]
        wide = max(len(line[0]) for line in lines) + 2
        right = max(len(self.heading), *(len(line[1]) for line in lines))
        shown = [f"{name:<{wide}}{value:>{right}}  {remark}" for name, value, remark in lines]
        head = f"{'':<{wide}}{self.heading:>{right}}"
        return "\n".join(line.rstrip() for line in (self.title, head, *shown))

    def html(self) -> str:
        """The same as a table for a notebook."""
        rows = [*self.impossible, *self.rows]
        cells = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        head = f"<tr><th></th><th>{escape(self.heading)}</th><th></th></tr>"
        return f"<table><caption>{escape(self.title)}</caption>{head}{cells}</table>"


class Tabled(ABC):
    """A result that is shown as such a table."""

    @abstractmethod
    def _table(self) -> BoundsTable:
        """What is shown."""

    def __repr__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()
