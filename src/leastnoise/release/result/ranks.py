"""`Ranks`: what is certain of the order of groups, beside numbers that are not; public."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Ranks:
    """How far the groups that are named as the largest surely are the largest.

    Everything here holds together, with the probability of the intervals.

    Attributes:
        best: for each answer the best rank that its group may have, 1 for the largest; empty if
            only the named groups were counted.
        worst: the worst rank it may have, groups of equal size put before it.
        sure: at least so many of the k groups are truly among the first k; None if not known.
        within: each group has at most so many units less than the k-th largest; None if it does not
            follow from how they were chosen.
        among: which groups are ranked.
    """

    best: tuple[int, ...] = ()
    worst: tuple[int, ...] = ()
    sure: int | None = None
    within: int | None = None
    among: str = "all groups"

    @property
    def words(self) -> tuple[str, ...]:
        """The same in plain sentences."""
        told = []
        if self.sure is not None:
            size = len(self.best)
            told.append(
                f"with 95 % probability at least {self.sure} of these {size} are truly among the "
                f"first {size} of {self.among}; {self._places()}"
            )
        if self.within is not None:
            told.append(
                f"with 95 % probability none of these has more than {self.within:,} units less "
                f"than the one that truly is the last of as many; which are in their true places "
                f"is not known"
            )
        return tuple(told)

    def _places(self) -> str:
        places = enumerate(zip(self.best, self.worst, strict=True), 1)
        known = [str(place) for place, (best, worst) in places if best == worst == place]
        if not known:
            return "no place is certain"
        return (
            f"{'this place is' if len(known) == 1 else 'these places are'} certain: "
            + ", ".join(known)
        )

    def facts(self) -> dict[str, Any]:
        """All of it as plain values, as JSON has them."""
        return asdict(self)

    @classmethod
    def from_facts(cls, said: dict[str, Any] | None) -> "Ranks | None":
        """The same again."""
        if said is None:
            return None
        lists = {name: _numbers(said[name]) for name in ("best", "worst")}
        return cls(**said | lists)


def _numbers(said: Sequence[Any]) -> tuple[int, ...]:
    return tuple(int(each) for each in said)
