"""`NamedBounds`: the bounds that a plan names, each of them a number or left out."""

from collections.abc import Collection
from typing import Literal, SupportsIndex, TypeAlias

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.people import many
from leastnoise.release.ask.bounds import ONE_ROW, Bounds, checked_bound
from leastnoise.release.ask.clip import Clip, Norm

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
        clip: a bound on all groups of a unit together, in place of both.
    """

    max_groups: int | Literal["auto"] | None
    max_rows: int | Literal["auto"] | None
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

    @property
    def to_choose(self) -> frozenset[str]:
        """The names of the bounds that are to be chosen from the data."""
        return frozenset(name for name in _MEANING if getattr(self, name) == AUTO)

    @property
    def numbers(self) -> dict[str, int | None]:
        """The bounds by name; None for what is not said, or is yet to be chosen."""
        found = {name: getattr(self, name) for name in _MEANING}
        return {name: None if bound == AUTO else bound for name, bound in found.items()}

    def over(self, others: Bounds | Clip = ONE_ROW) -> Bounds | Clip:
        """These bounds; of what is not said or not chosen yet, others."""
        if self.clip is not None or isinstance(others, Clip):
            return self.clip or others
        groups, rows = self.max_groups, self.max_rows
        return Bounds(
            max_groups=groups if isinstance(groups, int) else others.max_groups,
            max_rows=rows if isinstance(rows, int) else others.max_rows,
        )

    def before(self, others: "NamedBounds") -> "NamedBounds":
        """These bounds; where one is not said, what others say of it."""
        return NamedBounds(
            max_groups=others.max_groups if self.max_groups is None else self.max_groups,
            max_rows=others.max_rows if self.max_rows is None else self.max_rows,
        )

    def words(self, *, each_group: bool, rows: bool = True) -> str:
        """The bounds that are said, in a plain sentence.

        Args:
            each_group: whether rows are bounded in each group rather than in all together.
            rows: whether rows are counted or summed, rather than units.
        """
        if self.clip is not None:
            how = "in all" if self.clip.norm is Norm.TOTAL else "as the length of their vector"
            what = "its rows weigh" if rows else "it weighs"
            return f"all groups of a unit count, and {what} at most {self.clip.rows} {how}"
        where = " in each group" if each_group else ""
        said = {
            "max_groups": _so_many(self.max_groups, "group"),
            "max_rows": f"{_so_many(self.max_rows, 'row')}{where}",
        }
        count = "counts" if [getattr(self, each) for each in self.said] == [1] else "count"
        return f"at most {' and '.join(said[each] for each in self.said)} of a unit {count}"

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


def _checked_clip(clip: Clip | None) -> Clip | None:
    if clip is None or isinstance(clip, Clip):
        return clip
    raise _check.refuse(
        "`clip` must be a Clip", f"a {type(clip).__name__}", "Write Clip(max_norm=5)."
    )


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


NO_BOUNDS = NamedBounds()
"""Of a question that names none: the plan's hold."""


def _so_many(bound: object, what: str) -> str:
    return many(bound, what) if isinstance(bound, int) else f"{bound} {what}s"
