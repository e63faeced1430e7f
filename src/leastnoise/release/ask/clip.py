"""`Clip`: a bound on a unit's contributions to all groups together, in place of `Bounds`."""

from enum import Enum
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.table import Table

CLIP_WEIGHT = 2**20
UNIT_STEPS = 2**10  # units are in few groups: a root in whole numbers would be too coarse
_MOST = 2**20


class Norm(Enum):
    """How the size of a unit's row counts over all groups is measured."""

    TOTAL = "their sum"
    EUCLIDEAN = "the root of the sum of their squares"


@dataclass(frozen=True, init=False)
class Clip:
    r"""All groups of a unit count; if its rows are too many, all of them weigh less.

    Law: let a unit have n_k rows in group k, and let r = Σ n_k (`max_total`) or r = ⌈√(Σ n_k²)⌉
    (`max_norm`). With the bound C, each of its rows has the weight W if r ≤ C, or if Σ n_k² ≤ C²,
    else ⌊C·W/r⌋, with W = 2^20. Answers are in units of 1/W: see `clip_weight`.

    Of numbers of units, n_k is 1 in each of a unit's g groups: it weighs W in all of them if
    g ≤ C (`max_total`) or g ≤ C² (`max_norm`), else ⌊C·W/g⌋ or ⌊C·W·2^10/⌈2^10·√g⌉⌋.

    `max_total` suits noise with exponential tails, `max_norm` Gaussian noise: a unit with one row
    in each of 25 groups counts in full under max_norm = 5, where `Bounds` would drop groups.

    Args:
        max_total: how much the rows of one unit weigh at most in all groups together, in rows.
        max_norm: how large the vector of a unit's weighed row counts is at most. Give one of both,
            an integer in 1..2^20.

    Example:
        >>> Clip(max_norm=5).norm
        <Norm.EUCLIDEAN: 'the root of the sum of their squares'>
    """

    norm: Norm
    rows: int

    def __init__(
        self, *, max_total: SupportsIndex | None = None, max_norm: SupportsIndex | None = None
    ) -> None:
        if (max_total is None) == (max_norm is None):
            raise _check.refuse(
                "a clip must have one of `max_total` and `max_norm`",
                f"max_total={_check.shown(max_total)}, max_norm={_check.shown(max_norm)}",
                "Give max_total for noise with exponential tails, max_norm for Gaussian noise.",
            )
        norm, name = (Norm.TOTAL, "max_total") if max_norm is None else (Norm.EUCLIDEAN, "max_norm")
        rows = max_total if max_norm is None else max_norm
        object.__setattr__(self, "norm", norm)
        object.__setattr__(self, "rows", _check.integer_between(rows, name, 1, _MOST))  # type: ignore[arg-type]

    @property
    def reach(self) -> int:
        """What a unit's weighed row counts amount to at most, in units of 1/W rows."""
        return self.rows * CLIP_WEIGHT


def clip_weight(table: Table, bounds: Bounds | Clip) -> int:
    """W: an answer under these bounds is in units of 1/W."""
    return CLIP_WEIGHT if isinstance(bounds, Clip) and table.unit is not None else 1
