"""`MeasuredCut`: that a release measures what its bounds leave out, and what is known of units."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass

OF_EPSILON, OF_RHO = Fraction(29, 1000), Fraction(5, 100)
"""The usual parts of a budget: other errors grow by less than 3 %."""
_MOST_SHARE = Fraction(1, 2)
_MOST_ROWS = 2**40


@dataclass(frozen=True)
class MeasuredCut:
    """What is wished of the measurement; it is public, and decides nothing about privacy.

    Attributes:
        most_rows: no unit has more rows, as far as whoever declares it knows; None: not known.
        share: the part of the budget that it gets; None for the usual one, 0 if nothing is to be
            measured and the cap alone is known.
    """

    most_rows: int | None = None
    share: Fraction | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether anything is to be measured."""
        return self.share is None or self.share > 0

    @property
    def of_epsilon(self) -> Fraction:
        """The part of ε."""
        return OF_EPSILON if self.share is None else self.share

    @property
    def of_rho(self) -> Fraction:
        """The part of ρ."""
        return OF_RHO if self.share is None else self.share


def measured_cut(
    most_rows: SupportsIndex | None = None, measure_cut: bool | Exact = True
) -> MeasuredCut | None:
    """What a user's words say; None if nothing is to be measured and no cap is known.

    Raises:
        InvalidParameter: a cap that is no positive integer, or a part of the budget above 1/2.
    """
    known = most_rows is not None
    cap = _check.integer_between(most_rows, "most_rows", 1, _MOST_ROWS) if known else None  # type: ignore[arg-type]
    if isinstance(measure_cut, bool):
        nothing = None if cap is None else MeasuredCut(cap, Fraction(0))
        return MeasuredCut(cap) if measure_cut else nothing
    share = _check.positive(measure_cut, "measure_cut")
    if share <= _MOST_SHARE:
        return MeasuredCut(cap, share)
    raise _check.refuse(
        "`measure_cut` must be true, false or a part of the budget up to 1/2",
        _check.shown(measure_cut),
        "Write 0.03 for three percent.",
    )
