"""`NamedBounds`: the bounds that a plan names, each of them a number or left out."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, SupportsIndex, TypeAlias

from leastnoise import _check
from leastnoise.release.ask.bounds import ONE_ROW, Bounds, checked_bound
from leastnoise.release.ask.clip import Clip, Norm

Bound: TypeAlias = SupportsIndex | Literal["auto"] | None
"""A number, 'auto' to have it chosen from the data, or None where it has no effect."""


@dataclass(frozen=True, init=False)
class NamedBounds:
    """How much of one unit counts, as far as it is said; nothing is assumed in its place.

    Args:
        max_groups: how many groups of one unit count; None if it is not said.
        max_rows: how many rows of one unit count in each group; None if it is not said.
        clip: a bound on all groups of a unit together, in place of both.
    """

    max_groups: int | None
    max_rows: int | None
    clip: Clip | None

    def __init__(
        self, *, max_groups: Bound = None, max_rows: Bound = None, clip: Clip | None = None
    ) -> None:
        object.__setattr__(self, "max_groups", _checked(max_groups, "max_groups"))
        object.__setattr__(self, "max_rows", _checked(max_rows, "max_rows"))
        object.__setattr__(self, "clip", _checked_clip(clip))
        if clip is not None and self.said:
            raise _check.refuse(
                "a clip takes the place of `max_groups` and `max_rows`",
                " and ".join(f"{name}={getattr(self, name)}" for name in self.said),
                "Give the clip alone, or leave it out.",
            )

    @property
    def said(self) -> tuple[str, ...]:
        """The names of the bounds that are said."""
        return tuple(each for each in _MEANING if getattr(self, each) is not None)

    def over(self, others: Bounds | Clip = ONE_ROW) -> Bounds | Clip:
        """These bounds; of what is not said, others."""
        if self.clip is not None or isinstance(others, Clip):
            return self.clip or others
        groups, rows = self.max_groups, self.max_rows
        return Bounds(
            max_groups=others.max_groups if groups is None else groups,
            max_rows=others.max_rows if rows is None else rows,
        )

    def before(self, others: "NamedBounds") -> "NamedBounds":
        """These bounds; where one is not said, what others say of it."""
        return NamedBounds(
            max_groups=others.max_groups if self.max_groups is None else self.max_groups,
            max_rows=others.max_rows if self.max_rows is None else self.max_rows,
        )

    def words(self, *, each_group: bool) -> str:
        """The bounds that are said, in a plain sentence.

        Args:
            each_group: whether rows are bounded in each group rather than in all together.
        """
        if self.clip is not None:
            how = "in all" if self.clip.norm is Norm.TOTAL else "as the length of their vector"
            return f"all groups of a unit count, and its rows weigh at most {self.clip.rows} {how}"
        where = " in each group" if each_group else ""
        groups, rows = f"{self.max_groups} groups", f"{self.max_rows} rows{where}"
        said = {"max_groups": groups, "max_rows": rows}
        return f"at most {' and '.join(said[each] for each in self.said)} of a unit count"

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


def _checked_clip(clip: Clip | None) -> Clip | None:
    if clip is None or isinstance(clip, Clip):
        return clip
    raise _check.refuse(
        "`clip` must be a Clip", f"a {type(clip).__name__}", "Write Clip(max_norm=5)."
    )


def _checked(bound: Bound, name: str) -> int | None:
    if bound is None:
        return None
    if isinstance(bound, str) and bound == "auto":
        raise _check.refuse(
            f"`{name}` must be a number for now", "'auto'", "Choose one: it cannot be found yet."
        )
    return checked_bound(bound, name)


NO_BOUNDS = NamedBounds()
"""Of a question that names none: the plan's hold."""
