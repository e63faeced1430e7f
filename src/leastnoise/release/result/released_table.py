"""`ReleasedTable`: noisy answers with their errors; public."""

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check, _show
from leastnoise._dataclass import dataclass
from leastnoise._display import visible, wrapped
from leastnoise.certificates.certificate import Certificate
from leastnoise.people import GRADES, UNKNOWN, grade_places
from leastnoise.release.ask.key_rows import KeyRows
from leastnoise.release.ask.keys import Key
from leastnoise.release.ask.tuple_field import as_tuple, changed, held, reads_as_tuple
from leastnoise.release.result.csv_text import csv_cells, csv_lines, csv_texts, inert
from leastnoise.release.result.cut import Cut
from leastnoise.release.result.day_values import DATED, day_value, shown_day
from leastnoise.release.result.flag import Flag, FlagKind, coded_words, remarks, words_by_row
from leastnoise.release.result.json_text import json_cells, json_texts, objects_text
from leastnoise.release.result.new_file import write_new_file
from leastnoise.release.result.ranks import Ranks
from leastnoise.release.result.shown_row import ShownRow, shown_row, text_table
from leastnoise.release.result.workbook import workbook
from leastnoise.release.result.woven import Cells, coded_cells

Cell: TypeAlias = Key | float | None
"""What names a row: a key, the end of a range, or None for all values together."""

Numbers = NDArray[np.int64] | NDArray[np.float64]
Floats = NDArray[np.float64]

BAND = "intervals are a band that holds for all ends of a group together"
"""A note of distribution functions."""
_MEASURES = ("value", "standard_error", "lower", "upper")
_GRADE, _FLAGS = "grade", "flags"
_MOST_WHOLE = 2.0**63
_SHOWN = 40  # a screenful


