"""`NamedBounds`: the bounds that a plan names, each of them a number or left out."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, SupportsIndex, TypeAlias

from leastnoise import _check
from leastnoise.release.ask.bounds import ONE_ROW, Bounds, checked_bound

AUTO: Literal["auto"] = "auto"
"""Has a bound chosen from the data, by a part of the budget."""
Bound: TypeAlias = SupportsIndex | Literal["auto"] | None
"""A number, 'auto' to have it chosen from the data, or None where it has no effect."""


@dataclass(frozen=True, init=False)
class NamedBounds:
    """How much of one unit counts, as far as it is said; nothing is assumed in its place.

    Args:
        max_groups: how many groups of one unit count; None if it is not said, 'auto' if it is to be
            chosen from the data.
        max_rows: how many rows of one unit count in each group, likewise.
    """

    max_groups: int | Literal["auto"] | None
    max_rows: int | Literal["auto"] | None

    def __init__(self, *, max_groups: Bound = None, max_rows: Bound = None) -> None:
        object.__setattr__(self, "max_groups", _checked(max_groups, "max_groups"))
        object.__setattr__(self, "max_rows", _checked(max_rows, "max_rows"))

    @property
    def to_choose(self) -> frozenset[str]:
        """The names of the bounds that are to be chosen from the data."""
        return frozenset(name for name in _MEANING if getattr(self, name) == AUTO)

    def over(self, others: Bounds = ONE_ROW) -> Bounds:
        """These bounds; of what is not said or not chosen yet, others."""
        groups, rows = self.max_groups, self.max_rows
        return Bounds(
            max_groups=groups if isinstance(groups, int) else others.max_groups,
            max_rows=rows if isinstance(rows, int) else others.max_rows,
        )

    def chosen(self, found: Bounds) -> "NamedBounds":
        """The same, with what was chosen in the place of 'auto'."""
        groups, rows = self.max_groups, self.max_rows
        return NamedBounds(
            max_groups=found.max_groups if groups == AUTO else groups,
            max_rows=found.max_rows if rows == AUTO else rows,
        )

    @property
    def said(self) -> dict[str, int | None]:
        """The numbers, by name; None for what is not said or not chosen yet."""
        found = {name: getattr(self, name) for name in _MEANING}
        return {name: None if bound == AUTO else bound for name, bound in found.items()}

    def refuse_missing(self, needed: Collection[str], question: str) -> None:
        """Checks that all bounds are said on which a question's answer depends."""
        missing = [each for each in sorted(needed) if getattr(self, each) is None]
        if missing:
            named = " and ".join(f"`{each}`" for each in missing)
            raise _check.refuse(
                f"{named} must be given where units may have several rows",
                f"none for {question!r}",
                f"Say {', and '.join(map(_MEANING.__getitem__, missing))}: more keeps more of the "
                "data, and needs more noise; 'auto' has it chosen for a part of the budget.",
            )


_MEANING = {
    "max_groups": "how many groups of one unit count",
    "max_rows": "how many rows of one unit count in each group",
}


def _checked(bound: Bound, name: str) -> int | Literal["auto"] | None:
    if bound is None:
        return None
    if not isinstance(bound, str):
        return checked_bound(bound, name)
    if bound == AUTO:
        return AUTO
    raise _check.refuse(
        f"`{name}` must be a number or 'auto'", _check.shown(bound), f"Write {name} = 8, say."
    )
