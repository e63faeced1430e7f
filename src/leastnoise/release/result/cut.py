"""`Cut`: what the bounds left out of an answer, as far as it was measured; public."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.people import said_count, said_error, said_interval, said_share_range
from leastnoise.release.ask.tuple_field import held, reads_as_tuple

Range = tuple[float, float]
Floats = NDArray[np.float64]


@reads_as_tuple("noise")
@dataclass(frozen=True)
class Cut:
    """What was left out; each range is a 95 % interval of its own.

    The main interval of a table counts of each unit what was kept and up to `most` of what was
    left out; together with `beyond` it holds with 95 %.

    Attributes:
        what: of what: "rows", or "groups" where units are counted.
        lost: how many were left out, of all units and groups together.
        kept: the share that was kept, of all; None if only the data know how many there are.
        whole: the share of units of which nothing was left out.
        noise: half the width of the interval for the noise alone, for each answer.
        surely_more: whether surely more was left out than the noise may be off.
        cap: as many rows as a unit has at most, as was declared; None if nothing was.
        most: of each unit so many left out are counted at most; all that it can lose, if that is
            known.
        beyond: at most so many units lost more than `most`; None if nobody can.
        advice: what would make the interval narrower; empty if nothing is known.
        held: whether intervals hold what was left out; if not, they are about what was kept.
    """

    what: str
    lost: Range
    kept: Range | None
    whole: Range
    noise: tuple[float, ...]
    surely_more: bool
    cap: int | None
    most: int
    beyond: int | None
    advice: str = ""
    held: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """What to say of it in lines below a table."""
        return tuple(self._words())

    def _words(self) -> Iterator[str]:
        yield self._about_intervals
        yield f"{self._lost}; {said_share_range(*self.whole)} of units count in full"
        if self.cap is not None:
            yield f"this holds if nobody has more than {said_count(self.cap)} rows"
        if self.beyond is not None:
            yield f"at most {said_count(self.beyond)} units lost more than {self._more_words}"
        if self.advice:
            yield self.advice

    @property
    def _about_intervals(self) -> str:
        if not self.held:
            return (
                "intervals are about what the bounds kept: for questions of this kind no limit is "
                "proved of what the rest would change"
            )
        part = "what" if self.beyond is None else "a part of what"
        return f"intervals hold {part} the bounds left out; the noise alone is {self._noise}"

    @property
    def _more_words(self) -> str:
        if not self.held:
            return said_count(self.most)
        return (
            f"{said_count(self.most)}, and what they lost beyond that is in no interval. Declare "
            "most_rows, the most that anybody can have, for intervals that hold all"
        )

    @property
    def _noise(self) -> str:
        noise = self.noise_halves
        if len(noise) and not np.isnan(noise).any():
            least, most = noise.min().item(), noise.max().item()
        else:
            least, most = min(self.noise, default=0.0), max(self.noise, default=0.0)
        ends = said_error(least), said_error(most)
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"

    @property
    def _lost(self) -> str:
        if self.kept is not None:
            return f"{said_share_range(*self.kept)} of {self.what} were kept"
        between = said_interval(*self.lost, whole=True, sentence=True)
        each = (
            "" if self.beyond is None else f", counting {said_count(self.most)} of a unit at most"
        )
        return f"{between} {self.what} were left out of all groups together{each}"

    @property
    def noise_halves(self) -> Floats:
        """`noise` as an array."""
        return np.asarray(held(self, "noise"), np.float64)

    def to_values(self) -> dict[str, Any]:
        """As plain values."""
        return self.to_columns() | {"noise": self.noise}

    def to_columns(self) -> dict[str, Any]:
        """The same, with an array of `noise`."""
        others = [each.name for each in fields(self) if each.name != "noise"]
        found = {name: getattr(self, name) for name in others} | {"noise": self.noise_halves}
        return {each.name: found[each.name] for each in fields(self)}

    @classmethod
    def from_values(cls, said: dict[str, Any]) -> "Cut":
        """What `to_values` made."""
        pairs = {name: _range(said[name]) for name in ("lost", "kept", "whole")}
        return cls(**said | pairs | {"noise": tuple(map(float, said["noise"]))})


def _range(said: Any) -> Range | None:
    return None if said is None else (float(said[0]), float(said[1]))
