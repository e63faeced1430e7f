r"""Which lines of a CSV file are records, judged without looking at other records.

A line is a record if its quotes open at the beginning of a field and close at the end of one, and
it has as many fields as the header. A line whose last quote stays open is one together with the
lines that follow, if these close it, and all else is as above; otherwise it is left out alone, and
the next line is judged anew, so that a stray quote does not swallow other rows. Records that are
too long, no UTF-8 or have a carriage return inside are left out.
"""

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.csv_clean import LONGEST, Form, is_clean, is_unicode

FARTHEST = 2**26
"""How many bytes are searched for the quote that closes a field."""
LF, _CR, _SPACE = b"\n\r "
_Flags = NDArray[np.bool_]
_Places = NDArray[np.intp]
_NONE = np.empty(0, np.intp)


@dataclass(frozen=True, repr=False)
class Judged:
    """The records among some lines, each on one line, with a space for line ends inside fields.

    Attributes:
        records: what is kept.
        rest: the end of the lines, if it can only be judged together with what follows.
        left_out: how many lines are in no record.
    """

    records: bytes
    rest: bytes
    left_out: int = 0


def judged(lines: bytes, form: Form, *, is_end: bool) -> Judged:
    """The records among lines that end in LF; `is_end` if no more follow."""
    if is_clean(lines, form):
        return Judged(lines, b"")
    seen = _Lines(lines, form)
    keep = seen.alone & ~seen.spoiled
    spans, cut = seen.spans(is_end=is_end)
    text, lengths = seen.text.copy(), np.diff(seen.ends, prepend=-1)
    for first, last in spans:
        text[seen.ends[first:last]] = _SPACE
        size = lengths[first : last + 1].sum()
        keep[first : last + 1] = size <= LONGEST and not seen.spoiled[first : last + 1].any()
    keep[cut:] = False
    rest = lines[seen.starts[cut] :] if cut < len(keep) else b""
    left_out = int(cut - np.count_nonzero(keep))
    return Judged(text[np.repeat(keep, lengths)].tobytes(), rest, left_out)


class _Lines:
    """Lines that end in LF, and what is true of each."""

    def __init__(self, lines: bytes, form: Form) -> None:
        self._form = form
        self.text = np.frombuffer(lines, np.uint8)
        self.ends = np.flatnonzero(self.text == LF)
        self.starts = np.append(0, self.ends[:-1] + 1)
        # Without a quote, a line end is where one may open or close: none stands inside of lines.
        self._quote = ord(form.quote or "\n")
        self._quotes = np.flatnonzero(self.text == self._quote) if form.quote else _NONE
        self._between = np.flatnonzero(self.text == ord(form.delimiter))
        self._odd = self._per_line(self._quotes) % 2 == 1
        self._delimiters = self._outside(0)
        self._placed = self._well_placed(0)
        self.alone = self._placed & ~self._odd & (self._delimiters == form.fields - 1)
        self.spoiled = self._spoiled(lines)

    def spans(self, *, is_end: bool) -> tuple[list[tuple[int, int]], int]:
        """First and last lines of records of several, and the first line to judge later."""
        inside = self._well_placed(1)
        stops, closes = np.flatnonzero(~inside | self._odd), inside & self._odd
        passed = np.cumsum(self._outside(1))
        found: list[tuple[int, int]] = []
        for first in map(int, np.flatnonzero(self._placed & self._odd)):
            if found and first <= found[-1][1]:
                continue
            place = np.searchsorted(stops, first + 1)
            if place < len(stops):
                last = int(stops[place])
                delimiters = self._delimiters[first] + passed[last] - passed[first]
                if closes[last] and delimiters == self._form.fields - 1:
                    found.append((first, last))
            elif not is_end and len(self.text) - self.starts[first] <= FARTHEST:
                return found, first
        return found, len(self.ends)

    def _spoiled(self, lines: bytes) -> _Flags:
        spoiled: _Flags = self.ends - self.starts >= LONGEST
        spoiled[np.searchsorted(self.ends, np.flatnonzero(self.text == _CR))] = True
        if not is_unicode(lines):
            pairs = zip(self.starts, self.ends, strict=True)
            spoiled |= [not is_unicode(lines[start:end]) for start, end in pairs]
        return spoiled

    def _per_line(self, places: _Places) -> _Places:
        return np.diff(np.searchsorted(places, self.ends), prepend=0)

    def _inside(self, places: _Places, begun: int) -> _Flags:
        """Which places are in quotes, if lines begin outside (0) or inside (1) of quotes."""
        before = np.searchsorted(self._quotes, self.starts)[np.searchsorted(self.ends, places)]
        inside: _Flags = (np.searchsorted(self._quotes, places) - before + begun) % 2 == 1
        return inside

    def _outside(self, begun: int) -> _Places:
        return self._per_line(self._between[~self._inside(self._between, begun)])

    def _well_placed(self, begun: int) -> _Flags:
        """Every other quote opens, the rest close; "" is a quote inside."""
        closes = self._inside(self._quotes, begun)
        beside = np.where(closes, self._quotes + 1, self._quotes - 1)
        neighbour = np.where(beside < 0, LF, self.text[beside])  # none is last: lines have ends
        strange = ~np.isin(neighbour, (ord(self._form.delimiter), LF, self._quote))
        placed: _Flags = self._per_line(self._quotes[strange]) == 0
        return placed
