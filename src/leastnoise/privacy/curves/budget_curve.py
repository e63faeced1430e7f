"""`BudgetCurve`: a privacy parameter as a public function of a group's size."""

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.numeric.interval import Endpoint
from leastnoise.privacy.guarantee import typed_text


class BudgetCurve(ABC):
    """x ↦ v(x) ≥ 0 for whole numbers x: exact, public, and never growing with x.

    A mechanism's curve is a frozen dataclass that derives from this class and says what v(x) is;
    equality, hash and repr come from its fields, which are public parameters. Curves add up and
    may be multiplied by whole numbers.
    """

    @abstractmethod
    def __call__(self, size: int) -> Fraction:
        """v(size), exactly; it must not exceed v(size − 1)."""

    def upper_bounds(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The curve at many sizes, as floats rounded up.

        Every different size is asked for once. A curve with a faster way overrides this.
        """
        different, places = np.unique(sizes, return_inverse=True)
        values = np.array([float_above(self(size)) for size in different.tolist()])
        return values[places].reshape(np.shape(sizes)) if values.size else np.zeros(np.shape(sizes))

    def __add__(self, other: "BudgetCurve | Exact") -> "BudgetCurve":
        return sum_of_curves([self, as_curve(other, "a curve to add")])

    def __rmul__(self, count: SupportsIndex) -> "BudgetCurve":
        return sum_of_curves([self], _check.integer_between(count, "count", 0))


def float_above(value: Endpoint) -> float:
    """The least float that is not below an exact number.

    Example:
        >>> float_above(Fraction(1, 10)) >= Fraction(1, 10), float_above(Fraction(1, 2))
        (True, 0.5)
    """
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


@frozen(repr=False)
class ConstantBudget(BudgetCurve):
    """The same value for groups of every size: what ordinary promises give.

    Example:
        >>> ConstantBudget("0.5"), ConstantBudget("0.5")(1000)
        (ConstantBudget('0.5'), Fraction(1, 2))
    """

    value: Number = checked(_check.non_negative)

    def __call__(self, size: int) -> Fraction:  # noqa: ARG002
        """The value."""
        return self.value

    def __repr__(self) -> str:
        return f"ConstantBudget({typed_text(self.value)})"


def _steps(steps: Mapping[int, Exact], name: str) -> tuple[tuple[int, Fraction], ...]:
    rule = f"`{name}` must map at least one size to a value"
    _check.kind(steps or None, Mapping, rule, "Write for example {1: 2, 10: '0.5'}.")
    table = sorted(
        (_check.integer_between(size, "size", 0), _check.non_negative(value, "value"))
        for size, value in steps.items()
    )
    if all(left[1] >= right[1] for left, right in pairwise(table)):
        return tuple(table)
    raise _check.refuse(
        f"the values of `{name}` must not grow with the size",
        ", ".join(f"{size}: {typed_text(value)}" for size, value in table)[:60],
        "A larger group may be promised no less than a smaller one.",
    )


@frozen(repr=False)
class StepBudget(BudgetCurve):
    """A table: each value serves from its own size up to the next one.

    A curve that never grows lies below the steps through any of its points, so such a table is a
    sound and short way to publish it.

    Args:
        steps: size ↦ value, the values not growing with the size. Below the first size there is
            no promise, and asking for one is refused.

    Example:
        >>> curve = StepBudget({1: 2, 10: "0.5", 100: "0.01"})
        >>> curve(9), curve(10), curve(10**9)
        (Fraction(2, 1), Fraction(1, 2), Fraction(1, 100))
    """

    steps: Checked[Mapping[int, Exact], tuple[tuple[int, Fraction], ...]] = checked(_steps)

    def __call__(self, size: int) -> Fraction:
        """The value of the last step at or below the size."""
        step = bisect_right(self.steps, size, key=lambda pair: pair[0]) - 1
        if step >= 0:
            return self.steps[step][1]
        raise _check.refuse(
            f"a size must be at least {self.steps[0][0]}, where the steps begin",
            "a smaller one (not shown: it may be data)",
            "State the smallest size in the guarantee, or begin the table at 0.",
        )

    def __repr__(self) -> str:
        inside = ", ".join(f"{size}: {typed_text(value)}" for size, value in self.steps)
        return f"StepBudget({{{inside}}})"


@dataclass(frozen=True, repr=False)
class SumOfBudgets(BudgetCurve):
    """Several curves added up, each counted as often as it occurs; made by `sum_of_curves`."""

    terms: tuple[tuple[BudgetCurve, int], ...]

    def __call__(self, size: int) -> Fraction:
        """Σ count·curve(size)."""
        return sum((count * curve(size) for curve, count in self.terms), Fraction(0))

    def upper_bounds(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The sum of the parts' bounds, every operation rounded up."""
        total = np.zeros(np.shape(sizes))
        for curve, count in self.terms:
            part = np.nextafter(float_above(Fraction(count)) * curve.upper_bounds(sizes), np.inf)
            total = np.nextafter(total + part, np.inf)
        return total

    def __repr__(self) -> str:
        return " + ".join(
            f"{curve!r}" if count == 1 else f"{count} * {curve!r}" for curve, count in self.terms
        )


def sum_of_curves(curves: Iterable[BudgetCurve], times: int = 1) -> BudgetCurve:
    """The sum of curves, repeated; equal sums are equal values, in whatever order they were added.

    Example:
        >>> curve = StepBudget({0: 1, 10: "0.5"})
        >>> curve + curve == 2 * curve
        True
        >>> curve + ConstantBudget(1) + ConstantBudget(2)
        ConstantBudget(3) + StepBudget({0: 1, 10: '0.5'})
    """
    counts: Counter[BudgetCurve] = Counter()
    constant = Fraction(0)
    for curve in curves:
        for part, count in curve.terms if isinstance(curve, SumOfBudgets) else ((curve, 1),):
            if isinstance(part, ConstantBudget):
                constant += times * count * part.value
            else:
                counts[part] += times * count
    terms = [(part, count) for part, count in counts.items() if count]
    if constant or not terms:
        terms.append((ConstantBudget(constant), 1))
    if len(terms) == 1 and terms[0][1] == 1:
        return terms[0][0]
    return SumOfBudgets(tuple(sorted(terms, key=repr)))


def as_curve(value: BudgetCurve | Exact, name: str) -> BudgetCurve:
    """The curve itself, or the constant curve of a number."""
    if isinstance(value, BudgetCurve):
        return value
    if callable(value):
        raise _check.refuse(
            f"`{name}` must be a BudgetCurve or a number",
            _check.shown(value),
            "Derive a frozen dataclass from BudgetCurve, so that the curve can be compared and "
            "printed.",
        )
    return ConstantBudget(_check.non_negative(value, name))
