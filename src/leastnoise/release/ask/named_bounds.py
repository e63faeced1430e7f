"""`NamedBounds`: the bounds that a plan names, each of them a number or left out."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, SupportsIndex, TypeAlias

from leastnoise import _check
from leastnoise.release.ask.bounds import ONE_ROW, Bounds, checked_bound

Bound: TypeAlias = SupportsIndex | Literal["auto"] | None
"""A number, 'auto' to have it chosen from the data, or None where it has no effect."""


@dataclass(frozen=True, init=False)
class NamedBounds:
    """How much of one unit counts, as far as it is said; nothing is assumed in its place.

    Args:
        max_groups: how many groups of one unit count; None if it is not said.
        max_rows: how many rows of one unit count in each group; None if it is not said.
    """

    max_groups: int | None
    max_rows: int | None

    def __init__(self, *, max_groups: Bound = None, max_rows: Bound = None) -> None:
        object.__setattr__(self, "max_groups", _checked(max_groups, "max_groups"))
        object.__setattr__(self, "max_rows", _checked(max_rows, "max_rows"))

    def over(self, others: Bounds = ONE_ROW) -> Bounds:
        """These bounds; of what is not said, others."""
        groups, rows = self.max_groups, self.max_rows
        return Bounds(
            max_groups=others.max_groups if groups is None else groups,
            max_rows=others.max_rows if rows is None else rows,
        )

    def refuse_missing(self, needed: Collection[str], question: str) -> None:
        """Checks that all bounds are said on which a question's answer depends."""
        missing = [each for each in sorted(needed) if getattr(self, each) is None]
        if missing:
            named = " and ".join(f"`{each}`" for each in missing)
            raise _check.refuse(
                f"{named} must be given where units may have several rows",
                f"none for {question!r}",
                f"Say {', and '.join(map(_MEANING.__getitem__, missing))}: more keeps more of the "
                "data, and needs more noise.",
            )


_MEANING = {
    "max_groups": "how many groups of one unit count",
    "max_rows": "how many rows of one unit count in each group",
}


def _checked(bound: Bound, name: str) -> int | None:
    if bound is None:
        return None
    if isinstance(bound, str) and bound == "auto":
        raise _check.refuse(
            f"`{name}` must be a number for now", "'auto'", "Choose one: it cannot be found yet."
        )
    return checked_bound(bound, name)
