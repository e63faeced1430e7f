"""`GroupCurve`: privacy and error as functions of the group's size, as data."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise import _show
from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.budget_curve import float_above
from leastnoise.privacy.curves.curve import price_text
from leastnoise.privacy.guarantee import exact_text

_LARGEST = 10**6  # the usual table goes at least so far


@dataclass(frozen=True, repr=False)
class GroupCurve:
    """Points of the curves x ↦ v(x), E|x̂ − x| and, at one δ, ε(x).

    Printed it is a table, everything rounded up; `columns` gives floats for a plot.

    Args:
        sizes: the sizes x.
        budgets: v(x).
        errors: E|x̂ − x|.
        delta: the δ of the epsilons; None if there are none.
        epsilons: the least ε at δ.
    """

    sizes: tuple[int, ...]
    budgets: tuple[Fraction, ...]
    errors: tuple[Interval, ...]
    delta: Fraction | None
    epsilons: tuple[Interval, ...]

    plot = _show.plot
    _repr_html_ = _show.html

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Arrays of floats by name, prices and errors rounded up."""
        found = {
            "size": np.array(self.sizes, dtype=np.float64),
            "v": np.array([float_above(v) for v in self.budgets]),
            "error": np.array([float_above(error.upper) for error in self.errors]),
        }
        if self.delta is not None:
            found["epsilon"] = np.array([float_above(epsilon.upper) for epsilon in self.epsilons])
        return found

    def __repr__(self) -> str:
        ends = f" from {self.sizes[0]} to {self.sizes[-1]}" if self.sizes else ""
        return f"GroupCurve({len(self.sizes)} sizes{ends})"

    def __str__(self) -> str:
        head = ["x", "v(x)", "E|x̂ − x|"]
        rows = [
            [str(x), price_text(Interval.exactly(v)), price_text(error)]
            for x, v, error in zip(self.sizes, self.budgets, self.errors, strict=True)
        ]
        if self.delta is not None:
            head.append(f"ε at δ = {exact_text(self.delta)}")
            rows = [[*row, price_text(e)] for row, e in zip(rows, self.epsilons, strict=True)]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in [head, *rows]]
        return "\n".join(lines)


def usual_sizes(smallest: int) -> tuple[int, ...]:
    """The smallest size and 1, 2, 5, 10, 20, … above it, as far as a million at least.

    Example:
        >>> usual_sizes(40)[:4]
        (40, 50, 100, 200)
    """
    top = max(_LARGEST, 1000 * smallest)
    ladder = [m * 10**k for k in range(len(str(top))) for m in (1, 2, 5)]
    return (smallest, *(size for size in ladder if smallest < size <= top))