@reads_as_tuple("rows")
@dataclass(frozen=True, eq=False, repr=False)
class ReleasedTable:
    """One question's answers; all of it is public, so that anything may be made of it.

    Attributes:
        name: the question.
        columns: the names of the key columns.
        rows: the key of each answer.
        values: the answers.
        standard_error: of the noise in each answer; nan where it is not known.
        lower: the lower end of each 95 % interval: for the noise, and for what the bounds left out
            where that was measured.
        upper: the upper end.
        mechanism: the noise that was added.
        ratio: the noise is proved to be at most this times the least there is for one such number
            at this question's price; None if nothing is proved.
        certificate: the proof of that, for anyone to check.
        notes: what was done to the answers after the noise.
        flags: what must be known before relying on them, from the other fields and public facts.
        ranks: what is certain of the order of groups, if they were asked for by their sizes.
        cut: what the bounds left out, if it was measured; the intervals hold it then.
        dated: whether answers and ends are days since 1970-01-01, which are told as dates.
        kind: which kind of question it answers, such as "Count"; empty if nobody said. A release
            gives it to its tables, for charts.
        measure: what answers are measured in, such as "kr"; likewise.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    values: Numbers
    standard_error: Floats
    lower: Floats
    upper: Floats
    mechanism: str
    ratio: Fraction | None = None
    certificate: Certificate | None = None
    notes: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    ranks: Ranks | None = None
    cut: Cut | None = None
    dated: bool = False
    kind: str = ""
    measure: str = ""

    plot = _show.plot
    _repr_html_ = _show.html

    def __post_init__(self) -> None:
        if {len(held(self, "rows")), *map(len, self._measures())} != {len(self)}:
            raise ValueError("a table must have one answer for each of its keys, and no other")
        for measure in self._measures():
            measure.flags.writeable = False

    def _measures(self) -> tuple[Numbers, Floats, Floats, Floats]:
        return self.values, self.standard_error, self.lower, self.upper

    def __len__(self) -> int:
        return len(self.values)

    @property
    def key_columns(self) -> tuple[Sequence[Cell] | NDArray[np.int64], ...]:
        """The keys, column by column; integers may be an array."""
        rows = held(self, "rows")
        if isinstance(rows, KeyRows):
            return rows.columns
        return tuple([row[place] for row in rows] for place in range(len(self.columns)))

    def _key_cells(self) -> dict[str, Sequence[Cell] | NDArray[np.int64]]:
        """The key columns by name; one that is called like a measure gets a mark, or several."""
        taken = {*_MEASURES, _GRADE, _FLAGS}
        names = []
        for name in self.columns:
            free = name
            while free in taken or (free != name and free in self.columns):
                free = f"{free}_key"
            names.append(free)
        return dict(zip(names, self.key_columns, strict=True))

    def _keys(self) -> dict[str, list[Any]]:
        """The same in Python's own values."""
        return {name: list(as_tuple(column)) for name, column in self._key_cells().items()}

    def _columns(self) -> dict[str, list[Any]]:
        """Key columns, then the answers, as plain values."""
        return self._keys() | self._numbers()

    def _numbers(self) -> dict[str, list[Any]]:
        measures = zip(_MEASURES, self._measures(), strict=True)
        found = {name: measure.tolist() for name, measure in measures}
        return found | self._dates() | self._words()

    def _dates(self) -> dict[str, list[Any]]:
        """The measures that are told as dates, if any."""
        if not self.dated:
            return {}
        measures = zip(_MEASURES, self._measures(), strict=True)
        return {
            name: [day_value(name, number) for number in measure.tolist()]
            for name, measure in measures
            if name in DATED
        }

    def _words(self) -> dict[str, list[Any]]:
        """How reliable each answer is, and what must be known before relying on it."""
        return {_GRADE: self.grades, _FLAGS: words_by_row(self.flags, len(self), whole=True)}

    @property
    def is_band(self) -> bool:
        """Whether it is a distribution function; the last key of a row is where it is measured."""
        return BAND in self.notes

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to say of the table in lines below it."""
        cut = () if self.cut is None or not len(self) else self.cut.words
        return (*remarks(self.flags), *cut)

    @property
    def below(self) -> tuple[str, ...]:
        """All lines below the table, each once: remarks and notes."""
        return tuple(dict.fromkeys((*self.remarks, *self.notes)))

    @property
    def certificate_id(self) -> str | None:
        """The fingerprint of the certificate's text."""
        if self.certificate is None:
            return None
        return hashlib.sha256(self.certificate.to_json().encode()).hexdigest()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per answer."""
        return _rows_of(self._columns())

    def map(self, function: Callable[[Floats], Floats], name: str) -> "ReleasedTable":
        """The answers after a function that never decreases, such as a logarithm.

        Only the answers are looked at, so the guarantee stays as it is.
        """
        ends = [np.asarray(function(np.asarray(each, np.float64))) for each in self._ends()]
        unknown = np.full(len(self), np.nan)
        return changed(
            self,
            name=name,
            values=ends[0],
            standard_error=unknown,
            lower=np.fmin(ends[1], ends[2]),
            upper=np.fmax(ends[1], ends[2]),
            ratio=None,
            certificate=None,
            notes=(*self.notes, f"a function of {self.name!r}"),
            flags=tuple(self._before(flag) for flag in self.flags),
            cut=None,
            kind="",
            measure="",
        )

    def _before(self, flag: Flag) -> Flag:
        """What is said of these answers when a function of them is told."""
        told = flag.kind in {FlagKind.BOUND, FlagKind.WHOLE_RANGE}
        return replace(flag, words=f"{flag.words} of {self.name!r}") if told else flag

    def _ends(self) -> tuple[Numbers, Floats, Floats]:
        return self.values, self.lower, self.upper

    def non_negative(self) -> "ReleasedTable":
        """The answers and intervals, with everything below 0 put at 0. Means are biased upwards."""
        values, lower, upper = (np.maximum(each, 0) for each in self._ends())
        notes = (*self.notes, "answers below 0 were put at 0")
        return changed(self, values=values, lower=lower, upper=upper, notes=notes)

    def rounded(self) -> "ReleasedTable":
        """The answers as whole numbers. Intervals stay, and are made wider to hold them."""
        whole: Numbers = np.rint(self.values)
        if (np.abs(whole) < _MOST_WHOLE).all():  # not so if one is unknown
            whole = whole.astype(np.int64)
        lower, upper = np.minimum(self.lower, whole), np.maximum(self.upper, whole)
        notes = (*self.notes, "answers were rounded")
        return changed(self, values=whole, lower=lower, upper=upper, notes=notes)

    def to_json(self) -> str:
        """As JSON text."""
        cells = {name: json_cells(column) for name, column in self._key_cells().items()}
        found = cells | self._cells(json_cells, json_texts)
        facts = json.dumps(self.facts(), ensure_ascii=False).removesuffix("}")
        return "".join([facts, ', "answers": ', *objects_text(found, len(self)), "}"])

    def _cells(
        self, cells: Callable[[Any], Cells], texts: Callable[[Sequence[str]], list[str]]
    ) -> dict[str, Cells]:
        """Answers, grades and flags, with what makes cells of a column, and texts of words."""
        measures = dict(zip(_MEASURES, self._measures(), strict=True)) | self._dates()
        words = {_GRADE: self._grades(), _FLAGS: coded_words(self.flags, len(self), whole=True)}
        return {name: cells(column) for name, column in measures.items()} | {
            name: coded_cells(texts(found), codes) for name, (found, codes) in words.items()
        }

    def facts(self) -> dict[str, Any]:
        """Everything but the answers, as plain values."""
        return self.facts_in_columns() | {
            "flags": [flag.to_values() for flag in self.flags],
            "cut": None if self.cut is None else self.cut.to_values(),
        }

    def facts_in_columns(self) -> dict[str, Any]:
        """The same, with an array for each list that is as long as the answers."""
        return {
            "question": self.name,
            "mechanism": self.mechanism,
            "ratio": None if self.ratio is None else str(self.ratio),
            "certificate": self.certificate_id,
            "notes": list(self.notes),
            "flags": [flag.to_columns() for flag in self.flags],
            "ranks": None if self.ranks is None else self.ranks.facts(),
            "cut": None if self.cut is None else self.cut.to_columns(),
        }

    @overload
    def to_csv(self, *, raw: bool = False) -> str: ...
    @overload
    def to_csv(self, path: str | Path, *, raw: bool = False, replace: bool = False) -> None: ...
    def to_csv(
        self, path: str | Path | None = None, *, raw: bool = False, replace: bool = False
    ) -> str | None:
        """As CSV that is safe to open in a spreadsheet: as text, or in a new file.

        A text that a spreadsheet would take for a formula, because it begins with = + - @, a tab or
        a line end, gets an apostrophe in front; so does one that begins with apostrophes and goes
        on like this. Numbers stay as they are.

        Args:
            path: where to write it; None for the text itself.
            raw: write every text exactly as it is, for programs that run no formulas.
            replace: whether the file may take the place of another one.
        """
        found = self._csv(raw=raw)
        if path is None:
            return "".join(found)
        write_new_file(path, map(str.encode, found), replace=replace)
        return None

    def _csv(self, *, raw: bool) -> Iterator[str]:
        keys = {
            name if raw else inert(name): csv_cells(column, raw=raw)
            for name, column in self._key_cells().items()
        }
        return csv_lines(keys | self._cells(csv_cells, csv_texts), len(self))

    def to_arrow(self) -> Any:
        """As an Arrow table; needs pyarrow."""
        return _needed("pyarrow").table(self._arrays())

    def to_pandas(self) -> Any:
        """As a pandas data frame; needs pandas."""
        return _needed("pandas").DataFrame(self._arrays())

    def to_polars(self) -> Any:
        """As a Polars data frame; needs polars."""
        return _needed("polars").DataFrame(self._arrays())

    def to_parquet(self, path: str | Path, *, replace: bool = False) -> None:
        """As a new Parquet file; needs pyarrow."""
        write_new_file(path, self.parquet_bytes(), replace=replace)

    def parquet_bytes(self) -> bytes:
        """What a Parquet file of it holds."""
        file = io.BytesIO()
        _needed("pyarrow.parquet").write_table(self.to_arrow(), file)
        return file.getvalue()

    def to_excel(self, path: str | Path, *, replace: bool = False) -> None:
        """As a new Excel workbook, with a sheet about it; needs leastnoise[excel].

        Texts are texts there, never formulas, exactly as they are.
        """
        content = workbook({self.name: self.plain_columns()}, self.about())
        write_new_file(path, content, replace=replace)

    def plain_columns(self) -> dict[str, list[Any]]:
        """Key columns, answers, ends of intervals, grades and flags, as plain values."""
        return self._columns()

    def about(self) -> list[tuple[str, str]]:
        """What a reader must know beside the numbers, line by line."""
        told = [("question", self.name), ("noise", self.mechanism)]
        told += [("interval", "lower and upper are the ends of 95 % intervals")]
        return told + [("note", each) for each in self.below]

    def _arrays(self) -> dict[str, Any]:
        measures = dict(zip(_MEASURES, self._measures(), strict=True))
        return {**self._keys(), **measures, **self._dates(), **self._words()}

    def __repr__(self) -> str:
        return f"ReleasedTable({self.name!r}, {len(self)} answers)"

    def __str__(self) -> str:
        head, *body = self.lines(_SHOWN)
        more = [f"… and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        lines = text_table([[*map(visible, head)], *body])
        sure = [] if self.ranks is None else self.ranks.words
        said = dict.fromkeys([*sure, *self.below])
        told = [wrapped(visible(each)) for each in said]
        return "\n".join([visible(self.name), lines, *more, *told])

    def lines(self, most: int) -> list[list[str]]:
        """The head and the first answers of a narrow table; flags stand last, if there are any."""
        head, rows = [*self.columns, "value", "95 % interval"], self.shown(most)
        lines = [head, *(row.cells for row in rows)]
        for name, more in (
            (_GRADE, [row.grade for row in rows]),
            (_FLAGS, [r.flags for r in rows]),
        ):
            if any(more):
                lines = [[*line, cell] for line, cell in zip(lines, [name, *more], strict=True)]
        return lines

    def shown(self, most: int) -> list[ShownRow]:
        """The first answers as people read them."""
        numbers = zip(*(each[:most].tolist() for each in self._measures()), strict=True)
        flags = words_by_row(self.flags, min(most, len(self)), whole=False)
        keys, bounds = held(self, "rows")[:most], self._only_bounds()[:most].tolist()
        rows = zip(keys, numbers, flags, self._noises(most), bounds, strict=True)
        told = [
            shown_row(key, each, said, noise=noise, bound=bound)
            for key, each, said, noise, bound in rows
        ]
        if not self.dated:
            return told
        return [self._in_dates(place, row) for place, row in enumerate(told)]

    @property
    def grades(self) -> list[str]:
        """How reliable each answer is: A, B, C or D; nothing of dates, which have no size."""
        letters, codes = self._grades()
        return [letters[code] for code in codes.tolist()]

    def _grades(self) -> tuple[list[str], NDArray[np.int64]]:
        """The letters there are, and for each answer which it has."""
        if self.dated:
            return [""], np.zeros(len(self), np.int64)
        return list(GRADES), grade_places(*self._ends(), self._only_bounds())

    def _noises(self, most: int) -> list[float | None]:
        """For each answer half the width of the noise's interval, where it is told apart."""
        count = min(most, len(self))
        if self.cut is None or len(self.cut.noise_halves) != len(self):
            return [None] * count
        return list(self.cut.noise_halves[:count].tolist())

    def _only_bounds(self) -> NDArray[np.bool_]:
        """Whether the interval of each answer says nothing."""
        found = np.zeros(len(self), np.bool_)
        for flag in self.flags:
            if flag.kind is FlagKind.WHOLE_RANGE:
                found[flag.places] = True
        return found

    def _in_dates(self, place: int, row: ShownRow) -> ShownRow:
        low, high = (
            shown_day(name, measure[place].item())
            for name, measure in (("lower", self.lower), ("upper", self.upper))
        )
        return replace(
            row,
            value=shown_day("value", self.values[place].item()),
            interval=UNKNOWN if low == high == UNKNOWN else f"{low} to {high}",
            noise="",
            grade="",
        )


def _needed(package: str) -> Any:
    """A package that is only loaded where it is asked for."""
    from importlib import import_module  # noqa: PLC0415 - together with its use

    try:
        return import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise _check.refuse(
            f"this needs the package {name!r}", "it is not installed", f"pip install {name}"
        ) from None


def _rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
