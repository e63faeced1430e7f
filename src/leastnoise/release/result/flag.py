"""`Flag`: what a reader must know before relying on an answer; computed from public facts alone."""

from collections.abc import Iterable
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.tuple_field import held, reads_as_tuple

Places: TypeAlias = NDArray[np.int64]


class FlagKind(Enum):
    """What is to be known."""

    MOSTLY_NOISE = "mostly noise"
    BOUND = "bound"
    WHOLE_RANGE = "whole range"
    EMPTY = "empty"
    NO_UNIT = "no unit"
    CUT = "cut"
    CUT_NOT_KNOWN = "cut not known"

    @property
    def meaning(self) -> str:
        """What it means, for answers that have it; nothing where the words say all."""
        return _MEANINGS.get(self, "")


_MEANINGS = {
    FlagKind.MOSTLY_NOISE: "mostly noise: the interval is wider than half of the answer",
    FlagKind.BOUND: (
        "at a bound: the interval ends there because nothing beyond it was let in, or is possible"
    ),
    FlagKind.CUT: "cut: the bounds left out more than the noise may be off",
    FlagKind.CUT_NOT_KNOWN: (
        "cut not known: the bounds may have left out more than the noise may be off"
    ),
    FlagKind.WHOLE_RANGE: "nothing is known: no value between the bounds can be ruled out",
}


@reads_as_tuple("rows")
@dataclass(frozen=True)
class Flag:
    """Something to be known of some answers.

    Attributes:
        kind: which sort of thing.
        words: what to say of them, short.
        rows: the places of the answers in their table; none if it is about all of it.
    """

    kind: FlagKind
    words: str
    rows: tuple[int, ...] = ()

    @property
    def places(self) -> Places:
        """The places as an array."""
        return np.asarray(held(self, "rows"), np.int64)

    def to_values(self) -> dict[str, Any]:
        """As plain values."""
        return self.to_columns() | {"rows": self.places.tolist()}

    def to_columns(self) -> dict[str, Any]:
        """The same, with the places as an array."""
        return {"kind": self.kind.value, "words": self.words, "rows": self.places}

    @classmethod
    def from_values(cls, said: dict[str, Any]) -> "Flag":
        """What `to_values` made.

        Raises:
            ValueError: there is no such kind.
        """
        return cls(FlagKind(said["kind"]), str(said["words"]), tuple(map(int, said["rows"])))


def words_by_row(flags: Iterable[Flag], count: int, *, whole: bool) -> list[str]:
    """For each of the first answers what is flagged, in one text.

    Args:
        flags: of a table.
        count: how many answers are asked about.
        whole: whether flags of the whole table are said of every answer, too.
    """
    texts, codes = coded_words(flags, count, whole=whole)
    return [texts[code] for code in codes.tolist()]


def coded_words(flags: Iterable[Flag], count: int, *, whole: bool) -> tuple[list[str], Places]:
    """The same as a text for each set of flags that occurs, and for each answer which it is."""
    texts, codes = [""], np.zeros(count, np.int64)
    for flag in flags:
        places = flag.places
        places = np.arange(count) if whole and not len(places) else places[places < count]
        own = codes[places]
        before = np.flatnonzero(np.bincount(own))
        codes[places] = len(texts) + np.searchsorted(before, own)
        texts += ["; ".join(filter(None, (texts[each], flag.words))) for each in before]
    return texts, codes


def remarks(flags: Iterable[Flag]) -> tuple[str, ...]:
    """The lines below a table: flags of all of it, and what those of single answers mean."""
    said = (flag.kind.meaning if len(flag.places) else flag.words for flag in flags)
    return tuple(dict.fromkeys(filter(None, said)))
