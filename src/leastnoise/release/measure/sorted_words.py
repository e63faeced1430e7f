"""The words of a pass, taken as they come and given back in order, all rows of a unit together.

Theorem: for all words in whatever order, all batches and all sizes, what `parts` gives is all words
that were taken, each as often as it was, and no two parts have words of one unit. A part is one
sorted array; or several, and then all of their words are of one unit.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import FileIO
from itertools import count, pairwise
from pathlib import Path
from shutil import disk_usage
from time import thread_time
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import BackendError
from leastnoise.release.measure.own_folder import OwnFolder
from leastnoise.release.measure.word_pairs import parts_of_words

Words: TypeAlias = NDArray[np.uint64]
Part: TypeAlias = Iterator[Words]
"""Each array is to be done with before the next is asked for."""
Sorting: TypeAlias = Literal["stable"] | None

HELD = 2**23
"""So many words are held in memory."""
PART = 2**20
"""So many are looked at together."""
_PIECE = 2**22  # so many words of several units are read back from disk at once
_TOGETHER = 2**20  # so many are divided at once
_MOST_ENDS = 64  # words are divided at so many units; there is a file for each range between them
_ENOUGH = 4  # a range is meant to have a quarter of what may be read back: a sample tells roughly
_SAMPLED = 2**12
_BYTES = 8
_ROOM = 2 * _BYTES  # for a word, since some are divided again
_LIMIT = 2**64
_GROWN = (
    "the table must stay what it is; it has more rows than before, and nothing was charged. "
    "Release from a copy."
)
_FULL = (
    "temporary files must have room; they had none, and nothing was charged. Make room for "
    "temporary files; TMPDIR says where they are."
)
_LOST = (
    "temporary files must stay what they are; one did not, and nothing was charged. Check the disk "
    "that TMPDIR names."
)


class WordStore(Protocol):
    """Words, first taken and then given."""

    def take(self, batch: Words) -> None:
        """Some words; they are copied."""

    def parts(self) -> Iterator[Part]:
        """All of them, once."""


def has_room(most: int, folder: Path) -> bool:
    """Whether so many words can be held, or put there."""
    if most <= HELD:
        return True
    try:
        return disk_usage(folder).free >= _ROOM * most
    except OSError:  # somebody cleared it away
        return False


@contextmanager
def word_store(most: int, low: int, folder: Path, sorting: Sorting = None) -> Iterator[WordStore]:
    """Where to put words, for a while.

    Args:
        most: how many come at most; more are refused.
        low: how many bits of a word are below the unit.
        folder: for those that are not held; for its owner alone.
        sorting: how those that are held are sorted.

    Raises:
        BackendError: those that are not held have no room.
    """
    if most <= HELD:
        yield _Held(most, low, sorting)
        return
    try:
        with OwnFolder(folder) as own:
            yield _OnDisk(most, low, own)
    except OSError as error:
        if error.errno is None:  # of no file: a time limit, say, that the caller has set
            raise
        raise BackendError(_FULL) from None


class _Held:
    """Words in memory."""

    def __init__(self, most: int, low: int, sorting: Sorting) -> None:
        self._words = np.empty(most, np.uint64)
        self._filled = 0
        self._low = low
        self._sorting: Sorting = sorting

    def take(self, batch: Words) -> None:
        end = self._filled + len(batch)
        if end > len(self._words):
            raise BackendError(_GROWN)
        self._words[self._filled : end] = batch
        self._filled = end

    def parts(self) -> Iterator[Part]:
        words = self._words[: self._filled]
        words.sort(kind=self._sorting)
        yield from _in_parts(words, self._low)


class _OnDisk:
    """Words in files, one for each of some ranges of units."""

    def __init__(self, most: int, low: int, folder: Path) -> None:
        self._most = most
        self._low = low
        self._paths = (folder / f"words-{number}" for number in count())
        self._taken = 0
        self._waiting: list[Words] = []
        self._ranges: _Ranges | None = None

    def take(self, batch: Words) -> None:
        self._taken += len(batch)
        if self._taken > self._most:
            raise BackendError(_GROWN)
        self._waiting.append(batch.copy())
        if sum(map(len, self._waiting)) >= _TOGETHER:
            self._divide()

    def parts(self) -> Iterator[Part]:
        self._divide()
        assert self._ranges is not None
        todo = self._ranges.ranges[::-1]
        while todo:
            each = todo.pop()
            if each.words <= _PIECE:
                words = each.read()
                words.sort(kind=sorting_of_runs())
                yield from _in_parts(words, self._low)
            elif each.last - each.first < 1 << self._low:
                yield map(np.sort, each.pieces(PART))
            else:
                todo += self._smaller(each)[::-1]
            each.remove()

    def _divide(self) -> None:
        """Waiting words are put where they belong."""
        words = np.concatenate([np.zeros(0, np.uint64), *self._waiting])
        self._waiting.clear()
        words.sort()
        if self._ranges is None:
            sample = words[:: max(1, len(words) // _SAMPLED)]
            self._ranges = self._ranges_by(sample, self._most)
        self._ranges.add(words)

    def _smaller(self, whole: "_Range") -> "list[_Range]":
        """A range of several units, divided again by a look at words from all over it."""
        ranges = self._ranges_by(np.sort(whole.sample(_SAMPLED)), whole.words)
        for piece in whole.pieces(_TOGETHER):
            ranges.add(np.sort(piece))
        return ranges.ranges

    def _ranges_by(self, sample: Words, many: int) -> "_Ranges":
        """Ranges for so many words, in which there are about equally many of a sorted sample."""
        ends = min(_MOST_ENDS, -(-_ENOUGH * many // _PIECE))
        places = np.arange(1, ends + 1) * len(sample) // (ends + 1)
        firsts = _around(sample[places].tolist() if len(sample) else [], self._low)
        return _Ranges(firsts, self._paths)


class _Range:
    """The words from a first to a last one, in a file of their own. Secret.

    The file is open only while it is written to or read: a process may open few of them, and there
    is one for each range.
    """

    def __init__(self, first: int, last: int, path: Path) -> None:
        self.first = first
        self.last = last
        self.path = path
        self.words = 0
        path.touch(exist_ok=False)

    def add(self, words: Words) -> None:
        left = memoryview(words.tobytes())
        with self.path.open("ab", buffering=0) as file:
            while left:
                left = left[file.write(left) :]
        self.words += len(words)

    def pieces(self, size: int) -> Iterator[Words]:
        """All words, so many at a time."""
        with self._opened() as file:
            for start in range(0, self.words, size):
                yield self._read(file, min(size, self.words - start))

    def read(self) -> Words:
        """All words at once."""
        with self._opened() as file:
            return self._read(file, self.words)

    def sample(self, count: int) -> Words:
        """So many words, from all over the file."""
        found = []
        with self._opened() as file:
            for place in np.linspace(0, self.words - 1, count).astype(np.int64).tolist():
                file.seek(_BYTES * place)
                found.append(self._read(file, 1))
        return np.concatenate(found)

    def remove(self) -> None:
        self.path.unlink()

    @contextmanager
    def _opened(self) -> Iterator[FileIO]:
        try:
            with self.path.open("rb", buffering=0) as file:
                yield file
        except OSError:
            raise BackendError(_LOST) from None

    def _read(self, file: FileIO, count: int) -> Words:
        words = np.fromfile(file, np.uint64, count)
        if len(words) != count:
            raise BackendError(_LOST)
        return words


class _Ranges:
    """All words, divided into ranges, with a path for each."""

    def __init__(self, firsts: Sequence[int], paths: Iterator[Path]) -> None:
        self._firsts = np.array(firsts, np.uint64)
        ends = pairwise([0, *firsts, _LIMIT])
        self.ranges = [_Range(first, end - 1, next(paths)) for first, end in ends]

    def add(self, words: Words) -> None:
        """Sorted words, each to where it belongs."""
        cuts = [0, *np.searchsorted(words, self._firsts).tolist(), len(words)]
        for each, (start, end) in zip(self.ranges, pairwise(cuts), strict=True):
            if start < end:
                each.add(words[start:end])


def _around(words: Sequence[int], low: int) -> list[int]:
    """Where ranges begin, so that the units of some words have each a range of their own."""
    units = {word >> low for word in words}
    firsts = {(unit + more) << low for unit in units for more in (0, 1)}
    return sorted(first for first in firsts if 0 < first < _LIMIT)


def _in_parts(words: Words, low: int) -> Iterator[Part]:
    """Sorted words in parts; a unit with very many rows is a part of several arrays."""
    for part in parts_of_words(words, low, PART):
        yield (part[start : start + PART] for start in range(0, len(part), PART))


_TRIED = 2**15
_RUNS = 3
_FASTER = 0.4  # of what merging words in no order takes; for nearly sorted ones it takes half


@cache
def sorting_of_runs() -> Sorting:
    """How words are sorted fastest of which most come in order: by merging, or as any others.

    NumPy's sort of words in any order is ten times as fast on some processors as on others.
    """
    words = np.arange(_TRIED, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    anyhow, merged = (min(_seconds(words, kind) for _ in range(_RUNS)) for kind in (None, "stable"))
    return None if anyhow < _FASTER * merged else "stable"


def _seconds(words: Words, sorting: Sorting) -> float:
    own, begun = words.copy(), thread_time()
    own.sort(kind=sorting)
    return thread_time() - begun
