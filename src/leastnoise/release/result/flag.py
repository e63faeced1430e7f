"""`Flag`: what a reader must know before relying on an answer; computed from public facts alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np


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

    def to_values(self) -> dict[str, Any]:
        """As plain values."""
        return {"kind": self.kind.value, "words": self.words, "rows": list(self.rows)}

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
    texts, codes = [""], np.zeros(count, np.int64)  # a text for each set of flags that occurs
    for flag in flags:
        places = np.array(flag.rows, np.int64)
        places = np.arange(count) if whole and not flag.rows else places[places < count]
        before, which = np.unique(codes[places], return_inverse=True)
        codes[places] = len(texts) + which
        texts += ["; ".join(filter(None, (texts[each], flag.words))) for each in before]
    return [texts[code] for code in codes.tolist()]


def remarks(flags: Iterable[Flag]) -> tuple[str, ...]:
    """The lines below a table: flags of all of it, and what those of single answers mean."""
    said = (flag.kind.meaning if flag.rows else flag.words for flag in flags)
    return tuple(dict.fromkeys(filter(None, said)))
